/** Holds what an adapter sends, and what a fake answers, against the OpenAPI document that the provider published. */
import { existsSync, readFileSync } from "node:fs"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import type { ProviderCall } from "../../../src/providers/client/ProviderHttp.ts"

const folder = new URL("../../../../shared/contracts/", import.meta.url)

const fileOf = (name: string): URL => new URL(`${name}.openapi.json`, folder)

export const isPublished = (name: string): boolean => existsSync(fileOf(name))

/** Said in the name of what is skipped. */
export const skipping = (name: string): string =>
  isPublished(name) ? "" : ` (skipped: ${name}.openapi.json is not here)`

type Json = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: unknown
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: unknown }>>
}

interface Operation {
  readonly parameters?: ReadonlyArray<Parameter | { readonly $ref: string }>
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks?: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** OpenAPI 3.0 says `nullable` where JSON Schema has another type. */
const withNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withNulls)
  if (value === null || typeof value !== "object") return value
  const { nullable, ...rest } = value as Json
  const inner = Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, withNulls(one)]))
  return nullable === true ? { anyOf: [inner, { type: "null" }] } : inner
}

const pointed = (schema: unknown): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll("#/components/", "document#/components/")) as Json

/** `form`: values arrive as text, so that they are read as what the schema wants. */
export const publishedContract = (name: string, { form = false } = {}) => {
  const document = withNulls(JSON.parse(readFileSync(fileOf(name), "utf8"))) as Document
  const ajvOf = (coerceTypes: boolean) => {
    const ajv = new Ajv2020({ strict: false, unicodeRegExp: false, allErrors: true, coerceTypes, logger: false })
    addFormats.default(ajv)
    for (const format of ["unix-time", "decimal"]) ajv.addFormat(format, true)
    ajv.addSchema({ $id: "document", components: pointed(document.components) })
    const compiled = new Map<unknown, ValidateFunction>()
    return (schema: unknown, value: unknown): ReadonlyArray<string> => {
      const fits = compiled.get(schema) ?? ajv.compile(pointed(schema))
      compiled.set(schema, fits)
      return fits(structuredClone(value)) ? [] : [ajv.errorsText(fits.errors)]
    }
  }
  const exact = ajvOf(false)
  const textual = ajvOf(true)

  const operationOf = (method: string, path: string): Operation => {
    const wanted = path.split("/")
    const fits = (template: string) => {
      const parts = template.split("/")
      return parts.length === wanted.length && parts.every((part, at) => part.startsWith("{") || part === wanted[at])
    }
    const known = Object.keys(document.paths ?? {}).filter(fits)
    const [template] = known.toSorted((a, b) => a.split("{").length - b.split("{").length)
    const operation = document.paths?.[template ?? ""]?.[method.toLowerCase()]
    if (operation === undefined) throw new Error(`${name} has no ${method} ${path}`)
    return operation
  }

  const parameterOf = (one: Parameter | { readonly $ref: string }): Parameter =>
    "$ref" in one ? (document.components["parameters"]?.[one.$ref.split("/").at(-1)!] as Parameter) : one

  const schemaOf = ({ content = {} }: Content): unknown => Object.values(content)[0]?.schema

  const parametersOf = (operation: Operation, kind: string): ReadonlyArray<Parameter> =>
    (operation.parameters ?? []).map(parameterOf).filter((one) => one.in === kind)

  const queryFlaws = (operation: Operation, values: Json): ReadonlyArray<string> => {
    const known = parametersOf(operation, "query")
    const strange = Object.keys(values).filter((given) => known.every((one) => one.name !== given))
    const missing = known.filter((one) => one.required === true && values[one.name] === undefined)
    return [
      ...strange.map((given) => `query ${given} is not known`),
      ...missing.map((one) => `query ${one.name} is missing`),
      ...known.flatMap((one) => (values[one.name] === undefined ? [] : textual(one.schema, values[one.name])))
    ]
  }

  const headerFlaws = (operation: Operation, headers: Readonly<Record<string, string>>): ReadonlyArray<string> =>
    parametersOf(operation, "header").flatMap((one) => {
      const value = headers[one.name.toLowerCase()]
      if (value === undefined) return one.required === true ? [`header ${one.name} is missing`] : []
      return textual(one.schema, value)
    })

  return {
    /** What is wrong with a body for this operation. */
    bodyFlaws: (method: string, path: string, body: unknown): ReadonlyArray<string> =>
      (form ? textual : exact)(schemaOf(operationOf(method, path).requestBody ?? {}), body),
    /** What is wrong with a call; its body and its query are read by whoever knows how they are written. */
    callFlaws: (
      { headers = {}, method, path }: ProviderCall,
      read: { readonly body?: unknown; readonly query: Json }
    ): ReadonlyArray<string> => {
      const operation = operationOf(method, path.split("?")[0] ?? "")
      const schema = schemaOf(operation.requestBody ?? {})
      return [
        ...queryFlaws(operation, read.query),
        ...headerFlaws(operation, headers),
        ...(read.body === undefined || schema === undefined ? [] : (form ? textual : exact)(schema, read.body))
      ]
    },
    answerFlaws: (method: string, path: string, status: number, answer: unknown): ReadonlyArray<string> => {
      const { responses } = operationOf(method, path)
      const schema = schemaOf(responses[`${status}`] ?? responses["default"] ?? {})
      if (schema === undefined) throw new Error(`${name} has no schema for ${status} of ${method} ${path}`)
      return exact(schema, answer)
    },
    webhookFlaws: (event: string, body: unknown): ReadonlyArray<string> =>
      exact(schemaOf(document.webhooks?.[event]?.post.requestBody ?? {}), body)
  }
}
