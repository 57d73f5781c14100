/** Actions on an existing payment. Each runs to its end, whether or not its caller waits. */
import { type BigDecimal, Context, Effect, Layer, Option } from "effect"
import type { PaymentId } from "../../domain/Ids.ts"
import type { Access, Permit } from "../../domain/Access.ts"
import {
  type Forbidden,
  type AllProvidersFailed,
  type Conflict,
  type IdempotencyConflict,
  type InsufficientFunds,
  type Invalid,
  MaybeWritten,
  type NoRoute,
  type NotFound,
  type OtpInvalid,
  type RateLimited
} from "../../domain/Failure.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import type { Payment } from "../store/Payment.ts"
import { makeRunDetached } from "../../platform/fibers/Shutdown.ts"
import { Cancel } from "./Cancel.ts"
import { PaymentCommand, retryWhileDatabaseBusy } from "../settlement/PaymentCommand.ts"
import { Otp } from "./Otp.ts"
import { Refunds, type WantedRefund } from "../settlement/Refunds.ts"
import { Review } from "../review/Review.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

const isMaybeWritten = (error: unknown): boolean => error instanceof MaybeWritten

type Done<E = never> = Stored<Payment, NotFound | Conflict | IdempotencyConflict | InsufficientFunds | E>

export class Actions extends Context.Tag("corridor/Actions")<
  Actions,
  {
    readonly submitOtp: (permit: Permit<"any">, paymentId: PaymentId, otp: string, key?: NewKey) => Done<OtpInvalid>
    readonly resendOtp: (permit: Permit<"any">, paymentId: PaymentId, key?: NewKey) => Done<RateLimited>
    readonly cancel: (permit: Permit<"any">, paymentId: PaymentId, reason: string | undefined, key?: NewKey) => Done
    readonly refund: (permit: Permit<"refunds">, paymentId: PaymentId, wanted: WantedRefund) => Done<Invalid>
    readonly review: (
      permit: Permit<"reviews">,
      paymentId: PaymentId,
      acceptedRate: BigDecimal.BigDecimal | undefined,
      key?: NewKey
    ) => Done<Forbidden | NoRoute | AllProvidersFailed | RateLimited>
    readonly reject: (permit: Permit<"reviews">, paymentId: PaymentId, reason: string | undefined, key?: NewKey) => Done
  }
>() {
  static readonly layer = Layer.scoped(
    Actions,
    Effect.gen(function* () {
      const command = yield* PaymentCommand
      const otp = yield* Otp
      const cancel = yield* Cancel
      const refund = yield* Refunds
      const review = yield* Review
      const keys = yield* Idempotency
      const runDetached = yield* makeRunDetached

      /** Runs under the caller's idempotency key: claimed before any provider call, released if nothing changed. */
      const keyed = Effect.fnUntraced(function* <E>(
        permit: Permit<Access>,
        paymentId: PaymentId,
        key: NewKey | undefined,
        action: Effect.Effect<Payment, E>
      ) {
        if (key === undefined) return yield* action
        const before = yield* command.find(permit, paymentId)
        const release = keys.release(key)
        const released = (give: Stored<void>) =>
          Effect.catchAll(retryWhileDatabaseBusy(give), (failure) => Effect.logWarning("A key stays claimed", failure))
        const releaseIfUnchanged = Effect.flatMap(command.find(permit, paymentId), ({ version }) =>
          version === before.version ? release : Effect.void
        ).pipe(Effect.catchTag("NotFound", () => Effect.void))
        // The claim may be written although its answer was lost.
        yield* Effect.onError(keys.claim(paymentId, key), () => released(release))
        return yield* command.traced(action, (failure, written) =>
          // Concurrent changes count only if the outcome of its own write is unknown.
          released(written || Option.exists(failure, isMaybeWritten) ? releaseIfUnchanged : release)
        )
      })

      return {
        submitOtp: (permit, id, password, key) => runDetached(keyed(permit, id, key, otp.submit(permit, id, password))),
        resendOtp: (permit, id, key) => runDetached(keyed(permit, id, key, otp.resend(permit, id))),
        cancel: (permit, id, reason, key) => runDetached(keyed(permit, id, key, cancel(permit, id, reason))),
        // A refund claims its key in the transaction that commits its attempt.
        refund: (permit, id, wanted) => runDetached(refund(permit, id, wanted)),
        review: (permit, id, acceptedRate, key) =>
          runDetached(keyed(permit, id, key, review.review(permit, id, acceptedRate))),
        reject: (permit, id, reason, key) => runDetached(keyed(permit, id, key, review.reject(permit, id, reason)))
      }
    })
  )
}
