/**
 * How each provider has been answering this instance lately, through each of its accounts: one circuit breaker each, in
 * memory, and a gauge of the platform's. What goes wrong with one organisation's account is nothing to the others.
 */
import { Context, Effect, Layer, Metric, Option } from "effect"
import { begin, type Circuit, type CircuitState, initialCircuit, report, stateAt } from "../../domain/CircuitBreaker.ts"
import type { ProviderName } from "../../domain/Corridor.ts"
import type { ConfigId } from "../../domain/Identifiers.ts"
import type { Outcome } from "../../domain/Outcome.ts"
import { monotonicMillis } from "../../platform/fibers/Monotonic.ts"
import { trouble } from "../../platform/observability/Trouble.ts"

const open = Metric.gauge("provider_circuit_open", {
  description: "1 while a provider is left alone because its last dispatches ended without a verdict, else 0."
})

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
    /** `now` is monotonic, so that a clock that is set back leaves nobody alone for longer. */
    readonly circuit: (asked: Asked, now: number) => CircuitState
    /** Called just before a dispatch. `false`: offer the payment to another provider first, if there is one. */
    readonly begin: (asked: Asked) => Effect.Effect<boolean>
    /** Called with what a dispatch came to, never with the result of a look-up. */
    readonly report: (asked: Asked, outcome: Outcome) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.sync(ProviderHealth, () => {
    const circuits = new Map<string, Circuit>()
    const circuitOf = (asked: Asked): Circuit => circuits.get(keyOf(asked)) ?? initialCircuit
    const keep = (asked: Asked, circuit: Circuit): void => {
      if (circuits.get(keyOf(asked)) === circuit) return
      circuits.set(keyOf(asked), circuit)
      if (asked.account !== null) return
      Metric.tagged(open, "provider", asked.provider).unsafeUpdate(circuit._tag === "Closed" ? 0 : 1, [])
    }
    return {
      circuit: (asked, now) => stateAt(circuitOf(asked), now),
      begin: (asked) =>
        Effect.map(monotonicMillis, (now) => {
          const { admitted, circuit } = begin(circuitOf(asked), now)
          keep(asked, circuit)
          return admitted
        }),
      report: (asked, outcome) =>
        Effect.flatMap(monotonicMillis, (now) => {
          const verdict = hasVerdict(outcome)
          if (Option.isNone(verdict)) return Effect.void
          const before = circuitOf(asked)
          const after = report(before, verdict.value, now)
          keep(asked, after)
          return before._tag === "Closed" && after._tag === "Open"
            ? trouble("circuit_opened", `${asked.provider} gives no verdicts and is left alone for a while.`, {
                provider: asked.provider,
                ...(asked.account === null ? {} : { config_id: asked.account })
              })
            : Effect.void
        })
    }
  })
}
