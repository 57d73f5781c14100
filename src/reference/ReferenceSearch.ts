/** Searches entries by words. Matches in titles and actions rank before matches in paths and text. */
import type { Entry, Group } from "./ReferenceContents.ts"

export interface Found {
  readonly entry: Entry
  readonly group: string
  /** Matching action of the operation, such as "refund". */
  readonly action?: string | undefined
}

export interface Indexed extends Found {
  readonly title: string
  readonly address: string
  readonly text: string
  readonly actions: ReadonlyArray<string>
}

const textOf = (entry: Entry): string => {
  if (entry.kind === "text") return entry.markdown
  if (entry.kind === "schema")
    return `${entry.schema.description ?? ""} ${Object.keys(entry.schema.properties ?? {}).join(" ")}`
  const { description = "", operationId, parameters = [] } = entry.about
  return `${operationId} ${description} ${parameters.map(({ name }) => name).join(" ")}`
}

/** Actions of one operation, as its description lists them. */
const actionsOf = (entry: Entry): ReadonlyArray<string> =>
  "about" in entry ? Array.from((entry.about.description ?? "").matchAll(/^- `([a-z_]+)`:/gm), ([, name]) => name!) : []

export const indexOf = (groups: ReadonlyArray<Group>): ReadonlyArray<Indexed> =>
  groups.flatMap((group) =>
    group.entries.map((entry) => ({
      entry,
      group: group.title,
      title: entry.title.toLowerCase(),
      address: `${"method" in entry ? `${entry.method} ${entry.path}` : ""} ${group.title}`.toLowerCase(),
      text: textOf(entry).toLowerCase(),
      actions: actionsOf(entry)
    }))
  )

const actionFor = ({ actions }: Indexed, words: ReadonlyArray<string>): string | undefined =>
  actions.find((action) => words.some((word) => word === action || action.split("_").includes(word)))

const rankOf = (one: Indexed, words: ReadonlyArray<string>, whole: string): number => {
  const { address, text, title } = one
  const action = actionFor(one, words)
  if (title === whole) return 8
  if (title.startsWith(whole)) return 7
  if (action !== undefined && words.every((word) => `${title} ${action}`.includes(word))) return 6
  if (title.includes(whole)) return 5
  if (words.every((word) => title.includes(word))) return 4
  if (words.every((word) => `${title} ${address}`.includes(word))) return 3
  return words.every((word) => `${title} ${address} ${text}`.includes(word)) ? 1 : 0
}

/** Ranks a model after operations of the same name, and before entries that only mention it. */
const placeOf = ({ entry }: Indexed, rank: number): number => (entry.kind === "schema" && rank > 2 ? 2 : rank)

/** Order of entries with an equal rank. */
const order = ["operation", "event", "text", "schema"] as const

const MAX_RESULTS = 30

export const searchEntries = (index: ReadonlyArray<Indexed>, query: string): ReadonlyArray<Found> => {
  const whole = query.trim().toLowerCase()
  if (whole === "") return index.filter(({ entry }) => entry.kind === "operation").slice(0, MAX_RESULTS)
  const words = whole.split(/\s+/)
  return index
    .map((one) => ({ one, rank: rankOf(one, words, whole) }))
    .filter(({ rank }) => rank > 0)
    .map(({ one, rank }) => ({ one, rank, place: placeOf(one, rank) * order.length - order.indexOf(one.entry.kind) }))
    .sort((a, b) => b.place - a.place || b.rank - a.rank)
    .slice(0, MAX_RESULTS)
    .map(({ one }) => ({ ...one, action: actionFor(one, words) }))
}

interface KeyPress {
  readonly key: string
  readonly altKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly shiftKey: boolean
}

/** Ctrl K or Cmd K. With Shift or Alt the key is the browser's own. */
export const isSearchKey = ({ altKey, ctrlKey, key, metaKey, shiftKey }: KeyPress): boolean =>
  (ctrlKey || metaKey) && !shiftKey && !altKey && key.toLowerCase() === "k"
