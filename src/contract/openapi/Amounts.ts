/** Amounts in examples as they are on the wire: with their fraction, which a number of JavaScript cannot have. */
import { Either } from "effect"
import { LosslessNumber } from "lossless-json"
import type { JsonSchema, OpenApiDocument, SchemaNode } from "../docs/OpenApiDocument.ts"
import { itemOf, shapeOf, valueOf } from "../docs/SchemaShape.ts"
import { fractionDigits, fromJsonNumber, MONEY, roundToScale, toPlainText } from "../../domain/Decimal.ts"

type Node = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof LosslessNumber)

const mapValues = (node: Node, change: (value: unknown, key: string) => unknown): Node =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value, key)]))

const CENTS = 2

const withFraction = (amount: number): LosslessNumber => {
  const decimal = Either.getOrThrow(fromJsonNumber(amount))
  const scale = Math.max(CENTS, fractionDigits(decimal))
  return new LosslessNumber(toPlainText(roundToScale(decimal, scale, "half-even")))
}

/** All that a value may be. */
const choicesOf = (document: OpenApiDocument, node: SchemaNode): ReadonlyArray<JsonSchema> => {
  const { alternatives, schema } = shapeOf(document, node)
  return [schema, ...alternatives.flatMap((one) => choicesOf(document, one))]
}

const written = (document: OpenApiDocument, nodes: ReadonlyArray<SchemaNode>, example: unknown): unknown => {
  const choices = nodes.flatMap((node) => choicesOf(document, node))
  if (typeof example === "number") {
    return choices.some(({ format }) => format === MONEY) ? withFraction(example) : example
  }
  if (Array.isArray(example)) {
    const items = choices.flatMap((schema) => itemOf(schema) ?? [])
    return example.map((item: unknown) => written(document, items, item))
  }
  if (!isObject(example)) return example
  return mapValues(example, (value, key) =>
    written(
      document,
      choices.flatMap((schema) => schema.properties?.[key] ?? valueOf(schema) ?? []),
      value
    )
  )
}

/** Of a media type and of a schema alike: the examples that stand in it, each by the schema beside it. */
const rewritten = (document: OpenApiDocument, node: unknown): unknown => {
  if (Array.isArray(node)) return node.map((one: unknown) => rewritten(document, one))
  if (!isObject(node)) return node
  const schema = (isObject(node["schema"]) ? node["schema"] : node) as JsonSchema
  const as = (value: unknown) => written(document, [schema], value)
  return mapValues(node, (value, key) => {
    if (key === "example") return as(value)
    if (key !== "examples") return rewritten(document, value)
    if (Array.isArray(value)) return value.map(as)
    return mapValues(value as Node, (one) => (isObject(one) ? { ...one, value: as(one["value"]) } : one))
  })
}

export const withAmounts = <A extends OpenApiDocument>(document: A): A => rewritten(document, document) as A
