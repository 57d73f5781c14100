import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import { Money } from "../../src/domain/Money.ts"
import { Absent, Accepted, Declined, Report, Unknown } from "../../src/domain/Outcome.ts"
import { canMove, type PaymentStatus } from "../../src/domain/PaymentStatus.ts"
import { decideRamp, type RampEffect, type RampLeg, type RampLegState } from "../../src/domain/Ramp.ts"
import type { AttemptOutcome, ProviderSignal } from "../../src/domain/PaymentStatusRules.ts"

const shillings = (minor: bigint) => new Money({ currency: CurrencyCode.make("KES"), minor })
const expected = shillings(100_000n)

const said = { reason: null, providerPaymentId: null, providerStatus: null }
const took = { ...said, nextAction: null, actionData: {}, providerData: {} }

/** A signal about a leg, with what came under its own id so far, and what went back. */
interface LegSignal {
  readonly leg: RampLeg
  readonly signal: ProviderSignal
  readonly expired: boolean
  readonly came: bigint
  readonly went: bigint
}

const plain = (signal: ProviderSignal) => ({ signal, came: 0n, went: 0n })

const signals = fc.oneof(
  fc.constantFrom("pending", "processing").map((state) => plain(new Accepted({ ...took, state: state as "pending" }))),
  fc
    .constantFrom("pending", "processing", "completed", "failed")
    .map((state) => plain(new Report({ ...said, state: state as "pending" }))),
  fc.constantFrom(1n, 40_000n, 100_000n, 170_000n).chain((came) =>
    fc.constantFrom(
      { signal: new Accepted({ ...took, state: "completed" }), came, went: 0n },
      // Includes providers that report a part and go on waiting for the rest.
      { signal: new Report({ ...said, state: "pending" }), came, went: 0n },
      { signal: new Report({ ...said, state: "completed" }), came, went: 0n },
      { signal: new Report({ ...said, state: "returned" }), came, went: came },
      { signal: new Report({ ...said, state: "completed" }), came, went: came / 2n }
    )
  ),
  fc.constantFrom(new Declined({ reason: "no" }), new Unknown({ reason: "silence" }), new Absent()).map(plain)
)

const anySignal: fc.Arbitrary<LegSignal> = fc
  .record({ leg: fc.constantFrom<RampLeg>("collection", "settlement"), legSignal: signals, expired: fc.boolean() })
  .map(({ legSignal, ...rest }) => ({ ...rest, ...legSignal }))

const most = (one: bigint, other: bigint) => (one > other ? one : other)

/** Runs a ramp through one signal after the other; the second leg has no attempt before the first is paid. */
const live = (all: ReadonlyArray<LegSignal>) => {
  let status: PaymentStatus = "initiated"
  let collected = false
  const outcomes: Record<RampLeg, AttemptOutcome | null> = { collection: null, settlement: null }
  const came: Record<RampLeg, bigint> = { collection: 0n, settlement: 0n }
  const went: Record<RampLeg, bigint> = { collection: 0n, settlement: 0n }
  const steps: Array<{ effect: RampEffect; from: PaymentStatus; to: PaymentStatus; leg: RampLeg; moved: bigint }> = []
  for (const legSignal of all) {
    const { expired, leg, signal } = legSignal
    if (leg === "settlement" && !collected) continue
    came[leg] = most(came[leg], legSignal.came)
    went[leg] = most(went[leg], legSignal.went)
    const moved = shillings(came[leg] - went[leg])
    const outcome = outcomes[leg]
    const decision = decideRamp(
      { status, leg, outcome, collected, expired, expected, moved, isPolledAfterDecline: false },
      signal,
      false
    )
    steps.push({ effect: decision.effect, from: status, to: decision.status, leg, moved: moved.minor })
    status = decision.status
    outcomes[leg] = decision.outcome
    if (decision.effect === "collected") collected = true
  }
  return { steps, status, collected, of: (effect: RampEffect) => steps.filter((one) => one.effect === effect) }
}

const sequences = fc.array(anySignal, { maxLength: 14 })

