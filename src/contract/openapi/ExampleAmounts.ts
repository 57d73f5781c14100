/** Amounts in examples as they are on the wire: with their fraction, which a number of JavaScript cannot have. */
import { Either } from "effect"
import { LosslessNumber } from "lossless-json"
import { fractionDigits, fromJsonNumber, MONEY, roundToScale, toPlainText } from "../../domain/Decimal.ts"

export type SchemaNode = JsonSchema | boolean

export interface JsonSchema {
  readonly $ref?: string
  readonly format?: string
  readonly items?: SchemaNode | ReadonlyArray<SchemaNode>
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode
  readonly allOf?: ReadonlyArray<SchemaNode>
  readonly anyOf?: ReadonlyArray<SchemaNode>
  readonly oneOf?: ReadonlyArray<SchemaNode>
}

export type Components = Readonly<Record<string, SchemaNode>>

const PREFIX = "#/components/schemas/"

export const choicesOf = (
  components: Components,
  node: SchemaNode | undefined,
  seen: ReadonlySet<SchemaNode> = new Set()
): ReadonlyArray<JsonSchema> => {
  if (typeof node !== "object" || seen.has(node)) return []
  const { $ref, allOf = [], anyOf = [], oneOf = [] } = node
  const target = $ref?.startsWith(PREFIX) === true ? [components[$ref.slice(PREFIX.length)]] : []
  const passed = new Set([...seen, node])
  return [node, ...[...target, ...allOf, ...anyOf, ...oneOf].flatMap((one) => choicesOf(components, one, passed))]
}

export const itemsOf = ({ items = [] }: JsonSchema): ReadonlyArray<SchemaNode> =>
  Array.isArray(items) ? (items as ReadonlyArray<SchemaNode>) : [items as SchemaNode]

export const fieldOf = ({ additionalProperties, properties }: JsonSchema, key: string): ReadonlyArray<SchemaNode> => {
  const field = properties?.[key] ?? additionalProperties
  return field === undefined ? [] : [field]
}

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

const written = (components: Components, nodes: ReadonlyArray<SchemaNode>, example: unknown): unknown => {
  const choices = nodes.flatMap((node) => choicesOf(components, node))
  if (typeof example === "number") {
    return choices.some(({ format }) => format === MONEY) ? withFraction(example) : example
  }
  if (Array.isArray(example)) {
    const items = choices.flatMap(itemsOf)
    return example.map((item: unknown) => written(components, items, item))
  }
  if (!isObject(example)) return example
  return mapValues(example, (value, key) =>
    written(
      components,
      choices.flatMap((schema) => fieldOf(schema, key)),
      value
    )
  )
}

/** Of a media type and of a schema alike: the examples that stand in it, each by the schema beside it. */
const rewritten = (components: Components, node: unknown): unknown => {
  if (Array.isArray(node)) return node.map((one: unknown) => rewritten(components, one))
  if (!isObject(node)) return node
  const schema = (isObject(node["schema"]) ? node["schema"] : node) as JsonSchema
  const as = (value: unknown) => written(components, [schema], value)
  return mapValues(node, (value, key) => {
    if (key === "example") return as(value)
    if (key !== "examples") return rewritten(components, value)
    if (Array.isArray(value)) return value.map(as)
    return mapValues(value as Node, (one) => (isObject(one) ? { ...one, value: as(one["value"]) } : one))
  })
}

export const withAmounts = <A extends { readonly components: { readonly schemas: object } }>(document: A): A =>
  rewritten(document.components.schemas as Components, document) as A
