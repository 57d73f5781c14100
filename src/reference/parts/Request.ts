/** A test request: what a reader has filled in, sent to the server that the page came from. */
import type { OperationEntry } from "../document/Contents.ts"
import { readExact, writeExact } from "../document/ExactJson.ts"
import { apiKey, authorization } from "../state/State.ts"

export interface Answer {
  readonly status: string
  readonly good: boolean
  readonly millis: number
  readonly headers: string
  readonly body: string
}

/** By the place and the name of each parameter. */
export type Filled = Readonly<Record<string, string>>

export const keyOf = ({ in: place, name }: { readonly in: string; readonly name: string }): string => `${place} ${name}`

export const addressOf = (server: string, { about, path }: OperationEntry, filled: Filled): string => {
  const query = new URLSearchParams()
  let address = path
  for (const parameter of about.parameters ?? []) {
    const value = filled[keyOf(parameter)] ?? ""
    if (parameter.in === "path" && value !== "") {
      address = address.replace(`{${parameter.name}}`, encodeURIComponent(value))
    }
    if (parameter.in === "query" && value !== "") query.set(parameter.name, value)
  }
  return `${server}${address}${query.size === 0 ? "" : `?${query}`}`
}

export const isSigned = ({ about }: OperationEntry): boolean =>
  about.security?.some((one) => Object.keys(one).length === 0) === true

const credentials = [
  { in: "header", name: "Authorization", value: authorization },
  { in: "header", name: "X-Api-Key", value: apiKey }
] as const

const valueOf = ({ value }: (typeof credentials)[number]): string => value.value.trim()

const NOT_IN_HEADERS = /[^\t -~\u0080-\u00ff]/u

const inPath = (value: string): string | undefined => {
  if (value === "") return "It needs a value: without one the address is another."
  // A browser takes them for a step in the path, however they are written.
  return value === "." || value === ".." ? `“${value}” leads to another address.` : undefined
}

const inHeader = (value: string): string | undefined => {
  const characters = Array.from(value)
  const at = characters.findIndex((one) => NOT_IN_HEADERS.test(one))
  if (at === -1) return undefined
  return `It holds a character that no header can carry (character ${at + 1} of ${characters.length}).`
}

const problemWith = (place: string, value: string): string | undefined => {
  if (place === "path") return inPath(value)
  return place === "header" ? inHeader(value) : undefined
}

/** What cannot be sent, or would go elsewhere, by the place and the name of each. */
export const problemsIn = (entry: OperationEntry, filled: Filled): Filled => {
  const given = [
    ...(isSigned(entry) ? [] : credentials.map((one) => [one, valueOf(one)] as const)),
    ...(entry.about.parameters ?? []).map((one) => [one, filled[keyOf(one)] ?? ""] as const)
  ]
  return Object.fromEntries(
    given.flatMap(([one, value]) => {
      const problem = problemWith(one.in, value)
      return problem === undefined ? [] : [[keyOf(one), problem]]
    })
  )
}

const headersOf = (entry: OperationEntry, filled: Filled, hasBody: boolean): Headers => {
  const headers = new Headers()
  if (!isSigned(entry)) for (const one of credentials) headers.set(one.name, valueOf(one) || "NONE")
  if (hasBody) headers.set("Content-Type", "application/json")
  for (const parameter of entry.about.parameters ?? []) {
    const value = filled[keyOf(parameter)] ?? ""
    if (parameter.in === "header" && value !== "") headers.set(parameter.name, value)
  }
  return headers
}

const pretty = (text: string): string => {
  try {
    return writeExact(readExact(text))
  } catch {
    return text
  }
}

export const send = async (server: string, entry: OperationEntry, filled: Filled, body: string): Promise<Answer> => {
  const hasBody = entry.about.requestBody !== undefined && body.trim() !== ""
  const began = performance.now()
  const response = await fetch(addressOf(server, entry, filled), {
    method: entry.method,
    headers: headersOf(entry, filled, hasBody),
    redirect: "error",
    ...(hasBody ? { body } : {})
  })
  const text = await response.text()
  return {
    status: `${response.status} ${response.statusText}`.trim(),
    good: response.ok,
    millis: Math.round(performance.now() - began),
    headers: Array.from(response.headers, ([name, value]) => `${name}: ${value}`).join("\n"),
    body: pretty(text)
  }
}
