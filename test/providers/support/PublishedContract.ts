/** The document that a provider published, as the judge of what an adapter sends and of what its fake answers. */
import { existsSync, readFileSync } from "node:fs"
import { Ajv, type Options, type SchemaValidateFunction, type ValidateFunction } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { expect } from "vitest"
import type { ProviderCall, ProviderReply } from "../../../src/providers/client/ProviderHttp.ts"

const folder = new URL("../../../../shared/contracts/", import.meta.url)

export const publishedFile = (file: string): string => readFileSync(new URL(file, folder), "utf8")

/** Why nothing can be judged, for the name of what is then skipped; empty where all of it is there. */
export const unpublished = (...files: ReadonlyArray<string>): string => {
  const missing = files.filter((file) => !existsSync(new URL(file, folder)))
  return missing.length === 0 ? "" : ` (skipped: there is no ${missing.join(", ")} in ../shared/contracts)`
}

export type Flaws = ReadonlyArray<string>

type Json = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: "query" | "header" | "path" | "cookie"
  readonly required?: boolean
  readonly schema: unknown
}

interface Operation {
  readonly parameters: ReadonlyArray<Parameter>
  readonly path: Readonly<Record<string, string>>
  readonly requestBody: unknown
  readonly responses: Json
}

export interface PublishedContract {
  /** Problems of a call: its path, query, headers and body. */
  readonly callFlaws: (call: ProviderCall) => Flaws
  readonly bodyFlaws: (method: string, path: string, body: string) => Flaws
  readonly answerFlaws: (method: string, path: string, status: number, text: string) => Flaws
  /** Problems of a value by one of the schemas that the document names. */
  readonly schemaFlaws: (name: string, value: unknown) => Flaws
  readonly webhookFlaws: (event: string, body: unknown) => Flaws
}

const FOLLOWED = "followed"

/**
 * A schema for the judge. OpenAPI 3.0 says `nullable` where JSON Schema has another type. What a reference leads to is
 * compiled when something is first held against it: most of a document is never met.
 */
const readable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(readable)
  if (value === null || typeof value !== "object") return value
  const isNullable = "nullable" in value && value.nullable === true
  const inner = Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      if (name === "nullable" && typeof one === "boolean") return []
      return name === "$ref" && typeof one === "string" ? [[FOLLOWED, one]] : [[name, readable(one)]]
    })
  )
  return isNullable ? { anyOf: [inner, { type: "null" }] } : inner
}

const nodeAt = (document: Json, reference: string): unknown => {
  const keys = reference.slice(2).split("/")
  return keys.reduce<unknown>((node, key) => (node as Json)[key], document)
}

/** Compiling takes longer than judging here, so that the code need not be the fastest. */
const options: Options = {
  strict: false,
  unicodeRegExp: false,
  allErrors: true,
  validateSchema: false,
  code: { optimize: false },
  // Logs nothing, as it would warn of every format that a provider made up.
  logger: false
}

