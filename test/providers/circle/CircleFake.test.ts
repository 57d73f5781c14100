import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import type { Outcome } from "../../../src/domain/Outcome.ts"
import type { PaymentOrder, Provider } from "../../../src/providers/port/Provider.ts"
import { attemptOf, money } from "../wire/Orders.ts"
import { joined, NOW, payin, payout } from "./Circle.ts"

const start = (provider: Provider, order: PaymentOrder): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(provider.initiate(order))
    yield* TestClock.adjust("3 seconds")
    return yield* fiber
  })

const idOf = (outcome: Outcome): string | null => (outcome._tag === "Accepted" ? outcome.providerPaymentId : null)

describe("Circle and its fake", () => {
  it.effect("a payin by its own address, and a payout: both tell the same story", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { provider, wire } = joined()
      const order = payin("200.5", "SOLANA")
      const outcome = yield* start(provider, order)
      expect(outcome).toMatchObject({
        _tag: "Accepted",
        state: "pending",
        actionData: { address: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{40,44}$/), network: "SOLANA" }
      })
      const attempt = attemptOf(order, { providerPaymentId: idOf(outcome) })
      expect(yield* provider.enquire(attempt)).toMatchObject({
        state: "pending",
        waitsFor: { actionData: Reflect.get(outcome, "actionData") }
      })
      const [callback] = wire.settle()
      expect((yield* provider.callback(callback!)).events).toEqual([
        expect.objectContaining({
          _tag: "Statement",
          attempt: { reference: null, providerPaymentId: idOf(outcome) },
          report: expect.objectContaining({ state: "completed", received: money("200.5", "USDC") })
        })
      ])
      expect(yield* provider.enquire(attempt)).toMatchObject({ state: "completed" })

      for (const amount of ["30", "20"]) {
        const out = payout(amount)
        const sent = yield* start(provider, out)
        expect(sent).toMatchObject({ _tag: "Accepted", state: "processing", nextAction: null })
        const [told] = wire.settle()
        expect((yield* provider.callback(told!)).events[0]).toMatchObject({ report: { state: "completed" } })
      }
      expect(wire.books.holdings().get("USDC")).toBe(150_500_000n)
    })
  )

  const fates = [
    ["200.01", "Accepted", { state: "failed" }, 0n],
    ["200.02", "Accepted", { state: "failed" }, 0n],
    ["200.03", "Unknown", undefined, 0n],
    ["200.04", "Unknown", undefined, 200_040_000n],
    ["200.05", "Unknown", undefined, 0n],
    ["200.06", "Unknown", undefined, 200_060_000n],
    ["200.08", "Declined", undefined, 0n],
    ["200.09", "Accepted", { state: "failed" }, 0n],
    ["200.10", "Accepted", { state: "pending" }, 0n],
    ["200.14", "Accepted", { state: "completed", received: money("100.07", "USDC") }, 100_070_000n]
  ] as const
  it.effect.each(fates)("a payin of %s", ([amount, tag, later, held]) =>
    Effect.gen(function* () {
      const { provider, wire } = joined()
      const order = payin(amount)
      const outcome = yield* start(provider, order)
      expect(outcome._tag).toBe(tag)
      wire.settle()
      const attempt = attemptOf(order, { providerPaymentId: idOf(outcome) })
      expect(yield* provider.enquire(attempt)).toMatchObject(later ?? { _tag: "Unknown" })
      expect(wire.books.holdings().get("USDC") ?? 0n).toBe(held)
    })
  )

  it.effect.each([
    ["200.01", { _tag: "Declined", code: "SUSPECTED_FRAUD", instrument: true }],
    ["200.02", { _tag: "Declined", code: "PROVIDER_BALANCE_LOW" }]
  ] as const)("a payout of %s is refused at once", ([amount, expected]) =>
    Effect.gen(function* () {
      const { provider, wire } = joined()
      expect(yield* start(provider, payout(amount))).toMatchObject(expected)
      wire.settle()
      expect(wire.books.holdings().get("USDC") ?? 0n).toBe(0n)
    })
  )

  it.effect("a key is one order, and another body under it is a conflict that nobody takes for a refusal", () =>
    Effect.gen(function* () {
      const { provider, wire } = joined()
      const order = payin("200")
      const first = yield* start(provider, order)
      expect(idOf(yield* start(provider, order))).toBe(idOf(first))
      expect(yield* start(provider, { ...order, money: money("300", "USDC") })).toMatchObject({ _tag: "Unknown" })
      const out = payout("20")
      expect(idOf(yield* start(provider, out))).toBe(idOf(yield* start(provider, out)))
      expect(wire.books.all()).toHaveLength(2)
    })
  )

  it.effect("a wrong key is refused everywhere", () =>
    Effect.gen(function* () {
      const { provider, wire } = joined({ api_key: "wrong" })
      expect(yield* start(provider, payin("200"))).toMatchObject({ code: "CREDENTIALS_REFUSED" })
      expect(yield* start(provider, payout("200"))).toMatchObject({ code: "CREDENTIALS_REFUSED" })
      expect((yield* provider.test!)._tag).toBe("Left")
      expect((yield* joined().provider.test!)._tag).toBe("Right")
      expect(wire.books.all()).toEqual([])
    })
  )
})
