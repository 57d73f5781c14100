/** Calls of the payment endpoints with the raw bytes in sight, and waiting for what comes later. */
import { expect } from "@effect/vitest"
import { Data, Effect, Schedule } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import type { MovementKind, MovementState } from "../../../src/domain/Movement.ts"
import { idFrom } from "../../support/AnyId.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { type Answer, post, send } from "../../support/Send.ts"
import { PROOF } from "./ScriptedProvider.ts"

export type Json = Readonly<Record<string, unknown>>

export const jsonOf = (answer: Answer): Json => JSON.parse(answer.text) as Json

export interface Initiated {
  readonly status: number
  readonly text: string
  readonly body: Json
  /** The response object of the envelope; of an error, the error itself. */
  readonly response: Json
  readonly payment_id: PaymentId
  readonly transaction_id: string
}

export const initiate = (request: object, credential?: Credential) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const answer = yield* post("/v1/payments-init/initiate", { ...(credential ?? acme.key) }, request)
    const body = jsonOf(answer)
    const response = (body["response"] ?? body) as Json
    const initiated: Initiated = {
      status: answer.status,
      text: answer.text,
      body,
      response,
      payment_id: idFrom(response["payment_id"]),
      transaction_id: String(response["transaction_id"])
    }
    return initiated
  })

export const get = (path: string, credential?: Credential) =>
  Effect.flatMap(people, ({ acme }) => send(`/v1${path}`, { headers: { ...(credential ?? acme.key) } }))

export const recordOf = (paymentId: string) => Effect.map(get(`/payments/${paymentId}`), jsonOf)

export const timelineOf = (paymentId: string) =>
  Effect.map(get(`/payments/${paymentId}/timeline`), (answer) => {
    const { data } = jsonOf(answer) as { readonly data: { readonly items: ReadonlyArray<Json> } }
    return data.items
  })

export const ofKind = (items: ReadonlyArray<Json>, kind: string) => items.filter((item) => item["kind"] === kind)

export const attemptsOf = (paymentId: string) => Effect.map(timelineOf(paymentId), (items) => ofKind(items, "attempt"))

/** The data of the payment's events of this type, in the order in which they came to be. */
export const eventsOfType = (paymentId: string, type: string) =>
  Effect.map(get(`/public/events?limit=100&event_type=${type}`), (answer) => {
    const { data } = jsonOf(answer) as { readonly data: ReadonlyArray<{ readonly data: Json }> }
    return data
      .map((event) => event.data)
      .filter((about) => about["payment_id"] === paymentId)
      .toReversed()
  })

class NeverCame extends Data.TaggedError("NeverCame")<{ readonly message: string }> {}

/** Polls until the predicate holds, and fails after the timeout. */
export const eventually = <A, E, R>(look: Effect.Effect<A, E, R>, isSo: (seen: A) => boolean) =>
  look.pipe(
    Effect.filterOrFail(isSo, (seen) => new NeverCame({ message: `never came to be: ${JSON.stringify(seen)}` })),
    Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo("2 minutes")))
  )

export const untilStatus = (paymentId: string, status: string) =>
  eventually(recordOf(paymentId), (record) => record["status"] === status)

/** A transfer as a scripted provider states it. */
export interface SaidMovement {
  readonly kind: MovementKind
  readonly id: string
  readonly amount: { readonly amount: string; readonly currency: string } | null
  readonly state: MovementState
  readonly isTotal?: true
}

interface CallbackWords {
  readonly key: string
  readonly reference: string | null
  readonly state: string | null
  readonly providerPaymentId?: string
  readonly received?: { readonly amount: string; readonly currency: string }
  readonly fee?: { readonly amount: string; readonly currency: string }
  readonly ids?: Readonly<Record<string, unknown>>
  readonly reason?: string
  readonly calledOff?: true
  readonly taken?: { readonly amount: string; readonly currency: string }
  readonly takenInAll?: { readonly amount: string; readonly currency: string }
  readonly regained?: { readonly amount: string; readonly currency: string }
  readonly about?: string
  readonly unseen?: string
  readonly movements?: ReadonlyArray<SaidMovement>
}

export const callBack = (
  provider: string,
  words: CallbackWords,
  {
    headers = PROOF,
    method = "POST",
    account
  }: {
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
    /** The configuration that brings the account which calls back. */
    readonly account?: string
  } = {}
) =>
  send(`/callbacks/${provider}${account === undefined ? "" : `/${account}`}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(words)
  })

export const queueOf = (credential?: Credential) =>
  Effect.map(get("/operations/queue?limit=100", credential), (answer) => {
    const { data } = jsonOf(answer) as { readonly data: ReadonlyArray<Json> }
    return data
  })

/** A rate as it was looked up, and locked. */
export interface Lock {
  readonly org_rate_id: string
  readonly rate: number
  readonly target_amount: number
}

export const lookUp = (from: string, to: string, amount?: number) =>
  Effect.map(
    get(
      `/organizations/admin/exchange-rate?fromCurrency=${from}&toCurrency=${to}${amount === undefined ? "" : `&amount=${amount}`}`
    ),
    (answer) => {
      expect(answer.status, answer.text).toBe(200)
      return jsonOf(answer)["data"] as Json & Lock
    }
  )
