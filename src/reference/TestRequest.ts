/** Test requests: checks the filled-in values, builds the request, and sends it to the server of the page. */
import { readExact, writeExact } from "./OpenApiModel.ts"
import type { OperationEntry } from "./ReferenceContents.ts"

export interface TestResponse {
  readonly status: string
  readonly ok: boolean
  readonly millis: number
  readonly headers: string
  readonly body: string
}

/** Values, or problems, of parameters and credentials by `keyOf`. */
export type ByParameter = Readonly<Record<string, string>>

interface ParameterName {
  readonly in: string
  readonly name: string
}

export const keyOf = ({ in: place, name }: ParameterName): string => `${place} ${name}`

export const credentialNames = ["Authorization", "X-Api-Key"] as const

export const needsCredentials = ({ about }: OperationEntry): boolean =>
  about.security?.some((one) => Object.keys(one).length === 0) !== true

export const urlOf = (server: string, { about, path }: OperationEntry, values: ByParameter): string => {
  const query = new URLSearchParams()
  let url = path
  for (const parameter of about.parameters ?? []) {
    const value = values[keyOf(parameter)] ?? ""
    if (value === "") continue
    if (parameter.in === "path") url = url.replace(`{${parameter.name}}`, encodeURIComponent(value))
    if (parameter.in === "query") query.set(parameter.name, value)
  }
  return `${server}${url}${query.size === 0 ? "" : `?${query}`}`
}

const NOT_IN_HEADERS = /[^\t -~\u0080-\u00ff]/u

const pathProblem = (value: string): string | undefined => {
  if (value === "") return "It needs a value: without one the address is another."
  // Browsers resolve both as steps in the path, however they are encoded.
  return value === "." || value === ".." ? `“${value}” leads to another address.` : undefined
}

/** Names the position and never the character: the value may be a secret. Browsers trim header values. */
const headerProblem = (value: string): string | undefined => {
  const characters = Array.from(value.trim())
  const at = characters.findIndex((one) => NOT_IN_HEADERS.test(one))
  if (at === -1) return undefined
  return `It holds a character that no header can carry (character ${at + 1} of ${characters.length}).`
}

const problemWith = (place: string, value: string): string | undefined =>
  place === "path" ? pathProblem(value) : place === "header" ? headerProblem(value) : undefined

const credentials = credentialNames.map((name) => ({ in: "header", name }))

/** Values that cannot be sent, or would change the route. */
export const problemsIn = (entry: OperationEntry, values: ByParameter): ByParameter => {
  const sent: ReadonlyArray<ParameterName> = [
    ...(needsCredentials(entry) ? credentials : []),
    ...(entry.about.parameters ?? [])
  ]
  return Object.fromEntries(
    sent.flatMap((one) => {
      const problem = problemWith(one.in, values[keyOf(one)] ?? "")
      return problem === undefined ? [] : [[keyOf(one), problem]]
    })
  )
}

const headersOf = (entry: OperationEntry, values: ByParameter, hasBody: boolean): Headers => {
  const headers = new Headers()
  if (needsCredentials(entry))
    for (const one of credentials) headers.set(one.name, values[keyOf(one)]?.trim() || "NONE")
  if (hasBody) headers.set("Content-Type", "application/json")
  for (const parameter of entry.about.parameters ?? []) {
    const value = values[keyOf(parameter)] ?? ""
    if (parameter.in === "header" && value !== "") headers.set(parameter.name, value)
  }
  return headers
}

const indented = (text: string): string => {
  try {
    return writeExact(readExact(text))
  } catch {
    return text
  }
}

export const send = async (
  server: string,
  entry: OperationEntry,
  values: ByParameter,
  body: string
): Promise<TestResponse> => {
  const hasBody = entry.about.requestBody !== undefined && body.trim() !== ""
  const start = performance.now()
  const response = await fetch(urlOf(server, entry, values), {
    method: entry.method,
    headers: headersOf(entry, values, hasBody),
    redirect: "error",
    ...(hasBody ? { body } : {})
  })
  const text = await response.text()
  return {
    status: `${response.status} ${response.statusText}`.trim(),
    ok: response.ok,
    millis: Math.round(performance.now() - start),
    headers: Array.from(response.headers, ([name, value]) => `${name}: ${value}`).join("\n"),
    body: indented(text)
  }
}
