/** The public API as commands call it, by the contract's names and types. Amounts keep every digit. */
import { Context, Data, Effect, Option } from "effect"
import { parse } from "lossless-json"
import type { PageOf, RequestParts } from "../../client/RequestRules.ts"
import type { Operations } from "../../client/WireTypes.ts"
import { WireNumber } from "../../domain/Decimal.ts"

type All = Operations<WireNumber>

type Request<G extends keyof All, N extends keyof All[G]> = All[G][N] extends { readonly request: infer R } ? R : never

export type Answer<G extends keyof All, N extends keyof All[G]> = All[G][N] extends { readonly answer: infer A }
  ? A
  : never

type Item<Page> = Page extends { readonly data: ReadonlyArray<infer One> } ? One : never

/** A call that was not carried out, with the reason that the server gave. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly message: string
  /** HTTP status; 0: the server could not be reached. */
  readonly status: number
  readonly body?: unknown
}> {}

/** Query parameters as text, without those that are undefined. */
export const queryOf = ({ urlParams = {} }: RequestParts): ReadonlyArray<readonly [string, string]> =>
  Object.entries(urlParams).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]))

/** Numbers without a fraction are counts; all others are money or rates. */
const numberOf = (digits: string): WireNumber | number =>
  /^-?\d+$/.test(digits) ? Number(digits) : new WireNumber(digits)

export const parseBody = (text: string): Option.Option<unknown> =>
  Option.liftThrowable(() => (text === "" ? undefined : parse(text, null, numberOf)))()

export class ApiClient extends Context.Tag("cli/ApiClient")<
  ApiClient,
  {
    /** Address without the version; of calls within this process, empty. */
    readonly root: string
    readonly send: (group: string, name: string, parts: RequestParts) => Effect.Effect<unknown, Refused>
  }
>() {}

const send = (group: string, name: string, parts: RequestParts) =>
  Effect.flatMap(ApiClient, (client) => client.send(group, name, parts))

export const call = <G extends keyof All & string, N extends keyof All[G] & string>(
  group: G,
  name: N,
  request: Request<G, N>
) => send(group, name, request as RequestParts) as Effect.Effect<Answer<G, N>, Refused, ApiClient>

/** Every item of a list, page by page. */
export const callAll = <G extends keyof All & string, N extends keyof All[G] & string>(
  group: G,
  name: N,
  request: Request<G, N>
) => {
  const parts = request as RequestParts
  const all = Effect.gen(function* () {
    // Loaded with the first list: a help text does not wait for it.
    const { nextPage } = yield* Effect.promise(() => import("../../client/RequestRules.ts"))
    const items: Array<unknown> = []
    for (let page: ReturnType<typeof nextPage> = {}; page !== undefined;) {
      const urlParams = { limit: 100, ...parts.urlParams, ...page }
      const { data, ...rest } = (yield* send(group, name, { ...parts, urlParams })) as PageOf<unknown>
      items.push(...data)
      page = nextPage(rest)
    }
    return items
  })
  return all as Effect.Effect<ReadonlyArray<Item<Answer<G, N>>>, Refused, ApiClient>
}

/** Replaces the answer 404 by a sentence that says where to look. */
export const orNotFound =
  (message: string) =>
  <A, R>(call: Effect.Effect<A, Refused, R>): Effect.Effect<A, Refused, R> =>
    Effect.mapError(call, (refused) => (refused.status === 404 ? new Refused({ message, status: 404 }) : refused))
