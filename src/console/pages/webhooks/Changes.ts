/** Told when an endpoint was made or changed elsewhere on the page, so that the list of them is read again. */
import { signal } from "@preact/signals"

export const changes = signal(0)

export const changed = (): void => {
  changes.value += 1
}
