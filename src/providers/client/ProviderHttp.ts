/** HTTP calls of adapters. A failed call says whether the request may have arrived. */
import { Data, type Effect } from "effect"

export interface ProviderCall {
  /** What it does, in a few words of ours: `create payment`. For traces and metrics, so that it never holds an id. */
  readonly operation: string
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Below the account's base address, with its query. */
  readonly path: string
  /** Another address than the account's, without a path. */
  readonly origin?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface ProviderReply {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Numbers as the text that was sent; nothing where it is not JSON. */
  readonly json: unknown
}

/** Nothing arrived: no connection, or no place in our own queue (`crowded`). */
export class NeverSent extends Data.TaggedError("NeverSent")<{ readonly reason: string; readonly crowded?: true }> {}

/** The request may have arrived; its outcome is unknown. */
export class MaybeSent extends Data.TaggedError("MaybeSent")<{ readonly reason: string }> {}

export type CallFailed = NeverSent | MaybeSent

export interface ProviderHttp {
  readonly call: (call: ProviderCall) => Effect.Effect<ProviderReply, CallFailed>
}
