/** Crypto ramps: priced at the live rate, both legs routed before any provider call, the first leg sent at once. */
import { Array as Arr, Context, Effect, Layer, Option } from "effect"
import { BeneficiaryId, type OrgId, idOrNil, Ids } from "../../domain/Ids.ts"
import type { RampRequest } from "../../contract/api/RampsApi.ts"
import { Beneficiaries } from "../beneficiaries/Beneficiaries.ts"
import type { Permit } from "../../domain/Access.ts"
import {
  type AllProvidersFailed,
  type IdempotencyConflict,
  type Invalid,
  type InsufficientFunds,
  type NoRoute,
  type RateLimited,
  RateMismatch,
  type RefusedByRule
} from "../../domain/Failure.ts"
import type { RampDirection } from "../../domain/Ramp.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { CreateAndDispatch, newPayment, organizationFor } from "../initiate/CreateAndDispatch.ts"
import { type LegToRoute, noRoute, PaymentRouter } from "../route/PaymentRouter.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import { rampCollectionLeg, isRamp, rampExpiry, type RampPayment, rampPayoutLeg } from "../route/RampPayout.ts"
import { RateQuote } from "../../money/rates/RateQuote.ts"
import { describeRamp, directionOf, planRamp } from "./RampPlan.ts"
import { mapRefusal, type Stored } from "../../platform/database/DatabaseFailure.ts"

type Launched = Stored<
  RampPayment,
  | Invalid
  | RateMismatch
  | NoRoute
  | AllProvidersFailed
  | IdempotencyConflict
  | InsufficientFunds
  | RateLimited
  | RefusedByRule
>

const noRate = (why: string): RateMismatch => new RateMismatch({ message: `client_rate: there is ${why}.` })

export class Ramps extends Context.Tag("corridor/Ramps")<
  Ramps,
  {
    readonly onRamp: (permit: Permit<"any">, request: RampRequest, key?: NewKey) => Launched
    readonly offRamp: (permit: Permit<"payouts">, request: RampRequest, key?: NewKey) => Launched
  }
>() {
  static readonly layer = Layer.effect(
    Ramps,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const beneficiaries = yield* Beneficiaries
      const rates = yield* RateQuote
      const router = yield* PaymentRouter
      const organizations = yield* Organizations
      const ids = yield* Ids
      const { start } = yield* CreateAndDispatch

      const liveRate = Effect.fnUntraced(function* (orgId: OrgId, direction: RampDirection, request: RampRequest) {
        const { crypto_currency: crypto, fiat_currency: fiat } = request
        const [from, to] = direction === "on_ramp" ? ([fiat, crypto] as const) : ([crypto, fiat] as const)
        const rate = yield* mapRefusal(rates.live(orgId, from, to), () =>
          noRate(`no live rate from ${from} to ${to} that is not stale`)
        )
        return Option.isSome(rate) ? rate.value : yield* noRate(yield* rates.missing(from, to))
      })

      const candidatesOf = Effect.fnUntraced(function* (orgId: OrgId, leg: LegToRoute) {
        const routed = yield* router.routeLeg(orgId, leg)
        return Arr.isNonEmptyReadonlyArray(routed.candidates) ? routed.candidates : yield* noRoute(leg, routed)
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

      const initiate = Effect.fnUntraced(function* (
        permit: Permit<"any" | "payouts">,
        request: RampRequest,
        key?: NewKey
      ) {
        const orgId = yield* organizationFor(permit)
        const planned = yield* plan(orgId, request)
        const initialPayment = yield* newPayment(ids, permit, orgId, describeRamp(planned), [])
        if (!isRamp(initialPayment)) return yield* Effect.dieMessage("a ramp without its facts")
        // A route for the payout must exist before a customer is asked to pay.
        yield* candidatesOf(orgId, rampPayoutLeg(initialPayment))
        const candidates = yield* candidatesOf(orgId, rampCollectionLeg(initialPayment))
        const organization = yield* organizations.find(orgId)
        const routed = {
          initialPayment,
          candidates,
          leg: "collection" as const,
          fees: [],
          organization,
          card: null,
          browser: null
        }
        const payment = yield* start({ ...routed, expiry: Effect.map(store.now, rampExpiry) }, { key })
        return isRamp(payment) ? payment : initialPayment
      })

      return { onRamp: initiate, offRamp: initiate }
    })
  )
}
