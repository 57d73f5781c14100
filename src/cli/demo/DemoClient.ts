/** The API as the demo calls it: over HTTP, with the sandbox's own key, amounts kept digit for digit. */
import { Data, Effect, Option, Schedule, Schema, Clock } from "effect"
import { parse } from "lossless-json"
import { stringifyWire, WireNumber } from "../../domain/Decimal.ts"
import { describeUnexpectedAnswer } from "../client/HttpApiClient.ts"
import type { RunningSandbox } from "../shared/RunningSandbox.ts"
import { Streams } from "../shared/Terminal.ts"

/** What the demo waits for, on standard error where a person watches, and nowhere else. */
const WHEEL = ["|", "/", "-", "\\"] as const
const TURN_MILLIS = 150

/** Nothing to wait for: the line is wiped. */
export const drawWaiting = (what: string): Effect.Effect<void> =>
  Effect.zipWith(Clock.currentTimeMillis, Streams, (now, { err, watched }) => {
    if (!watched) return
    const spoke = WHEEL[Math.floor(now / TURN_MILLIS) % WHEEL.length]
    err(what === "" ? "\r\u001b[K" : `\r\u001b[K${spoke} waiting for ${what}`)
  })

/** The reason why a step of the demo failed. */
export class StepFailed extends Data.TaggedError("StepFailed")<{ readonly message: string }> {}

type Method = "GET" | "POST" | "DELETE"

interface Answer {
  readonly status: number
  readonly body: unknown
}

const SLOWEST_ANSWER = "15 seconds"

/** The sandbox settles within about a second for each leg of a payment. */
const patience = Schedule.spaced("150 millis").pipe(Schedule.upTo("12 seconds"))

const numberOf = (literal: string): WireNumber | number =>
  literal.includes(".") ? new WireNumber(literal) : Number(literal)

const bodyOf = (text: string): Option.Option<unknown> =>
  Option.liftThrowable(() => (text === "" ? null : parse(text, null, numberOf)))()

const ELSEWHERE =
  "another server seems to have taken its port: stop that one, or set PORT to a free one, " +
  'start the sandbox again with "npm start", then run this again.'

const Refusal = Schema.Struct({ message: Schema.String })

const messageOf = (body: unknown): string => (Schema.is(Refusal)(body) ? body.message : JSON.stringify(body))

/** A monetary value of an answer, to be shown or sent on as it is. */
export const Decimal = Schema.instanceOf(WireNumber)

/** `data` of the usual envelope, of which only these fields matter. */
export const dataOf = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct({ data: Schema.Struct(fields) })

export const makeCalls = ({ apiKey, baseUrl }: RunningSandbox) => {
  const ask = (method: Method, path: string, body?: object): Effect.Effect<Answer, StepFailed> =>
    Effect.tryPromise({
      try: async (signal) => {
        const answer = await fetch(`${baseUrl}${path}`, {
          method,
          signal,
          redirect: "manual",
          headers: { authorization: "NONE", "x-api-key": apiKey, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: stringifyWire(body) })
        })
        return { status: answer.status, text: await answer.text() }
      },
      catch: (error) => new StepFailed({ message: `${method} ${path} got no answer: ${String(error)}` })
    }).pipe(
      Effect.flatMap(({ status, text }) =>
        Option.match(bodyOf(text), {
          onNone: () =>
            new StepFailed({
              message: `${describeUnexpectedAnswer(baseUrl, `${method} ${path}`, status, text)}: ${ELSEWHERE}`
            }),
          onSome: (sent) => Effect.succeed({ status, body: sent })
        })
      ),
      Effect.timeoutFail({
        duration: SLOWEST_ANSWER,
        onTimeout: () => new StepFailed({ message: `${method} ${path} was not answered in time.` })
      })
    )

  /** An answer of this status and this shape, or no success. */
  const expect = <A, I>(
    method: Method,
    path: string,
    wanted: { readonly status: number; readonly schema: Schema.Schema<A, I>; readonly body?: object }
  ): Effect.Effect<A, StepFailed> =>
    Effect.flatMap(ask(method, path, wanted.body), ({ body, status }) =>
      status === wanted.status
        ? Schema.decodeUnknown(wanted.schema)(body).pipe(
            Effect.mapError(
              ({ message }) => new StepFailed({ message: `${method} ${path} answered oddly: ${message}` })
            )
          )
        : new StepFailed({ message: `${method} ${path} was answered with ${status}: ${messageOf(body)}` })
    )

  const get = <A, I>(path: string, schema: Schema.Schema<A, I>) => expect("GET", path, { status: 200, schema })

  return {
    get,
    /** For a POST that acts on something. */
    act: <A, I>(path: string, body: object, schema: Schema.Schema<A, I>, status = 200) =>
      expect("POST", path, { status, schema, body }),
    /** For a POST that makes something. */
    make: <A, I>(path: string, body: object, schema: Schema.Schema<A, I>) =>
      expect("POST", path, { status: 201, schema, body }),
    remove: (path: string) => expect("DELETE", path, { status: 204, schema: Schema.Null }),
    /** Looks again and again until it is so. */
    until: <A, I>(what: string, path: string, schema: Schema.Schema<A, I>, isSo: (seen: A) => boolean) =>
      get(path, schema).pipe(
        Effect.filterOrFail(isSo, () => new StepFailed({ message: `The demo waited in vain for ${what}.` })),
        Effect.retry(Schedule.tapInput(patience, () => drawWaiting(what))),
        Effect.ensuring(drawWaiting(""))
      ),
    curl: (path: string) => `curl -s '${baseUrl}${path}' -H 'Authorization: NONE' -H 'X-Api-Key: ${apiKey}'`
  }
}

export type Calls = ReturnType<typeof makeCalls>
