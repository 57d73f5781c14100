import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Either } from "effect"
import * as fc from "fast-check"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { expected } from "../../../src/domain/Exchange.ts"
import { Money } from "../../../src/domain/Money.ts"
import { Absent, Accepted, Declined, Report, Unknown } from "../../../src/domain/Outcome.ts"
import { fromDecimal, type Rate } from "../../../src/domain/Rate.ts"
import type { AttemptOutcome, ProviderSignal } from "../../../src/domain/Settlement.ts"
import type { Payment, Refund, RefundState } from "../../../src/payments/store/Payment.ts"
import {
  decideRefund,
  leftOf,
  statusAfter,
  targetOfPart,
  withShortage
} from "../../../src/payments/record/RefundDecision.ts"
import { idFrom } from "../../support/AnyId.ts"

const accepted = (state: Accepted["state"]) =>
  new Accepted({
    state,
    providerPaymentId: null,
    providerStatus: null,
    nextAction: null,
    actionData: {},
    providerData: {}
  })
const report = (state: Report["state"]) =>
  new Report({ state, reason: null, providerPaymentId: null, providerStatus: null })
const declined = new Declined({ reason: "no" })
const unknown = new Unknown({ reason: "silence" })
const absent = new Absent()

const words: ReadonlyArray<ProviderSignal> = [
  accepted("pending"),
  accepted("completed"),
  declined,
  unknown,
  absent,
  report("processing"),
  report("completed"),
  report("failed"),
  report("returned")
]

const tell = (story: ReadonlyArray<ProviderSignal>, payment: Payment["status"] = "completed") => {
  let at: { state: RefundState; outcome: AttemptOutcome | null } = { state: "open", outcome: null }
  let suspense = false
  for (const word of story) {
    const decision = decideRefund({ payment, state: at.state, outcome: at.outcome }, word)
    suspense ||= decision.excessive || decision.strayed !== null
    at = decision
  }
  return { state: at.state, outcome: at.outcome, suspense }
}

describe("a refund", () => {
  it("is open while it is on its way or nobody knows", () => {
    expect(tell([accepted("processing")])).toEqual({ state: "open", outcome: "accepted", suspense: false })
    expect(tell([unknown])).toEqual({ state: "open", outcome: "unknown", suspense: false })
    expect(tell([unknown, unknown, report("pending")])).toEqual({ state: "open", outcome: "accepted", suspense: false })
  })

  it("is completed when the money is back, whatever was heard before", () => {
    expect(tell([accepted("completed")])).toEqual({ state: "completed", outcome: "accepted", suspense: false })
    expect(tell([unknown, report("completed")])).toMatchObject({ state: "completed", suspense: false })
    expect(tell([report("completed"), accepted("processing")])).toMatchObject({ state: "completed", suspense: false })
  })

  it("fails when it was refused, never arrived, or failed later", () => {
    expect(tell([declined])).toEqual({ state: "failed", outcome: "declined", suspense: false })
    expect(tell([unknown, absent])).toEqual({ state: "failed", outcome: "declined", suspense: false })
    expect(tell([accepted("processing"), report("failed")])).toEqual({
      state: "failed",
      outcome: "accepted",
      suspense: false
    })
  })

  it("is not undone by the absence of what was accepted", () => {
    expect(tell([accepted("processing"), absent])).toEqual({ state: "open", outcome: "accepted", suspense: false })
  })

  it("shows a person money that the books have no place for", () => {
    expect(tell([declined, report("completed")])).toEqual({ state: "failed", outcome: "declined", suspense: true })
    expect(tell([report("completed"), report("returned")])).toMatchObject({ state: "failed", suspense: true })
    expect(tell([report("completed")], "refunded")).toMatchObject({ state: "completed", suspense: true })
  })

  it("never leaves an end once it is there, unless its provider sends it back", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 8 }), fc.constantFrom(...words), (story, word) => {
        const before = tell(story)
        fc.pre(before.state !== "open")
        const bounces = before.state === "completed" && word._tag === "Report" && word.state === "returned"
        expect(tell([...story, word]).state).toBe(bounces ? "failed" : before.state)
      })
    )
  })
})

