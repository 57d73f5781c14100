/** The client with promises: JSON in and out as the API reference shows it. */
import { FetchHttpClient, HttpBody, HttpClient, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import { Cause, Effect, Exit, Layer, ManagedRuntime, Option } from "effect"
import { Ids } from "../domain/Ids.ts"
import { type Operation, operations } from "./DeclaredOperations.ts"
import { type CorridorOptions, rootOf, afterPage, type PageOf, transport, withIdempotencyKey } from "./Transport.ts"
import type { ItemOf, Operations } from "./WireTypes.ts"

/** Rejects a call of the promise client. */
export class CorridorError extends Error {
  override readonly name = "CorridorError"
  /** HTTP status; 0 without an answer. */
  readonly status: number
  /** Error code such as `RATE_MISMATCH`, if the operation has one. */
  readonly code: string | undefined
  /** For questions to support. */
  readonly requestId: string | undefined
  /** The whole answer; some errors carry a `payment_id` or the current `rate`. */
  readonly body: unknown

  constructor(about: {
    readonly status: number
    readonly message: string
    readonly code?: string | undefined
    readonly requestId?: string | undefined
    readonly body?: unknown
    readonly cause?: unknown
  }) {
    super(about.message, about.cause === undefined ? {} : { cause: about.cause })
    this.status = about.status
    this.code = about.code
    this.requestId = about.requestId
    this.body = about.body
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

interface RequestParts {
  readonly path?: Readonly<Record<string, unknown>>
  readonly urlParams?: Readonly<Record<string, unknown>>
  readonly payload?: unknown
}

const requestOf = (
  root: string,
  { method, path }: Operation,
  sent: RequestParts
): HttpClientRequest.HttpClientRequest => {
  const filled = path.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(String(sent.path?.[name])))
  const query = Object.entries(sent.urlParams ?? {}).filter(([, value]) => value !== undefined)
  const request = HttpClientRequest.make(method as "POST")(`${root}${filled}`).pipe(
    HttpClientRequest.setUrlParams(query.map(([name, value]) => [name, String(value)] as const))
  )
  return sent.payload === undefined
    ? request
    : HttpClientRequest.setBody(request, HttpBody.text(JSON.stringify(sent.payload), "application/json"))
}

const textIn = (body: unknown, field: string): string | undefined => {
  const value = (body as Readonly<Record<string, unknown>> | undefined)?.[field]
  return typeof value === "string" ? value : undefined
}

/** Redirects are not followed, since the credential is meant for the given address only. */
const withoutMessage = ({ headers, status }: HttpClientResponse.HttpClientResponse): string =>
  status < 400 && headers["location"] !== undefined
    ? `The service redirects to ${headers["location"]}, where the credential is not sent: give the address of the service itself.`
    : `The service answered with status ${status}.`

const errorOf = (response: HttpClientResponse.HttpClientResponse, body: unknown): CorridorError =>
  new CorridorError({
    status: response.status,
    message: textIn(body, "message") ?? withoutMessage(response),
    code: textIn(body, "code"),
    requestId: response.headers["x-request-id"],
    body
  })

/** An answer that is not JSON comes from a proxy. */
const read = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.flatMap(response.text, (text) =>
    Effect.try({
      try: () => (text === "" ? undefined : (JSON.parse(text) as unknown)),
      catch: () => errorOf(response, undefined)
    })
  ).pipe(
    Effect.filterOrFail(
      () => response.status >= 200 && response.status < 300,
      (body) => errorOf(response, body)
    )
  )

const connectionError = (cause: Error): CorridorError =>
  cause instanceof CorridorError
    ? cause
    : new CorridorError({ status: 0, message: `The service could not be reached: ${cause.message}`, cause })

/** Holds no resources that must be closed. */
const runtime = ManagedRuntime.make(Layer.merge(FetchHttpClient.layer, Ids.layer))

const runPromise = async (
  effect: Effect.Effect<unknown, CorridorError, HttpClient.HttpClient | Ids>,
  options: CallOptions
) => {
  const { idempotencyKey, signal } = options
  const keyed = idempotencyKey === undefined ? effect : withIdempotencyKey(idempotencyKey)(effect)
  const exit = await runtime.runPromiseExit(keyed, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  throw signal?.aborted === true ? signal.reason : Cause.squash(exit.cause)
}

async function* allItems(call: (sent: RequestParts) => Promise<unknown>, sent: RequestParts) {
  let cursor: Option.Option<RequestParts["urlParams"]> = Option.some({})
  while (Option.isSome(cursor)) {
    const page = (await call({ ...sent, urlParams: { ...sent.urlParams, ...cursor.value } })) as PageOf<unknown>
    yield* page.data
    cursor = afterPage(page)
  }
}

/**
 * The whole API as promises: `await corridor.payments.byId({ path: { payment_id } })`. Retries GETs and keyed calls
 * when the service is unreachable or answers with Retry-After.
 */
export const createCorridor = (options: CorridorOptions): CorridorPromises => {
  const root = rootOf(options.url)
  const groups: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const call = (sent: RequestParts = {}, about: CallOptions = {}) =>
      runPromise(
        Effect.gen(function* () {
          const client = transport(options, yield* Ids)(yield* HttpClient.HttpClient)
          return yield* Effect.flatMap(client.execute(requestOf(root, operation, sent)), read)
        }).pipe(Effect.mapError(connectionError)),
        about
      )
    const all = (sent: RequestParts = {}, about: CallOptions = {}) => allItems((page) => call(page, about), sent)
    ;(groups[operation.group] ??= {})[operation.name] = Object.assign(call, { all })
  }
  return groups as unknown as CorridorPromises
}
