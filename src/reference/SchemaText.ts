/** Describes schemas in words: resolves references, and names types, fields and limits. */
import { type Document, type Schema, valueText } from "./OpenApiModel.ts"

export type Schemas = Document["components"]["schemas"]

interface Resolved {
  /** Name among the models; undefined for an inline schema. */
  readonly name?: string
  readonly schema: Schema
}

const nameIn = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1)

/** Resolves a reference. A description beside the reference replaces the description of its target. */
export const resolved = (schemas: Schemas, schema: Schema): Resolved => {
  const [only, ...more] = schema.allOf ?? []
  const inner = schema.$ref === undefined && only !== undefined && more.length === 0 ? only : schema
  if (inner.$ref === undefined) return { schema: inner === schema ? schema : { ...inner, ...ownDescription(schema) } }
  const name = nameIn(inner.$ref)
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
