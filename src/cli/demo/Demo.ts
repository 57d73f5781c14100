/** `corridor demo`: runs the steps one by one. A failed step is reported, and stops only the steps that need it. */
import { createHmac, timingSafeEqual } from "node:crypto"
import * as http from "node:http"
import * as https from "node:https"
import type { AddressInfo } from "node:net"
import { Array as Arr, Effect, Either, Option, Schema } from "effect"
import type { LedgerReport } from "../../money/ledger/LedgerCheck.ts"
import { writeLine, report } from "../shared/Terminal.ts"
import {
  curl,
  declined,
  type DemoServer,
  escrow,
  fallback,
  hasThirdParties,
  onRamp,
  payin,
  paymentLink,
  payout,
  type Receiver,
  refund,
  retried,
  type Shown,
  StepFailed,
  virtualAccount,
  type Expected
} from "./DemoSteps.ts"
import { httpApiClient } from "../client/HttpApiClient.ts"
import { call } from "../shared/ApiClient.ts"
import { runningSandbox } from "../client/RunCommand.ts"
import { AppLive } from "../../app/Services.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { permitFor } from "../shared/LocalDatabase.ts"

interface Received {
  readonly event_id: string
  readonly event_type: string
  /** The payment or transaction that it tells of. */
  readonly about: string
  readonly verified: boolean
}

/** In sandbox mode a server delivers to the machine that it runs on. */
const loopbackReceiver: Receiver = { port: 0, addressAt: (port) => `http://127.0.0.1:${port}/` }

interface Delivery {
  readonly signature: string
  readonly body: Buffer
}

const Event = Schema.parseJson(
  Schema.Struct({
    event_id: Schema.String,
    event_type: Schema.String,
    data: Schema.Struct({
      payment_id: Schema.optional(Schema.String),
      transaction_id: Schema.optional(Schema.String)
    })
  })
)

const listening = (deliveries: Array<Delivery>, { identity, port }: Receiver) =>
  Effect.async<http.Server, StepFailed>((resume) => {
    const take: http.RequestListener = (request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        deliveries.push({
          signature: String(request.headers["x-service-signature"] ?? ""),
          body: Buffer.concat(chunks)
        })
        response.writeHead(204).end()
      })
    }
    const server = identity === undefined ? http.createServer(take) : https.createServer({ ...identity }, take)
    server.on("error", (error) =>
      resume(new StepFailed({ message: `No webhook receiver can be opened: ${error.message}` }))
    )
    server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
  })

const closed = (server: http.Server) =>
  Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

