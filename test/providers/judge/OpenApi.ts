/** The document that a provider published, as the judge of what is said to it and by its fake. */
import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { Ajv, type ValidateFunction } from "ajv"
import addFormats from "ajv-formats"
import type { ProviderCall } from "../../../src/providers/client/ProviderHttp.ts"

const folder = resolve("../shared/contracts")

/** Why nothing can be judged, for the name of what is skipped; empty where it can be. */
export const skipped = (...files: ReadonlyArray<string>): string =>
  files.every((file) => existsSync(`${folder}/${file}`))
    ? ""
    : ` (skipped: no ${files.join(", ")} in ../shared/contracts)`

type Node = { readonly [key: string]: unknown }

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

/** OpenAPI 3.0 says `nullable` beside a schema, also beside none, which JSON Schema does not know. */
const withoutNullable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNullable)
  if (!isNode(value)) return value
  const { nullable, ...rest } = value
  const clean = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, withoutNullable(inner)]))
  if (nullable !== true) return clean
  return typeof clean["type"] === "string" ? { ...clean, type: [clean["type"], "null"] } : {}
}

export interface Judge {
  /** What is wrong with a request: its path, query, required headers and body. */
  readonly request: (call: ProviderCall) => ReadonlyArray<string>
  readonly answer: (method: string, path: string, status: number, text: string) => ReadonlyArray<string>
}

const matches = (template: string, path: string): boolean => {
  const [expected, given] = [template.split("/"), path.split("/")]
  return expected.length === given.length && expected.every((part, at) => part.startsWith("{") || part === given[at])
}

export const judgeBy = (file: string): Judge => {
  const document = withoutNullable(JSON.parse(readFileSync(`${folder}/${file}`, "utf8"))) as Node & {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Node>>>>
  }
  // It would tell of every format that the provider made up.
  const ajv = new Ajv({ strict: false, unicodeRegExp: false, allErrors: true, logger: false })
  addFormats.default(ajv)
  ajv.addSchema(document, file)

  const followed = (value: unknown): Node => {
    const reference = (value as Node)["$ref"]
    if (typeof reference !== "string") return value as Node
    const inner = reference
      .slice(2)
      .split("/")
      .reduce<unknown>((node, key) => (node as Node)[key], document)
    return followed(inner)
  }

  const withHome = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(withHome)
    if (!isNode(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) =>
        key === "$ref" && typeof inner === "string" ? [key, `${file}${inner}`] : [key, withHome(inner)]
      )
    )
  }

  const compiled = new Map<unknown, ValidateFunction>()
  const errorsOf = (schema: unknown, value: unknown): ReadonlyArray<string> => {
    const validate = compiled.get(schema) ?? ajv.compile(withHome(schema) as Node)
    compiled.set(schema, validate)
    return validate(value) ? [] : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.message ?? ""}`)
  }

  const operationOf = (method: string, path: string): Node | undefined => {
    const found = Object.entries(document.paths)
      .filter(([template]) => matches(template, path))
      // A path without a parameter is meant before one with it.
      .toSorted(([a], [b]) => a.split("{").length - b.split("{").length)
    return found.map(([, operations]) => operations[method.toLowerCase()]).find((one) => one !== undefined)
  }

  const jsonIn = (holder: unknown): unknown => {
    const content = followed(holder)["content"] as Node | undefined
    return (content?.["application/json"] as Node | undefined)?.["schema"]
  }

  const parameterErrors = (operation: Node, query: URLSearchParams, headers: Readonly<Record<string, string>>) => {
    const known = ((operation["parameters"] ?? []) as ReadonlyArray<unknown>).map(followed)
    const strange = [...query.keys()].filter(
      (key) => !known.some((one) => one["in"] === "query" && one["name"] === key)
    )
    const named = known.flatMap((one) => {
      const name = `${String(one["name"])}`
      const value = one["in"] === "header" ? headers[name.toLowerCase()] : one["in"] === "query" ? query.get(name) : ""
      if (one["in"] === "path") return []
      if (value === undefined || value === null) return one["required"] === true ? [`${name} is missing`] : []
      const { type } = followed(one["schema"])
      const typed = type === "integer" ? Number(value) : type === "boolean" ? value === "true" : value
      return errorsOf(one["schema"], typed).map((error) => `${name} ${error}`)
    })
    return [...strange.map((key) => `nothing is known of ${key}`), ...named]
  }

  return {
    request: ({ body, headers = {}, method, path }) => {
      const [bare, query] = path.split("?")
      const operation = operationOf(method, bare!)
      if (operation === undefined) return [`there is no ${method} ${bare}`]
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
      const about = parameterErrors(operation, new URLSearchParams(query), lower)
      const schema = operation["requestBody"] === undefined ? undefined : jsonIn(operation["requestBody"])
      if (schema === undefined) return body === undefined ? about : [...about, "it has a body"]
      return [...about, ...errorsOf(schema, body === undefined ? undefined : JSON.parse(body))]
    },
    answer: (method, path, status, text) => {
      const operation = operationOf(method, path)
      const responses = operation?.["responses"] as Node | undefined
      const response = responses?.[`${status}`] ?? responses?.["default"]
      const schema = response === undefined ? undefined : jsonIn(response)
      return schema === undefined ? [`no schema of ${method} ${path} ${status}`] : errorsOf(schema, JSON.parse(text))
    }
  }
}
