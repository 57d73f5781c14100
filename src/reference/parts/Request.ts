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
    if (parameter.in === "path") address = address.replace(`{${parameter.name}}`, encodeURIComponent(value))
    if (parameter.in === "query" && value !== "") query.set(parameter.name, value)
  }
  return `${server}${address}${query.size === 0 ? "" : `?${query}`}`
}

export const isSigned = ({ about }: OperationEntry): boolean =>
  about.security?.some((one) => Object.keys(one).length === 0) === true

const headersOf = (entry: OperationEntry, filled: Filled, hasBody: boolean): Headers => {
  const headers = new Headers()
  if (!isSigned(entry)) {
    headers.set("Authorization", authorization.value.trim() || "NONE")
    headers.set("X-Api-Key", apiKey.value.trim() || "NONE")
  }
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
