/** The API client over HTTP, as the caller that the credential names. */
import { HttpBody, HttpClient, HttpClientRequest, type HttpClientResponse } from "@effect/platform"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect, Layer, Option } from "effect"
import { type Operation, operations } from "../../client/DeclaredOperations.ts"
import { type RequestParts, rootOf } from "../../client/RequestRules.ts"
import { transport } from "../../client/Transport.ts"
import { stringifyWire } from "../../domain/Decimal.ts"
import { Ids } from "../../domain/Ids.ts"
import type { Server } from "../shared/CommandTarget.ts"
import { answerShapes, type Shape } from "./AnswerShapes.ts"
import { ApiClient, parseBody, queryOf, Refused } from "../shared/ApiClient.ts"

const kindOf = (text: string): string => {
  if (text.trim() === "") return "nothing"
  if (/^\s*</.test(text)) return "an HTML page"
  return Option.isNone(parseBody(text)) ? "no JSON" : "JSON of another kind"
}

const requestOf = (root: string, { method, path }: Operation, parts: RequestParts) => {
  const filled = path.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(String(parts.path?.[name])))
  const request = HttpClientRequest.make(method as "POST")(`${root}${filled}`).pipe(
    HttpClientRequest.setUrlParams(queryOf(parts))
  )
  return parts.payload === undefined
    ? request
    : HttpClientRequest.setBody(request, HttpBody.text(stringifyWire(parts.payload), "application/json"))
}

const messageIn = (body: Option.Option<unknown>): string | undefined => {
  const message = (Option.getOrUndefined(body) as Readonly<Record<string, unknown>> | undefined)?.["message"]
  return typeof message === "string" ? message : undefined
}

/** Replaces the server's sentence about headers, which commands set themselves. */
const unknownCaller = (root: string, { credential }: Server): string =>
  "apiKey" in credential
    ? `${root} does not take this API key: check that it was copied whole, belongs to this server, and is not revoked.`
    : `${root} does not take this token: check that it was copied whole, is for this server, and has not expired.`

/** Redirects are not followed: a credential goes to the given address only. */
const unexpectedAnswer = (
  root: string,
  { method, path }: Operation,
  { headers, status }: HttpClientResponse.HttpClientResponse,
  text: string,
  hint: string
): string => {
  const { location } = headers
  return status < 400 && location !== undefined
    ? `${root} leads on to ${location}, where the key is not sent: give the address of the server itself.`
    : `${root} answered ${method} ${path} with status ${status} and ${kindOf(text)}, which is not how Corridor answers: ${hint}`
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape)

const fits = (shape: Shape, value: unknown): boolean => {
  if (shape === 0) return value !== undefined
  if (value === undefined || value === null) return false
  if (shape === 1) return true
  if (isList(shape)) return Array.isArray(value) && value.every((item) => fits(shape[0], item))
  const fields = value as Readonly<Record<string, unknown>>
  return typeof value === "object" && Object.entries(shape).every(([name, needed]) => fits(needed, fields[name]))
}

const hasExpectedShape = ({ group, name }: Operation, body: unknown): boolean => {
  const shape = answerShapes[`${group}.${name}`]
  return shape === undefined || fits(shape, body)
}

/** The innermost cause of a failed request, such as ECONNREFUSED. */
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

const OTHER_SERVER =
  "give the address of a Corridor server (--url or CORRIDOR_URL), and check that no proxy answers in its place."

interface ClientOptions {
  /** Retries of a call that is safe to repeat. */
  readonly retries?: number
  /** Advice shown if the answer is not from Corridor. */
  readonly hint?: string
}

export const httpApiClient = (server: Server, { hint = OTHER_SERVER, ...retries }: ClientOptions = {}) =>
  Layer.effect(
    ApiClient,
    Effect.gen(function* () {
      const root = rootOf(server.url)
      const options = { url: root, ...server.credential, ...retries }
      const client = transport(options, yield* Ids)(yield* HttpClient.HttpClient)
      const send = (group: string, name: string, parts: RequestParts) =>
        Effect.gen(function* () {
          const operation = operations.find((one) => one.group === group && one.name === name)!
          const response = yield* client.execute(requestOf(root, operation, parts))
          const text = yield* response.text
          const body = parseBody(text)
          const isDone = response.status < 300
          if (isDone && Option.isSome(body) && hasExpectedShape(operation, body.value)) return body.value
          const said = isDone ? undefined : messageIn(body)
          const reason = said !== undefined && response.status === 401 ? unknownCaller(root, server) : said
          const message = reason ?? unexpectedAnswer(root, operation, response, text, hint)
          return yield* new Refused({ message, status: response.status, body: Option.getOrUndefined(body) })
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
      return { root, send }
    })
    // Node's own fetch takes 0.2 s to load.
  ).pipe(Layer.provide(Layer.merge(NodeHttpClient.layer, Ids.layer)))
