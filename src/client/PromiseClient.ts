/** The client with promises: JSON in and out as the API reference shows it. Needs `fetch` and nothing else. */
import { clientBackoffMillis, clientRetries, clientTimeoutMillis } from "../domain/policies/ClientPolicies.ts"
import { type Operation, operations } from "./DeclaredOperations.ts"
import {
  type Credential,
  credentialHeaders,
  type ItemOf,
  isRepeatable,
  messageWithoutBody,
  nextPage,
  type PageOf,
  rootOf,
  secondsToRetry,
  unsendableHeader,
  unusableOptions,
  type RequestParts
} from "./RequestRules.ts"
import type { Operations } from "./WireTypes.ts"

export type CorridorOptions = Credential & {
  /** Address of the service, with or without `/v1`. */
  readonly url: string
  /** Maximum number of retries of safe requests, 4 by default. */
  readonly retries?: number
  /** Milliseconds to wait for one answer, 35,000 by default. */
  readonly timeout?: number
  /** Seconds of a Retry-After that a call waits at most, 60 by default. Longer ones go to the caller at once. */
  readonly longestWait?: number
  /** Replaces `JSON`, for example by a library that keeps the digits of amounts. */
  readonly json?: {
    readonly parse: (text: string) => unknown
    readonly stringify: (value: unknown) => string | undefined
  }
}

interface ErrorParts {
  readonly status: number
  readonly message: string
  readonly requestId?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly body?: unknown
  readonly cause?: unknown
}

const textIn = (body: unknown, name: string): string | undefined => {
  const value = (body as Readonly<Record<string, unknown>> | null | undefined)?.[name]
  return typeof value === "string" ? value : undefined
}

/** Rejects a call. */
export class CorridorError extends Error {
  override readonly name = "CorridorError"
  /** HTTP status; 0 without an answer. */
  readonly status: number
  /** Error code such as `RATE_MISMATCH`, if the operation has one. */
  readonly code: string | undefined
  /** The field that a 400 is about, such as `payer_details.phone`. */
  readonly field: string | undefined
  /** For questions to support. */
  readonly requestId: string | undefined
  /** Key that the call was sent with, if it has one. The same call with it again takes effect at most once. */
  readonly idempotencyKey: string | undefined
  /** The whole answer; some errors carry a `payment_id` or the current `rate`. */
  readonly body: unknown

  constructor({ body, cause, idempotencyKey, message, requestId, status }: ErrorParts) {
    super(message, cause === undefined ? {} : { cause })
    this.status = status
    this.code = textIn(body, "code")
    this.field = status === 400 ? /^([\w.[\]]+): /.exec(message)?.[1] : undefined
    this.requestId = requestId
    this.idempotencyKey = idempotencyKey
    this.body = body
  }
}

export interface CallOptions {
  /** Replaces the generated key, so that a call can be retried after a restart. Used where money is moved. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

type Arguments<Request> = {} extends Request
  ? [request?: Request, options?: CallOptions]
  : [request: Request, options?: CallOptions]

type Call<Request, Answer> = (...args: Arguments<Request>) => Promise<Answer>

/**
 * Lists also have `all`, which reads every page: `for await (const payment of corridor.payments.transactions.all())`.
 */
type Listing<Request, Answer> = [ItemOf<Answer>] extends [never]
  ? {}
  : { readonly all: (...args: Arguments<Request>) => AsyncIterable<ItemOf<Answer>> }

export type CorridorPromises = {
  readonly [G in keyof Operations]: {
    readonly [N in keyof Operations[G]]: Operations[G][N] extends {
      readonly request: infer Request
      readonly answer: infer Answer
    }
      ? Call<Request, Answer> & Listing<Request, Answer>
      : never
  }
}

/** An empty segment, `.` or `..` would lead to another operation. */
const segmentOf = (name: string, value: unknown): string => {
  const text = value === undefined || value === null ? "" : String(value)
  if (text === "" || text === "." || text === "..") throw new TypeError(`path.${name}: is not an id.`)
  return encodeURIComponent(text)
}

const urlOf = (root: string, { path }: Operation, sent: RequestParts): string => {
  const filled = path.replace(/:([a-z_]+)/g, (_, name: string) => segmentOf(name, sent.path?.[name]))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(sent.urlParams ?? {}))
    if (value !== undefined) query.set(name, String(value))
  return `${root}${filled}${query.size === 0 ? "" : `?${query}`}`
}

interface Received {
  readonly response: Response
  readonly text: string
}

interface Sent extends RequestInit {
  readonly headers: Readonly<Record<string, string>>
}

const keyOf = ({ headers }: Sent): string | undefined => headers["idempotency-key"]

