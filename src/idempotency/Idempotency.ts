/** A key makes a request that moves money safe to send again: the first answer is given again, or the second refused. */
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { canonicalJson } from "../domain/CanonicalJson.ts"
import { IdempotencyConflict, Invalid } from "../domain/Failure.ts"
import { idempotencyRunning } from "../domain/Policies.ts"
import { Payments } from "../payments/Payments.ts"
import { Vault } from "../secrets/Vault.ts"
import { IdempotencyStore, type KeyName, type NewKey, type StoredKey } from "./IdempotencyStore.ts"

/** What to do with a request that carries a key. */
export type Begin =
  | { readonly _tag: "Fresh"; readonly name: KeyName; readonly newKey: NewKey }
  | { readonly _tag: "Replay"; readonly status: number; readonly response: string }

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/

const otherBody = () =>
  new IdempotencyConflict({
    message: "Idempotency-Key: was used before with another body; use a new key for a new request."
  })

export const stillRunning = () =>
  new IdempotencyConflict({
    message: "Idempotency-Key: the first request with this key is still running; try again shortly."
  })

/** The card is remembered only by what its record shows; the number is in no digest. */
const withoutCard = (body: unknown): unknown => {
  const card = (body as { readonly card_details?: Record<string, unknown> | null } | null)?.card_details
  if (typeof card !== "object" || card === null) return body
  const { card_number, cvv: _cvv, ...rest } = card
  const number = String(card_number)
  return { ...(body as object), card_details: { ...rest, bin: number.slice(0, 6), last4: number.slice(-4) } }
}

export class Idempotency extends Context.Tag("corridor/Idempotency")<
  Idempotency,
  {
    /** `operation` is the method and the full path. */
    readonly begin: (
      orgId: string,
      operation: string,
      key: string,
      body: unknown
    ) => Effect.Effect<Begin, Invalid | IdempotencyConflict>
    readonly keep: (name: KeyName, status: number, response: string) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const vault = yield* Vault
      const payments = yield* Payments

      const again = (found: StoredKey, now: number): Effect.Effect<Begin, IdempotencyConflict> => {
        if (typeof found.status === "number" && typeof found.response === "string") {
          return Effect.succeed({ _tag: "Replay", status: found.status, response: found.response })
        }
        const age = now - found.created_at.getTime()
        if (found.payment_id === null || age < Duration.toMillis(idempotencyRunning)) return Effect.fail(stillRunning())
        // A crash cut it off: the payment itself says what became of it.
        return Effect.map(payments.answerTo(found.org_id, found.payment_id), (response) => ({
          _tag: "Replay",
          status: 200,
          response
        }))
      }

      return {
        begin: Effect.fn("Idempotency.begin")(function* (orgId, operation, key, body) {
          if (!VISIBLE_ASCII.test(key)) {
            return yield* new Invalid({ message: "Idempotency-Key: must be 1 to 255 visible ASCII characters." })
          }
          const name = { org_id: orgId, operation, key }
          const body_digest = vault.hmac(canonicalJson(withoutCard(body)), "idempotency")
          const found = yield* store.find(name)
          if (Option.isNone(found)) {
            return { _tag: "Fresh" as const, name, newKey: { operation, key, body_digest } }
          }
          if (found.value.body_digest !== body_digest) return yield* otherBody()
          return yield* again(found.value, yield* Clock.currentTimeMillis)
        }),
        keep: store.keepResponse
      }
    })
  )
}
