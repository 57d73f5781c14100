/** Schemas of the OpenAPI document in words, its examples, and its decimals as they are written. */
import type { Body, Document, Schema } from "../client/generate/OpenApiTypes.ts"

/** Private-use character: marks a decimal kept as text. No text of the document begins with it. */
const MARK = "\uE000"

const stringOrDecimal = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+|\d{15,})/g

/** Parses JSON and keeps decimals as written: 1500.00 is shown as 1500.00, because that is how it is sent. */
export const readExact = (text: string): unknown =>
  JSON.parse(text.replace(stringOrDecimal, (found) => (found.startsWith('"') ? found : `"${MARK}${found}"`)))

const marked = new RegExp(`"${MARK}([^"]*)"`, "g")

export const writeExact = (value: unknown): string => JSON.stringify(value, null, 2).replace(marked, "$1")

/** A single value in running text; a string without its quotes. */
export const valueText = (value: unknown): string =>
  typeof value === "string" ? value.replace(MARK, "") : writeExact(value)

export interface Example {
  readonly title: string
  readonly text: string
}

/** Examples of a request or response body, by their summaries. */
export const examplesOf = (body: Body | undefined): ReadonlyArray<Example> =>
  Object.values(body?.content ?? {}).flatMap(({ example, examples }) =>
    examples === undefined
      ? example === undefined
        ? []
        : [{ title: "Example", text: writeExact(example) }]
      : Object.entries(examples).map(([name, { summary, value }]) => ({
          title: summary ?? name,
          text: writeExact(value)
        }))
  )

export type Schemas = Document["components"]["schemas"]

interface Resolved {
  /** Name among the models; undefined for an inline schema. */
  readonly name?: string
  readonly schema: Schema
}

/** Resolves a reference. A description beside the reference replaces the description of its target. */
export const resolved = (schemas: Schemas, schema: Schema): Resolved => {
  const [only, ...more] = schema.allOf ?? []
  const inner = schema.$ref === undefined && only !== undefined && more.length === 0 ? only : schema
  if (inner.$ref === undefined) return { schema: inner === schema ? schema : { ...inner, ...ownDescription(schema) } }
  const name = inner.$ref.slice(inner.$ref.lastIndexOf("/") + 1)
  const target = resolved(schemas, schemas[name] ?? {}).schema
  return { name, schema: { ...target, ...ownDescription(schema) } }
}

const ownDescription = ({ description }: Schema): Schema => (description === undefined ? {} : { description })

const choices = (schema: Schema): ReadonlyArray<Schema> => schema.anyOf ?? schema.oneOf ?? []

const isNull = (schema: Schema): boolean => schema.type === "null"

/** Resolves a union of one schema and null to that schema. */
export const withoutNull = (schemas: Schemas, schema: Schema): Resolved => {
  const seen = resolved(schemas, schema)
  const [only, ...more] = choices(seen.schema).filter((one) => !isNull(one))
  if (only === undefined || more.length > 0) return seen
  const inner = withoutNull(schemas, only)
  return { ...inner, schema: { ...inner.schema, ...ownDescription(seen.schema) } }
}

export const alternatives = (schemas: Schemas, schema: Schema): ReadonlyArray<Schema> =>
  choices(withoutNull(schemas, schema).schema).filter((one) => !isNull(one))

export const typeOf = (schemas: Schemas, schema: Schema): string => {
  const { name, schema: seen } = resolved(schemas, schema)
  const among = choices(seen)
  if (among.length > 0) {
    const words = among.map((one) => typeOf(schemas, one))
    return Array.from(new Set(words)).join(" or ")
  }
  if (seen.type === "array") return `array of ${typeOf(schemas, seen.items ?? {})}`
  if (seen.type === "object" && name !== undefined) return name
  const type = seen.type ?? "anything"
  return seen.format === undefined ? type : `${type} (${seen.format})`
}

/** Resolves a value to the object with its fields; for a list, the object of its items. */
export const insideOf = (schemas: Schemas, schema: Schema): Resolved => {
  const seen = withoutNull(schemas, schema)
  return seen.schema.type === "array" && seen.schema.items !== undefined ? insideOf(schemas, seen.schema.items) : seen
}

export const hasFields = (schema: Schema): boolean => Object.keys(schema.properties ?? {}).length > 0

const bounds: ReadonlyArray<readonly [keyof Schema, string]> = [
  ["minLength", "at least % long"],
  ["maxLength", "at most % long"],
  ["minimum", "at least %"],
  ["exclusiveMinimum", "more than %"],
  ["maximum", "at most %"],
  ["minItems", "at least % of them"],
  ["maxItems", "at most % of them"],
  ["maxProperties", "at most % fields"],
  ["pattern", "matches %"]
]

export const boundsOf = (schema: Schema): ReadonlyArray<string> =>
  bounds.flatMap(([key, words]) =>
    schema[key] === undefined ? [] : [words.replace("%", () => valueText(schema[key]))]
  )
