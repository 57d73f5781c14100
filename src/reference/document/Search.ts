/** Finds entries by their words: those whose title has them come before those whose address or text has. */
import type { Entry, Group } from "./Contents.ts"

export interface Found {
  readonly entry: Entry
  readonly group: string
}

interface Indexed extends Found {
  readonly title: string
  readonly address: string
  readonly text: string
}

const textOf = (entry: Entry): string => {
  if (entry.kind === "text") return entry.markdown
  if (entry.kind === "schema")
    return `${entry.schema.description ?? ""} ${Object.keys(entry.schema.properties ?? {}).join(" ")}`
  const { description = "", operationId, parameters = [] } = entry.about
  return `${operationId} ${description} ${parameters.map(({ name }) => name).join(" ")}`
}

export const indexOf = (groups: ReadonlyArray<Group>): ReadonlyArray<Indexed> =>
  groups.flatMap((group) =>
    group.entries.map((entry) => ({
      entry,
      group: group.title,
      title: entry.title.toLowerCase(),
      address: `${"method" in entry ? `${entry.method} ${entry.path}` : ""} ${group.title}`.toLowerCase(),
      text: textOf(entry).toLowerCase()
    }))
  )

const rankOf = ({ address, text, title }: Indexed, words: ReadonlyArray<string>, whole: string): number => {
  if (title === whole) return 6
  if (title.startsWith(whole)) return 5
  if (title.includes(whole)) return 4
  if (words.every((word) => title.includes(word))) return 3
  if (words.every((word) => `${title} ${address}`.includes(word))) return 2
  return words.every((word) => `${title} ${address} ${text}`.includes(word)) ? 1 : 0
}

/** Among those that fit as well, what can be called comes before what it is made of. */
const order = ["operation", "event", "text", "schema"] as const

const MOST = 30

export const find = (index: ReadonlyArray<Indexed>, query: string): ReadonlyArray<Found> => {
  const whole = query.trim().toLowerCase()
  if (whole === "") return index.filter(({ entry }) => entry.kind === "operation").slice(0, MOST)
  const words = whole.split(/\s+/)
  return index
    .map((one) => ({ one, rank: rankOf(one, words, whole) * order.length - order.indexOf(one.entry.kind) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, MOST)
    .map(({ one }) => one)
}
