/** Crypto ramps: priced at the live rate, both legs routed before any provider call, the first leg sent at once. */
import { Array as Arr, Context, Effect, Layer, Option } from "effect"
import { BeneficiaryId, type OrgId, idOrNil, Ids } from "../../domain/Ids.ts"
import type { RampRequest } from "../../contract/api/RampsApi.ts"
import { Beneficiaries } from "../beneficiaries/Beneficiaries.ts"
import type { Permit } from "../../domain/Access.ts"
import {
  type AllProvidersFailed,
  type IdempotencyConflict,
  Invalid,
  type InsufficientFunds,
  NoRoute,
  type RateLimited,
  RateMismatch
} from "../../domain/Failure.ts"
import type { RampDirection } from "../../domain/Ramp.ts"
import type { Route } from "../../domain/Routing.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { stillRunning } from "../../platform/idempotency/Idempotency.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { reviewItem, ReviewThreshold } from "../review/ReviewThreshold.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import { newPayment } from "../initiate/CreateAndDispatch.ts"
import { PhonePrompts } from "../prompts/PhonePrompts.ts"
import { type LegToRoute, PaymentRouter, allProvidersFailed } from "../route/PaymentRouter.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import { CheckoutUrl, providerOrder } from "../route/ProviderOrder.ts"
import { firstLeg, isRamp, rampExpiry, type RampPayment, secondLeg } from "../route/RampPayout.ts"
import { makeRunDetached } from "../../platform/fibers/Shutdown.ts"
import { RateQuote } from "../../money/rates/RateQuote.ts"
import { describeRamp, directionOf, planRamp } from "./RampPlan.ts"
import type { NewPayment } from "../store/Change.ts"
import { mapRefusal, type Stored } from "../../platform/database/DatabaseFailure.ts"

type Launched = Stored<
  RampPayment,
  Invalid | RateMismatch | NoRoute | AllProvidersFailed | IdempotencyConflict | InsufficientFunds | RateLimited
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
      const router = yield* PaymentRouter
      const organizations = yield* Organizations
      const threshold = yield* ReviewThreshold
      const ids = yield* Ids
      const checkoutUrl = yield* CheckoutUrl
      const prompts = yield* PhonePrompts
      const { atomically } = yield* Transactor
      const runDetached = yield* makeRunDetached

      const liveRate = Effect.fnUntraced(function* (orgId: OrgId, direction: RampDirection, request: RampRequest) {
        const { crypto_currency: crypto, fiat_currency: fiat } = request
        const [from, to] = direction === "on_ramp" ? ([fiat, crypto] as const) : ([crypto, fiat] as const)
        const rate = yield* mapRefusal(rates.live(orgId, from, to), () => noRate(from, to, " that is not stale"))
        return yield* Effect.mapError(rate, () => noRate(from, to, ""))
      })

      const candidatesOf = Effect.fnUntraced(function* (orgId: OrgId, leg: LegToRoute) {
        const routed = yield* router.routeLeg(orgId, leg)
        return Arr.isNonEmptyReadonlyArray(routed.candidates) ? routed.candidates : yield* unserved(leg, routed)
      })

      const plan = Effect.fnUntraced(function* (orgId: OrgId, request: RampRequest) {
        const direction = yield* directionOf(request)
        const beneficiary =
          request.beneficiary_id === undefined
            ? Option.none()
            : yield* beneficiaries.find(Option.some(orgId), idOrNil(BeneficiaryId)(request.beneficiary_id))
        const rate = yield* liveRate(orgId, direction, request)
        return yield* planRamp(request, { liveRate: () => rate, beneficiary })
      })

      const create = Effect.fnUntraced(function* (opening: NewPayment, key: NewKey | undefined) {
        const { attempt, payment } = opening
        const stored = store.create(key === undefined ? opening : { ...opening, key })
        // A ramp is priced at the live rate and spends no lock.
        const written = Effect.catchTag(stored, "LockRefused", Effect.die)
        const prompted = attempt !== null && prompts.isCounted(payment, "api")
        const all = prompted
          ? atomically(Effect.tap(written, (created) => (created ? prompts.count(payment, "api") : Effect.void)))
          : written
        if (!(yield* all)) return yield* stillRunning()
      })

      /** Creates the ramp without an attempt: no provider is asked and no expiry runs until the review. */
      const hold = Effect.fnUntraced(function* (drafted: RampPayment, reason: string, key: NewKey | undefined) {
        const payment: RampPayment = { ...drafted, next_action: "wait" }
        yield* create({ payment, attempt: null, item: reviewItem(yield* ids.next, payment, reason) }, key)
        return payment
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
        const drafted = yield* newPayment(ids, permit, orgId, describeRamp(planned), [])
        if (!isRamp(drafted)) return yield* Effect.dieMessage("a ramp without its facts")
        // A route for the payout must exist before a customer is asked to pay.
        yield* candidatesOf(orgId, secondLeg(drafted))
        const candidates = yield* candidatesOf(orgId, firstLeg(drafted))
        const organization = yield* organizations.find(orgId)
        const held = yield* threshold(drafted, organization)
        if (Option.isSome(held)) return yield* hold(drafted, held.value, key)
        const chosen = yield* router.choose(orgId, candidates, "collection")
        const payment: RampPayment = { ...drafted, expires_at: rampExpiry(yield* store.now) }
        const order = providerOrder(payment, "collection", {
          organization,
          checkoutUrl: checkoutUrl(payment.payment_id)
        })
        const dispatched = Effect.gen(function* () {
          yield* Effect.onError(create({ payment, attempt: chosen.attempt }, key), () => router.unsent(orgId, chosen))
          const heard = yield* dispatch.ask(payment, order, chosen)
          if (heard.payment.status === "failed" && heard.outcome === "declined")
            return yield* allProvidersFailed(payment, heard)
          return isRamp(heard.payment) ? heard.payment : payment
        })
        return yield* runDetached(dispatched)
      })

      return { onRamp: initiate, offRamp: initiate }
    })
  )
}
