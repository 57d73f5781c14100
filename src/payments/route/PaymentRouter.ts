/** Routes payments and legs of ramps: candidates, the first to ask, and the reasons if there is none. */
import { Array as Arr, Clock, Context, Duration, Effect, Layer } from "effect"
import { asSentence } from "../../domain/MailSafeText.ts"
import { AttemptId, type OrgId, Ids } from "../../domain/Ids.ts"
import type { ProviderName } from "../../domain/Corridor.ts"
import type { Exchange } from "../../domain/Exchange.ts"
import { AllProvidersFailed, NoRoute } from "../../domain/Failure.ts"
import { convertibleNear } from "../../domain/LockedRate.ts"
import type { Money } from "../../domain/Money.ts"
import { orphanedAfter } from "../../domain/policies/PaymentPolicies.ts"
import {
  providerAccountOf,
  type Candidate,
  route,
  type Route,
  type RouteConfig,
  smallestUnit
} from "../../domain/Routing.ts"
import { monotonicMillis } from "../../platform/fibers/Deadlines.ts"
import { ProviderConfigs } from "../../providers/configs/ProviderConfigs.ts"
import { ProviderHealth } from "../../providers/health/ProviderHealth.ts"
import { type Provider, Providers } from "../../providers/port/Provider.ts"
import type { Leg, Payment } from "../store/Payment.ts"
import { isPaidFromKeptAccount } from "../store/PaymentPostings.ts"
import { orderFacts, payerHasEmail, type RoutedFields } from "./BuildOrder.ts"
import { FirstSendPermit, type SendPermit, openSendWindow, type SendWindow, type SentAtOnce } from "./CallProvider.ts"
import type { NewAttempt } from "../store/Change.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

type CorridorFields = Pick<Payment, "country" | "direction" | "payment_method">

export interface LegToRoute extends CorridorFields {
  /** Amount that the provider collects or pays. */
  readonly money: Money
  readonly network: string | null
  /** Absent: the payer is not known yet. */
  readonly payerHasEmail?: boolean
}

interface ToRoute extends RoutedFields, Partial<Pick<Payment, "funding">> {
  /** Default: true if it is paid from an account that the platform keeps. */
  readonly platformOnly?: boolean
}

export type Candidates = Arr.NonEmptyReadonlyArray<Candidate>

export interface Chosen {
  readonly attempt: NewAttempt
  /** Candidates left. A provider is asked once per payment, however many configurations it has. */
  readonly rest: ReadonlyArray<Candidate>
  readonly window: SendWindow
  readonly sendPermit: SendPermit
}

export class PaymentRouter extends Context.Tag("corridor/PaymentRouter")<
  PaymentRouter,
  {
    readonly route: (orgId: OrgId, payment: ToRoute) => Stored<Route>
    /** For an amount that is not known yet: limits of configurations do not count. */
    readonly routeAny: (orgId: OrgId, leg: LegToRoute, platformOnly: boolean) => Stored<Route>
    readonly routeOf: (orgId: OrgId, leg: LegToRoute, platformOnly: boolean) => Stored<Route>
    /** Providers of both legs of a ramp first, then those of this leg; the platform's accounts only. */
    readonly routeLeg: (orgId: OrgId, leg: LegToRoute) => Stored<Route>
    /** Chooses the first to ask, as an attempt to be committed before the call. */
    readonly choose: (orgId: OrgId, candidates: Candidates, leg: Leg) => Stored<Chosen>
    /** Releases the circuit breaker's probe of a chosen attempt that is not sent. */
    readonly unsent: (orgId: OrgId, chosen: Pick<Chosen, "attempt">) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    PaymentRouter,
    Effect.gen(function* () {
      const configs = yield* ProviderConfigs
      const providers = yield* Providers
      const health = yield* ProviderHealth
      const ids = yield* Ids

      const routeAmong = Effect.fnUntraced(function* (
        orgId: OrgId,
        leg: LegToRoute,
        served: ReadonlyArray<RouteConfig>,
        platformOnly: boolean
      ) {
        const { country, direction: flow, payment_method: paymentMethod, ...asked } = leg
        const now = yield* monotonicMillis
        const connected = new Map<RouteConfig, Provider | undefined>()
        for (const config of served) {
          connected.set(config, yield* providers.find(config.provider, providerAccountOf(config)))
        }
        return route({
          corridor: { country, paymentMethod, flow },
          orgId,
          ...asked,
          configs: served,
          provider: (config) => connected.get(config),
          circuit: (config) =>
            health.circuit({ provider: config.provider, account: providerAccountOf(config) }, orgId, now),
          platformOnly
        })
      })

      const servedIn = (orgId: OrgId, { country, direction, payment_method }: CorridorFields) =>
        configs.forCorridor(orgId, country, payment_method, direction)

      const routed = (orgId: OrgId, leg: LegToRoute, platformOnly: boolean) =>
        Effect.flatMap(servedIn(orgId, leg), (served) => routeAmong(orgId, leg, served, platformOnly))

      return {
        route: (orgId, payment) => {
          const { flow, method, money, network } = orderFacts(payment, "payment")
          const payer = { payerHasEmail: payerHasEmail(payment) }
          const leg = { country: payment.country, direction: flow, payment_method: method, money, network, ...payer }
          const { funding = null, platformOnly = isPaidFromKeptAccount({ funding }) } = payment
          return routed(orgId, leg, platformOnly)
        },
        routeOf: routed,
        routeAny: (orgId, leg, platformOnly) =>
          Effect.flatMap(servedIn(orgId, leg), (served) =>
            routeAmong(
              orgId,
              leg,
              served.map((one) => ({ ...one, min_amount: null, max_amount: null })),
              platformOnly
            )
          ),
        routeLeg: (orgId, leg) =>
          Effect.map(
            Effect.all([
              routed(orgId, { ...leg, direction: "external", payment_method: "crypto" }, true),
              routed(orgId, leg, true)
            ]),
            ([both, ofThisLeg]) => ({
              candidates: Arr.dedupeWith(
                [...both.candidates, ...ofThisLeg.candidates],
                (a, b) => a.provider === b.provider
              ),
              excluded: [...both.excluded, ...ofThisLeg.excluded]
            })
          ),
        choose: Effect.fnUntraced(function* (orgId, candidates, leg) {
          // The first whose circuit lets it through, else simply the first.
          let picked = candidates[0]
          for (const candidate of candidates) {
            if (yield* health.begin(candidate, orgId)) {
              picked = candidate
              break
            }
          }
          const window = yield* openSendWindow
          const attempt: SentAtOnce = {
            attempt_id: yield* ids.make(AttemptId),
            leg,
            provider: picked.provider,
            config_id: picked.config_id,
            account: picked.account,
            own_account: picked.own_account,
            started_at: new Date(yield* Clock.currentTimeMillis),
            enquire_in: Duration.toSeconds(orphanedAfter)
          }
          const rest = candidates.filter(({ provider }) => provider !== picked.provider)
          return { attempt, rest, window, sendPermit: FirstSendPermit.made(attempt) }
        }),
        unsent: (orgId, { attempt }) => health.unsent(attempt, orgId)
      }
    })
  )
}

