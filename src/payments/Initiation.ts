/** The initiation of a payment: planned, routed, committed with its first attempt, then dispatched to the end. */
import { Array as Arr, Clock, Context, Effect, Layer, Option } from "effect"
import { Beneficiaries } from "../beneficiaries/Beneficiaries.ts"
import { Settings } from "../config/Settings.ts"
import type { Permit } from "../domain/Access.ts"
import {
  type AllProvidersFailed,
  type IdempotencyConflict,
  Invalid,
  type NoRoute,
  type RateMismatch
} from "../domain/Failure.ts"
import { Ids, uuidOrNil } from "../domain/Ids.ts"
import { totalOf } from "../domain/Fee.ts"
import type { Route } from "../domain/Routing.ts"
import { Fees } from "../fees/Fees.ts"
import { stillRunning } from "../idempotency/Idempotency.ts"
import type { NewKey } from "../idempotency/IdempotencyStore.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { RateQuote } from "../rates/RateQuote.ts"
import { makeReviewThreshold, reviewItem } from "./actions/ReviewThreshold.ts"
import { makeCheckoutUrl } from "./CheckoutUrl.ts"
import { Dispatch } from "./Dispatch.ts"
import type { NewFee, Payment } from "./Payment.ts"
import { type PaymentPlan, planPayment, type Request } from "./PaymentPlan.ts"
import { makePaymentRouter, whereAllDeclined, whereNoneFits } from "./PaymentRouter.ts"
import { PaymentStore } from "./PaymentStore.ts"
import { makeUndisturbed } from "./Undisturbed.ts"

export type Payin = Request & { readonly direction: "payin" }
export type Payout = Request & { readonly direction: "payout" }

type Refusal = Invalid | RateMismatch

export class Initiation extends Context.Tag("corridor/Initiation")<
  Initiation,
  {
    readonly payin: (
      permit: Permit<"any">,
      request: Payin,
      key?: NewKey
    ) => Effect.Effect<Payment, Refusal | NoRoute | AllProvidersFailed | IdempotencyConflict>
    readonly payout: (
      permit: Permit<"payouts">,
      request: Payout,
      key?: NewKey
    ) => Effect.Effect<Payment, Refusal | NoRoute | AllProvidersFailed | IdempotencyConflict>
    readonly preview: (permit: Permit<"any">, request: Request) => Effect.Effect<Route, Refusal>
  }
>() {
  static readonly layer = Layer.scoped(
    Initiation,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const dispatch = yield* Dispatch
      const organizations = yield* Organizations
      const beneficiaries = yield* Beneficiaries
      const rates = yield* RateQuote
      const fees = yield* Fees
      const ids = yield* Ids
      const { mode } = yield* Settings
      const router = yield* makePaymentRouter
      const threshold = yield* makeReviewThreshold
      const checkoutUrl = yield* makeCheckoutUrl
      const undisturbed = yield* makeUndisturbed

      const orgOf = (permit: Permit<"any" | "payouts">) =>
        Effect.mapError(
          permit.scope,
          () => new Invalid({ message: "org_id: this credential names no organisation; use one that does." })
        )

      /** Only a request that leaves its country open waits for the organisation to be read. */
      const countryOf = (orgId: string, { country }: Request) =>
        country === undefined
          ? Effect.map(organizations.find(orgId), (organization) => Option.getOrUndefined(organization)?.country ?? "")
          : Effect.succeed<string>(country)

      const plan = Effect.fnUntraced(function* (orgId: string, request: Request) {
        const scope = Option.some(orgId)
        const beneficiary =
          request.beneficiary_id === undefined
            ? Option.none()
            : yield* beneficiaries.find(scope, uuidOrNil(request.beneficiary_id))
        const lock = request.org_rate_id === undefined ? Option.none() : yield* rates.locked(orgId, request.org_rate_id)
        return yield* planPayment(request, {
          orgCountry: yield* countryOf(orgId, request),
          mode,
          now: new Date(yield* Clock.currentTimeMillis),
          beneficiary,
          lock
        })
      })

      const routeOf = (orgId: string, { order, payment }: PaymentPlan) => router(orgId, payment, order.money)

      const draft = Effect.fnUntraced(function* (
        permit: Permit<"any" | "payouts">,
        orgId: string,
        described: PaymentPlan["payment"],
        charged: ReadonlyArray<NewFee>
      ) {
        const user = yield* Effect.orDie(permit.actor.userId)
        const at = new Date(yield* Clock.currentTimeMillis)
        const payment: Payment = {
          ...described,
          payment_id: yield* ids.next,
          transaction_id: yield* ids.next,
          org_id: orgId,
          user_id: user,
          status: "initiated",
          version: 1,
          user_metadata: { user_id: user, role: permit.role },
          webhook_metadata: {},
          provider: null,
          provider_payment_id: null,
          provider_status: null,
          provider_data: {},
          next_action: null,
          action_data: {},
          comments: null,
          payout_id: null,
          otp_failures: 0,
          fee_ids: charged.map(({ fee_id }) => fee_id),
          total_fees: totalOf(charged.map(({ amount }) => amount)),
          created_at: at,
          updated_at: at
        }
        return payment
      })

      /** Written down for a reviewer, and sent to nobody; the card is forgotten, since it may not be kept. */
      const hold = Effect.fn("Initiation.hold")(function* (
        drafted: Payment,
        charged: ReadonlyArray<NewFee>,
        reason: string,
        key?: NewKey
      ) {
        const payment: Payment = { ...drafted, next_action: "wait" }
        const item = reviewItem(yield* ids.next, payment, reason)
        const created = yield* store.create({
          payment,
          attempt: null,
          fees: charged,
          item,
          ...(key === undefined ? {} : { key })
        })
        return created ? payment : yield* stillRunning()
      })

      const initiate = Effect.fnUntraced(function* (permit: Permit<"any" | "payouts">, request: Request, key?: NewKey) {
        const orgId = yield* orgOf(permit)
        const planned = yield* plan(orgId, request)
        const [routed, charged, organization] = yield* Effect.all(
          [routeOf(orgId, planned), fees.charge({ ...planned.payment, org_id: orgId }), organizations.find(orgId)],
          { concurrency: "unbounded" }
        )
        if (!Arr.isNonEmptyReadonlyArray(routed.candidates)) return yield* whereNoneFits(planned.payment, routed)
        const payment = yield* draft(permit, orgId, planned.payment, charged)
        const held = yield* threshold(payment, organization)
        if (Option.isSome(held)) return yield* hold(payment, charged, held.value, key)
        const chosen = yield* dispatch.choose(routed.candidates, "payment")
        const { org_id, payment_id } = payment
        const order = { ...planned.order, orgId: org_id, paymentId: payment_id, checkoutUrl: checkoutUrl(payment_id) }
        const dispatched = Effect.gen(function* () {
          const created = yield* store.create({
            payment,
            attempt: chosen.attempt,
            fees: charged,
            ...(key === undefined ? {} : { key })
          })
          if (!created) return yield* stillRunning()
          const heard = yield* dispatch.ask(payment, order, chosen)
          if (heard.payment.status !== "failed" || heard.outcome !== "declined") return heard.payment
          return yield* whereAllDeclined(payment)
        })
        return yield* undisturbed(dispatched)
      })

      return {
        payin: initiate,
        payout: initiate,
        preview: Effect.fn("Initiation.preview")(function* (permit, request) {
          const orgId = yield* orgOf(permit)
          return yield* routeOf(orgId, yield* plan(orgId, request))
        })
      }
    })
  )
}
