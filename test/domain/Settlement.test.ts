import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Absent, Accepted, Declined, Report, Unknown } from "../../src/domain/Outcome.ts"
import { canMove, isSettled, paymentStatuses, type PaymentStatus } from "../../src/domain/PaymentStatus.ts"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import { Money } from "../../src/domain/Money.ts"
import { difference, unowned } from "../../src/domain/Received.ts"
import {
  type AttemptOutcome,
  decide as decideOn,
  ownsMoney,
  type AttemptState,
  type ProviderSignal
} from "../../src/domain/Settlement.ts"

const shillings = (minor: bigint) => new Money({ currency: CurrencyCode.make("KES"), minor })
const asked = shillings(150_000n)
const fresh = { flow: "inbound" as const, asked, received: {} }

/** What is decided, whether money now waits for a person, and where the payment then stands. */
const decide = (standing: AttemptState, word: ProviderSignal, othersLeft = false) => {
  const { flow } = standing
  const { outcome, received, resurfaced, status } = decideOn(standing, word, othersLeft)
  const before = unowned(standing.received, asked, ownsMoney(standing))
  const after = unowned(received, asked, ownsMoney({ outcome, status }))
  // What is back was there before, and is not there now.
  const isBack = word._tag === "Report" && word.state === "returned"
  const suspense = !isBack && difference(before, after).some(({ isPositive }) => isPositive)
  return { status, outcome, suspense, resurfaced, flow, asked, received }
}

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

const standings: ReadonlyArray<AttemptState> = paymentStatuses.flatMap((status) =>
  outcomes.map((outcome) => ({ ...fresh, status, outcome }))
)

/** Every standing with every word, with and without another candidate behind it. */
const everything = standings.flatMap((standing) =>
  words.flatMap((word) => [true, false].map((othersLeft) => ({ standing, word, othersLeft })))
)

const saysMoneyMoved = (word: ProviderSignal) =>
  (word._tag === "Report" || word._tag === "Accepted") && word.state === "completed"

const start: AttemptState = { ...fresh, status: "initiated", outcome: null }

/** What a payment has been through: where it stands, and every status it has had. */
const tell = (story: ReadonlyArray<ProviderSignal>, from: AttemptState = start) => {
  const visited: Array<PaymentStatus> = [from.status]
  let at: AttemptState & { readonly suspense: boolean } = { ...from, suspense: false }
  let suspense = false
  for (const word of story) {
    at = decide(at, word)
    suspense ||= at.suspense
    if (at.status !== visited.at(-1)) visited.push(at.status)
  }
  return { ...at, suspense, visited }
}

const permutations = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  all.length === 0
    ? [[]]
    : all.flatMap((one, index) => permutations(all.toSpliced(index, 1)).map((rest) => [one, ...rest]))

describe("decide, on every standing and every word", () => {
  it("never leaves the table", () => {
    for (const { othersLeft, standing, word } of everything) {
      const { status } = decide(standing, word, othersLeft)
      expect(status === standing.status || canMove(standing.status, status), `${standing.status} → ${status}`).toBe(
        true
      )
    }
  })

  it("moves no settled payment, other than giving completed money back", () => {
    for (const { othersLeft, standing, word } of everything.filter(({ standing }) => isSettled(standing.status))) {
      const { status } = decide(standing, word, othersLeft)
      const itsOwn = standing.status === "completed" && standing.outcome !== "declined"
      const returned = itsOwn && word._tag === "Report" && word.state === "returned"
      expect(status).toBe(returned ? "refunded" : standing.status)
    }
  })

  it("never loses a word that says money moved", () => {
    for (const { othersLeft, standing, word } of everything.filter(({ word }) => saysMoneyMoved(word))) {
      const { status, suspense } = decide(standing, word, othersLeft)
      expect(
        suspense || status === "completed" || status === "refunded",
        `${standing.status} ${standing.outcome}`
      ).toBe(true)
    }
  })

  it("holds money in suspense only when a word says it moved", () => {
    for (const { othersLeft, standing, word } of everything.filter(({ word }) => !saysMoneyMoved(word))) {
      expect(decide(standing, word, othersLeft).suspense).toBe(false)
    }
  })

  it("hears nothing new in the word that money came, after it was heard to be back", () => {
    for (const standing of standings.filter(({ status }) => status !== "completed" && status !== "refunded")) {
      const back = decide(standing, report("returned"))
      expect(decide(back, report("completed")).suspense, `${standing.status} ${standing.outcome}`).toBe(false)
      const more = new Report({ ...report("completed"), received: shillings(160_000n) })
      expect(decide(back, more).suspense, `${standing.status} ${standing.outcome}`).toBe(true)
    }
  })

  it("hears a word twice as once", () => {
    for (const { othersLeft, standing, word } of everything) {
      const once = decide(standing, word, othersLeft)
      const twice = decide(once, word, othersLeft)
      expect({ standing, word, ...twice }).toMatchObject({ standing, word, status: once.status, outcome: once.outcome })
    }
  })

  it("completes only on a word that says so, and fails only on a refusal, a failure or an absence", () => {
    for (const { othersLeft, standing, word } of everything) {
      const { status } = decide(standing, word, othersLeft)
      if (status === standing.status) continue
      if (status === "completed") expect(saysMoneyMoved(word)).toBe(true)
      if (status === "failed") {
        const failing = word._tag === "Report" && (word.state === "failed" || word.state === "returned")
        expect(failing || word._tag === "Declined" || word._tag === "Absent").toBe(true)
      }
    }
  })

  it("never calls an attempt declined that its provider had accepted", () => {
    for (const { othersLeft, standing, word } of everything.filter(({ standing }) => standing.outcome === "accepted")) {
      expect(decide(standing, word, othersLeft).outcome).toBe("accepted")
    }
  })
})