/**
 * Reads the whole body within the timeout. A followed redirect would send the API key to another address.
 * `AbortSignal.any` is newer than some browsers of the console.
 */
const fetchWithin = async (timeout: number, url: string, init: Sent, signal: AbortSignal | undefined) => {
  signal?.throwIfAborted()
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error("The service did not answer in time")), timeout)
  const stop = () => late.abort(signal?.reason)
  signal?.addEventListener("abort", stop, { once: true })
  try {
    const response = await fetch(url, { ...init, redirect: "manual", credentials: "omit", signal: late.signal })
    return { response, text: await response.text() } satisfies Received
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason
    const reason: unknown = late.signal.aborted ? late.signal.reason : cause
    const inner = reason instanceof Error && reason.cause instanceof Error ? reason.cause : reason
    const message = `The service could not be reached: ${inner instanceof Error ? inner.message || inner.name : String(inner)}`
    return new CorridorError({ status: 0, message, cause: reason, idempotencyKey: keyOf(init) })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", stop)
  }
}

/** An answer that is not JSON comes from a proxy. */
const answerOf = ({ response, text }: Received, parse: (text: string) => unknown, idempotencyKey?: string): unknown => {
  const { headers, ok, status } = response
  let body: unknown
  let isJson = true
  try {
    body = text === "" ? undefined : parse(text)
  } catch {
    isJson = false
  }
  if (ok && isJson) return body
  const message = textIn(body, "message") ?? messageWithoutBody(status, headers.get("location"))
  const requestId = headers.get("x-request-id") ?? undefined
  throw new CorridorError({ status, message, requestId, idempotencyKey, body })
}

const pause = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, millis)
    signal?.addEventListener("abort", stop, { once: true })
  })

const backoff = (attempt: number): number => clientBackoffMillis * 2 ** attempt * (0.8 + Math.random() * 0.4)

/** Sends until there is an answer that is not retried. All attempts of a call have the same idempotency key. */
const send = async (options: CorridorOptions, operation: Operation, sent: RequestParts, about: CallOptions) => {
  const { json = JSON, longestWait, retries = clientRetries, timeout = clientTimeoutMillis } = options
  const { signal } = about
  const { keyed, method } = operation
  const url = urlOf(rootOf(options.url), operation, sent)
  const fixed: Record<string, string> = { ...sent.headers }
  if (keyed) fixed["idempotency-key"] = about.idempotencyKey ?? crypto.randomUUID()
  if (sent.payload !== undefined) fixed["content-type"] = "application/json"
  const body = sent.payload === undefined ? {} : { body: json.stringify(sent.payload) ?? "" }
  const repeatable = isRepeatable(method, keyed)
  for (let attempt = 0; ; attempt++) {
    const headers = { ...fixed, ...(await credentialHeaders(options)) }
    const unsendable = unsendableHeader(headers)
    if (unsendable !== undefined) throw new CorridorError({ status: 0, message: unsendable })
    const init = { method, headers, ...body }
    const received = await fetchWithin(timeout, url, init, signal)
    const isLost = received instanceof CorridorError
    const seconds = isLost
      ? repeatable
        ? 0
        : undefined
      : secondsToRetry(received.response.status, received.response.headers.get("retry-after"), repeatable, longestWait)
    if (seconds !== undefined && attempt < retries) await pause(Math.max(seconds * 1000, backoff(attempt)), signal)
    else if (isLost) throw received
    else return answerOf(received, json.parse, keyOf(init))
  }
}

async function* allItems(call: (sent: RequestParts) => Promise<unknown>, sent: RequestParts) {
  let cursor: Readonly<Record<string, string>> | undefined = {}
  while (cursor !== undefined) {
    const page = (await call({ ...sent, urlParams: { ...sent.urlParams, ...cursor } })) as PageOf<unknown>
    yield* page.data
    cursor = nextPage(page)
  }
}

/**
 * The whole API as promises: `await corridor.payments.byId({ path: { payment_id } })`. Retries reads and calls with an
 * idempotency key when the service is unreachable, busy (503) or asks to wait (Retry-After).
 */
export const createCorridor = (options: CorridorOptions): CorridorPromises => {
  const unusable = unusableOptions(options)
  if (unusable !== undefined) throw new CorridorError({ status: 0, message: unusable })
  const groups: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const call = (sent: RequestParts = {}, about: CallOptions = {}) => send(options, operation, sent, about)
    const all = (sent: RequestParts = {}, about: CallOptions = {}) => allItems((page) => call(page, about), sent)
    ;(groups[operation.group] ??= {})[operation.name] = Object.assign(call, { all })
  }
  return groups as unknown as CorridorPromises
}
