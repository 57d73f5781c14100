/** Requests, routes and answers of the HTTP server. */
import type { IncomingMessage } from "node:http"
import { type Effect, Option } from "effect"
import { type Failure, codes } from "../../domain/Failure.ts"
import { stringifyWire, toWireText, WireNumber } from "../../domain/Decimal.ts"
import type { Stored } from "../database/DatabaseFailure.ts"
import type { Caller } from "../../domain/Access.ts"
import type { OrgId } from "../../domain/Ids.ts"
import { isInitiationPath } from "../../contract/api/ErrorSchemas.ts"
import { extend } from "../../domain/Merge.ts"

/** A body that is made while it is written. One of each owner is written at a time. */
export class Streamed {
  readonly owner: string
  /** The next piece; undefined at the end. */
  readonly next: Stored<string | undefined>
  constructor(owner: string, next: Stored<string | undefined>) {
    this.owner = owner
    this.next = next
  }
}

export interface Outgoing {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | Streamed | undefined
  /** Whether all readers share the body, which then takes no memory of its own. */
  readonly shared?: true
}

export const jsonHeaders = { "content-type": "application/json" }

export const json = (status: number, body: unknown, headers?: Readonly<Record<string, string>>): Outgoing => ({
  status,
  headers: headers === undefined ? jsonHeaders : extend(jsonHeaders, headers),
  body: stringifyWire(body)
})

export const text = (status: number, contentType: string, body: string): Outgoing => ({
  status,
  headers: { "content-type": contentType },
  body
})

export const empty = (status: number, headers: Readonly<Record<string, string>> = {}): Outgoing => ({
  status,
  headers,
  body: undefined
})

/** Redirects from `/name/` to `/name`, behind any prefix and with the query: the page has relative addresses. */
export const withoutSlash = (name: string, url = ""): Outgoing =>
  empty(308, { location: `../${name}${/\?.*$/s.exec(url)?.[0] ?? ""}` })

/** Fields for the log line and the span of a request. Mutable: one object per request is cheapest. */
export interface RequestNote {
  caller: Caller | undefined
  /** The organisation that the request is about, where its caller's own does not say it. */
  org: Option.Option<OrgId>
  paymentId: string | undefined
  /** Why it was refused. */
  code: string | undefined
}

export const newNote = (): RequestNote => ({
  caller: undefined,
  org: Option.none(),
  paymentId: undefined,
  code: undefined
})

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const idIn = (value: unknown): string | undefined => {
  if (typeof value !== "object" || value === null || !("payment_id" in value)) return undefined
  return typeof value.payment_id === "string" ? value.payment_id : undefined
}

/** A path parameter is noted only if it is an id. */
export const noteParams = (note: RequestNote, params: Readonly<Record<string, string | undefined>>): void => {
  const named = params["payment_id"]
  if (named !== undefined && UUID.test(named)) note.paymentId = named
}

/** An answer that is a payment, or has one, says which. */
export const noteAnswer = (note: RequestNote, body: unknown): void => {
  if (note.paymentId !== undefined || typeof body !== "object" || body === null) return
  note.paymentId = idIn(body) ?? ("response" in body ? idIn(body.response) : undefined)
}

/** Known fields of the log line. */
export const notedFields = ({ caller, code, org, paymentId }: RequestNote): Record<string, unknown> => {
  const fields: Record<string, unknown> = {}
  const orgId = Option.getOrUndefined(org) ?? (caller && Option.getOrUndefined(caller.organization)?.orgId)
  if (orgId !== undefined) fields["org_id"] = orgId
  if (caller !== undefined) {
    if (Option.isSome(caller.apiKeyId)) fields["api_key_id"] = caller.apiKeyId.value
    else if (Option.isSome(caller.userId)) fields["user_id"] = caller.userId.value
  }
  if (paymentId !== undefined) fields["payment_id"] = paymentId
  if (code !== undefined) fields["code"] = code
  return fields
}

export interface Incoming {
  readonly request: IncomingMessage
  readonly requestId: string
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly note: RequestNote
}

export interface Route {
  readonly method: string
  readonly path: `/${string}`
  readonly handle: (incoming: Incoming) => Effect.Effect<Outgoing, Failure>
}

/** Load balancers and previews of links ask with HEAD as well; Node then sends the headers alone. */
export const alsoByHead = (routes: ReadonlyArray<Route>): ReadonlyArray<Route> =>
  routes.flatMap((route) => (route.method === "GET" ? [route, { ...route, method: "HEAD" }] : [route]))

const headersOf = (failure: Failure): Readonly<Record<string, string>> => {
  if ("retryAfterSeconds" in failure && failure.retryAfterSeconds !== undefined) {
    return { "retry-after": String(failure.retryAfterSeconds) }
  }
  return failure._tag === "TooLarge" && failure.closeConnection ? { connection: "close" } : {}
}

const idsOf = (failure: Failure): Readonly<Record<string, string>> =>
  "paymentId" in failure && failure.paymentId !== undefined && failure.transactionId !== undefined
    ? { payment_id: failure.paymentId, transaction_id: failure.transactionId }
    : {}

const rateOf = (failure: Failure) =>
  failure._tag === "Conflict" && failure.rate !== undefined ? { rate: new WireNumber(toWireText(failure.rate)) } : {}

/** The one place where a failure becomes an error body. */
export const failureReply = (failure: Failure, path: string): Outgoing => {
  const { code, message } = failure
  const body = isInitiationPath(path)
    ? { status: "error", error: message, message, code, ...idsOf(failure), ...rateOf(failure) }
    : { status: "error", message, ...idsOf(failure) }
  return json(codes[code], body, headersOf(failure))
}

const ours = "Something went wrong on our side. Quote the error id when you ask about it."

/** `errorId` stands in the log beside the cause; nothing of the cause itself leaves the process. */
export const defectReply = (errorId: string, path: string): Outgoing => {
  const body = { status: "error", message: ours, error: errorId }
  return json(500, isInitiationPath(path) ? { ...body, code: "INTERNAL_ERROR" } : body)
}
