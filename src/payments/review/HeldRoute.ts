/** Who is asked for a payment that was held, once it may go: a ramp needs somebody for both of its legs. */
import { Array as Arr, Effect, Either } from "effect"
import type { Route } from "../../domain/Routing.ts"
import type { Candidates } from "../route/Choice.ts"
import type { Payment } from "../store/Payment.ts"
import { makePaymentRouter, reasonsForNone } from "../route/PaymentRouter.ts"
import type { PaidLeg } from "../route/ProviderOrder.ts"
import { providersMoney } from "../store/ProvidersMoney.ts"
import { firstLeg, isRamp, secondLeg } from "../route/LegOrder.ts"
import { makeRampRouter } from "../route/RampRouter.ts"

export interface HeldRoute {
  readonly leg: PaidLeg
  readonly candidates: Candidates
}

const served = (
  asked: Parameters<typeof reasonsForNone>[0],
  routed: Route,
  leg: PaidLeg
): Either.Either<HeldRoute, string> =>
  Arr.isNonEmptyReadonlyArray(routed.candidates)
    ? Either.right({ leg, candidates: routed.candidates })
    : Either.left(reasonsForNone(asked, routed))

/** Fails with why nobody takes it. */
export const makeHeldRoute = Effect.gen(function* () {
  const router = yield* makePaymentRouter
  const rampRouter = yield* makeRampRouter
  return Effect.fnUntraced(function* (payment: Payment) {
    const { org_id } = payment
    if (!isRamp(payment)) {
      return yield* served(payment, yield* router(org_id, payment, providersMoney(payment)), "payment")
    }
    const [first, second] = [firstLeg(payment), secondLeg(payment)]
    yield* served(second, yield* rampRouter(org_id, second), "settlement")
    return yield* served(first, yield* rampRouter(org_id, first), "collection")
  })
})
