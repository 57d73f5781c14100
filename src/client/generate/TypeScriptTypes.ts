/** Writes the types of the published client: every operation's request and answer, without imports. */
import {
  answeredComponents,
  byGroup,
  choicesIn,
  contractEvents,
  type ContractOperation,
  contractSchemas,
  referredTo,
  sentComponents
} from "./ContractOperations.ts"
import type { Schema } from "./OpenApiTypes.ts"

const keyOf = (name: string): string => (/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name))

const comment = (description: string | undefined, indent: string): string =>
  description === undefined
    ? ""
    : `${indent}/** ${description.replaceAll("*/", "*\\/").replaceAll("\n", `\n${indent} * `)} */\n`

const unionOf = (types: ReadonlyArray<string>): string => Array.from(new Set(types)).join(" | ") || "never"

const inBrackets = (type: string): string => (/[|&]/.test(type) ? `(${type})` : type)

/** Callers may also give `undefined` for an optional field. */
const objectType = (schema: Schema, indent: string, isSent: boolean): string => {
  const inner = `${indent}  `
  const fields = Object.entries(schema.properties ?? {}).map(([name, one]) => {
    const isRequired = schema.required?.includes(name) === true
    const type = `${typeOf(one, inner, isSent)}${isSent && !isRequired ? " | undefined" : ""}`
    return `${comment(one.description, inner)}${inner}readonly ${keyOf(name)}${isRequired ? "" : "?"}: ${type}\n`
  })
  if (fields.length > 0) return `{\n${fields.join("")}${indent}}`
  const values = schema.additionalProperties
  return `Readonly<Record<string, ${typeof values === "object" ? typeOf(values, indent, isSent) : "unknown"}>>`
}

const plainTypes: Readonly<Record<string, string>> = {
  boolean: "boolean",
  integer: "number",
  null: "null",
  number: "number",
  string: "string"
}

/** Component of answers with optional fields. These are never `undefined`, but callers may send them so. */
const isStricterThanSent = (name: string): boolean => {
  const { properties = {}, required = [] } = contractSchemas[name] ?? {}
  return answeredComponents.has(name) && Object.keys(properties).length > required.length
}

const typeOf = (schema: Schema, indent: string, isSent: boolean): string => {
  const name = referredTo(schema)
  if (name !== undefined)
    return isSent && isStricterThanSent(name) ? objectType(contractSchemas[name]!, indent, true) : name
  if (schema.enum !== undefined) return unionOf(schema.enum.map((one) => JSON.stringify(one)))
  const choices = choicesIn(schema)
  if (choices !== undefined) return unionOf(choices.map((one) => typeOf(one, indent, isSent)))
  if (schema.allOf !== undefined) return schema.allOf.map((one) => inBrackets(typeOf(one, indent, isSent))).join(" & ")
  if (schema.type === "array") return `ReadonlyArray<${typeOf(schema.items ?? {}, indent, isSent)}>`
  if (schema.type === "object") return objectType(schema, indent, isSent)
  return plainTypes[schema.type ?? ""] ?? "unknown"
}

const component = ([name, schema]: readonly [string, Schema]): string => {
  const isSent = sentComponents.has(name) && !answeredComponents.has(name)
  return Object.keys(schema.properties ?? {}).length > 0
    ? `${comment(schema.description, "")}export interface ${name} ${objectType(schema, "", isSent)}\n`
    : `${comment(schema.description, "")}export type ${name} = ${typeOf(schema, "", isSent)}\n`
}

type Parameters = ContractOperation["query"]

const part = (name: string, all: Parameters): Schema | undefined =>
  all.length === 0
    ? undefined
    : {
        type: "object",
        required: all.filter(({ required }) => required).map((one) => one.name),
        properties: Object.fromEntries(
          all.map(({ description, name: key, schema }) => [
            key,
            description === undefined ? schema : { ...schema, description }
          ])
        ),
        description: name
      }

const requestOf = ({ body, headers, pathParameters, query }: ContractOperation): Schema => {
  const parts: ReadonlyArray<readonly [string, Schema | undefined]> = [
    ["path", part("path", pathParameters)],
    ["urlParams", part("urlParams", query)],
    ["headers", part("headers", headers)],
    ["payload", body?.schema]
  ]
  const present = parts.flatMap(([name, schema]) => (schema === undefined ? [] : [[name, schema] as const]))
  const isNeeded = ([name, { required = [] }]: readonly [string, Schema]): boolean =>
    name === "payload" ? body?.isRequired === true : required.length > 0
  return {
    type: "object",
    required: present.filter(isNeeded).map(([name]) => name),
    properties: Object.fromEntries(present.map(([name, { description: _, ...schema }]) => [name, schema]))
  }
}

const operation = (one: ContractOperation): string => {
  const request = requestOf(one)
  const sent = Object.keys(request.properties ?? {}).length === 0 ? "{}" : objectType(request, "      ", true)
  const answers = one.answers.map((schema) => typeOf(schema, "      ", false))
  return `    /** ${one.summary}. \`${one.method} ${one.path}\` */
    readonly ${keyOf(one.name)}: {
      readonly request: ${sent}
      readonly answer: ${answers.length === 0 ? "void" : unionOf(answers)}
    }
`
}

/** Replaces `WireTypes.d.ts` in the published package. */
export const typeScriptTypes = (): string => {
  const groups = Array.from(
    byGroup(),
    ([group, operations]) => `  readonly ${group}: {\n${operations.map(operation).join("")}  }\n`
  )
  return `/** Requests and answers of the API. Amounts have at most 15 significant digits, which a number holds exactly. */
${Object.entries(contractSchemas).map(component).join("")}
/** Request and answer of each operation, by group and name. */
export interface Operations {
${groups.join("")}}

/** A delivery of any event; its \`event_type\` tells its data. */
export type WebhookEvent =
${contractEvents.map((event) => `  | ${typeOf(event, "  ", false)}\n`).join("")}`
}
