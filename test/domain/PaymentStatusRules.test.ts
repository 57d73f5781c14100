import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Absent, Accepted, Declined, Report, Unknown } from "../../src/domain/Outcome.ts"
import { canMove, isFinal, paymentStatuses, type PaymentStatus } from "../../src/domain/PaymentStatus.ts"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import { Money } from "../../src/domain/Money.ts"
import {
  type AttemptOutcome,
  type AttemptState,
  decide,
  type StatusDecision,
  type ProviderSignal
} from "../../src/domain/PaymentStatusRules.ts"

const shillings = (minor: bigint) => new Money({ currency: CurrencyCode.make("KES"), minor })
const ordered = shillings(150_000n)
const nothing = shillings(0n)

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

const signals: ReadonlyArray<ProviderSignal> = [
  accepted("pending"),
  accepted("processing"),
  accepted("completed"),
  declined,
  unknown,
  absent,
  report("pending"),
  report("processing"),
  report("completed"),
  report("failed"),
  report("returned")
]

const outcomes: ReadonlyArray<AttemptOutcome | null> = [null, "accepted", "declined", "unknown"]

/** Sums: nothing, a part, all and more of what was asked for; and less than nothing. */
const amounts = [-150_000n, -1n, 0n, 1n, 149_999n, 150_000n, 300_000n].map(shillings)

const states: ReadonlyArray<AttemptState> = paymentStatuses.flatMap((status) =>
  outcomes.flatMap((outcome) =>
    amounts.flatMap((moved) =>
      [true, false].map((some) => ({ status, outcome, ordered, moved, isOtherCurrencyCleared: some || !moved.isZero }))
    )
  )
)

/** Every state with every signal, with and without another candidate behind it. */
const everything = states.flatMap((state) =>
  signals.flatMap((signal) => [true, false].map((othersLeft) => ({ state, signal, othersLeft })))
)

const nameOf = (signal: ProviderSignal) => ("state" in signal ? `${signal._tag} ${signal.state}` : signal._tag)

const caseOf = ({ signal, state }: { readonly state: AttemptState; readonly signal: ProviderSignal }) =>
  `${state.status} ${state.outcome} ${state.moved.toString()}: ${nameOf(signal)}`

/** Cases for which a decision is not as it must be. */
const violations = (isRight: (one: (typeof everything)[number], decision: StatusDecision) => boolean) =>
  everything.filter((one) => !isRight(one, decide(one.state, one.signal, one.othersLeft))).map(caseOf)

const isSpoken = (signal: ProviderSignal) => signal._tag === "Accepted" || signal._tag === "Report"
const isAll = ({ moved }: AttemptState) => moved.minor >= ordered.minor

