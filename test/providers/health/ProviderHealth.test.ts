import { expect, it } from "@effect/vitest"
import { Clock, Effect, Metric, TestClock } from "effect"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import type { ConfigId, OrgId } from "../../../src/domain/Ids.ts"
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

const orgs = ["one", "two", "three"].map((name): OrgId => idFrom(name))
const [org, other] = orgs as [OrgId, OrgId, OrgId]

const through = (provider: ProviderName, account: ConfigId | null = null) => ({ provider, account })

const stateOf = (name: ProviderName, account?: ConfigId, of = org) =>
  Effect.gen(function* () {
    const health = yield* ProviderHealth
    return health.circuit(through(name, account), of, yield* Clock.currentTimeMillis)
  })

const dispatch = (name: ProviderName, outcome: Accepted | Declined | Unknown, account?: ConfigId, of = org) =>
  Effect.flatMap(ProviderHealth, (health) =>
    Effect.zipLeft(health.begin(through(name, account), of), health.report(through(name, account), of, outcome))
  )

const silent = (name: ProviderName, times: number, account?: ConfigId, of = org) =>
  Effect.repeatN(dispatch(name, silence, account, of), times - 1)

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

  it.effect("learns nothing where no call was made, and that it is silent where no call arrived", () =>
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
      expect(yield* stateOf("mtn_momo"), "the one that tried it got no connection").toBe("open")
    })
  )

  it.effect("keeps what goes wrong with one account from the others", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [idFrom("one"), idFrom("other")]
      yield* silent("coinbase", 10, mine)
      expect(yield* stateOf("coinbase", mine)).toBe("open")
      expect(yield* stateOf("coinbase", theirs)).toBe("closed")
      expect(yield* stateOf("coinbase")).toBe("closed")
      yield* silent("coinbase", 9)
      yield* dispatch("coinbase", consent, theirs)
      yield* dispatch("coinbase", silence)
      expect(yield* stateOf("coinbase"), "nor does their answer speak for the platform's").toBe("open")
    })
  )

  it.effect("keeps one organisation's silence from the others, and believes three", () =>
    Effect.gen(function* () {
      yield* silent("adyen", 100)
      expect(yield* Effect.forEach(orgs, (of) => stateOf("adyen", undefined, of))).toEqual(["open", "closed", "closed"])
      for (const of of orgs) yield* silent("flutterwave", 4, undefined, of)
      expect(yield* stateOf("flutterwave", undefined, idFrom("a fourth"))).toBe("open")
    })
  )

  it.effect("lets another probe at once where the one before was not sent", () =>
    Effect.gen(function* () {
      const health = yield* ProviderHealth
      const crowded = new Declined({ reason: "no turn", code: "PROVIDER_UNAVAILABLE", unsent: "crowded" })
      for (const of of orgs) yield* silent("paystack", 4, undefined, of)
      yield* TestClock.adjust("30 seconds")
      expect(yield* dispatch("paystack", crowded)).toBe(true)
      expect(yield* health.begin(through("paystack"), other)).toBe(true)
      expect(yield* health.begin(through("paystack"), org)).toBe(false)
      yield* health.unsent(through("paystack"), other)
      expect(yield* health.begin(through("paystack"), org)).toBe(true)
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
      expect(yield* health.begin(through("circle"), org)).toBe(false)
      yield* TestClock.adjust("30 seconds")
      const admitted = yield* Effect.all(
        Array.from({ length: 5 }, () => health.begin(through("circle"), org)),
        { concurrency: "unbounded" }
      )
      expect(admitted.filter(Boolean)).toHaveLength(1)
      expect(yield* stateOf("circle")).toBe("open")
      yield* health.report(through("circle"), org, refusal)
      expect(yield* stateOf("circle")).toBe("closed")
      expect(yield* health.begin(through("circle"), org)).toBe(true)
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
      expect(yield* health.begin(through("pawapay"), org)).toBe(true)
      yield* TestClock.adjust("29 seconds")
      expect(yield* health.begin(through("pawapay"), org)).toBe(false)
      yield* TestClock.adjust("1 second")
      expect(yield* health.begin(through("pawapay"), org)).toBe(true)
    })
  )

  it.effect("shows each provider that was asked as a gauge", () =>
    Effect.gen(function* () {
      const health = yield* ProviderHealth
      expect(yield* gauge(unheardOf)).toBeUndefined()
      yield* health.begin(through(unheardOf), org)
      expect(yield* gauge(unheardOf)).toBe("0")
      yield* silent(unheardOf, 10)
      expect(yield* gauge(unheardOf)).toBe("1")
      yield* TestClock.adjust("30 seconds")
      yield* health.begin(through(unheardOf), org)
      expect(yield* gauge(unheardOf)).toBe("1")
      yield* health.report(through(unheardOf), org, consent)
      expect(yield* gauge(unheardOf)).toBe("0")
    })
  )
})
