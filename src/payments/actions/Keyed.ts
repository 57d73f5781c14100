/** An action under its caller's key: claimed before anyone is asked, and given back when the action changed nothing. */
import { Effect } from "effect"
import type { Access, Permit } from "../../domain/Access.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import type { Payment } from "../store/Payment.ts"
import type { PaymentCommand } from "../record/PaymentCommand.ts"

export const makeKeyed = (command: PaymentCommand) =>
  Effect.map(
    Idempotency,
    (keys) =>
      <E>(permit: Permit<Access>, paymentId: string, key: NewKey | undefined, action: Effect.Effect<Payment, E>) =>
        Effect.gen(function* () {
          if (key === undefined) return yield* action
          const before = yield* command.find(permit, paymentId)
          yield* keys.claim(paymentId, key)
          const unlessChanged = Effect.flatMap(command.find(permit, paymentId), ({ version }) =>
            version === before.version ? keys.release(key) : Effect.void
          )
          return yield* Effect.onError(action, () => Effect.catchTag(unlessChanged, "NotFound", () => Effect.void))
        })
  )
