import { randomUUID } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, TestClock } from "effect"
import { pawapay } from "../../../src/providers/pawapay/Pawapay.ts"
import { memoryWire } from "../wire/MemoryWire.ts"
import { accountOf, attemptOf, money, refundAttemptOf } from "../wire/Orders.ts"
import { pawapayFake } from "../../../src/providers/pawapay/Fake.ts"
import { joined, zambia } from "./Pawapay.ts"

const holds = (wire: ReturnType<typeof joined>["wire"]) => wire.books.holdings().get("ZMW" as never) ?? 0n

describe("pawaPay and its fake", () => {
  it.effect("a payin, a part of it back, and a payout: both tell the same story", () =>
    Effect.gen(function* () {
      const { provider, wire } = joined()
      const payin = zambia("200")
      expect(yield* provider.initiate(payin)).toMatchObject({ _tag: "Accepted", state: "processing" })
      expect(yield* provider.enquire(attemptOf(payin))).toMatchObject({ state: "processing" })
      const [callback] = wire.settle()
      expect((yield* provider.callback(callback!)).events[0]).toMatchObject({
        _tag: "Statement",
        attempt: { reference: payin.reference },
        report: { state: "completed", received: money("200", "ZMW") }
      })
      expect(yield* provider.enquire(attemptOf(payin))).toMatchObject({ state: "completed" })
      expect(holds(wire)).toBe(20_000n)

      const refund = { attempt: attemptOf(payin), reference: randomUUID(), money: money("50", "ZMW"), reason: null }
      expect(yield* provider.refund!(refund)).toMatchObject({ _tag: "Accepted", state: "processing" })
      expect(yield* provider.refund!(refund)).toMatchObject({ _tag: "Accepted", providerStatus: "SUBMITTED" })
      const [ofRefund] = wire.settle()
      expect((yield* provider.callback(ofRefund!)).events[0]).toMatchObject({
        attempt: { reference: refund.reference },
        report: { state: "completed" }
      })
      expect(yield* provider.enquire(refundAttemptOf(refund.attempt, refund.reference))).toMatchObject({
        state: "completed"
      })
      expect(holds(wire)).toBe(15_000n)
      const tooMuch = { ...refund, reference: randomUUID(), money: money("150.5", "ZMW") }
      expect(yield* provider.refund!(tooMuch)).toMatchObject({ _tag: "Declined", providerCode: "AMOUNT_TOO_LARGE" })

      const payout = zambia("30", { flow: "outbound" })
      expect(yield* provider.initiate(payout)).toMatchObject({ _tag: "Accepted", nextAction: null })
      wire.settle()
      expect(yield* provider.enquire(attemptOf(payout))).toMatchObject({ state: "completed" })
      expect(holds(wire)).toBe(12_000n)
    })
  )

  it.effect("one reference is one order, however often it is sent", () =>
    Effect.gen(function* () {
      const { provider, wire } = joined()
      const payin = zambia("200")
      yield* provider.initiate(payin)
      expect(yield* provider.initiate(payin)).toMatchObject({ _tag: "Accepted", providerStatus: "SUBMITTED" })
      wire.settle()
      expect(yield* provider.initiate(payin)).toMatchObject({ _tag: "Accepted", state: "completed" })
      expect(wire.books.all()).toHaveLength(1)
      expect(holds(wire)).toBe(20_000n)
    })
  )

  const fates = [
    ["200.01", { _tag: "Declined", instrument: true }, { _tag: "Absent" }, 0n],
    ["200.02", { _tag: "Declined", code: "PROVIDER_UNAVAILABLE" }, { _tag: "Absent" }, 0n],
    ["200.03", { _tag: "Unknown" }, { _tag: "Absent" }, 0n],
    ["200.04", { _tag: "Unknown" }, { state: "completed" }, 20_004n],
    ["200.05", { _tag: "Unknown" }, { _tag: "Absent" }, 0n],
    ["200.06", { _tag: "Unknown" }, { state: "completed" }, 20_006n],
    ["200.08", { _tag: "Declined", code: "PROVIDER_BUSY" }, { _tag: "Absent" }, 0n],
    ["200.09", { _tag: "Accepted" }, { state: "failed", code: "NOT_APPROVED" }, 0n],
    ["200.10", { _tag: "Accepted" }, { state: "processing" }, 0n],
    ["200.14", { _tag: "Accepted" }, { state: "completed", received: money("100.07", "ZMW") }, 10_007n]
  ] as const
  it.effect.each(fates)("an amount of %s", ([amount, first, later, held]) =>
    Effect.gen(function* () {
      const { provider, wire } = joined()
      const payin = zambia(amount)
      expect(yield* provider.initiate(payin)).toMatchObject(first)
      wire.settle()
      expect(yield* provider.enquire(attemptOf(payin))).toMatchObject(later)
      expect(holds(wire)).toBe(held)
    })
  )

  it.effect("a payout that our balance there does not cover is for the next provider", () =>
    Effect.gen(function* () {
      const { provider } = joined()
      const outcome = yield* provider.initiate(zambia("200.02", { flow: "outbound" }))
      expect(outcome).toMatchObject({ _tag: "Declined", code: "PROVIDER_BALANCE_LOW" })
      expect(outcome).not.toHaveProperty("instrument")
    })
  )

  it.effect("a wrong token is refused everywhere", () =>
    Effect.gen(function* () {
      const { provider, wire } = joined({ api_token: "wrong" })
      expect(yield* provider.initiate(zambia("200"))).toMatchObject({ code: "CREDENTIALS_REFUSED" })
      expect((yield* provider.test!)._tag).toBe("Left")
      expect(wire.books.all()).toEqual([])
      expect((yield* joined().provider.test!)._tag).toBe("Right")
    })
  )

  it.effect("refunds of what was not paid are refused", () =>
    Effect.gen(function* () {
      const { provider, wire } = joined()
      const payin = zambia("200")
      const refund = { attempt: attemptOf(payin), reference: randomUUID(), money: money("50", "ZMW"), reason: null }
      expect(yield* provider.refund!(refund)).toMatchObject({ _tag: "Declined", providerCode: "DEPOSIT_NOT_FOUND" })
      yield* provider.initiate(payin)
      expect(yield* provider.refund!(refund)).toMatchObject({ _tag: "Declined", providerCode: "DEPOSIT_NOT_COMPLETED" })
      wire.settle()
      const whole = { ...refund, money: money("200", "ZMW") }
      expect(yield* provider.refund!(whole)).toMatchObject({ _tag: "Accepted" })
      const more = { ...refund, reference: randomUUID() }
      expect(yield* provider.refund!(more)).toMatchObject({ _tag: "Declined", providerCode: "ALREADY_REFUNDED" })
    })
  )

  it.effect("its callbacks hold for a minute and no longer", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const at = new Date(yield* Clock.currentTimeMillis)
      const wire = memoryWire(pawapayFake, () => at)
      const provider = pawapay.connect(accountOf(wire.http, pawapayFake.credentials))
      yield* provider.initiate(zambia("200"))
      const [callback] = wire.settle()
      expect((yield* provider.callback(callback!)).events[0]?._tag).toBe("Statement")
      yield* TestClock.adjust("2 minutes")
      expect(yield* Effect.flip(provider.callback(callback!))).toMatchObject({ message: "The signature has expired" })
    })
  )
})