const KES = CurrencyCode.make("KES")
const USD = CurrencyCode.make("USD")

const rateOf = (text: string): Rate => Either.getOrThrow(fromDecimal(BigDecimal.unsafeFromString(text)))

const paymentOf = (minor: bigint, rate: Rate) => {
  const amount = new Money({ currency: KES, minor })
  const target = expected(amount, { from: KES, to: USD, rate })
  return { status: "completed", amount, target } as Payment
}

const part = (amount: Money, target: Money, state: RefundState, n: number): Refund => ({
  refund_id: idFrom(n),
  amount,
  target,
  state,
  reason: null,
  created_at: new Date(n),
  settled_at: null
})

describe("parts that are on their way together", () => {
  it("cost what they are worth at the payment's own rate, whichever of them fail", () => {
    const stories = fc.record({
      minor: fc.bigInt(100n, 10_000_000n),
      rate: fc.constantFrom("0.00774", "0.005", "0.0051", "129.198966408", "1"),
      shares: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 2, maxLength: 8 }),
      fails: fc.array(fc.nat(7), { maxLength: 6 })
    })
    fc.assert(
      fc.property(stories, ({ fails, minor, rate: text, shares }) => {
        const rate = rateOf(text)
        const payment = paymentOf(minor, rate)
        let parts: ReadonlyArray<Refund> = []
        for (const share of shares) {
          const left = leftOf(payment, parts)
          const amount = new Money({ currency: KES, minor: (left.minor * BigInt(share)) / 100n })
          if (!amount.isPositive) continue
          const target = targetOfPart(payment, parts, amount, rate)
          parts = [...parts, part(amount, target, parts.length % 2 === 0 ? "open" : "completed", parts.length)]
        }
        for (const index of fails) {
          const failed = parts[index]
          if (failed?.state !== "open") continue
          const without = parts.map((one) => (one === failed ? { ...one, state: "failed" as const } : one))
          parts = withShortage({ ...payment, refunds: parts }, without, failed).refunds
          const standing = parts.filter(({ state }) => state !== "failed")
          const sum = (of: (refund: Refund) => Money) => standing.reduce((total, one) => total + of(one).minor, 0n)
          const back = sum((one) => one.amount)
          expect(sum((one) => one.target) * minor >= back * payment.target.minor).toBe(true)
          expect(sum((one) => one.target) <= payment.target.minor).toBe(true)
        }
      })
    )
  })
})

