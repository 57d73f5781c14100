/** Groups and entries of the reference, in order, each with the id that its link ends in. */
import type { Document, Operation, Schema } from "./OpenApiModel.ts"

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

export interface SchemaEntry extends Named {
  readonly kind: "schema"
  readonly schema: Schema
}

export interface TextEntry extends Named {
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
