/** HTTP calls of adapters. A failed call says whether the request may have arrived. */
import { Data, type Effect } from "effect"
import { present } from "./WireValues.ts"

export interface ProviderCall {
  /** Operation in a few words of ours: `create payment`. For traces and metrics, so it never holds an id. */
  readonly operation: string
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Below the account's base address, with its query. */
  readonly path: string
  /** Another address than the account's, without a path. */
  readonly origin?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

type Headers = Readonly<Record<string, string>>

export const get = (operation: string, path: string): ProviderCall => ({ operation, method: "GET", path })

/** Text is sent as it is. */
export const postJson = (operation: string, path: string, body: unknown, headers: Headers = {}): ProviderCall => ({
  operation,
  method: "POST",
  path,
  headers: { "content-type": "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body)
})

export const withQuery = (path: string, query: Readonly<Record<string, string | undefined>>): string =>
  `${path}?${new URLSearchParams(present(query) as Record<string, string>).toString()}`

/** Sends these headers with every call. */
export const withHeaders =
  (http: ProviderHttp, headers: Headers): Call =>
  (call) =>
    http.call({ ...call, headers: { ...headers, ...call.headers } })

export interface ProviderReply {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Numbers as the text that was sent; nothing where it is not JSON. */
  readonly json: unknown
}

/** Never sent: no connection, or no place in our own queue (`crowded`). */
export class NeverSent extends Data.TaggedError("NeverSent")<{ readonly reason: string; readonly crowded?: true }> {}

/** The request may have arrived; its outcome is unknown. */
export class MaybeSent extends Data.TaggedError("MaybeSent")<{ readonly reason: string }> {}

export type CallFailed = NeverSent | MaybeSent

export type Call = (call: ProviderCall) => Effect.Effect<ProviderReply, CallFailed>

export interface ProviderHttp {
  readonly call: Call
}
