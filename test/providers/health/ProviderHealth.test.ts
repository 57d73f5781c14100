import { expect, it } from "@effect/vitest"
import { Clock, Effect, Metric, TestClock } from "effect"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import type { ConfigId } from "../../../src/domain/Identifiers.ts"
import { Accepted, Declined, Unknown } from "../../../src/domain/Outcome.ts"
import { renderPrometheus } from "../../../src/platform/observability/Prometheus.ts"
import { ProviderHealth } from "../../../src/providers/health/ProviderHealth.ts"
import { idFrom } from "../../support/AnyId.ts"

/** Metrics belong to the process, and other tests in it ask the others. */
const unheardOf = "unheard of" as ProviderName

const silence = new Unknown({ reason: "timeout" })
const refusal = new Declined({ reason: "no" })
const consent = new Accepted({
  state: "processing",
  providerPaymentId: null,
  providerStatus: null,
  nextAction: null,
  actionData: {},
  providerData: {}
})

const through = (provider: ProviderName, account: ConfigId | null = null) => ({ provider, account })

const stateOf = (name: ProviderName, account?: ConfigId) =>
  Effect.gen(function* () {
    const health = yield* ProviderHealth
    return health.circuit(through(name, account), yield* Clock.currentTimeMillis)
  })

const dispatch = (name: ProviderName, outcome: Accepted | Declined | Unknown, account?: ConfigId) =>
  Effect.flatMap(ProviderHealth, (health) =>
    Effect.zipLeft(health.begin(through(name, account)), health.report(through(name, account), outcome))
  )

const silent = (name: ProviderName, times: number, account?: ConfigId) =>
  Effect.repeatN(dispatch(name, silence, account), times - 1)

const gauge = (name: ProviderName) =>
  Effect.sync(() => {
    const page = renderPrometheus(Metric.unsafeSnapshot())
    return new RegExp(`^provider_circuit_open\\{provider="${name}"\\} (\\d)$`, "m").exec(page)?.[1]
  })

it.layer(ProviderHealth.layer)("ProviderHealth", (it) => {
  it.effect("opens the circuit of the silent provider only, for 30 seconds", () =>
    Effect.gen(function* () {
      yield* silent("stripe", 9)
      expect(yield* stateOf("stripe")).toBe("closed")
      expect(yield* dispatch("stripe", silence)).toBe(true)
      expect(yield* stateOf("stripe")).toBe("open")
      expect(yield* stateOf("adyen")).toBe("closed")
      yield* TestClock.adjust("29 seconds")
      expect(yield* stateOf("stripe")).toBe("open")
      yield* TestClock.adjust("1 second")
      expect(yield* stateOf("stripe")).toBe("half-open")
    })
  )

  it.effect("learns nothing where nobody was asked, and that it is silent where nobody was reached", () =>
    Effect.gen(function* () {
      const unsent = new Declined({ reason: "too late", unsent: "late" })
      const crowded = new Declined({ reason: "no turn", code: "PROVIDER_UNAVAILABLE", unsent: "crowded" })
      const unreachable = new Declined({
        reason: "no connection to it",
        code: "PROVIDER_UNAVAILABLE",
        unsent: "unreachable"
      })
      yield* silent("mtn_momo", 9)
      yield* dispatch("mtn_momo", unsent)
      yield* dispatch("mtn_momo", crowded)
      expect(yield* stateOf("mtn_momo")).toBe("closed")
      yield* dispatch("mtn_momo", unreachable)
      expect(yield* stateOf("mtn_momo")).toBe("open")
      yield* TestClock.adjust("30 seconds")
      yield* dispatch("mtn_momo", unreachable)
      expect(yield* stateOf("mtn_momo"), "the one that tried it reached nobody").toBe("open")
    })
  )

  it.effect("keeps what goes wrong with one account from the others", () =>
    Effect.gen(function* () {
      const [one, other] = [idFrom("one"), idFrom("other")]
      yield* silent("coinbase", 10, one)
      expect(yield* stateOf("coinbase", one)).toBe("open")
      expect(yield* stateOf("coinbase", other)).toBe("closed")
      expect(yield* stateOf("coinbase")).toBe("closed")
      yield* silent("coinbase", 9)
      yield* dispatch("coinbase", consent, other)
      yield* dispatch("coinbase", silence)
      expect(yield* stateOf("coinbase"), "nor does their answer speak for the platform's").toBe("open")
    })
  )

  it.effect("takes refusals and consents alike for verdicts", () =>
    Effect.gen(function* () {
      for (const verdict of [refusal, consent]) {
        yield* silent("paypal", 9)
        yield* dispatch("paypal", verdict)
        yield* silent("paypal", 9)
        expect(yield* stateOf("paypal")).toBe("closed")
        yield* dispatch("paypal", verdict)
      }
    })
  )

  it.effect("admits one of many probes at once, and closes on its verdict", () =>
    Effect.gen(function* () {
      const health = yield* ProviderHealth
      yield* silent("circle", 10)
      expect(yield* health.begin(through("circle"))).toBe(false)
      yield* TestClock.adjust("30 seconds")
      const admitted = yield* Effect.all(
        Array.from({ length: 5 }, () => health.begin(through("circle"))),
        { concurrency: "unbounded" }
      )
      expect(admitted.filter(Boolean)).toHaveLength(1)
      expect(yield* stateOf("circle")).toBe("open")
      yield* health.report(through("circle"), refusal)
      expect(yield* stateOf("circle")).toBe("closed")
      expect(yield* health.begin(through("circle"))).toBe(true)
    })
  )

  it.effect("stays open for another 30 seconds when the probe is silent, and forgets one that vanishes", () =>
    Effect.gen(function* () {
      const health = yield* ProviderHealth
      yield* silent("pawapay", 10)
      yield* TestClock.adjust("30 seconds")
      expect(yield* dispatch("pawapay", silence)).toBe(true)
      yield* TestClock.adjust("29 seconds")
      expect(yield* stateOf("pawapay")).toBe("open")
      yield* TestClock.adjust("1 second")
      expect(yield* health.begin(through("pawapay"))).toBe(true)
      yield* TestClock.adjust("29 seconds")
      expect(yield* health.begin(through("pawapay"))).toBe(false)
      yield* TestClock.adjust("1 second")
      expect(yield* health.begin(through("pawapay"))).toBe(true)
    })
  )

  it.effect("shows each provider that was asked as a gauge", () =>
    Effect.gen(function* () {
      const health = yield* ProviderHealth
      expect(yield* gauge(unheardOf)).toBeUndefined()
      yield* health.begin(through(unheardOf))
      expect(yield* gauge(unheardOf)).toBe("0")
      yield* silent(unheardOf, 10)
      expect(yield* gauge(unheardOf)).toBe("1")
      yield* TestClock.adjust("30 seconds")
      yield* health.begin(through(unheardOf))
      expect(yield* gauge(unheardOf)).toBe("1")
      yield* health.report(through(unheardOf), consent)
      expect(yield* gauge(unheardOf)).toBe("0")
    })
  )
})
