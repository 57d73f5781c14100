/** A provider's own OpenAPI document as the judge of what is sent: bodies, queries, headers and paths, by AJV. */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Ajv, type ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import type { ProviderCall } from "../../../src/providers/client/ProviderHttp.ts"

const folder = fileURLToPath(new URL("../../../../shared/contracts/", import.meta.url))

type Json = Record<string, unknown>

export const missingContract = (file: string): string | undefined =>
  existsSync(`${folder}${file}`) ? undefined : `there is no ../shared/contracts/${file}`

interface Parameter {
  readonly name: string
  readonly in: "query" | "header" | "path"
  readonly required?: boolean
  readonly schema: Json
}

interface Operation {
  readonly parameters?: ReadonlyArray<Json>
  readonly requestBody?: Json
  readonly responses: Record<string, Json>
}

const templateOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`)

export interface Contract {
  /** What is wrong with a call by the contract; nothing, where it is right. */
  readonly problemsOf: (call: ProviderCall) => ReadonlyArray<string>
  readonly problemsOfAnswer: (method: string, path: string, status: number, body: unknown) => ReadonlyArray<string>
  readonly problemsOfSchema: (name: string, value: unknown) => ReadonlyArray<string>
}

const errorsOf = (validate: ValidateFunction, value: unknown): ReadonlyArray<string> =>
  validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)

export const openContract = (file: string): Contract => {
  const document = JSON.parse(readFileSync(`${folder}${file}`, "utf8")) as Json & {
    openapi: string
    paths: Record<string, Record<string, Operation>>
  }
  const options = { strict: false, unicodeRegExp: false, allErrors: true } as const
  const ajv = document.openapi.startsWith("3.1") ? new Ajv2020(options) : new Ajv(options)
  addFormats.default(ajv)
  // The formats of numbers that OpenAPI adds say nothing about JSON.
  for (const format of ["int32", "int64", "float", "double", "string", "decimal"]) ajv.addFormat(format, true)
  ajv.addSchema({ ...document, $id: "contract" })

  const pointer = (parts: ReadonlyArray<string>): string =>
    `contract#/${parts.map((part) => encodeURIComponent(part.replace(/~/g, "~0").replace(/\//g, "~1"))).join("/")}`

  const resolve = (node: unknown, at: ReadonlyArray<string>): { node: Json; at: ReadonlyArray<string> } => {
    const reference = (node as Json)["$ref"]
    if (typeof reference !== "string") return { node: node as Json, at }
    const parts = reference.slice(2).split("/")
    return resolve(
      parts.reduce<unknown>((inside, part) => (inside as Json)[part], document),
      parts
    )
  }

  const compiled = new Map<string, ValidateFunction>()
  const validatorAt = (at: ReadonlyArray<string>): ValidateFunction => {
    const $ref = pointer(at)
    const validate = compiled.get($ref) ?? ajv.compile({ $ref })
    compiled.set($ref, validate)
    return validate
  }

  const findPath = (path: string) => {
    for (const template of Object.keys(document.paths)) {
      const match = templateOf(template).exec(path)
      if (match !== null) return { template, params: match.groups ?? {} }
    }
    return undefined
  }

  const jsonSchemaOf = (node: unknown, at: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
    const body = resolve(node, at)
    const content = body.node["content"] as Json | undefined
    return content?.["application/json"] === undefined
      ? undefined
      : [...body.at, "content", "application/json", "schema"]
  }

  const problemsOf: Contract["problemsOf"] = (call) => {
    const [path = "", search = ""] = call.path.split("?")
    const found = findPath(path)
    const method = call.method.toLowerCase()
    const operation = found === undefined ? undefined : document.paths[found.template]?.[method]
    if (found === undefined || operation === undefined) return [`${call.method} ${path} is not in the contract`]
    const at = ["paths", found.template, method]
    const shared = (document.paths[found.template] as unknown as Operation).parameters ?? []
    const parameters = [
      ...shared.map((node, index) => resolve(node, ["paths", found.template, "parameters", `${index}`])),
      ...(operation.parameters ?? []).map((node, index) => resolve(node, [...at, "parameters", `${index}`]))
    ].map((one) => ({ ...one, about: one.node as unknown as Parameter }))
    const query = new URLSearchParams(search)
    const headers = new Map(Object.entries(call.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
    const valueOf = ({ in: place, name }: Parameter): string | undefined =>
      place === "path"
        ? found.params[name]
        : place === "query"
          ? (query.get(name) ?? undefined)
          : headers.get(name.toLowerCase())
    const aboutParameters = parameters.flatMap(({ about, at: where }) => {
      const value = valueOf(about)
      if (value === undefined) return about.required === true ? [`${about.in} ${about.name} is missing`] : []
      const type = resolve(about.schema, []).node["type"]
      const read = type === "integer" || type === "number" ? Number(value) : value
      return errorsOf(validatorAt([...where, "schema"]), read).map((why) => `${about.name}: ${why}`)
    })
    const unknown = [...query.keys()].filter(
      (name) => !parameters.some(({ about }) => about.in === "query" && about.name === name)
    )
    const schemaAt =
      operation.requestBody === undefined ? undefined : jsonSchemaOf(operation.requestBody, [...at, "requestBody"])
    const aboutBody =
      schemaAt === undefined
        ? call.body === undefined
          ? []
          : ["it has a body"]
        : errorsOf(validatorAt(schemaAt), call.body === undefined ? undefined : JSON.parse(call.body))
    return [...aboutParameters, ...unknown.map((name) => `query ${name} is not in the contract`), ...aboutBody]
  }

  return {
    problemsOf,
    problemsOfAnswer: (method, path, status, body) => {
      const found = findPath(path)
      const operation = found === undefined ? undefined : document.paths[found.template]?.[method.toLowerCase()]
      const answer = operation?.responses[`${status}`]
      if (found === undefined || answer === undefined) return [`${method} ${path} has no answer ${status}`]
      const schemaAt = jsonSchemaOf(answer, ["paths", found.template, method.toLowerCase(), "responses", `${status}`])
      return schemaAt === undefined ? ["it has no schema"] : errorsOf(validatorAt(schemaAt), body)
    },
    problemsOfSchema: (name, value) => errorsOf(validatorAt(["components", "schemas", name]), value)
  }
}
