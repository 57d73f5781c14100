/** Crypto ramps: priced at the live rate, both legs routed before anyone is asked, the first leg dispatched at once. */
import { Array as Arr, Clock, Context, Duration, Effect, Layer, Option } from "effect"
import type { RampRequest } from "../api/Ramps.ts"
import { Beneficiaries } from "../beneficiaries/Beneficiaries.ts"
import type { Permit } from "../domain/Access.ts"
import {
  type AllProvidersFailed,
  type IdempotencyConflict,
  Invalid,
  type InsufficientFunds,
  NoRoute,
  RateMismatch
} from "../domain/Failure.ts"
import { uuidOrNil } from "../domain/Ids.ts"
import { rampLifetime } from "../domain/Policies.ts"
import type { RampDirection } from "../domain/Ramp.ts"
import type { Route } from "../domain/Routing.ts"
import { stillRunning } from "../idempotency/Idempotency.ts"
import type { NewKey } from "../idempotency/IdempotencyStore.ts"
import { makeCheckoutUrl } from "../payments/CheckoutUrl.ts"
import { Dispatch } from "../payments/Dispatch.ts"
import { makeDraft } from "../payments/Draft.ts"
import { whereAllDeclined } from "../payments/PaymentRouter.ts"
import { PaymentStore } from "../payments/PaymentStore.ts"
import { providerOrder } from "../payments/ProviderOrder.ts"
import { isRamp, type RampPayment, secondLeg } from "../payments/ramp/LegOrder.ts"
import { type LegToRoute, makeRampRouter } from "../payments/ramp/RampRouter.ts"
import { makeUndisturbed } from "../fibers/Undisturbed.ts"
import { RateQuote } from "../rates/RateQuote.ts"
import { describeRamp } from "./RampPayment.ts"
import { directionOf, planRamp } from "./RampPlan.ts"

type Launched = Effect.Effect<
  RampPayment,
  Invalid | RateMismatch | NoRoute | AllProvidersFailed | IdempotencyConflict | InsufficientFunds
>

const noRate = (from: string, to: string, why: string): RateMismatch =>
  new RateMismatch({ message: `client_rate: there is no live rate from ${from} to ${to}${why}.` })

const unserved = ({ country, direction, payment_method }: LegToRoute, { excluded }: Route): NoRoute => {
  const reasons = excluded.map(({ provider, reason }) => `${provider}: ${reason}`).join(" ")
  return new NoRoute({ message: `No provider serves ${payment_method} ${direction} in ${country}. ${reasons}`.trim() })
}

export class Ramps extends Context.Tag("corridor/Ramps")<
  Ramps,
  {
    readonly onRamp: (permit: Permit<"any">, request: RampRequest, key?: NewKey) => Launched
    readonly offRamp: (permit: Permit<"payouts">, request: RampRequest, key?: NewKey) => Launched
  }
>() {
  static readonly layer = Layer.scoped(
    Ramps,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const dispatch = yield* Dispatch
      const beneficiaries = yield* Beneficiaries
      const rates = yield* RateQuote
      const route = yield* makeRampRouter
      const draft = yield* makeDraft
      const checkoutUrl = yield* makeCheckoutUrl
      const undisturbed = yield* makeUndisturbed

      const liveRate = Effect.fnUntraced(function* (orgId: string, direction: RampDirection, request: RampRequest) {
        const { crypto_currency: crypto, fiat_currency: fiat } = request
        const [from, to] = direction === "on_ramp" ? ([fiat, crypto] as const) : ([crypto, fiat] as const)
        const rate = yield* Effect.mapError(rates.live(orgId, from, to), () => noRate(from, to, " that is not stale"))
        return yield* Effect.mapError(rate, () => noRate(from, to, ""))
      })

      const candidatesOf = Effect.fnUntraced(function* (orgId: string, leg: LegToRoute) {
        const routed = yield* route(orgId, leg)
        return Arr.isNonEmptyReadonlyArray(routed.candidates) ? routed.candidates : yield* unserved(leg, routed)
      })

      const plan = Effect.fnUntraced(function* (orgId: string, request: RampRequest) {
        const direction = yield* directionOf(request)
        const beneficiary =
          request.beneficiary_id === undefined
            ? Option.none()
            : yield* beneficiaries.find(Option.some(orgId), uuidOrNil(request.beneficiary_id))
        const rate = yield* liveRate(orgId, direction, request)
        return yield* planRamp(request, { liveRate: () => rate, beneficiary })
      })

      const initiate = Effect.fnUntraced(function* (
        permit: Permit<"any" | "payouts">,
        request: RampRequest,
        key?: NewKey
      ) {
        const orgId = yield* Effect.mapError(
          permit.scope,
          () => new Invalid({ message: "org_id: say which organisation this is for: the credential names none." })
        )
        const planned = yield* plan(orgId, request)
        const at = yield* Clock.currentTimeMillis
        const expires_at = new Date(at + Duration.toMillis(rampLifetime))
        const payment = yield* draft(permit, orgId, { ...describeRamp(planned), expires_at }, [])
        if (!isRamp(payment)) return yield* Effect.dieMessage("a ramp without its facts")
        // What is collected must have somewhere to go before anyone is asked to pay.
        yield* candidatesOf(orgId, secondLeg(payment))
        const { country, crypto, direction, fiat } = planned
        const candidates = yield* candidatesOf(orgId, {
          country,
          direction: "inbound",
          payment_method: planned.collection.method,
          money: direction === "on_ramp" ? fiat : crypto
        })
        const chosen = yield* dispatch.choose(candidates, "collection")
        const order = providerOrder(payment, "collection", { checkoutUrl: checkoutUrl(payment.payment_id) })
        const dispatched = Effect.gen(function* () {
          const opening = { payment, attempt: chosen.attempt, ...(key === undefined ? {} : { key }) }
          if (!(yield* store.create(opening))) return yield* stillRunning()
          const heard = yield* dispatch.ask(payment, order, chosen)
          if (heard.payment.status === "failed" && heard.outcome === "declined") return yield* whereAllDeclined(payment)
          return isRamp(heard.payment) ? heard.payment : payment
        })
        return yield* undisturbed(dispatched)
      })

      return { onRamp: initiate, offRamp: initiate }
    })
  )
}
