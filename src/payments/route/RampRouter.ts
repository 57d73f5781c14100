/** Who is offered a leg of a ramp: whoever serves both legs first, then whoever serves this one. */
import { Array as Arr, Effect } from "effect"
import type { PaymentMethod } from "../../domain/Corridor.ts"
import type { CountryCode } from "../../domain/Country.ts"
import type { Money } from "../../domain/Money.ts"
import type { Route } from "../../domain/Routing.ts"
import { makePaymentRouter } from "./PaymentRouter.ts"

export interface LegToRoute {
  readonly country: CountryCode
  readonly direction: "inbound" | "outbound"
  readonly payment_method: PaymentMethod
  readonly money: Money
}

export const makeRampRouter = Effect.map(
  makePaymentRouter,
  (router) =>
    (orgId: string, { country, direction, money, payment_method }: LegToRoute): Effect.Effect<Route> =>
      Effect.map(
        Effect.all([
          router(orgId, { country, direction: "external", payment_method: "crypto" }, money),
          router(orgId, { country, direction, payment_method }, money)
        ]),
        ([both, own]) => ({
          candidates: Arr.dedupeWith([...both.candidates, ...own.candidates], (a, b) => a.provider === b.provider),
          excluded: [...both.excluded, ...own.excluded]
        })
      )
)
