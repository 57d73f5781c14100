/** Routes by the part of the address after the #. */
import { computed, signal } from "@preact/signals"

const read = (): string => location.hash.replace(/^#\/?/, "")

const place = signal(read())

addEventListener("hashchange", () => {
  place.value = read()
  scrollTo(0, 0)
})

/** Keeps a part that is not valid percent-encoding as it is. */
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

/** Changes filters without a new entry in the history. */
export const setQuery = (query: Query): void => {
  history.replaceState(null, "", linkTo(route.value.path, query))
  place.value = read()
}
