/** The limits of a schema in words, and the values that it allows. */
import { stringify } from "lossless-json"
import type { JsonSchema } from "./OpenApiDocument.ts"

export const literalText = (value: unknown): string =>
  typeof value === "string" ? value : (stringify(value) ?? String(value))

const range = (
  minimum: number | undefined,
  maximum: number | undefined,
  unit: string,
  words = ["at least", "at most"]
) => {
  if (minimum !== undefined && minimum === maximum) return [`exactly ${minimum}${unit}`]
  if (minimum !== undefined && maximum !== undefined) return [`${minimum} to ${maximum}${unit}`]
  if (minimum !== undefined) return [`${words[0]} ${minimum}${unit}`]
  return maximum === undefined ? [] : [`${words[1]} ${maximum}${unit}`]
}

export const constraintsOf = (schema: JsonSchema): ReadonlyArray<string> => [
  ...range(schema.minLength, schema.maxLength, " characters"),
  ...range(schema.minItems, schema.maxItems, " items"),
  ...range(schema.minimum, schema.maximum, ""),
  ...(schema.exclusiveMinimum === undefined ? [] : [`above ${schema.exclusiveMinimum}`]),
  ...(schema.exclusiveMaximum === undefined ? [] : [`below ${schema.exclusiveMaximum}`]),
  ...(schema.multipleOf === undefined ? [] : [`multiple of ${schema.multipleOf}`])
]

export const allowedValues = (schema: JsonSchema): ReadonlyArray<string> => {
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const])
  return [...new Set(values.filter((value) => value !== null).map(literalText))]
}

/** Descriptions that Effect's filters bring along; the line of limits says the same. */
const stock =
  /^an? (string|number|boolean|integer|finite number|single character|non empty string|Universally Unique Identifier|(non-)?(positive|negative) number|string (at (least|most) )?\d+ character\(s\) long|string matching the pattern .*|number (between|greater than|less than|divisible by) .*|array of (at least |at most |exactly )?\d+ item\(s\))$/

export const ownDescription = (schema: JsonSchema): string | undefined =>
  schema.description === undefined || stock.test(schema.description) ? undefined : schema.description