describe("a ramp with any signals in any order", () => {
  it("makes only moves that payments may make", () => {
    fc.assert(
      fc.property(sequences, (all) => live(all).steps.every(({ from, to }) => from === to || canMove(from, to))),
      { numRuns: 1000 }
    )
  })

  it("collects once and settles once, each only with all of its money, and settles only what was collected", () => {
    fc.assert(
      fc.property(sequences, (all) => {
        const { of, steps } = live(all)
        expect(of("collected").length + of("underpaid").length).toBeLessThanOrEqual(1)
        expect(of("paid_out").length).toBeLessThanOrEqual(1)
        for (const { moved } of [...of("collected"), ...of("paid_out")]) {
          expect(moved).toBeGreaterThanOrEqual(expected.minor)
        }
        const effects = steps.map(({ effect }) => effect)
        if (effects.includes("paid_out")) {
          expect(effects.indexOf("collected")).toBeGreaterThanOrEqual(0)
          expect(effects.indexOf("collected")).toBeLessThan(effects.indexOf("paid_out"))
        }
      }),
      { numRuns: 1000 }
    )
  })

  it("is complete exactly when it was settled and nothing came back", () => {
    fc.assert(
      fc.property(sequences, (all) => {
        const { of, status } = live(all)
        expect(status === "completed").toBe(of("paid_out").length === 1 && of("returned").length === 0)
      }),
      { numRuns: 1000 }
    )
  })

  it("says that money is stranded exactly when a ramp fails that had collected it", () => {
    fc.assert(
      fc.property(sequences, (all) => {
        const { collected, of, status } = live(all)
        expect(of("stranded").length).toBe(collected && status === "failed" ? 1 : 0)
      }),
      { numRuns: 1000 }
    )
  })

  it("does not move by what becomes of the first leg's money once that was collected", () => {
    fc.assert(
      fc.property(sequences, (all) => {
        const { steps } = live(all)
        const at = steps.findIndex(({ effect }) => effect === "collected")
        const later = steps.slice(at + 1).filter(({ leg }) => leg === "collection")
        expect(at < 0 ? [] : later.filter(({ from, to }) => from !== to)).toEqual([])
      }),
      { numRuns: 1000 }
    )
  })
})

const collecting: RampLegState = {
  status: "pending",
  leg: "collection",
  outcome: "accepted",
  collected: false,
  expired: false,
  expected,
  moved: shillings(0n),
  isPolledAfterDecline: false
}
const settling: RampLegState = { ...collecting, status: "processing", leg: "settlement", collected: true }
const report = (state: Report["state"]) => new Report({ ...said, state })

describe("a leg of a ramp", () => {
  it.each([
    { ...collecting, status: "initiated" as const, outcome: null, expired: true },
    { ...settling, outcome: null, expired: true }
  ])("never fails, and never goes elsewhere, for silence about the $leg", (state) => {
    for (const othersLeft of [true, false]) {
      const decision = decideRamp(state, new Unknown({ reason: "silence" }), othersLeft)
      expect(decision).toMatchObject({ outcome: "unknown", effect: "none" })
      expect(["pending", "processing"]).toContain(decision.status)
    }
  })

  it("is canceled after its time only while the provider still waits for the customer", () => {
    const expired = { ...collecting, expired: true }
    expect(decideRamp(expired, report("pending"), false).status).toBe("canceled")
    expect(decideRamp(expired, report("processing"), false).status).toBe("pending")
    const paid = { ...expired, moved: expected }
    expect(decideRamp(paid, report("completed"), false)).toMatchObject({ status: "processing", effect: "collected" })
    expect(decideRamp(paid, report("pending"), false)).toMatchObject({ status: "processing", effect: "collected" })
  })

  it("is underpaid where its provider is done with less, and waits where nothing has come", () => {
    const less = { ...collecting, moved: shillings(99_999n) }
    expect(decideRamp(less, report("completed"), false)).toMatchObject({ status: "failed", effect: "underpaid" })
    expect(decideRamp(less, report("pending"), false)).toMatchObject({ status: "pending", effect: "none" })
    expect(decideRamp(collecting, report("completed"), false)).toMatchObject({ status: "pending", effect: "none" })
  })

  it("goes on waiting where a part went back, in any order of reports, and fails where all did", () => {
    for (const minor of [-99_999n, -1n, 1n, 99_999n]) {
      const part = { ...collecting, moved: shillings(minor) }
      expect(decideRamp(part, report("returned"), false)).toMatchObject({ status: "pending", outcome: "accepted" })
    }
    for (const minor of [-100_000n, 0n]) {
      expect(decideRamp({ ...collecting, moved: shillings(minor) }, report("returned"), false).status).toBe("failed")
    }
  })

  it("has come back once none of what was settled is left", () => {
    const done = { ...settling, status: "completed" as const }
    expect(decideRamp({ ...done, moved: shillings(1n) }, report("returned"), false).status).toBe("completed")
    expect(decideRamp({ ...done, moved: shillings(0n) }, report("returned"), false)).toMatchObject({
      status: "refunded",
      effect: "returned"
    })
  })

  it("goes to the next payout provider only from a refusal, and strands its money where there is none", () => {
    const asked = { ...settling, outcome: null }
    const declined = new Declined({ reason: "no" })
    expect(decideRamp(asked, declined, true)).toMatchObject({ status: "processing", outcome: "declined" })
    expect(decideRamp(asked, declined, false)).toMatchObject({ status: "failed", effect: "stranded" })
    expect(decideRamp(settling, report("failed"), true)).toMatchObject({ status: "failed", effect: "stranded" })
  })

  it("does not speak for the ramp once it was declined, whatever money it has moved", () => {
    const refused = { ...settling, status: "failed" as const, outcome: "declined" as const, moved: expected }
    for (const state of ["completed", "failed", "returned"] as const) {
      expect(decideRamp(refused, report(state), false)).toMatchObject({ status: "failed", resurfaced: false })
    }
    expect(decideRamp(refused, report("processing"), false)).toMatchObject({ status: "failed", resurfaced: true })
  })
})