describe("the parts of a payment", () => {
  /** Each asks for a share of what is left, and may fail; the last takes the rest. */
  const stories = fc.record({
    minor: fc.bigInt(1n, 10_000_000n),
    rate: fc.constantFrom("0.00774", "0.005", "0.0051", "129.198966408", "1"),
    steps: fc.array(fc.record({ share: fc.integer({ min: 1, max: 100 }), fails: fc.boolean() }), { maxLength: 30 })
  })

  it("add up to the payment on both sides, at every step and at the end, whichever of them fail", () => {
    fc.assert(
      fc.property(stories, ({ minor, rate: text, steps }) => {
        const rate = rateOf(text)
        const payment = paymentOf(minor, rate)
        const parts: Array<Refund> = []
        const give = (amount: Money, fails: boolean) => {
          const target = targetOfPart(payment, parts, amount, rate)
          expect(target.isNegative).toBe(false)
          parts.push(part(amount, target, "open", parts.length))
          const standing = parts.filter(({ state }) => state !== "failed")
          const sum = (of: (refund: Refund) => Money) => standing.reduce((total, one) => total + of(one).minor, 0n)
          expect(sum((one) => one.amount) <= minor).toBe(true)
          expect(sum((one) => one.target) <= payment.target.minor).toBe(true)
          parts[parts.length - 1] = { ...parts.at(-1)!, state: fails ? "failed" : "completed" }
        }
        for (const { fails, share } of steps) {
          const left = leftOf(payment, parts)
          if (left.isZero) break
          const minorPart = (left.minor * BigInt(share)) / 100n
          if (minorPart > 0n) give(new Money({ currency: KES, minor: minorPart }), fails)
        }
        const rest = leftOf(payment, parts)
        if (rest.isPositive) give(rest, false)
        expect(leftOf(payment, parts).isZero).toBe(true)
        const back = parts
          .filter(({ state }) => state === "completed")
          .reduce((total, one) => total + one.target.minor, 0n)
        expect(back).toBe(payment.target.minor)
        expect(statusAfter(payment, parts)).toBe("refunded")
      })
    )
  })

  it("post the rounded whole so far, less what was posted before", () => {
    const rate = rateOf("0.005")
    const payment = paymentOf(400n, rate)
    const one = new Money({ currency: KES, minor: 100n })
    const parts: Array<Refund> = []
    for (let n = 0; n < 4; n++) parts.push(part(one, targetOfPart(payment, parts, one, rate), "completed", n))
    // 0.005 to 0.01, 0.010, 0.015 to 0.02, 0.020: what is taken is rounded up
    expect(parts.map(({ target }) => target.minor)).toEqual([1n, 0n, 1n, 0n])
  })

  /** What the organisation has of the payment, less what the payer's rest of it is worth, in the target's unit. */
  const gain = ({ amount, target }: Payment, parts: ReadonlyArray<Refund>, rate: Rate) => {
    const standing = parts.filter(({ state }) => state !== "failed")
    const sum = (of: (refund: Refund) => Money) => standing.reduce((total, one) => total + of(one).minor, 0n)
    const kept = new Money({ currency: USD, minor: target.minor - sum((one) => one.target) })
    const rest = new Money({ currency: KES, minor: amount.minor - sum((one) => one.amount) })
    return BigDecimal.subtract(kept.toDecimal(), BigDecimal.multiply(rest.toDecimal(), rate))
  }

  const shares = fc.array(fc.record({ share: fc.integer({ min: 1, max: 100 }), fails: fc.boolean() }), {
    minLength: 1,
    maxLength: 8
  })
  const payins = fc.record({
    minor: fc.oneof(fc.bigInt(1n, 5_000n), fc.bigInt(1n, 10_000_000n)),
    rate: fc.constantFrom("0.00774", "0.005", "0.0051", "129.198966408", "0.999999999999"),
    shares
  })

  it("never leave the organisation more than the rest is worth, though the target was rounded up", () => {
    fc.assert(
      fc.property(payins, ({ minor, rate: text, shares: all }) => {
        const rate = rateOf(text)
        const payment = paymentOf(minor, rate)
        const parts: Array<Refund> = []
        for (const { fails, share } of all) {
          const some = (leftOf(payment, parts).minor * BigInt(share)) / 100n
          if (some === 0n) continue
          const amount = new Money({ currency: KES, minor: some })
          const target = targetOfPart(payment, parts, amount, rate)
          parts.push(part(amount, target, fails ? "failed" : "completed", parts.length))
          if (parts.every(({ state }) => state === "failed")) continue
          expect(BigDecimal.isPositive(gain(payment, parts, rate))).toBe(false)
        }
      })
    )
  })

  it("are the same on both sides in one currency", () => {
    const payment = { ...paymentOf(500n, rateOf("1")), target: new Money({ currency: KES, minor: 500n }) } as Payment
    const some = new Money({ currency: KES, minor: 123n })
    expect(targetOfPart(payment, [], some, null)).toBe(some)
  })

  it("leave a payment completed until all of it is back", () => {
    const payment = paymentOf(500n, rateOf("0.005"))
    const some = new Money({ currency: KES, minor: 499n })
    expect(statusAfter(payment, [part(some, payment.target, "completed", 1)])).toBe("completed")
    expect(statusAfter(payment, [part(payment.amount, payment.target, "open", 1)])).toBe("completed")
    expect(statusAfter(payment, [part(payment.amount, payment.target, "completed", 1)])).toBe("refunded")
  })
})
