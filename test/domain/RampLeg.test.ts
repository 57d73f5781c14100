import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import { Money } from "../../src/domain/Money.ts"
import { Absent, Accepted, Declined, Report, Unknown } from "../../src/domain/Outcome.ts"
import { canMove, type PaymentStatus } from "../../src/domain/PaymentStatus.ts"
import { decideRamp, type RampEffect, type RampLeg } from "../../src/domain/RampLeg.ts"
import type { Received } from "../../src/domain/Received.ts"
import type { AttemptOutcome, ProviderSignal } from "../../src/domain/Settlement.ts"

const shillings = (minor: bigint) => new Money({ currency: CurrencyCode.make("KES"), minor })
const expected = shillings(100_000n)

const said = { reason: null, providerPaymentId: null, providerStatus: null }
const took = { ...said, nextAction: null, actionData: {}, providerData: {} }

const words: fc.Arbitrary<ProviderSignal> = fc.oneof(
  fc
    .constantFrom("pending", "processing", "completed")
    .map((state) => new Accepted({ ...took, state: state as "pending" })),
  fc
    .constantFrom("pending", "processing", "completed", "failed", "returned")
    .map((state) => new Report({ ...said, state: state as "pending" })),
  fc
    .bigInt({ min: 1n, max: 200_000n })
    .map((minor) => new Report({ ...said, state: "completed", received: shillings(minor) })),
  fc.constant(new Declined({ reason: "no" })),
  fc.constant(new Unknown({ reason: "silence" })),
  fc.constant(new Absent())
)

const heard = fc.record({
  leg: fc.constantFrom<RampLeg>("collection", "settlement"),
  word: words,
  expired: fc.boolean()
})

/** A ramp that hears one word after the other; the second leg has no attempt before the first is paid. */
const live = (
  all: ReadonlyArray<{ readonly leg: RampLeg; readonly word: ProviderSignal; readonly expired: boolean }>
) => {
  let status: PaymentStatus = "initiated"
  let collected = false
  let settling = false
  const outcomes: Record<RampLeg, AttemptOutcome | null> = { collection: null, settlement: null }
  const received: Record<RampLeg, Received> = { collection: {}, settlement: {} }
  const effects: Array<RampEffect> = []
  const moves: Array<readonly [PaymentStatus, PaymentStatus]> = []
  for (const { expired, leg, word } of all) {
    if (leg === "settlement" && !settling) continue
    const standing = {
      status,
      leg,
      outcome: outcomes[leg],
      collected,
      expired,
      expected,
      received: received[leg],
      pursued: false
    }
    const decision = decideRamp(standing, word, false)
    received[leg] = decision.received
    if (decision.status !== status) moves.push([status, decision.status])
    status = decision.status
    outcomes[leg] = decision.outcome
    effects.push(decision.effect)
    if (decision.effect === "collected" || decision.effect === "underpaid") collected = true
    if (decision.effect === "collected") settling = true
  }
  return { effects, moves, status, count: (effect: RampEffect) => effects.filter((one) => one === effect).length }
}

describe("a ramp, whatever it hears in whatever order", () => {
  it("makes only moves that payments may make", () => {
    fc.assert(
      fc.property(fc.array(heard, { maxLength: 12 }), (all) => live(all).moves.every(([from, to]) => canMove(from, to)))
    )
  })

  it("collects once, settles once, and settles only what was collected", () => {
    fc.assert(
      fc.property(fc.array(heard, { maxLength: 12 }), (all) => {
        const { count, effects } = live(all)
        expect(count("collected") + count("underpaid")).toBeLessThanOrEqual(1)
        expect(count("settled")).toBeLessThanOrEqual(1)
        if (count("settled") === 1) expect(effects.indexOf("collected")).toBeLessThan(effects.indexOf("settled"))
        if (count("collected") === 1) expect(effects.indexOf("collected")).toBeGreaterThanOrEqual(0)
      })
    )
  })

  it("is complete exactly when it was settled and nothing came back", () => {
    fc.assert(
      fc.property(fc.array(heard, { maxLength: 12 }), (all) => {
        const { count, status } = live(all)
        expect(status === "completed").toBe(count("settled") === 1 && count("returned") === 0)
      })
    )
  })

  it("never fails, and never goes elsewhere, for silence", () => {
    fc.assert(
      fc.property(fc.constantFrom<RampLeg>("collection", "settlement"), fc.boolean(), (leg, othersLeft) => {
        const collected = leg === "settlement"
        const standing = {
          status: collected ? ("processing" as const) : ("initiated" as const),
          leg,
          outcome: null,
          collected,
          expired: true,
          expected,
          received: {},
          pursued: false
        }
        const decision = decideRamp(standing, new Unknown({ reason: "silence" }), othersLeft)
        expect(decision).toMatchObject({ outcome: "unknown", effect: "none" })
        expect(["pending", "processing"]).toContain(decision.status)
      })
    )
  })

  it("is canceled after its time only while the provider still waits for the customer", () => {
    const standing = {
      status: "pending" as const,
      leg: "collection" as const,
      outcome: "accepted" as const,
      collected: false,
      expired: true,
      expected,
      received: {},
      pursued: false
    }
    const report = (state: "pending" | "processing" | "completed") =>
      decideRamp(standing, new Report({ ...said, state }), false).status
    expect([report("pending"), report("processing"), report("completed")]).toEqual([
      "canceled",
      "pending",
      "processing"
    ])
  })
})
