/** The public API as commands call it: by the contract's names and types, amounts kept digit for digit. */
import { HttpBody, HttpClient, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Context, Data, Effect, Layer, Option } from "effect"
import { parse } from "lossless-json"
import { type Operation, operations } from "../../client/DeclaredOperations.ts"
import { rootOf, afterPage, type PageOf, transport } from "../../client/Transport.ts"
import type { Operations } from "../../client/WireTypes.ts"
import { stringifyWire, WireNumber } from "../../domain/Decimal.ts"
import { Ids } from "../../domain/Ids.ts"
import type { Server } from "../shared/CommandTarget.ts"
import { answerShapes } from "./AnswerShapes.ts"
import { fits } from "./Shape.ts"

/** What is said of an answer that Corridor would not give: something else listens there, or answers in its place. */
const kindOf = (text: string): string => {
  if (text.trim() === "") return "nothing"
  if (/^\s*</.test(text)) return "an HTML page"
  return Option.isNone(Option.liftThrowable(() => parse(text))()) ? "no JSON" : "JSON of another kind"
}

/** `asked`: method and path. */
export const describeUnexpectedAnswer = (root: string, asked: string, status: number, text: string): string =>
  `${root} answered ${asked} with status ${status} and ${kindOf(text)}, which is not how Corridor answers`

type All = Operations<WireNumber>

type Request<G extends keyof All, N extends keyof All[G]> = All[G][N] extends { readonly request: infer R } ? R : never

export type Answer<G extends keyof All, N extends keyof All[G]> = All[G][N] extends { readonly answer: infer A }
  ? A
  : never

type Item<Page> = Page extends { readonly data: ReadonlyArray<infer One> } ? One : never

/** Why the server did not do it, in its own words where it has any. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly message: string
  /** 0: it could not be reached. */
  readonly status: number
}> {}

interface Parts {
  readonly path?: Readonly<Record<string, unknown>>
  readonly urlParams?: Readonly<Record<string, unknown>>
  readonly payload?: unknown
}

/** Numbers without a fraction are counts; all others are money or rates. */
const numberOf = (digits: string): WireNumber | number =>
  /^-?\d+$/.test(digits) ? Number(digits) : new WireNumber(digits)

const bodyOf = (text: string): Option.Option<unknown> =>
  Option.liftThrowable(() => (text === "" ? undefined : parse(text, null, numberOf)))()

const requestOf = (root: string, { method, path }: Operation, parts: Parts): HttpClientRequest.HttpClientRequest => {
  const filled = path.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(String(parts.path?.[name])))
  const query = Object.entries(parts.urlParams ?? {}).filter(([, value]) => value !== undefined)
  const request = HttpClientRequest.make(method as "POST")(`${root}${filled}`).pipe(
    HttpClientRequest.setUrlParams(query.map(([name, value]) => [name, String(value)] as const))
  )
  return parts.payload === undefined
    ? request
    : HttpClientRequest.setBody(request, HttpBody.text(stringifyWire(parts.payload), "application/json"))
}

const messageIn = (body: Option.Option<unknown>): string | undefined => {
  const message = (Option.getOrUndefined(body) as Readonly<Record<string, unknown>> | undefined)?.["message"]
  return typeof message === "string" ? message : undefined
}

/** The server's own sentence is about headers, which no command lets anybody write. */
const unknownCaller = (root: string, { credential }: Server): string =>
  "apiKey" in credential
    ? `${root} does not take this API key: see that all of it was copied, that it is of this server, and that nobody revoked it.`
    : `${root} does not take this token: see that all of it was copied, that it is for this server, and that its time is not over.`

/** A credential goes to the address that was given, and to no other that it names. */
const oddAnswer = (
  root: string,
  { method, path }: Operation,
  { headers, status }: HttpClientResponse.HttpClientResponse,
  text: string
): string => {
  const { location } = headers
  return status < 400 && location !== undefined
    ? `${root} leads on to ${location}, where the key is not sent: give the address of the server itself.`
    : `${describeUnexpectedAnswer(root, `${method} ${path}`, status, text)}: ` +
        "give the address of a Corridor server (--url or CORRIDOR_URL), and see that nothing before it answers in its place."
}

