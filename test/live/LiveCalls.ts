/** Calls of a live server by operation, and which of them have succeeded. */
import { expect } from "vitest"
import type { Document } from "../contract/api/DocumentedOperations.ts"

export type Fields = Readonly<Record<string, unknown>>

export interface Call {
  /** Path parameters by name. */
  readonly path?: Fields
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** An answer that a live server must not give. */
const NOT_LIVE = /sandbox/i

export const makeCalls = (url: string) => {
  const succeeded = new Set<string>()

  const send = async (operation: string, { body, headers, path = {}, query = {} }: Call) => {
    const [method, template = ""] = operation.split(" ")
    const search = new URLSearchParams(query).toString()
    const place = template.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(path[name] ?? `no-${name}`))
    )
    const response = await fetch(`${url}/v1${place}${search === "" ? "" : `?${search}`}`, {
      method: method!,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    return { status: response.status, text: await response.text() }
  }

  /** The body of an operation that must succeed: its `data` or `response` where it has one. */
  const call = async (operation: string, about: Call): Promise<Fields> => {
    const first = await send(operation, about)
    // Retries like an operator whose decision met an enquiry of the same payment.
    const metChange = first.status === 409 && first.text.includes("changed just now")
    const { status, text } = metChange ? await send(operation, about) : first
    const failed = /"payment_id":"([^"]+)"/.exec(status < 300 ? "" : text)?.[1]
    if (failed !== undefined) {
      const timeline = await send("GET /payments/{payment_id}/timeline", {
        path: { payment_id: failed },
        headers: about.headers
      })
      throw new Error(`${operation}: ${text}\n${timeline.text}`)
    }
    expect(status, `${operation} ${JSON.stringify(about.body)}: ${text}`).toBeLessThan(300)
    // Explains settings whose values name the environments of providers.
    if (operation !== "GET /payments/providers") expect(text, operation).not.toMatch(NOT_LIVE)
    succeeded.add(operation)
    if (text === "") return {}
    const parsed = JSON.parse(text) as Fields
    return (parsed["data"] ?? parsed["response"] ?? parsed) as Fields
  }

  /** The first answer that fits, looked for during 30 seconds. */
  const until = async (operation: string, about: Call, fits: (data: Fields) => boolean): Promise<Fields> => {
    const end = Date.now() + 30_000
    for (;;) {
      const data = await call(operation, about)
      if (fits(data)) return data
      if (Date.now() > end) throw new Error(`${operation} stayed at ${JSON.stringify(data)}`)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }

  const document = async (): Promise<Document> => (await (await fetch(`${url}/openapi.json`)).json()) as Document

  return { call, send, until, document, succeeded }
}
