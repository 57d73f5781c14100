/** What a schema says, in the words of a reader: references followed, and a choice with null called optional by name. */
import { shownValue } from "./ExactJson.ts"
import type { Document, Schema } from "./Shape.ts"

export type Schemas = Document["components"]["schemas"]

const nameIn = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1)

/** A description beside a reference says more than that of what is referred to. */
export const followed = (schemas: Schemas, schema: Schema): { readonly name?: string; readonly schema: Schema } => {
  const [only, ...more] = schema.allOf ?? []
  const inner = schema.$ref === undefined && only !== undefined && more.length === 0 ? only : schema
  if (inner.$ref === undefined) return { schema: inner === schema ? schema : { ...inner, ...described(schema) } }
  const name = nameIn(inner.$ref)
  const target = followed(schemas, schemas[name] ?? {}).schema
  return { name, schema: { ...target, ...described(schema) } }
}

const described = ({ description }: Schema): Schema => (description === undefined ? {} : { description })

const choices = (schema: Schema): ReadonlyArray<Schema> => schema.anyOf ?? schema.oneOf ?? []

const isNull = (schema: Schema): boolean => schema.type === "null"

/** A choice between one thing and null has the insides of that thing. */
export const withoutNull = (schemas: Schemas, schema: Schema): { readonly name?: string; readonly schema: Schema } => {
  const seen = followed(schemas, schema)
  const [only, ...more] = choices(seen.schema).filter((one) => !isNull(one))
  if (only === undefined || more.length > 0) return seen
  const inner = withoutNull(schemas, only)
  return { ...inner, schema: { ...inner.schema, ...described(seen.schema) } }
}

export const alternatives = (schemas: Schemas, schema: Schema): ReadonlyArray<Schema> =>
  choices(withoutNull(schemas, schema).schema).filter((one) => !isNull(one))

export const typeOf = (schemas: Schemas, schema: Schema): string => {
  const { name, schema: seen } = followed(schemas, schema)
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

/** The object whose fields are to be seen inside of a value: its own, or of what a list holds. */
export const insideOf = (schemas: Schemas, schema: Schema): { readonly name?: string; readonly schema: Schema } => {
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
    schema[key] === undefined ? [] : [words.replace("%", () => shownValue(schema[key]))]
  )