const isAsPromised = ({ group, name }: Operation, body: unknown): boolean => {
  const shape = answerShapes[`${group}.${name}`]
  return shape === undefined || fits(shape, body)
}

/** Beneath what the client says of it; such as ECONNREFUSED. */
const rootCause = (error: unknown): string => {
  const { cause, code, description, message } = error as {
    readonly cause?: unknown
    readonly code?: string
    readonly description?: string
    readonly message?: string
  }
  if (typeof code === "string") return code
  if (typeof description === "string") return description
  return cause instanceof Error ? rootCause(cause) : String(message ?? error)
}

export class Calls extends Context.Tag("cli/Calls")<
  Calls,
  {
    /** The address, without the version. */
    readonly root: string
    readonly call: <G extends keyof All & string, N extends keyof All[G] & string>(
      group: G,
      name: N,
      request: Request<G, N>
    ) => Effect.Effect<Answer<G, N>, Refused>
    /** Every item of a list, page by page. */
    readonly all: <G extends keyof All & string, N extends keyof All[G] & string>(
      group: G,
      name: N,
      request: Request<G, N>
    ) => Effect.Effect<ReadonlyArray<Item<Answer<G, N>>>, Refused>
  }
>() {
  /** `retries`: how often what is safe to repeat is repeated. */
  static readonly layer = (server: Server, retries?: number): Layer.Layer<Calls> =>
    Layer.effect(
      Calls,
      Effect.gen(function* () {
        const root = rootOf(server.url)
        const options = { url: root, ...server.credential, ...(retries === undefined ? {} : { retries }) }
        const client = transport(options, yield* Ids)(yield* HttpClient.HttpClient)
        const send = (group: string, name: string, parts: Parts) =>
          Effect.gen(function* () {
            const operation = operations.find((one) => one.group === group && one.name === name)!
            const response = yield* client.execute(requestOf(root, operation, parts))
            const text = yield* response.text
            const body = bodyOf(text)
            const isDone = response.status < 300
            if (isDone && Option.isSome(body) && isAsPromised(operation, body.value)) return body.value
            const said = isDone ? undefined : messageIn(body)
            const told = said !== undefined && response.status === 401 ? unknownCaller(root, server) : said
            const message = told ?? oddAnswer(root, operation, response, text)
            return yield* new Refused({ message, status: response.status })
          }).pipe(
            Effect.mapError((error) =>
              error._tag === "Refused"
                ? error
                : new Refused({
                    message: `${root} cannot be reached (${rootCause(error)}): is the server running there?`,
                    status: 0
                  })
            )
          )
        const page = (group: string, name: string, parts: Parts): Effect.Effect<ReadonlyArray<unknown>, Refused> =>
          Effect.flatMap(send(group, name, parts), (answer) => {
            const { data, ...rest } = answer as PageOf<unknown>
            return Option.match(afterPage(rest), {
              onNone: () => Effect.succeed(data),
              onSome: (next) =>
                Effect.map(page(group, name, { ...parts, urlParams: { ...parts.urlParams, ...next } }), (others) => [
                  ...data,
                  ...others
                ])
            })
          })
        return {
          root,
          call: ((group: string, name: string, request: Parts) => send(group, name, request)) as Calls["Type"]["call"],
          all: ((group: string, name: string, request: Parts) =>
            page(group, name, {
              ...request,
              urlParams: { limit: 100, ...request.urlParams }
            })) as Calls["Type"]["all"]
        }
      })
      // Node's own fetch takes longer to load than all else that a call needs.
    ).pipe(Layer.provide(Layer.merge(NodeHttpClient.layer, Ids.layer)))
}
