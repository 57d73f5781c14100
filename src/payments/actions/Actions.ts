/** What people do with a payment that exists. Each action runs to its end, whether or not its caller waits for it. */
import { type BigDecimal, Context, Effect, Layer } from "effect"
import type { Permit } from "../../domain/Access.ts"
import type {
  AllProvidersFailed,
  Conflict,
  IdempotencyConflict,
  InsufficientFunds,
  Invalid,
  NoRoute,
  NotFound,
  OtpInvalid
} from "../../domain/Failure.ts"
import type { Payment } from "../Payment.ts"
import { makeUndisturbed } from "../../fibers/Undisturbed.ts"
import { makeCancel } from "./Cancel.ts"
import { makeDesk } from "./Desk.ts"
import { makeOtp } from "./Otp.ts"
import { makeRefunds, type WantedRefund } from "./Refunds.ts"
import { makeReview } from "./Review.ts"

type Done<E = never> = Effect.Effect<Payment, NotFound | Conflict | InsufficientFunds | E>

export class Actions extends Context.Tag("corridor/Actions")<
  Actions,
  {
    readonly submitOtp: (permit: Permit<"any">, paymentId: string, otp: string) => Done<OtpInvalid>
    readonly resendOtp: (permit: Permit<"any">, paymentId: string) => Done
    readonly cancel: (permit: Permit<"any">, paymentId: string, reason: string | undefined) => Done
    readonly refund: (
      permit: Permit<"refunds">,
      paymentId: string,
      wanted: WantedRefund
    ) => Done<Invalid | IdempotencyConflict>
    readonly review: (
      permit: Permit<"reviews">,
      paymentId: string,
      acceptedRate: BigDecimal.BigDecimal | undefined
    ) => Done<NoRoute | AllProvidersFailed>
    readonly reject: (permit: Permit<"reviews">, paymentId: string, reason: string | undefined) => Done
  }
>() {
  static readonly layer = Layer.scoped(
    Actions,
    Effect.gen(function* () {
      const desk = yield* makeDesk
      const otp = yield* makeOtp(desk)
      const cancel = yield* makeCancel(desk)
      const refund = yield* makeRefunds(desk)
      const review = yield* makeReview(desk)
      const undisturbed = yield* makeUndisturbed
      return {
        submitOtp: (permit, id, password) => undisturbed(otp.submit(permit, id, password)),
        resendOtp: (permit, id) => undisturbed(otp.resend(permit, id)),
        cancel: (permit, id, reason) => undisturbed(cancel(permit, id, reason)),
        refund: (permit, id, wanted) => undisturbed(refund(permit, id, wanted)),
        review: (permit, id, acceptedRate) => undisturbed(review.review(permit, id, acceptedRate)),
        reject: (permit, id, reason) => undisturbed(review.reject(permit, id, reason))
      }
    })
  )
}
