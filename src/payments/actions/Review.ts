/** The second pair of eyes: a held payment is sent on its way by someone who did not initiate it, or turned away. */
import { Array as Arr, Effect, Option } from "effect"
import type { Permit } from "../../domain/Access.ts"
import { NoRoute, RateMismatch } from "../../domain/Failure.ts"
import { makeCheckoutUrl } from "../CheckoutUrl.ts"
import { Dispatch } from "../Dispatch.ts"
import type { Payment } from "../Payment.ts"
import { noted } from "../Ruling.ts"
import { makePaymentRouter, reasonsForNone, whereAllDeclined } from "../PaymentRouter.ts"
import { makeStaleness } from "../Staleness.ts"
import { type Act, type Desk, idsOf, refuse } from "./Desk.ts"
import { providerOrder } from "../ProviderOrder.ts"
import { providersMoney } from "../ProvidersMoney.ts"
import { isHeld } from "./ReviewThreshold.ts"

type Reviewer = Permit<"reviews">

const REVIEWED = { action: "payment.reviewed" }

const approval = (by: string): readonly [reviewed: Act, confirmed: Act] => [
  { status: "reviewed", cause: `reviewed by ${by}`, closeItems: [{ kind: "review", attempt_id: null, by }] },
  { status: "confirmed", patch: { next_action: null }, cause: "confirmed after its review" }
]

const rejection = (payment: Payment, by: string, cause: string, comment: string | undefined): Act => ({
  status: "rejected",
  patch: {
    next_action: null,
    ...(comment === undefined ? {} : { comments: noted(payment.comments, comment) })
  },
  cause,
  closeItems: [{ kind: "review", attempt_id: null, by }]
})

export const makeReview = (desk: Desk) =>
  Effect.gen(function* () {
    const dispatch = yield* Dispatch
    const staleness = yield* makeStaleness
    const router = yield* makePaymentRouter
    const checkoutUrl = yield* makeCheckoutUrl

    const heldFor = Effect.fnUntraced(function* (permit: Reviewer, paymentId: string) {
      const payment = yield* desk.find(permit, paymentId)
      if (!isHeld(payment)) return yield* refuse(payment, "it is not held for a review.")
      return Option.contains(permit.actor.userId, payment.user_id)
        ? yield* refuse(payment, "whoever initiated it cannot be its reviewer.")
        : payment
    })

    const turnAway = Effect.fnUntraced(function* (permit: Reviewer, payment: Payment, why: string) {
      const act = rejection(payment, permit.actor.id, `RATE_MISMATCH: ${why}`, why)
      yield* desk.writeAudited(permit, payment, [act], {
        action: "payment.rejected",
        detail: { reason: `RATE_MISMATCH: ${why}` }
      })
      return yield* new RateMismatch({ message: why, ...idsOf(payment) })
    })

    const failUnrouted = Effect.fnUntraced(function* (permit: Reviewer, payment: Payment, why: string) {
      const failure: Act = { status: "failed", patch: { comments: noted(payment.comments, why) }, cause: why }
      yield* desk.writeAudited(permit, payment, [...approval(permit.actor.id), failure], REVIEWED)
      return yield* new NoRoute({ message: why, ...idsOf(payment) })
    })

    /** The card was not kept: the customer gives it again, on the hosted page. */
    const sendToCheckout = (permit: Reviewer, payment: Payment) =>
      desk.writeAudited(
        permit,
        payment,
        [
          ...approval(permit.actor.id),
          {
            status: "pending",
            patch: { next_action: "redirect", action_data: { redirect_url: checkoutUrl(payment.payment_id) } },
            cause: "the customer gives the card at the hosted checkout"
          }
        ],
        REVIEWED
      )

    const approve = Effect.fnUntraced(function* (permit: Reviewer, paymentId: string) {
      const payment = yield* heldFor(permit, paymentId)
      const stale = yield* staleness(payment)
      if (Option.isSome(stale)) return yield* turnAway(permit, payment, stale.value)
      const routed = yield* router(payment.org_id, payment, providersMoney(payment))
      if (!Arr.isNonEmptyReadonlyArray(routed.candidates)) {
        return yield* failUnrouted(permit, payment, reasonsForNone(payment, routed))
      }
      if (payment.payment_method === "card") {
        return { payment: yield* sendToCheckout(permit, payment), chosen: undefined }
      }
      const chosen = yield* dispatch.choose(routed.candidates, "payment")
      const [reviewed, confirmed] = approval(permit.actor.id)
      const acts = [reviewed, { ...confirmed, nextAttempt: chosen.attempt }]
      return { payment: yield* desk.writeAudited(permit, payment, acts, REVIEWED), chosen }
    })

    return {
      review: Effect.fn("Review.review")(function* (permit: Reviewer, paymentId: string) {
        const { chosen, payment } = yield* desk.decided(approve(permit, paymentId))
        if (chosen === undefined) return payment
        const order = providerOrder(payment, "payment", { checkoutUrl: checkoutUrl(payment.payment_id) })
        const heard = yield* dispatch.ask(payment, order, chosen)
        const declined = heard.payment.status === "failed" && heard.outcome === "declined"
        return declined ? yield* whereAllDeclined(payment) : heard.payment
      }),
      reject: Effect.fn("Review.reject")(function* (permit: Reviewer, paymentId: string, reason: string | undefined) {
        const by = permit.actor.id
        return yield* desk.decided(
          Effect.flatMap(heldFor(permit, paymentId), (payment) => {
            const cause = reason === undefined ? `rejected by ${by}` : `rejected by ${by}: ${reason}`
            const detail = { reason: reason ?? null }
            const act = rejection(payment, by, cause, reason)
            return desk.writeAudited(permit, payment, [act], { action: "payment.rejected", detail })
          })
        )
      })
    }
  })
