/** Idempotency keys: a repeated request gets the first answer again, or is refused. */
import { Context, Duration, Effect, Layer, Option } from "effect"
import { OrgId, type PaymentId, Ids } from "../../domain/Ids.ts"
import { CARD_REFUSED, holdsCardNumber } from "../../domain/Card.ts"
import { canonicalJson } from "../../domain/Decimal.ts"
import { IdempotencyConflict, Invalid } from "../../domain/Failure.ts"
import { idempotencyRetryAfter, idempotencyRunning } from "../../domain/policies/ServerPolicies.ts"
import { Transactor } from "../database/Transactor.ts"
import { Vault } from "../secrets/Vault.ts"
import { type FoundKey, IdempotencyStore, type KeyName, type NewKey } from "./IdempotencyStore.ts"
import type { Stored } from "../database/DatabaseFailure.ts"

/** First use of a key, or a replay of its answer. */
export type Begin =
  | { readonly _tag: "Fresh"; readonly key: NewKey }
  | { readonly _tag: "Replay"; readonly status: number; readonly response: string }

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/

const otherBody = () =>
  new IdempotencyConflict({
    message: "Idempotency-Key: was used before with another body; use a new key for a new request."
  })

export const stillRunning = () =>
  new IdempotencyConflict({
    message: "Idempotency-Key: the first request with this key is still running; try again shortly.",
    retryAfterSeconds: Duration.toSeconds(idempotencyRetryAfter)
  })

/** The card is remembered only by what its record shows; the number is in no digest. */
const withoutCard = (body: unknown): unknown => {
  const card = (body as { readonly card_details?: Record<string, unknown> | null } | null)?.card_details
  if (typeof card !== "object" || card === null) return body
  const { card_number, expiry_month, expiry_year } = card
  const number = String(card_number)
  const shown = { bin: number.slice(0, 6), last4: number.slice(-4), expiry_month, expiry_year }
  return { ...(body as object), card_details: shown }
}

/** Answer of the operation from the payment's current state. Provided by the layer `payments`. */
export class CurrentStateAnswer extends Context.Tag("corridor/CurrentStateAnswer")<
  CurrentStateAnswer,
  (orgId: OrgId, paymentId: PaymentId, operation: string) => Stored<string>
>() {}

export class Idempotency extends Context.Tag("corridor/Idempotency")<
  Idempotency,
  {
    /** `operation` is the method and the route with its parameters: one text, however the path was spelled. */
    readonly begin: (name: KeyName, body: unknown) => Stored<Begin, Invalid | IdempotencyConflict>
    /**
     * Runs once for each key. Stores key, answer and effects in one transaction, so the key answers after a crash too.
     */
    readonly once: <A, E>(
      key: NewKey | undefined,
      work: Effect.Effect<A, E>,
      textOf: (done: A) => string
    ) => Stored<A, E | IdempotencyConflict>
    /** Of a request that did something; one that did nothing has written no row, and nothing is kept. */
    readonly keep: (key: NewKey, status: number, response: string) => Stored<void>
    /**
     * Belongs before, or into the transaction of, the first thing that a request does; one without a key claims nothing.
     * `paymentId`: what it is about, where that is a payment.
     */
    readonly claim: (paymentId: PaymentId | null, key: NewKey | undefined) => Stored<void, IdempotencyConflict>
    /** For a request that claimed its key and then did nothing. */
    readonly release: (key: NewKey) => Stored<void>
  }
>() {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const vault = yield* Vault
      const stateOf = yield* CurrentStateAnswer
      const ids = yield* Ids
      const { atomically } = yield* Transactor

      const again = (found: FoundKey): Stored<Begin, IdempotencyConflict> => {
        if (found.status !== null && found.response !== null) {
          return Effect.succeed({ _tag: "Replay", status: found.status, response: found.response })
        }
        if (found.payment_id === null || found.age_millis < Duration.toMillis(idempotencyRunning)) {
          return Effect.fail(stillRunning())
        }
        // A crash cut the request off: the payment's state is the answer.
        const answer = stateOf(OrgId.make(found.org_id), found.payment_id, found.operation)
        return Effect.map(answer, (response) => ({ _tag: "Replay", status: 200, response }))
      }

      const claim = Effect.fnUntraced(function* (paymentId: PaymentId | null, key: NewKey | undefined) {
        if (key !== undefined && !(yield* store.claim(paymentId, key))) return yield* stillRunning()
      })

      return {
        begin: Effect.fnUntraced(function* (name, body) {
          if (!VISIBLE_ASCII.test(name.key)) {
            return yield* new Invalid({ message: "Idempotency-Key: must be 1 to 255 visible ASCII characters." })
          }
          if (holdsCardNumber(name.key)) return yield* new Invalid({ message: `Idempotency-Key: ${CARD_REFUSED}.` })
          const body_digest = vault.hmac(canonicalJson(withoutCard(body ?? null)), "idempotency")
          const found = yield* store.find(name)
          if (Option.isNone(found)) {
            return { _tag: "Fresh" as const, key: { ...name, body_digest, claim: yield* ids.next } }
          }
          if (found.value.body_digest !== body_digest) return yield* otherBody()
          return yield* again(found.value)
        }),
        once: (key, work, textOf) =>
          atomically(
            Effect.gen(function* () {
              yield* claim(null, key)
              const done = yield* work
              if (key !== undefined) yield* store.keepResponse(key, 200, textOf(done))
              return done
            })
          ),
        keep: store.keepResponse,
        claim,
        release: store.release
      }
    })
  )
}