describe("an attempt that was declined, while another candidate has the payment", () => {
  const waiting = paymentStatuses.filter((status) => !isSettled(status))

  it.each(waiting)("no longer moves the payment from %s, whatever is heard of it", (status) => {
    for (const word of words) {
      const decision = decide({ ...fresh, status, outcome: "declined" }, word)
      expect({ word, ...decision }).toMatchObject({ word, status, outcome: "declined" })
    }
  })

  it("puts its money before a person, since the other attempt stands for the payment", () => {
    for (const status of paymentStatuses) {
      for (const word of words.filter(saysMoneyMoved)) {
        const decision = decide({ ...fresh, status, outcome: "declined" }, word)
        expect(decision).toMatchObject({ status, outcome: "declined", suspense: true })
      }
    }
  })
})

describe("decide, while another candidate is left", () => {
  it("leaves the payment where it is when the provider declines", () => {
    expect(decide(start, declined, true)).toMatchObject({ status: "initiated", outcome: "declined", suspense: false })
    expect(decide(start, declined, false)).toMatchObject({ status: "failed", outcome: "declined", suspense: false })
  })

  it("treats everything but a refusal as if there were none", () => {
    for (const standing of standings) {
      for (const word of words.filter((one) => one._tag !== "Declined")) {
        expect(decide(standing, word, true)).toEqual(decide(standing, word, false))
      }
    }
  })

  it("does not fall back from a refusal that comes after another word", () => {
    for (const outcome of ["accepted", "unknown"] as const) {
      expect(decide({ ...fresh, status: "pending", outcome }, declined, true).status).toBe("failed")
    }
  })
})

describe("the words of one truthful story", () => {
  const stories: ReadonlyArray<{
    readonly words: ReadonlyArray<ProviderSignal>
    readonly end: PaymentStatus
  }> = [
    { words: [report("pending"), report("processing"), report("completed")], end: "completed" },
    { words: [report("processing"), report("failed")], end: "failed" },
    { words: [report("pending"), report("processing"), report("failed")], end: "failed" },
    { words: [accepted("pending"), report("processing"), report("completed")], end: "completed" },
    { words: [accepted("processing"), report("processing"), report("failed")], end: "failed" },
    { words: [unknown, report("processing"), report("completed")], end: "completed" },
    { words: [unknown, report("failed")], end: "failed" },
    { words: [accepted("completed"), report("processing"), report("completed")], end: "completed" }
  ]

  const name = (word: ProviderSignal) => ("state" in word ? `${word._tag} ${word.state}` : word._tag)

  it.each(stories.map(({ end, words }) => [words.map(name).join(", "), words, end] as const))(
    "%s: every order, with every word once or twice, ends the same",
    (_, story, end) => {
      const copies = [story, ...story.map((word) => [...story, word]), story.flatMap((word) => [word, word])]
      const astray = copies.flatMap(permutations).filter((order) => {
        const { status, suspense, visited } = tell(order)
        const settled = visited.filter(isSettled)
        return status !== end || visited.at(-1) !== end || settled.length !== 1 || suspense
      })
      expect(astray.map((order) => order.map(name).join(" → "))).toEqual([])
    }
  )

  it("a contradiction ends in suspense or completion, never in silence, unless it was heard to be back", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 8 }), fc.boolean(), (before, answeredFirst) => {
        const prefix = answeredFirst ? [accepted("processing")] : []
        const told = tell([...prefix, ...before, report("completed")])
        const isBack = before.some((word) => word._tag === "Report" && word.state === "returned")
        expect(isBack || told.suspense || told.status === "completed" || told.status === "refunded").toBe(true)
      }),
      { numRuns: 500 }
    )
  })

  it("any sequence of words takes only moves of the table and settles at most once, refunds aside", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 12 }), (story) => {
        const { visited } = tell(story)
        for (const [index, status] of visited.entries()) {
          if (index > 0) expect(canMove(visited[index - 1]!, status)).toBe(true)
        }
        const settled = visited.filter(isSettled)
        expect([[], settled.slice(0, 1), ["completed", "refunded"]]).toContainEqual(settled)
      }),
      { numRuns: 500 }
    )
  })
})