describe("decide, on every state and every signal", () => {
  it("makes only moves of the table", () => {
    expect(violations(({ state }, { status }) => status === state.status || canMove(state.status, status))).toEqual([])
  })

  it("moves no settled payment, unless all of its money is gone again", () => {
    const isRight = ({ signal, state }: (typeof everything)[number], { status }: StatusDecision) => {
      if (!isFinal(state.status)) return true
      const isGone =
        state.status === "completed" &&
        state.outcome !== "declined" &&
        state.moved.minor <= 0n &&
        isSpoken(signal) &&
        !("state" in signal && signal.state === "failed")
      return status === (isGone ? "refunded" : state.status)
    }
    expect(violations(isRight)).toEqual([])
  })

  it("completes a payment exactly when a report comes with all of its money", () => {
    const isRight = ({ signal, state }: (typeof everything)[number], { status }: StatusDecision) => {
      if (status === state.status || isFinal(state.status)) return true
      const isFailure = "state" in signal && (signal.state === "failed" || signal.state === "returned")
      if (status === "completed") return isSpoken(signal) && isAll(state) && state.outcome !== "declined"
      return !(isSpoken(signal) && isAll(state) && !isFailure && canMove(state.status, "completed"))
    }
    expect(violations(isRight)).toEqual([])
  })

  it("fails only on a refusal, a failure, an absence, or once what came is gone again", () => {
    const isRight = ({ signal, state }: (typeof everything)[number], { status }: StatusDecision) => {
      if (status === state.status || status !== "failed") return true
      const isFailure = "state" in signal && (signal.state === "failed" || signal.state === "returned")
      const isGone = isSpoken(signal) && state.isOtherCurrencyCleared === true && state.moved.minor <= 0n
      return isFailure || isGone || signal._tag === "Declined" || signal._tag === "Absent"
    }
    expect(violations(isRight)).toEqual([])
  })

  it("records a repeated signal once", () => {
    const isRight = ({ othersLeft, signal, state }: (typeof everything)[number], once: StatusDecision) => {
      const twice = decide({ ...state, ...once }, signal, othersLeft)
      return twice.status === once.status && twice.outcome === once.outcome
    }
    expect(violations(isRight)).toEqual([])
  })

  it("never calls an attempt declined that its provider had accepted, nor the other way round", () => {
    const isRight = ({ state }: (typeof everything)[number], { outcome }: StatusDecision) =>
      (state.outcome !== "accepted" && state.outcome !== "declined") || outcome === state.outcome
    expect(violations(isRight)).toEqual([])
  })

  it("leaves a payment to another attempt once this one was declined, and asks where it is under way after all", () => {
    const isRight = ({ signal, state }: (typeof everything)[number], { resurfaced, status }: StatusDecision) => {
      if (state.outcome !== "declined") return !resurfaced
      const isUnderWay = "state" in signal && (signal.state === "pending" || signal.state === "processing")
      return status === state.status && resurfaced === isUnderWay
    }
    expect(violations(isRight)).toEqual([])
  })

  it("goes on asking about a declined attempt that is being asked about, for silence", () => {
    const pursued = { status: "failed", outcome: "declined", ordered, moved: nothing } as const
    expect(decide({ ...pursued, isPolledAfterDecline: true }, unknown).resurfaced).toBe(true)
    expect(decide(pursued, unknown).resurfaced).toBe(false)
  })
})

describe("decide, of money that came and went", () => {
  const waiting: AttemptState = { status: "pending", outcome: "accepted", ordered, moved: nothing }

  it("leaves a payment waiting for the rest while a part is there", () => {
    for (const state of ["pending", "completed", "returned"] as const) {
      const part = { ...waiting, moved: shillings(100_000n), isOtherCurrencyCleared: true }
      expect(decide(part, report(state))).toMatchObject({ status: "pending", outcome: "accepted" })
    }
  })

  it("fails or cancels a payment whose money all went back before it was complete", () => {
    const gone = { ...waiting, isOtherCurrencyCleared: true }
    expect(decide(gone, report("returned")).status).toBe("failed")
    expect(decide(gone, new Report({ ...report("returned"), calledOff: true })).status).toBe("canceled")
    expect(decide(gone, report("completed")).status).toBe("failed")
  })

  it("keeps waiting where a report of success comes with no money", () => {
    expect(decide(waiting, report("completed"))).toMatchObject({ status: "pending", outcome: "accepted" })
  })

  it("does not undo processing by a late pending", () => {
    expect(decide({ ...waiting, status: "processing" }, report("pending")).status).toBe("processing")
  })
})

describe("decide, while another candidate is left", () => {
  const start: AttemptState = { status: "initiated", outcome: null, ordered, moved: nothing }

  it("leaves the payment where it is when the provider declines", () => {
    expect(decide(start, declined, true)).toMatchObject({ status: "initiated", outcome: "declined" })
    expect(decide(start, declined, false)).toMatchObject({ status: "failed", outcome: "declined" })
  })

  it("treats everything but a refusal as if there were none", () => {
    for (const state of states) {
      for (const signal of signals.filter((one) => one._tag !== "Declined")) {
        expect(decide(state, signal, true)).toEqual(decide(state, signal, false))
      }
    }
  })

  it("does not fall back from a refusal that comes after another signal", () => {
    for (const outcome of ["accepted", "unknown"] as const) {
      expect(decide({ ...start, status: "pending", outcome }, declined, true).status).toBe("failed")
    }
  })
})

