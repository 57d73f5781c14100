/** Example values: those that the document gives, else one made from the schema so that nothing is left without. */
import { stringify } from "lossless-json"
import type { Example as ExampleNode, OpenApiDocument, Reference, SchemaNode } from "./OpenApiDocument.ts"
import { resolve } from "./References.ts"
import { itemOf, shapeOf, valueOf } from "./SchemaShape.ts"

export interface Example {
  readonly title: string
  readonly value: unknown
}

interface Exemplified {
  readonly schema?: SchemaNode
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, ExampleNode | Reference>>
}

const placeholders: Readonly<Record<string, unknown>> = {
  "date-time": "2026-01-31T09:30:00.000Z",
  date: "2026-01-31",
  email: "ada@example.com",
  uri: "https://example.com/return",
  uuid: "01956f3a-7c1e-7b52-9d3e-0f6a4c2b8e11"
}

/** Exact numbers (`LosslessNumber`, bigint) are printed as they are. */
export const jsonText = (value: unknown): string => stringify(value, undefined, 2) ?? ""

const maxDepth = 6

export const sampleOf = (document: OpenApiDocument, root: SchemaNode | undefined): unknown => {
  const sample = (node: SchemaNode | undefined, path: ReadonlyArray<string>): unknown => {
    const { alternatives, name, nullable, schema } = shapeOf(document, node)
    if (schema.example !== undefined) return schema.example
    if (schema.examples !== undefined && schema.examples.length > 0) return schema.examples[0]
    if (schema.default !== undefined) return schema.default
    if (schema.const !== undefined) return schema.const
    if (schema.enum !== undefined) return schema.enum[0]
    const recursive = path.length > maxDepth || (name !== undefined && path.includes(name))
    const inner = [...path, name ?? ""]
    if (alternatives.length > 0) return recursive ? null : sample(alternatives[0], inner)
    const types = [schema.type ?? "object"].flat()
    if (types.includes("array")) return recursive ? [] : [sample(itemOf(schema), inner)]
    if (types.includes("object")) {
      if (recursive) return nullable ? null : {}
      const value = valueOf(schema)
      const fields = Object.entries(schema.properties ?? {}).map(([key, child]) => [key, sample(child, inner)] as const)
      return fields.length === 0 && value !== undefined ? { key: sample(value, inner) } : Object.fromEntries(fields)
    }
    if (types.includes("string")) return placeholders[schema.format ?? ""] ?? "string"
    if (types.includes("integer") || types.includes("number")) return schema.minimum ?? 1
    return types.includes("boolean") ? true : null
  }
  return sample(root, [])
}

export const givenExamples = (document: OpenApiDocument, media: Exemplified): ReadonlyArray<Example> => {
  if (media.example !== undefined) return [{ title: "Example", value: media.example }]
  const named = Object.entries(media.examples ?? {}).flatMap(([key, node]) => {
    const example = resolve<ExampleNode>(document, node)
    return example?.value === undefined ? [] : [{ title: example.summary ?? key, value: example.value }]
  })
  if (named.length > 0) return named
  const { schema } = shapeOf(document, media.schema)
  if (schema.example !== undefined) return [{ title: "Example", value: schema.example }]
  return (schema.examples ?? []).map((value, index) => ({ title: `Example ${index + 1}`, value }))
}

export const examplesOf = (document: OpenApiDocument, media: Exemplified): ReadonlyArray<Example> => {
  const given = givenExamples(document, media)
  return given.length > 0 ? given : [{ title: "Shape, made from the schema", value: sampleOf(document, media.schema) }]
}
