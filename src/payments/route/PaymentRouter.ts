/** Which providers a payment is offered to at this moment, and the failures that say why none takes it. */
import { monotonicMillis } from "../../platform/fibers/Monotonic.ts"
import { Effect } from "effect"
import type { ProviderName } from "../../domain/Corridor.ts"
import { AllProvidersFailed, NoRoute } from "../../domain/Failure.ts"
import type { Money } from "../../domain/Money.ts"
import { route, type Route } from "../../domain/Routing.ts"
import { Providers } from "../../providers/port/Provider.ts"
import { ProviderConfigs } from "../../providers/configs/ProviderConfigs.ts"
import { ProviderHealth } from "../../providers/health/ProviderHealth.ts"
import type { Payment } from "../store/Payment.ts"

type Routed = Pick<Payment, "country" | "direction" | "payment_method">

export const makePaymentRouter = Effect.gen(function* () {
  const configs = yield* ProviderConfigs
  const providers = yield* Providers
  const health = yield* ProviderHealth
  /** `money` is what the provider itself collects or pays. */
  return Effect.fnUntraced(function* (orgId: string, payment: Routed, money: Money) {
    const { country, direction: flow, payment_method: paymentMethod } = payment
    const now = yield* monotonicMillis
    return route({
      corridor: { country, paymentMethod, flow },
      orgId,
      money,
      configs: yield* configs.forCorridor(orgId, country, paymentMethod, flow),
      providers: providers.find,
      circuit: (name) => health.circuit(name, now)
    })
  })
})

export const reasonsForNone = ({ country, direction, payment_method }: Routed, { excluded }: Route): string => {
  const reasons = excluded.map(({ provider, reason }) => `${provider}: ${reason}`).join(" ")
  return `No provider serves ${payment_method} ${direction} in ${country}. ${reasons}`.trim()
}

export const whereNoneFits = (payment: Routed, routed: Route): NoRoute =>
  new NoRoute({ message: reasonsForNone(payment, routed) })

/** `tooLateFor`: the last candidate, where there was no time left to ask it. */
export const whereNoneTookIt = (
  { payment_id, transaction_id }: Payment,
  tooLateFor: ProviderName | undefined
): AllProvidersFailed =>
  new AllProvidersFailed({
    message:
      tooLateFor === undefined
        ? "Every provider of this corridor declined the payment. Nothing was moved; the timeline says why."
        : `It was too late to send it to ${tooLateFor}, so nothing was sent there. Nothing was moved; initiate it again.`,
    paymentId: payment_id,
    transactionId: transaction_id
  })