/** Signal, with the sums of all movements once it is recorded: collected and returned money only grow. */
interface Reported {
  readonly signal: ProviderSignal
  readonly came?: bigint
  readonly went?: bigint
}

const replay = (sequence: ReadonlyArray<Reported>) => {
  const visited: Array<PaymentStatus> = ["initiated"]
  let at: Pick<AttemptState, "outcome" | "status"> = { status: "initiated", outcome: null }
  let [came, went] = [0n, 0n]
  for (const { signal, ...reported } of sequence) {
    came = (reported.came ?? 0n) > came ? reported.came! : came
    went = (reported.went ?? 0n) > went ? reported.went! : went
    at = decide({ ...at, ordered, moved: shillings(came - went), isOtherCurrencyCleared: came + went > 0n }, signal)
    if (at.status !== visited.at(-1)) visited.push(at.status)
  }
  return { ...at, visited, left: came - went }
}

const permutations = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  all.length === 0
    ? [[]]
    : all.flatMap((one, index) => permutations(all.toSpliced(index, 1)).map((rest) => [one, ...rest]))

describe("the signals of one truthful sequence", () => {
  const pending = { signal: report("pending") }
  const processing = { signal: report("processing") }
  const failed = { signal: report("failed") }
  const silence = { signal: unknown }
  const paid = { signal: report("completed"), came: ordered.minor }
  const part = { signal: report("pending"), came: 100_000n }

  const sequences: ReadonlyArray<{ readonly reported: ReadonlyArray<Reported>; readonly end: PaymentStatus }> = [
    { reported: [pending, processing, paid], end: "completed" },
    { reported: [pending, part, paid], end: "completed" },
    { reported: [processing, failed], end: "failed" },
    { reported: [pending, processing, failed], end: "failed" },
    { reported: [{ signal: accepted("pending") }, processing, paid], end: "completed" },
    { reported: [{ signal: accepted("processing") }, processing, failed], end: "failed" },
    { reported: [silence, processing, paid], end: "completed" },
    { reported: [silence, failed], end: "failed" },
    { reported: [{ signal: accepted("completed"), came: ordered.minor }, processing, paid], end: "completed" }
  ]

  it.each(
    sequences.map(
      ({ end, reported }) => [reported.map(({ signal }) => nameOf(signal)).join(", "), reported, end] as const
    )
  )("%s: every order, with every signal once or twice, ends the same", (_, sequence, end) => {
    const copies = [sequence, ...sequence.map((one) => [...sequence, one]), sequence.flatMap((one) => [one, one])]
    const astray = copies.flatMap(permutations).filter((order) => {
      const { status, visited } = replay(order)
      return status !== end || visited.filter(isFinal).length !== 1
    })
    expect(astray.map((order) => order.map(({ signal }) => nameOf(signal)).join(" → "))).toEqual([])
  })

  it("any sequence takes only moves of the table, settles once, refunds aside, and is complete only with its money", () => {
    const any = fc.record(
      {
        signal: fc.constantFrom(...signals),
        came: fc.constantFrom(1n, 100_000n, 150_000n, 200_000n),
        went: fc.constantFrom(1n, 150_000n, 200_000n)
      },
      { requiredKeys: ["signal"] }
    )
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), (sequence) => {
        const { visited } = replay(sequence)
        for (const [index, status] of visited.entries()) {
          if (index > 0) expect(canMove(visited[index - 1]!, status)).toBe(true)
          if (status === "completed") expect(sequence.some(({ came = 0n }) => came >= ordered.minor)).toBe(true)
        }
        const settled = visited.filter(isFinal)
        expect([[], settled.slice(0, 1), ["completed", "refunded"]]).toContainEqual(settled)
      }),
      { numRuns: 1000 }
    )
  })
})
