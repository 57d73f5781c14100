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
