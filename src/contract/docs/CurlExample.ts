/** One command that can be pasted: the operation's address, both authentication headers and an example body. */
import { examplesOf, givenExamples, jsonText } from "./Example.ts"
import type { OpenApiDocument, Parameter, RequestBody, Server } from "./OpenApiDocument.ts"
import type { OperationEntry } from "./Outline.ts"
import { resolve } from "./References.ts"
import { shapeOf } from "./SchemaShape.ts"
import { shellQuote, shellTemplate, shellVariable } from "./ShellQuote.ts"

type Part = string | { readonly variable: string }

const credentials = ["authorization", "x-api-key"]

export const serverUrl = (server: Server | undefined): string =>
  (server?.url ?? "")
    .replace(/\{([^{}]+)\}/g, (whole, name: string) => server?.variables?.[name]?.default ?? whole)
    .replace(/\/+$/, "")

const valueOf = (document: OpenApiDocument, parameter: Parameter): Part => {
  const { schema } = shapeOf(document, parameter.schema)
  const value = givenExamples(document, parameter)[0]?.value ?? schema.default ?? schema.enum?.[0]
  return value === undefined || value === null ? shellVariable(parameter.name) : String(value)
}

const encoded = (part: Part): Part => (typeof part === "string" ? encodeURIComponent(part) : part)

const addressOf = (document: OpenApiDocument, entry: OperationEntry): ReadonlyArray<Part> => {
  const inPath = new Map(
    entry.parameters.flatMap((parameter) => (parameter.in === "path" ? [[parameter.name, parameter] as const] : []))
  )
  const path = entry.path.split(/\{([^{}]+)\}/).map((piece, index): Part => {
    if (index % 2 === 0) return piece
    const parameter = inPath.get(piece)
    return parameter === undefined ? shellVariable(piece) : encoded(valueOf(document, parameter))
  })
  const query = entry.parameters
    .filter((parameter) => parameter.in === "query" && parameter.required === true)
    .flatMap((parameter, index): ReadonlyArray<Part> => [
      `${index === 0 ? "?" : "&"}${encodeURIComponent(parameter.name)}=`,
      encoded(valueOf(document, parameter))
    ])
  return [serverUrl(entry.server), ...path, ...query].reduce<ReadonlyArray<Part>>((parts, part) => {
    const last = parts.at(-1)
    return typeof part === "string" && typeof last === "string"
      ? [...parts.slice(0, -1), last + part]
      : [...parts, part]
  }, [])
}

const bodyArguments = (document: OpenApiDocument, entry: OperationEntry): ReadonlyArray<string> => {
  const [contentType, media] = Object.entries(
    resolve<RequestBody>(document, entry.operation.requestBody)?.content ?? {}
  )[0] ?? [undefined, undefined]
  if (contentType === undefined || media === undefined) return []
  const value = examplesOf(document, media)[0]?.value
  const text = typeof value === "string" && !contentType.includes("json") ? value : jsonText(value)
  return [`-H ${shellQuote(`Content-Type: ${contentType}`)}`, `--data-raw ${shellQuote(text)}`]
}

export const curlExample = (document: OpenApiDocument, entry: OperationEntry): string => {
  const { method } = entry
  const verb = method === "get" ? "curl" : method === "head" ? "curl --head" : `curl -X ${method.toUpperCase()}`
  const headers = entry.parameters
    .filter((parameter) => parameter.in === "header" && parameter.required === true)
    .filter((parameter) => !credentials.includes(parameter.name.toLowerCase()))
    .map((parameter) => `-H ${shellTemplate([`${parameter.name}: `, valueOf(document, parameter)])}`)
  return [
    `${verb} ${shellTemplate(addressOf(document, entry))}`,
    ...(entry.authenticated ? ["-H 'Authorization: NONE'", '-H "X-Api-Key: $CORRIDOR_API_KEY"'] : []),
    ...headers,
    ...bodyArguments(document, entry)
  ].join(" \\\n  ")
}
