/** Which providers a payment, or a leg of a ramp, is offered to at this moment, whom to ask first, and why none takes it. */
import { Array as Arr, Clock, Context, Duration, Effect, Layer } from "effect"
import { AttemptId, type OrgId } from "../../domain/Identifiers.ts"
import type { PaymentMethod, ProviderName } from "../../domain/Corridor.ts"
import type { CountryCode } from "../../domain/Country.ts"
import { AllProvidersFailed, NoRoute } from "../../domain/Failure.ts"
import { Ids } from "../../domain/Ids.ts"
import type { Money } from "../../domain/Money.ts"
import { orphanedAfter } from "../../domain/Policies.ts"
import { type Candidate, route, type Route } from "../../domain/Routing.ts"
import { monotonicMillis } from "../../platform/fibers/Monotonic.ts"
import { ProviderConfigs } from "../../providers/configs/ProviderConfigs.ts"
import { ProviderHealth } from "../../providers/health/ProviderHealth.ts"
import { Providers } from "../../providers/port/Provider.ts"
import type { Leg, Payment } from "../store/Payment.ts"
import { openSendWindow, type SendWindow } from "./SendWindow.ts"
import type { NewAttempt } from "../store/Change.ts"

type Routed = Pick<Payment, "country" | "direction" | "payment_method">

export interface LegToRoute {
  readonly country: CountryCode
  readonly direction: "inbound" | "outbound"
  readonly payment_method: PaymentMethod
  readonly money: Money
}

export type Candidates = Arr.NonEmptyReadonlyArray<Candidate>

export interface Chosen {
  readonly attempt: NewAttempt
  /** Nobody is asked twice for a payment, however many configurations a provider has. */
  readonly rest: ReadonlyArray<Candidate>
  readonly window: SendWindow
  /** It may have been sent before. */
  readonly again?: boolean
}

export class PaymentRouter extends Context.Tag("corridor/PaymentRouter")<
  PaymentRouter,
  {
    /** `money` is what the provider itself collects or pays. */
    readonly route: (orgId: OrgId, payment: Routed, money: Money) => Effect.Effect<Route>
    /** Whoever serves both legs of a ramp first, then whoever serves this one. */
    readonly routeLeg: (orgId: OrgId, leg: LegToRoute) => Effect.Effect<Route>
    /** Whom to ask first, as an attempt that is to be committed before the call. */
    readonly choose: (candidates: Candidates, leg: Leg) => Effect.Effect<Chosen>
  }
>() {
  static readonly layer = Layer.effect(
    PaymentRouter,
    Effect.gen(function* () {
      const configs = yield* ProviderConfigs
      const providers = yield* Providers
      const health = yield* ProviderHealth
      const ids = yield* Ids

      const routePayment = Effect.fnUntraced(function* (orgId: OrgId, payment: Routed, money: Money) {
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

      return {
        route: routePayment,
        routeLeg: (orgId, { country, direction, money, payment_method }) =>
          Effect.map(
            Effect.all([
              routePayment(orgId, { country, direction: "external", payment_method: "crypto" }, money),
              routePayment(orgId, { country, direction, payment_method }, money)
            ]),
            ([both, own]) => ({
              candidates: Arr.dedupeWith([...both.candidates, ...own.candidates], (a, b) => a.provider === b.provider),
              excluded: [...both.excluded, ...own.excluded]
            })
          ),
        choose: Effect.fnUntraced(function* (candidates, leg) {
          // The first whose circuit lets it through, else simply the first.
          let picked = candidates[0]
          for (const candidate of candidates) {
            if (yield* health.begin(candidate.provider)) {
              picked = candidate
              break
            }
          }
          const window = yield* openSendWindow
          const attempt: NewAttempt = {
            attempt_id: yield* ids.make(AttemptId),
            leg,
            provider: picked.provider,
            config_id: picked.config_id,
            started_at: new Date(yield* Clock.currentTimeMillis),
            enquire_in: Duration.toSeconds(orphanedAfter)
          }
          return { attempt, rest: candidates.filter(({ provider }) => provider !== picked.provider), window }
        })
      }
    })
  )
}

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