const isSigned = ({ body, signature }: Delivery, secret: string): boolean => {
  const wanted = createHmac("sha256", secret).update(body).digest()
  const given = Buffer.from(signature, "hex")
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

const openReceiver = Effect.fnUntraced(function* (receiver: Receiver) {
  const deliveries: Array<Delivery> = []
  const server = yield* Effect.acquireRelease(listening(deliveries, receiver), closed)
  const { port } = server.address() as AddressInfo
  const { data } = yield* Effect.acquireRelease(
    call("webhooks", "create", { payload: { endpoint_url: receiver.addressAt(port) } }),
    ({ data: { webhook_id } }) =>
      Effect.catchAll(call("webhooks", "remove", { path: { webhook_id } }), (error) =>
        Effect.logWarning(`The demo's webhook endpoint ${webhook_id} is still registered`, error)
      )
  )

  /** Each event once. */
  const received = Effect.sync((): ReadonlyArray<Received> => {
    const all = deliveries.flatMap((delivery) => {
      const event = Option.getOrUndefined(Schema.decodeOption(Event)(delivery.body.toString("utf8")))
      if (event === undefined) return []
      const { event_id, event_type } = event
      const about = event.data.payment_id ?? event.data.transaction_id ?? ""
      return [[event_id, { event_id, event_type, about, verified: isSigned(delivery, data.secret_key) }] as const]
    })
    return Array.from(new Map(all).values())
  })

  const missing = (seen: ReadonlyArray<Received>, expected: ReadonlyArray<Expected>) =>
    expected.filter(([type, id]) => !seen.some(({ about, event_type }) => event_type === type && about === id))

  return {
    webhookId: data.webhook_id,
    /** Waits for these events; returns all that arrived, each with a verified signature. */
    allOf: (expected: ReadonlyArray<Expected>) =>
      received.pipe(
        Effect.filterOrFail(
          (seen) => missing(seen, expected).length === 0,
          (seen) => {
            const types = missing(seen, expected).map(([type]) => type)
            return new StepFailed({ message: `${seen.length} webhooks came, but not: ${types.join(", ")}.` })
          }
        ),
        retried("the last webhooks"),
        Effect.filterOrFail(
          (seen) => seen.every(({ verified }) => verified),
          () => new StepFailed({ message: "A webhook came with a signature that is not its secret's." })
        )
      )
  }
})

const needed = <A>(what: Option.Option<A>, name: string): Effect.Effect<A, StepFailed> =>
  Option.match(what, {
    onNone: () => new StepFailed({ message: `It needs the ${name}, which failed.` }),
    onSome: Effect.succeed
  })

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const countsOf = (webhooks: ReadonlyArray<Received>): string =>
  Object.entries(Arr.groupBy(webhooks, ({ event_type }) => event_type))
    .map(([type, all]) => `${all.length} ${type}`)
    .join(", ")

/** An empty ledger is not that of the server that has just moved money. */
const booksShown = ({ accounts, entries, postings, problems }: LedgerReport): Either.Either<Shown, StepFailed> => {
  const [first] = problems
  if (first !== undefined) return Either.left(new StepFailed({ message: first.message }))
  return postings === 0
    ? Either.left(new StepFailed({ message: "The books are empty: give this command the environment of the server." }))
    : Either.right({
        what: `in order: ${postings} postings of ${entries} entries on ${accounts} accounts add up to zero`,
        ids: {},
        curl: null
      })
}

/** The only part that opens the database. */
const books = Effect.gen(function* () {
  const ledger = yield* Ledger
  return yield* ledger.check(yield* permitFor("platform"))
}).pipe(Effect.provide(AppLive))

interface Step extends Pick<Shown, "what" | "ids" | "curl"> {
  readonly step: string
  readonly ok: boolean
}

const textOf = ({ curl: look, ids, ok, step, what }: Step): string => {
  const named = Object.entries(ids).map(([name, id]) => `${name} ${id}`)
  const about = named.length === 0 ? "" : ` (${named.join(", ")})`
  return `${ok ? "ok  " : "FAIL"}  ${step}: ${what}${about}${look === null ? "" : `\n      ${look}`}`
}

const tour = (asJson: boolean, sandbox: DemoServer) =>
  Effect.gen(function* () {
    const receiver = yield* openReceiver(sandbox.receiver)
    const steps: Array<Step> = []
    const expected: Array<Expected> = []
    if (!asJson)
      yield* writeLine(`A tour of the server at ${sandbox.baseUrl}, in ${sandbox.mode} mode, as ${sandbox.orgName}.`)

    const show = <A extends Shown, E, R>(step: string, work: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        const result = yield* Effect.either(work)
        const done: Step = Either.match(result, {
          onLeft: (error) => ({ step, ok: false, what: wordsOf(error), ids: {}, curl: null }),
          onRight: ({ curl: look, ids, what }) => ({ step, ok: true, what, ids, curl: look })
        })
        steps.push(done)
        expected.push(...Either.match(result, { onLeft: () => [], onRight: ({ events = [] }) => events }))
        if (!asJson) yield* writeLine(textOf(done))
        return Either.getRight(result)
      })

    const collected = yield* show("payin", payin(sandbox))
    yield* show("declined", declined(sandbox))
    if (yield* hasThirdParties) yield* show("fallback", fallback(sandbox))
    yield* show("payout", payout(sandbox))
    yield* show(
      "refund",
      Effect.flatMap(needed(collected, "payin"), ({ paymentId }) => refund(sandbox, paymentId))
    )
    const account = yield* show("virtual_account", virtualAccount(sandbox))
    yield* show(
      "escrow",
      Effect.flatMap(needed(account, "virtual account"), ({ accountId }) => escrow(sandbox, accountId))
    )
    yield* show("on_ramp", onRamp(sandbox))
    yield* show("payment_link", paymentLink(sandbox))
    const arrived = yield* show(
      "webhooks",
      Effect.map(receiver.allOf(expected), (webhooks) => ({
        what: `${webhooks.length} arrived, every X-Service-Signature verified: ${countsOf(webhooks)}`,
        ids: { webhook_id: receiver.webhookId },
        curl: curl(sandbox, "/public/events?limit=20"),
        webhooks
      }))
    )
    yield* show("books", Effect.flatMap(books, booksShown))
    return { steps, webhooks: Option.match(arrived, { onNone: () => [], onSome: ({ webhooks }) => webhooks }) }
  })

const ELSEWHERE =
  "another server seems to have taken its port: stop that one, or set PORT to a free one, " +
  'start the sandbox again with "npm start", then run this again.'

/** Plays the demo on a server. Only one whose third parties are simulators or fakes may be given. */
export const play = (asJson: boolean, sandbox: DemoServer) =>
  Effect.gen(function* () {
    const server = { url: sandbox.baseUrl, credential: { apiKey: sandbox.apiKey } }
    const client = httpApiClient(server, { retries: 0, hint: ELSEWHERE })
    const { steps, webhooks } = yield* Effect.provide(tour(asJson, sandbox), client)
    const failed = steps.filter(({ ok }) => !ok).map(({ step }) => step)
    return {
      data: { base_url: sandbox.baseUrl, org_id: sandbox.orgId, steps, webhooks },
      text: `That was the tour. The API reference is at ${sandbox.baseUrl.replace(/\/v1$/, "/docs")}.`,
      failure:
        failed.length === 0 ? undefined : `${failed.length} of ${steps.length} steps failed: ${failed.join(", ")}.`
    }
  }).pipe(Effect.scoped)

const LIVE =
  'The demo does not run on this server: in live mode payments move real money. "npm run demo:live" ' +
  "starts a server in live mode on fakes of the third parties, and plays it there."

const onSandbox = (asJson: boolean) =>
  Effect.gen(function* () {
    const sandbox = yield* runningSandbox(LIVE)
    const openPage = (url: string, signal: AbortSignal) => fetch(url, { signal })
    return yield* play(asJson, { ...sandbox, mode: "sandbox", receiver: loopbackReceiver, openPage })
  }).pipe(Effect.provide(Settings.layer))

export const show = (input: { readonly json: boolean }) => report(input.json, onSandbox(input.json))
