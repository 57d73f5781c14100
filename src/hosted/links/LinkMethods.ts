/** Which methods can take a payment of a link at this moment. */
import { Context, Effect, Layer } from "effect"
import { networksOfCountry } from "../../domain/MobileNetwork.ts"
import { Money } from "../../domain/Money.ts"
import { PaymentRouter } from "../../payments/route/PaymentRouter.ts"
import type { PaymentLink } from "./PaymentLink.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

/** In the order in which payers are offered them. */
export const linkMethods = ["mobile_money", "card", "bank_transfer"] as const
export type LinkMethod = (typeof linkMethods)[number]

const hasNetworkFor = ({ country, payer_currency }: PaymentLink): boolean =>
  networksOfCountry(country).some(({ currency }) => currency === payer_currency)

/** `pays` is null as long as the payer has not chosen an amount: then no limit of a configuration counts. */
export class LinkMethods extends Context.Tag("corridor/LinkMethods")<
  LinkMethods,
  (link: PaymentLink, pays: Money | null) => Stored<ReadonlyArray<LinkMethod>>
>() {
  static readonly layer = Layer.effect(
    LinkMethods,
    Effect.gen(function* () {
      const router = yield* PaymentRouter

      return Effect.fn("LinkMethods.of")(function* (link, pays) {
        const { country, org_id, payer_currency } = link
        const money = pays ?? Money.zero(payer_currency)
        const routed = pays === null ? router.routeAny : router.routeOf
        return yield* Effect.filter(
          linkMethods.filter((method) => method !== "mobile_money" || hasNetworkFor(link)),
          (payment_method) =>
            Effect.map(
              routed(org_id, { country, direction: "inbound", payment_method, money, network: null }),
              ({ candidates }) => candidates.length > 0
            )
        )
      })
    })
  )
}
