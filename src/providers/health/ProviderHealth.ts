/**
 * Circuit breakers of each provider account, in memory of this instance, and their metrics. An account of one organisation
 * has its own circuit, and timeouts of one organisation open a shared account for that organisation only.
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
  description: "1 while a circuit to the provider is open, for one organisation or for all, else 0."
})

const states = ["closed", "open", "half-open"] as const satisfies ReadonlyArray<CircuitState>

const stateGauge = gauge(
  "corridor_provider_circuit_state",
  "1 for the current state of the circuit to a provider's platform account, 0 for the others, by provider and state.",
  ["provider", "state"]
)

/** Whether the provider gave a definite answer; none where nothing was sent. Unreachable counts as no answer. */
const isDefinite = (outcome: Outcome): Option.Option<boolean> => {
  if (outcome._tag !== "Declined") return Option.some(outcome._tag === "Accepted")
  return outcome.unsent === "late" || outcome.unsent === "crowded"
    ? Option.none()
    : Option.some(outcome.code !== "PROVIDER_UNAVAILABLE")
}

/** A provider, through the account of a configuration, or through the platform's where that is null. */
interface AccountRef {
  readonly provider: ProviderName
  readonly account: ConfigId | null
}

const keyOf = ({ account, provider }: AccountRef): string => (account === null ? provider : `${provider} ${account}`)

export class ProviderHealth extends Context.Tag("corridor/ProviderHealth")<
  ProviderHealth,
  {
    /** State for an organisation, or for all where none is named. `now`: monotonic milliseconds. */
    readonly circuit: (ref: AccountRef, org: OrgId | undefined, now: number) => CircuitState
    /** Called just before a dispatch. `false`: offer the payment to another provider first, if there is one. */
    readonly begin: (ref: AccountRef, org: OrgId) => Effect.Effect<boolean>
    /** Releases a dispatch that was begun and not sent. */
    readonly unsent: (ref: AccountRef, org: OrgId) => Effect.Effect<void>
    /** Called with what a dispatch came to, never with the result of a look-up. */
    readonly report: (ref: AccountRef, org: OrgId, outcome: Outcome) => Effect.Effect<void>
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
      const circuitsOf = (ref: AccountRef): Circuits => all.get(keyOf(ref)) ?? initialCircuits
      const keep = (ref: AccountRef, circuits: Circuits): void => {
        if (all.get(keyOf(ref)) === circuits) return
        all.set(keyOf(ref), circuits)
        if (ref.account !== null) return
        Metric.tagged(open, "provider", ref.provider).unsafeUpdate(openFor(circuits) === "nobody" ? 0 : 1, [])
      }
      const notSent = (ref: AccountRef, org: OrgId) =>
        Effect.map(monotonicMillis, (now) => keep(ref, unsent(circuitsOf(ref), org, now)))
      return {
        circuit: (ref, org, now) => stateAt(circuitsOf(ref), org, now),
        begin: (ref, org) =>
          Effect.map(monotonicMillis, (now) => {
            const { admitted, circuits } = begin(circuitsOf(ref), org, now)
            keep(ref, circuits)
            return admitted
          }),
        unsent: notSent,
        report: (ref, org, outcome) =>
          Effect.flatMap(monotonicMillis, (now) => {
            const answered = isDefinite(outcome)
            if (Option.isNone(answered)) return notSent(ref, org)
            const before = circuitsOf(ref)
            const after = report(before, org, answered.value, now)
            keep(ref, after)
            const ids = { provider: ref.provider, ...(ref.account === null ? {} : { config_id: ref.account }) }
            if (openFor(before) !== "everybody" && openFor(after) === "everybody") {
              return alertOperator(
                "circuit_opened",
                `${ref.provider} gives no definite answers: its circuit is open for all organisations.`,
                ids
              )
            }
            return stateAt(before, org, now) === "closed" && stateAt(after, org, now) === "open"
              ? alertOperator(
                  "circuit_opened",
                  `${ref.provider} gives one organisation no definite answers: its circuit is open for that organisation.`,
                  { ...ids, org_id: org }
                )
              : Effect.void
          })
      }
    })
  )
}