export const reasonsForNone = ({ country, direction, payment_method }: CorridorFields, { excluded }: Route): string => {
  const byProvider = Object.entries(Arr.groupBy(excluded, ({ provider }) => provider))
  const reasons = byProvider.map(([provider, all]) => {
    const different = new Set(all.map(({ reason }) => asSentence(reason)))
    return `${provider}: ${[...different].join(" ")}`
  })
  return `No provider serves ${payment_method} ${direction} in ${country}. ${reasons.join(" ")}`.trim()
}

/** The amount in its own currency that a provider without so many digits can pay, where the rate decides. */
const fittingAmounts = ({ excluded }: Route, { amount, exchange, target }: Converted): string => {
  const digits = Math.max(...excluded.map((one) => one.digits ?? -1))
  const near = digits < 0 ? [] : convertibleNear(amount, exchange, smallestUnit(target, digits))
  return near.length === 0 ? "" : ` Send an amount of ${near.join(" or ")} to reach such a target at this rate.`
}

export interface Converted extends Pick<Payment, "amount" | "target"> {
  readonly exchange: Exchange
}

export const noRoute = (payment: CorridorFields, routed: Route, converted?: Converted): NoRoute =>
  new NoRoute({
    message: `${reasonsForNone(payment, routed)}${converted === undefined ? "" : fittingAmounts(routed, converted)}`
  })

/** Why the last provider did not take it, if it did not decline by itself. */
export interface NotTaken {
  /** No time was left to ask it. */
  readonly tooLateFor?: ProviderName
  /** Provider that declined the payer's or recipient's instrument. */
  readonly refusedInstrument?: string
  /** Provider that was not asked, since the funding balance is too low. */
  readonly passedOver?: string
}

const whyNoneTookIt = ({ passedOver, refusedInstrument, tooLateFor }: NotTaken): string => {
  if (tooLateFor !== undefined) {
    return `It was too late to send it to ${tooLateFor}, so nothing was sent there. Nothing was moved; initiate it again.`
  }
  if (passedOver !== undefined) {
    return `${passedOver} Every other provider of this corridor declined the payment. Nothing was moved; the timeline says why.`
  }
  return refusedInstrument === undefined
    ? "Every provider of this corridor declined the payment. Nothing was moved; the timeline says why."
    : `The payment was declined: ${asSentence(refusedInstrument)} Nothing was moved, and no further provider is asked, since it would be declined there too.`
}

export const allProvidersFailed = ({ payment_id, transaction_id }: Payment, notTaken: NotTaken): AllProvidersFailed =>
  new AllProvidersFailed({
    message: whyNoneTookIt(notTaken),
    paymentId: payment_id,
    transactionId: transaction_id
  })
