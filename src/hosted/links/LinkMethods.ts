/** Which methods can take a payment of a link at this moment. */
import { monotonicMillis } from "../../platform/fibers/Monotonic.ts"
import { Context, Effect, Layer } from "effect"
import { networksOfCountry } from "../../domain/MobileNetwork.ts"
import { Money } from "../../domain/Money.ts"
import { route } from "../../domain/Routing.ts"
import { Providers } from "../../providers/port/Provider.ts"
import { ProviderConfigs } from "../../providers/configs/ProviderConfigs.ts"
import { ProviderHealth } from "../../providers/health/ProviderHealth.ts"
import type { PaymentLink } from "./PaymentLink.ts"

/** In the order in which payers are offered them. */
export const linkMethods = ["mobile_money", "card", "bank_transfer"] as const
export type LinkMethod = (typeof linkMethods)[number]

const hasNetworkFor = ({ country, payer_currency }: PaymentLink): boolean =>
  networksOfCountry(country).some(({ currency }) => currency === payer_currency)

/** `pays` is null as long as the payer has not chosen an amount: then no limit of a configuration counts. */
export class LinkMethods extends Context.Tag("corridor/LinkMethods")<
  LinkMethods,
  (link: PaymentLink, pays: Money | null) => Effect.Effect<ReadonlyArray<LinkMethod>>
>() {
  static readonly layer = Layer.effect(
    LinkMethods,
    Effect.gen(function* () {
      const configs = yield* ProviderConfigs
      const providers = yield* Providers
      const health = yield* ProviderHealth

      return Effect.fn("LinkMethods.of")(function* (link, pays) {
        const { country, org_id, payer_currency } = link
        const now = yield* monotonicMillis
        return yield* Effect.filter(
          linkMethods.filter((method) => method !== "mobile_money" || hasNetworkFor(link)),
          (paymentMethod) =>
            Effect.map(configs.forCorridor(org_id, country, paymentMethod, "inbound"), (all) => {
              const { candidates } = route({
                corridor: { country, paymentMethod, flow: "inbound" },
                orgId: org_id,
                money: pays ?? Money.zero(payer_currency),
                configs: pays === null ? all.map((one) => ({ ...one, min_amount: null, max_amount: null })) : all,
                providers: providers.find,
                circuit: (name) => health.circuit(name, now)
              })
              return candidates.length > 0
            })
        )
      })
    })
  )
}
