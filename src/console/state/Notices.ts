/** A word about what was just done, which goes away by itself. */
import { signal } from "@preact/signals"

export const notice = signal<string | undefined>(undefined)

let timer: number | undefined

const SHOWN_FOR = 5000

export const tell = (words: string): void => {
  clearTimeout(timer)
  notice.value = words
  timer = setTimeout(() => {
    notice.value = undefined
  }, SHOWN_FOR) as unknown as number
}
