/** Where in the console somebody is: the part of the address after the #, which no server sees. */
import { computed, signal } from "@preact/signals"

const read = (): string => location.hash.replace(/^#\/?/, "")

const place = signal(read())

addEventListener("hashchange", () => {
  place.value = read()
  scrollTo(0, 0)
})

/** A part that cannot be read stands for itself. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const route = computed(() => {
  const [path = "", query = ""] = place.value.split("?", 2)
  return { path, parts: path.split("/").map(decoded), query: new URLSearchParams(query) }
})

type Query = Readonly<Record<string, string | undefined>>

export const linkTo = (path: string, query: Query = {}): string => {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") params.set(name, value)
  return `#/${path}${params.size === 0 ? "" : `?${params}`}`
}

export const go = (path: string, query: Query = {}): void => {
  location.hash = linkTo(path, query)
}

/** A filter that changes is no step to go back to. */
export const setQuery = (query: Query): void => {
  history.replaceState(null, "", linkTo(route.value.path, query))
  place.value = read()
}
