/**
 * How each provider has been answering this instance lately, through each of its accounts: circuit breakers of each, in
 * memory, and a gauge of the platform's. What goes wrong with one organisation's account is nothing to the others, nor is
 * what one organisation alone has to tell of an account that it shares with them.
 */
import { Context, Effect, Layer, Metric, Option } from "effect"
import {
  begin,
  type Circuits,
  type CircuitState,
  initialCircuits,
  openFor,
  report,
  stateAt,
  unsent
} from "../../domain/CircuitBreaker.ts"
import { type ProviderName, providerNames } from "../../domain/Corridor.ts"
import type { ConfigId, OrgId } from "../../domain/Ids.ts"
import type { Outcome } from "../../domain/Outcome.ts"
import { monotonicMillis } from "../../platform/fibers/Deadlines.ts"
import { beforeScrape, gauge } from "../../platform/observability/Metrics.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"

const open = Metric.gauge("provider_circuit_open", {
  description:
    "1 while a provider is left alone, by one organisation or by all, because dispatches ended without a verdict, else 0."
})

const states = ["closed", "open", "half-open"] as const satisfies ReadonlyArray<CircuitState>

const stateGauge = gauge(
  "corridor_provider_circuit_state",
  "1 for the state that everybody's circuit of a provider's platform account is in, 0 for the others, by provider and state.",
  ["provider", "state"]
)

/** Whether it answers; nothing where nobody was asked. One that cannot be reached is as silent as one that says nothing. */
const hasVerdict = (outcome: Outcome): Option.Option<boolean> => {
  if (outcome._tag !== "Declined") return Option.some(outcome._tag === "Accepted")
  return outcome.unsent === "late" || outcome.unsent === "crowded"
    ? Option.none()
    : Option.some(outcome.code !== "PROVIDER_UNAVAILABLE")
}

/** A provider, through the account of a configuration, or through the platform's where that is null. */
export interface Asked {
  readonly provider: ProviderName
  readonly account: ConfigId | null
}

const keyOf = ({ account, provider }: Asked): string => (account === null ? provider : `${provider} ${account}`)

export class ProviderHealth extends Context.Tag("corridor/ProviderHealth")<
  ProviderHealth,
  {
    /** As the organisation finds it, or everybody where none is named. `now` is monotonic, so that a clock that is set back leaves nobody alone for longer. */
    readonly circuit: (asked: Asked, org: OrgId | undefined, now: number) => CircuitState
    /** Called just before a dispatch. `false`: offer the payment to another provider first, if there is one. */
    readonly begin: (asked: Asked, org: OrgId) => Effect.Effect<boolean>
    /** What was begun is not sent after all. */
    readonly unsent: (asked: Asked, org: OrgId) => Effect.Effect<void>
    /** Called with what a dispatch came to, never with the result of a look-up. */
    readonly report: (asked: Asked, org: OrgId, outcome: Outcome) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    ProviderHealth,
    Effect.gen(function* () {
      const all = new Map<string, Circuits>()
      yield* beforeScrape(
        Effect.map(monotonicMillis, (now) => {
          for (const provider of providerNames) {
            const circuits = all.get(provider)
            if (circuits === undefined) continue
            const current = stateAt(circuits, undefined, now)
            for (const state of states) stateGauge([provider, state], state === current ? 1 : 0)
          }
        })
      )
      const circuitsOf = (asked: Asked): Circuits => all.get(keyOf(asked)) ?? initialCircuits
      const keep = (asked: Asked, circuits: Circuits): void => {
        if (all.get(keyOf(asked)) === circuits) return
        all.set(keyOf(asked), circuits)
        if (asked.account !== null) return
        Metric.tagged(open, "provider", asked.provider).unsafeUpdate(openFor(circuits) === "nobody" ? 0 : 1, [])
      }
      const notSent = (asked: Asked, org: OrgId) =>
        Effect.map(monotonicMillis, (now) => keep(asked, unsent(circuitsOf(asked), org, now)))
      return {
        circuit: (asked, org, now) => stateAt(circuitsOf(asked), org, now),
        begin: (asked, org) =>
          Effect.map(monotonicMillis, (now) => {
            const { admitted, circuits } = begin(circuitsOf(asked), org, now)
            keep(asked, circuits)
            return admitted
          }),
        unsent: notSent,
        report: (asked, org, outcome) =>
          Effect.flatMap(monotonicMillis, (now) => {
            const verdict = hasVerdict(outcome)
            if (Option.isNone(verdict)) return notSent(asked, org)
            const before = circuitsOf(asked)
            const after = report(before, org, verdict.value, now)
            keep(asked, after)
            const ids = { provider: asked.provider, ...(asked.account === null ? {} : { config_id: asked.account }) }
            if (openFor(before) !== "everybody" && openFor(after) === "everybody") {
              return alertOperator(
                "circuit_opened",
                `${asked.provider} gives no verdicts and is left alone for a while.`,
                ids
              )
            }
            return stateAt(before, org, now) === "closed" && stateAt(after, org, now) === "open"
              ? alertOperator(
                  "circuit_opened",
                  `${asked.provider} gives one organisation no verdicts and is left alone by it for a while.`,
                  { ...ids, org_id: org }
                )
              : Effect.void
          })
      }
    })
  )
}
