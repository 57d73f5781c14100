/** How each provider has been answering this instance lately: one circuit breaker each, in memory, and a gauge. */
import { Context, Effect, Layer, Metric, Option } from "effect"
import { begin, type Circuit, type CircuitState, initialCircuit, report, stateAt } from "../../domain/CircuitBreaker.ts"
import type { ProviderName } from "../../domain/Corridor.ts"
import type { Outcome } from "../../domain/Outcome.ts"
import { monotonicMillis } from "../../platform/fibers/Monotonic.ts"
import { trouble } from "../../platform/observability/Trouble.ts"

const open = Metric.gauge("provider_circuit_open", {
  description: "1 while a provider is left alone because its last dispatches ended without a verdict, else 0."
})

/** Whether it answers; nothing where nobody was asked. One that cannot be reached is as silent as one that says nothing. */
const hasVerdict = (outcome: Outcome): Option.Option<boolean> => {
  if (outcome._tag !== "Declined") return Option.some(outcome._tag === "Accepted")
  return outcome.unsent === "late" ? Option.none() : Option.some(outcome.code !== "PROVIDER_UNAVAILABLE")
}

export class ProviderHealth extends Context.Tag("corridor/ProviderHealth")<
  ProviderHealth,
  {
    /** `now` is monotonic, so that a clock that is set back leaves nobody alone for longer. */
    readonly circuit: (name: ProviderName, now: number) => CircuitState
    /** Called just before a dispatch. `false`: offer the payment to another provider first, if there is one. */
    readonly begin: (name: ProviderName) => Effect.Effect<boolean>
    /** Called with what a dispatch came to, never with the result of a look-up. */
    readonly report: (name: ProviderName, outcome: Outcome) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.sync(ProviderHealth, () => {
    const circuits = new Map<ProviderName, Circuit>()
    const circuitOf = (name: ProviderName): Circuit => circuits.get(name) ?? initialCircuit
    const keep = (name: ProviderName, circuit: Circuit): void => {
      if (circuits.get(name) === circuit) return
      circuits.set(name, circuit)
      Metric.tagged(open, "provider", name).unsafeUpdate(circuit._tag === "Closed" ? 0 : 1, [])
    }
    return {
      circuit: (name, now) => stateAt(circuitOf(name), now),
      begin: (name) =>
        Effect.map(monotonicMillis, (now) => {
          const { admitted, circuit } = begin(circuitOf(name), now)
          keep(name, circuit)
          return admitted
        }),
      report: (name, outcome) =>
        Effect.flatMap(monotonicMillis, (now) => {
          const verdict = hasVerdict(outcome)
          if (Option.isNone(verdict)) return Effect.void
          const before = circuitOf(name)
          const after = report(before, verdict.value, now)
          keep(name, after)
          return before._tag === "Closed" && after._tag === "Open"
            ? trouble("circuit_opened", `${name} gives no verdicts and is left alone for a while.`, { provider: name })
            : Effect.void
        })
    }
  })
}
