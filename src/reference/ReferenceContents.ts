/** Groups and entries of the reference, in order, each with the id that its link ends in, and the search among them. */
import type { Document, Operation, Schema } from "../client/generate/OpenApiTypes.ts"

interface Named {
  /** Fragment of its link and id of its element. */
  readonly id: string
  readonly title: string
}

export interface OperationEntry extends Named {
  readonly kind: "operation" | "event"
  readonly method: string
  readonly path: string
  readonly about: Operation
}

interface SchemaEntry extends Named {
  readonly kind: "schema"
  readonly schema: Schema
}

interface TextEntry extends Named {
  readonly kind: "text"
  readonly markdown: string
}

export type Entry = OperationEntry | SchemaEntry | TextEntry

export interface Group extends Named {
  readonly description: string
  readonly entries: ReadonlyArray<Entry>
}

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")

export const schemaId = (name: string): string => `model/${name}`

/** Splits the description at its headings; text before the first one is the introduction. */
const introductionOf = ({ info }: Document): Group => {
  const [first = "", ...rest] = info.description.split(/^## /m)
  const entries = rest.map((part): TextEntry => {
    const end = part.indexOf("\n")
    const title = part.slice(0, end).trim()
    return { kind: "text", id: `description/${slugOf(title)}`, title, markdown: part.slice(end + 1) }
  })
  return { id: "description/introduction", title: "Introduction", description: first, entries }
}

const operationsByTag = ({ paths, tags }: Document): ReadonlyArray<Group> => {
  const entriesOf = new Map(tags.map(({ name }) => [name, [] as Array<OperationEntry>]))
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, about] of Object.entries(methods)) {
      const tag = about.tags[0] ?? ""
      const id = `tag/${slugOf(tag)}/${method}${path}`
      const title = about.summary ?? path
      entriesOf.get(tag)?.push({ kind: "operation", id, title, method: method.toUpperCase(), path, about })
    }
  }
  return tags.map(({ description = "", name }) => ({
    id: `tag/${slugOf(name)}`,
    title: name,
    description,
    entries: entriesOf.get(name) ?? []
  }))
}

const eventsOf = ({ webhooks }: Document): Group => ({
  id: "webhooks",
  title: "Events",
  description: "Sent to webhook endpoints: a signed `POST` for each event.",
  entries: Object.entries(webhooks).flatMap(([name, methods]) =>
    Object.entries(methods).map(([method, about]): OperationEntry => ({
      kind: "event",
      id: `webhook/${method}/${name}`,
      title: about.summary ?? name,
      method: method.toUpperCase(),
      path: name,
      about
    }))
  )
})

const schemasOf = ({ components }: Document): Group => ({
  id: "models",
  title: "Models",
  description: "Objects and values used by operations and events.",
  entries: Object.entries(components.schemas)
    .map(([name, schema]): SchemaEntry => ({ kind: "schema", id: schemaId(name), title: name, schema }))
    .sort((a, b) => (a.title < b.title ? -1 : 1))
})

export const contentsOf = (document: Document): ReadonlyArray<Group> => [
  introductionOf(document),
  ...operationsByTag(document),
  eventsOf(document),
  schemasOf(document)
]

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

const EXACT = 8

const rankOf = (one: Indexed, words: ReadonlyArray<string>, whole: string): number => {
  const { address, text, title } = one
  const action = actionFor(one, words)
  if (title === whole) return EXACT
  if (title.startsWith(whole)) return 7
  if (action !== undefined && words.every((word) => `${title} ${action}`.includes(word))) return 6
  if (title.includes(whole)) return 5
  if (words.every((word) => title.includes(word))) return 4
  if (words.every((word) => `${title} ${address}`.includes(word))) return 3
  return words.every((word) => `${title} ${address} ${text}`.includes(word)) ? 1 : 0
}

/** Ranks a model after operations of the same name, and before entries that only mention it. */
const placeOf = ({ entry }: Indexed, rank: number): number => {
  if (entry.kind !== "schema" || rank <= 2) return rank
  return rank === EXACT ? 3.9 : 2
}

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

type KeyPress = Readonly<Record<"altKey" | "ctrlKey" | "metaKey" | "shiftKey", boolean> & { key: string }>

/** Ctrl K or Cmd K. With Shift or Alt the key is the browser's own. */
export const isSearchKey = ({ altKey, ctrlKey, key, metaKey, shiftKey }: KeyPress): boolean =>
  (ctrlKey || metaKey) && !shiftKey && !altKey && key.toLowerCase() === "k"