/** A judge by schemas; `isText`: values arrive as text, so that they are read as what the schema wants. */
export const schemaJudge = (document: Json = {}, isText = false) => {
  const is31 = String(document["openapi"]).startsWith("3.1")
  const ajv = new (is31 ? Ajv2020 : Ajv)({ ...options, coerceTypes: isText })
  addFormats.default(ajv)
  const compiled = new Map<unknown, ValidateFunction>()
  const validatorOf = (schema: unknown): ValidateFunction => {
    const validate = compiled.get(schema) ?? ajv.compile(readable(schema) as Json)
    compiled.set(schema, validate)
    return validate
  }
  const followed: SchemaValidateFunction = (reference: string, value, _, at) => {
    const validate = validatorOf(nodeAt(document, reference))
    const isRight = validate(value, at) as boolean
    followed.errors = validate.errors ?? []
    return isRight
  }
  ajv.addKeyword({ keyword: FOLLOWED, schemaType: "string", errors: "full", validate: followed })
  return (schema: unknown, value: unknown): Flaws => {
    const validate = validatorOf(schema)
    const isRight = validate(isText ? structuredClone(value) : value)
    return isRight ? [] : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.message ?? ""}`)
  }
}

const paramsIn = (template: string, path: string): Readonly<Record<string, string>> | undefined => {
  const [parts, given] = [template.split("/"), path.split("/")]
  if (parts.length !== given.length) return undefined
  const isParam = (part: string) => part.startsWith("{")
  if (!parts.every((part, at) => (isParam(part) ? given[at] !== "" : part === given[at]))) return undefined
  return Object.fromEntries(parts.flatMap((part, at) => (isParam(part) ? [[part.slice(1, -1), given[at]!]] : [])))
}

const JSON_TYPE = "application/json"

const opened = (file: string, form: ((text: string) => unknown) | undefined): PublishedContract => {
  const document = JSON.parse(publishedFile(file)) as Json
  const paths = (document["paths"] ?? {}) as Readonly<Record<string, Json>>
  const exact = schemaJudge(document)
  const textual = schemaJudge(document, true)

  const followed = <A>(value: unknown): A => {
    const reference = (value as Json)["$ref"]
    if (typeof reference !== "string") return value as A
    return followed(nodeAt(document, reference))
  }

  const operationOf = (method: string, path: string): Operation | undefined => {
    const [found] = Object.entries(paths)
      .flatMap(([template, item]) => {
        const params = paramsIn(template, path)
        const operation = item[method.toLowerCase()] as Json | undefined
        return params === undefined || operation === undefined ? [] : [{ template, item, params, operation }]
      })
      // A path without a parameter is meant before one with it.
      .toSorted((a, b) => a.template.split("{").length - b.template.split("{").length)
    if (found === undefined) return undefined
    const listed = (node: Json) => (node["parameters"] ?? []) as ReadonlyArray<unknown>
    return {
      parameters: [...listed(found.item), ...listed(found.operation)].map((one) => followed<Parameter>(one)),
      path: found.params,
      requestBody: found.operation["requestBody"],
      responses: found.operation["responses"] as Json
    }
  }

  const schemaIn = (holder: unknown): unknown => {
    const content = (holder === undefined ? {} : followed<Json>(holder))["content"] as Json | undefined
    return (
      (content?.[JSON_TYPE] as Json | undefined)?.["schema"] ??
      (form && (Object.values(content ?? {})[0] as Json)?.["schema"])
    )
  }

  const queryIn = (search: string): Json =>
    form === undefined ? Object.fromEntries(new URLSearchParams(search)) : (form(search) as Json)

  const parameterFlaws = ({ parameters, path }: Operation, query: Json, headers: Json): Flaws => {
    const given = { path, query, header: headers, cookie: {} } as const
    const strange = Object.keys(query).filter(
      (name) => !parameters.some((one) => one.in === "query" && one.name === name)
    )
    return [
      ...strange.map((name) => `query ${name} is not known`),
      ...parameters.flatMap((one) => {
        const values: Json = given[one.in]
        const value = values[one.in === "header" ? one.name.toLowerCase() : one.name]
        if (value === undefined) return one.required === true ? [`${one.in} ${one.name} is missing`] : []
        return textual(one.schema, value).map((flaw) => `${one.in} ${one.name}${flaw}`)
      })
    ]
  }

  const bodyFlaws = ({ requestBody }: Operation, body: string | undefined): Flaws => {
    const schema = schemaIn(requestBody)
    if (schema === undefined) return body === undefined ? [] : ["it has a body"]
    if (form !== undefined) return textual(schema, form(body ?? ""))
    return exact(schema, body === undefined ? undefined : JSON.parse(body))
  }

  return {
    callFlaws: ({ body, headers = {}, method, path }) => {
      const [bare = "", search = ""] = path.split("?")
      const operation = operationOf(method, bare)
      if (operation === undefined) return [`there is no ${method} ${bare}`]
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
      return [...parameterFlaws(operation, queryIn(search), lower), ...bodyFlaws(operation, body)]
    },
    bodyFlaws: (method, path, body) => {
      const operation = operationOf(method, path)
      return operation === undefined ? [`there is no ${method} ${path}`] : bodyFlaws(operation, body)
    },
    answerFlaws: (method, path, status, text) => {
      const [bare = ""] = path.split("?")
      const responses = operationOf(method, bare)?.responses ?? {}
      const response = responses[`${status}`] ?? responses["default"]
      if (response === undefined) return [`${method} ${bare} is never answered with ${status}`]
      const schema = schemaIn(response)
      if (schema !== undefined) return exact(schema, text === "" ? undefined : JSON.parse(text))
      return text === "" ? [] : [`nothing is said of what is in ${status} of ${method} ${bare}`]
    },
    schemaFlaws: (name, value) => exact(followed({ $ref: `#/components/schemas/${name}` }), value),
    webhookFlaws: (event, body) => {
      const webhook = ((document["webhooks"] ?? {}) as Readonly<Record<string, Json>>)[event]
      const schema = webhook === undefined ? undefined : schemaIn((webhook["post"] as Json)["requestBody"])
      return schema === undefined ? [`there is no webhook ${event}`] : exact(schema, body)
    }
  }
}

const contracts = new Map<string, PublishedContract>()

/** Read once for all the files of a process, and not before it is asked. `form`: reads queries and bodies that are forms. */
export const publishedContract = (file: string, form?: (text: string) => unknown): PublishedContract => {
  const contract = () => {
    const known = contracts.get(file) ?? opened(file, form)
    contracts.set(file, known)
    return known
  }
  return {
    callFlaws: (...about) => contract().callFlaws(...about),
    bodyFlaws: (...about) => contract().bodyFlaws(...about),
    answerFlaws: (...about) => contract().answerFlaws(...about),
    schemaFlaws: (...about) => contract().schemaFlaws(...about),
    webhookFlaws: (...about) => contract().webhookFlaws(...about)
  }
}

interface Exchanges {
  readonly calls: ReadonlyArray<ProviderCall>
  readonly exchanged: ReadonlyArray<{ readonly call: ProviderCall; readonly reply: ProviderReply }>
}

/** Without operations that the document at hand leaves out. */
export const leavingOut = ({ calls, exchanged }: Exchanges, ...operations: ReadonlyArray<string>): Exchanges => ({
  calls: calls.filter(({ operation }) => !operations.includes(operation)),
  exchanged: exchanged.filter(({ call }) => !operations.includes(call.operation))
})

/** Both halves of a conversation: every call of an adapter, and what its fake answered to it. */
export const keptBy = ({ answerFlaws, callFlaws }: PublishedContract, { calls, exchanged }: Exchanges): void => {
  for (const call of calls) expect([call.path, ...callFlaws(call)]).toEqual([call.path])
  for (const { call, reply } of exchanged) {
    const [path] = call.path.split("?")
    const problems = answerFlaws(call.method, path!, reply.status, reply.text)
    expect([call.path, ...problems]).toEqual([call.path])
  }
}
