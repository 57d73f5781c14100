/** Reads a JSON Schema the way a person does: references followed, `allOf` merged, "or null" turned into a mark. */
import type { JsonSchema, OpenApiDocument, SchemaNode } from "./OpenApiDocument.ts"
import { resolve, schemaName } from "./References.ts"

export interface Shape {
  readonly schema: JsonSchema
  /** The component that the node referred to, if it did. */
  readonly name: string | undefined
  readonly nullable: boolean
  readonly alternatives: ReadonlyArray<SchemaNode>
}

const typesOf = (schema: JsonSchema): ReadonlyArray<string> =>
  schema.type === undefined ? [] : typeof schema.type === "string" ? [schema.type] : schema.type

const asSchema = (node: SchemaNode | undefined): JsonSchema => (typeof node === "object" ? node : {})

const isNull = (node: SchemaNode): boolean => {
  const schema = asSchema(node)
  const literals = schema.enum ?? (schema.const === undefined ? [] : [schema.const])
  return schema.type === "null" || (literals.length > 0 && literals.every((value) => value === null))
}

const onlyEnum = (node: SchemaNode): boolean => {
  const schema = asSchema(node)
  return schema.enum !== undefined && schema.description === undefined
}

/** The left one wins, and its fields come first. */
const merge = (left: JsonSchema, right: JsonSchema): JsonSchema => ({
  ...right,
  ...left,
  ...(left.properties || right.properties
    ? { properties: { ...left.properties, ...right.properties, ...left.properties } }
    : {}),
  ...(left.required || right.required ? { required: [...(right.required ?? []), ...(left.required ?? [])] } : {})
})

const without = (schema: JsonSchema, ...keys: ReadonlyArray<keyof JsonSchema>): JsonSchema =>
  keys.some((key) => key in schema)
    ? Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.some((dropped) => dropped === key)))
    : schema

export const shapeOf = (document: OpenApiDocument, node: SchemaNode | undefined): Shape => {
  const visit = (current: SchemaNode | undefined, seen: ReadonlySet<string>): Shape => {
    const own = asSchema(current)
    if (own.$ref !== undefined) {
      const name = schemaName(own.$ref)
      if (seen.has(own.$ref)) return { schema: {}, name, nullable: false, alternatives: [] }
      const target = visit(resolve<SchemaNode>(document, { $ref: own.$ref }), new Set([...seen, own.$ref]))
      const nullable = target.nullable || own.nullable === true
      return { ...target, schema: merge(without(own, "$ref"), target.schema), name: name ?? target.name, nullable }
    }

    const members = (own.allOf ?? []).map((member) => visit(member, seen))
    const whole = members.reduce((merged, member) => merge(merged, member.schema), without(own, "allOf"))
    const only = members.length === 1 && own.properties === undefined ? members[0] : undefined

    const branches = whole.anyOf ?? whole.oneOf ?? members.flatMap((member) => member.alternatives)
    const choices = branches.filter((branch) => !isNull(branch))
    const schema = without(whole, "anyOf", "oneOf")
    const nullable =
      own.nullable === true ||
      typesOf(own).includes("null") ||
      own.enum?.includes(null) === true ||
      choices.length < branches.length ||
      (members.length > 0 && members.every((member) => member.nullable))

    const [single] = choices
    if (choices.length === 1 && single !== undefined) {
      const inner = visit(single, seen)
      return { ...inner, schema: merge(schema, inner.schema), nullable: nullable || inner.nullable }
    }
    if (choices.length > 1 && choices.every(onlyEnum)) {
      const values = choices.flatMap((choice) => asSchema(choice).enum ?? [])
      const type = asSchema(single).type
      const merged = { ...schema, ...(type === undefined ? {} : { type }), enum: values }
      return { schema: merged, name: undefined, nullable, alternatives: [] }
    }
    return { schema, name: only?.name, nullable, alternatives: choices }
  }
  return visit(node, new Set())
}

/** What an array repeats; a tuple is shown by its members' alternatives. */
export const itemOf = (schema: JsonSchema): SchemaNode | undefined => {
  const { items } = schema
  if (items === undefined || typeof items === "boolean" || !Array.isArray(items)) return items as SchemaNode | undefined
  return items.length === 1 ? (items[0] as SchemaNode) : { anyOf: items as ReadonlyArray<SchemaNode> }
}

/** The schema of the values of a record whose keys are free, if the object is one. */
export const valueOf = (schema: JsonSchema): SchemaNode | undefined => {
  const { additionalProperties, patternProperties } = schema
  if (typeof additionalProperties === "object") return additionalProperties
  return patternProperties === undefined ? undefined : Object.values(patternProperties)[0]
}

export const typeLabel = (document: OpenApiDocument, node: SchemaNode | undefined, depth = 0): string => {
  const shape = shapeOf(document, node)
  const { schema } = shape
  const types = typesOf(schema).filter((type) => type !== "null")
  const orNull = shape.nullable ? " or null" : ""
  const inner = (child: SchemaNode | undefined) => (depth > 3 ? "…" : typeLabel(document, child, depth + 1))
  if (shape.alternatives.length > 0) {
    const labels = [...new Set(shape.alternatives.map(inner))]
    return `${labels.join(" or ")}${orNull}`
  }
  if (types.includes("array")) return `array of ${inner(itemOf(schema))}${orNull}`
  if (types.includes("object") || schema.properties !== undefined) {
    const value = valueOf(schema)
    return value !== undefined && schema.properties === undefined && shape.name === undefined
      ? `map of ${inner(value)}${orNull}`
      : `object${orNull}`
  }
  if (isNull(schema)) return "null"
  const literal = schema.enum?.find((value) => value !== null) ?? schema.const
  const base = types.length > 0 ? types.join(" or ") : literal === undefined ? "any" : typeof literal
  return `${base}${schema.format === undefined ? "" : ` (${schema.format})`}${orNull}`
}
