/**
 * Money that comes back of payouts, ramps and refused attempts, and at the manual provider, in any order of reports.
 */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { act, actable } from "../support/ActionCalls.ts"
import { giveBack, itemsOf, resolve } from "../support/OperatorActions.ts"
import {
  attemptsOf,
  callBack,
  eventually,
  initiate,
  recordOf,
  eventsOfType,
  untilStatus
} from "../support/PaymentCalls.ts"
import { at, attemptsFor, honouring, later, paysIn, settlement, suspenseOf } from "../support/PayinBalances.ts"
import { payout, referenceOf } from "../support/OwnAccount.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { movableClock } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, declines } from "../support/ScriptedProvider.ts"
import { came, cameBack, sent, sum, taken, reporter, won } from "../support/TransferReports.ts"

const make = () => {
  const stripe = honouring("stripe")
  const adyen = honouring("adyen")
  const circle = actable("circle")
  const manual = honouring("manual")
  const clock = movableClock()
  return { stripe, adyen, circle, manual, clock, providers: [stripe, adyen, circle, manual] }
}

onDatabasePaymentServer("clawbacks and the manual provider", make, (it, { adyen, circle, clock, manual, stripe }) => {
  /** Gains of stripe and of the organisation since. */
  const gaining = Effect.map(Effect.all({ there: at("stripe"), own: settlement }), (before) =>
    Effect.all({
      has: Effect.map(at("stripe"), (now) => before.there - now),
      own: Effect.map(settlement, (now) => now - before.own)
    })
  )

  const paidOut = (country: string) =>
    Effect.gen(function* () {
      yield* serveCountry(country, ["stripe"], "bank_transfer", "outbound")
      stripe.on(`out of ${country}`, accepts())
      const books = yield* gaining
      const { payment_id } = yield* payout(country, `out of ${country}`)
      const reference = yield* referenceOf(payment_id)
      const callsBack = (state: string) => callBack("stripe", { key: `${reference} ${state}`, reference, state })
      return { payment_id, reference, books, says: reporter(stripe, reference), callsBack }
    })

  it.effect("a payout of which a part came back waits for an operator, and is refunded with the rest", () =>
    Effect.gen(function* () {
      const { books, payment_id, says } = yield* paidOut("GR")
      yield* says(sent(1500))
      yield* says(cameBack(400))
      expect(yield* books).toEqual({ has: -1100, own: -1500 })
      expect(yield* suspenseOf(payment_id)).toEqual(["400.00 KES"])
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
      yield* says(cameBack(1100, "t1 rest"))
      yield* says(cameBack(1100, "t1 rest"))
      expect(yield* books).toEqual({ has: 0, own: 0 })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("nor is a part given to the organisation a second time that an operator gave it before", () =>
    Effect.gen(function* () {
      const { books, payment_id, says } = yield* paidOut("SI")
      yield* says(sent(1500))
      yield* says(cameBack(400))
      yield* resolve(payment_id, "completed")
      expect(yield* books).toEqual({ has: -1100, own: -1100 })
      yield* says(cameBack(1100, "t1 rest"))
      expect(yield* books).toEqual({ has: 0, own: 0 })
      const reported = yield* eventsOfType(payment_id, "transaction.updated")
      expect(reported.flatMap(({ adjustment }) => adjustment ?? [])).toMatchObject([{ amount: 400 }, { amount: -400 }])
      // Further money waits, as before.
      yield* says(cameBack(100, "t1 besides"))
      expect(yield* books).toEqual({ has: 100, own: 0 })
      expect(yield* suspenseOf(payment_id)).toEqual(["100.00 KES"])
      yield* resolve(payment_id, "failed")
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("a payout that came back before it was reported as paid is the organisation's again, once", () =>
    Effect.gen(function* () {
      const { books, payment_id, says } = yield* paidOut("ES")
      yield* says(cameBack(1500))
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "failed" })
      yield* says(sent(1500))
      expect(yield* books).toEqual({ has: 0, own: 0 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("a payout that failed after it was completed goes back to the organisation where it never arrived", () =>
    Effect.gen(function* () {
      const { books, callsBack, payment_id, reference } = yield* paidOut("IE")
      yield* callsBack("completed")
      yield* callsBack("failed")
      expect(yield* books).toEqual({ has: -1500, own: -1500 })
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "unknown_outcome" }])
      yield* resolve(payment_id, "failed")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
      expect(yield* books).toEqual({ has: 0, own: 0 })
      expect(yield* itemsOf(payment_id)).toEqual([])
      yield* callBack("stripe", { key: `${reference} back`, reference, state: "returned" })
      expect(yield* books, "its provider says the same").toEqual({ has: 0, own: 0 })
    })
  )

  it.effect("a payout that was paid late, and came back, is the organisation's again", () =>
    Effect.gen(function* () {
      const { books, callsBack, payment_id } = yield* paidOut("PT")
      for (const state of ["failed", "completed"]) yield* callsBack(state)
      expect(yield* suspenseOf(payment_id)).toEqual(["-1500.00 KES"])
      yield* resolve(payment_id, "completed")
      expect(yield* books).toEqual({ has: -1500, own: -1500 })
      yield* callsBack("returned")
      expect(yield* books).toEqual({ has: 0, own: 0 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("a payin that was called off, and then is said to have been paid, leaves nothing behind", () =>
    Effect.gen(function* () {
      const books = yield* gaining
      const { payment_id, reference } = yield* paysIn(stripe, "FR")
      yield* callBack("stripe", { key: "FR went", reference, state: "returned", calledOff: true })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "canceled" })
      yield* callBack("stripe", { key: "FR came", reference, state: "completed" })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "canceled" })
      expect(yield* books).toEqual({ has: 0, own: 0 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("an unknown outcome waits for an operator, whatever is reported of a dispute", () =>
    Effect.gen(function* () {
      const { payment_id, reference } = yield* paysIn(stripe, "CH")
      const says = reporter(stripe, reference)
      // The server's own worker may be the one that asks, and hold it while time passes here.
      for (let n = 0; n < 40 && (yield* itemsOf(payment_id)).length === 0; n++) yield* later(clock, 90_000)
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "unknown_outcome" }])
      for (const words of [
        [won(400), taken(400)],
        [taken(300, "d2"), won(300, "d2")]
      ]) {
        for (const word of words) yield* says(word)
        expect(["processing", "pending"]).toContain((yield* recordOf(payment_id))["status"])
        expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "unknown_outcome" }])
      }
      yield* says(came(1500))
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("what a refused attempt brought, and its provider took back, leaves the other's money alone", () =>
    Effect.gen(function* () {
      const books = yield* gaining
      yield* serveCountry("NL", ["stripe", "adyen"])
      stripe.on("both NL", declines())
      adyen.on("both NL", accepts({ state: "completed" }))
      const { payment_id } = yield* initiate({ ...byCard(), country: "NL", description: "both NL" })
      const says = reporter(stripe, (yield* attemptsFor(payment_id, "payment"))[0]!)
      yield* says(came(1500))
      yield* resolve(payment_id, "completed")
      expect(yield* books).toEqual({ has: 1500, own: 3000 })
      adyen.will({ refund: accepts({ state: "completed" }) })
      expect((yield* act(payment_id, { action: "refund", amount: 500 })).status).toBe(200)
      yield* says(taken(1500))
      expect(yield* books).toEqual({ has: 0, own: 2500 })
      expect(yield* suspenseOf(payment_id)).toEqual(["-1500.00 KES"])
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed", refunded_amount: 500 })
      yield* resolve(payment_id, "completed")
      expect(yield* books).toEqual({ has: 0, own: 1000 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("a part of what was collected for a ramp is gone, and the ramp stays settled", () =>
    Effect.gen(function* () {
      const books = yield* gaining
      circle.otherwise(accepts({ state: "completed" }))
      const { payment_id, reference } = yield* paidRamp(stripe, "HU", "13000.00")
      yield* untilStatus(payment_id, "completed")
      yield* reporter(stripe, reference)(taken(3000))
      expect(yield* books).toEqual({ has: 10_000, own: 0 })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* suspenseOf(payment_id)).toEqual(["-3000.00 KES"])
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
    })
  )

  it.effect("a ramp that was paid too little holds no more than that, through a dispute and its end", () =>
    Effect.gen(function* () {
      const books = yield* gaining
      circle.otherwise(accepts({ state: "completed" }))
      const { payment_id, reference } = yield* paidRamp(stripe, "SE", "9000.00")
      yield* untilStatus(payment_id, "failed")
      const says = reporter(stripe, reference)
      yield* says(taken(400))
      yield* says(won(400))
      expect(yield* books).toEqual({ has: 9000, own: 0 })
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
      yield* says(taken(9000, "d2"))
      expect(yield* books).toEqual({ has: 0, own: 0 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect(
    "what a ramp held, and an operator gave back at the provider, is booked once when the provider names it",
    () =>
      Effect.gen(function* () {
        const books = yield* gaining
        circle.otherwise(declines("sanctioned address"))
        const { payment_id, reference } = yield* paidRamp(stripe, "NO", "13000.00")
        yield* untilStatus(payment_id, "failed")
        yield* resolve(payment_id, "failed", "given back at stripe")
        expect(yield* books).toEqual({ has: 0, own: 0 })
        yield* reporter(stripe, reference)(taken(13_000))
        expect(yield* books).toEqual({ has: 0, own: 0 })
        expect(yield* suspenseOf(payment_id)).toEqual([])
        expect(yield* itemsOf(payment_id)).toEqual([])
      })
  )

  it.effect("a collection whose money went back through us, and is taken back besides, is gone twice", () =>
    Effect.gen(function* () {
      const books = yield* gaining
      circle.otherwise(() => Effect.succeed(declines("sanctioned address")))
      const { payment_id, reference } = yield* paidRamp(stripe, "FI", "13000.00")
      yield* untilStatus(payment_id, "failed")
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* giveBack(payment_id)
      expect(yield* books).toEqual({ has: 0, own: 0 })
      const says = reporter(stripe, reference)
      yield* says(taken(13_000))
      expect(yield* books).toEqual({ has: -13_000, own: 0 })
      expect(yield* suspenseOf(payment_id)).toEqual(["-13000.00 KES"])
      yield* says(won(13_000))
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("a ramp whose settlement came back waits under one item, whatever becomes of a dispute besides", () =>
    Effect.gen(function* () {
      circle.otherwise(accepts({ state: "completed" }))
      const { payment_id, reference } = yield* paidRamp(stripe, "CZ", "13000.00")
      yield* untilStatus(payment_id, "completed")
      const [settled = ""] = yield* attemptsFor(payment_id, "settlement")
      yield* callBack("circle", { key: "CZ back", reference: settled, state: "returned" })
      // Its payer has nothing back yet.
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded", refunded_amount: 0 })
      expect(yield* eventsOfType(payment_id, "payment.refunded")).toEqual([])
      const says = reporter(stripe, reference)
      yield* says(taken(13_000))
      yield* says(won(13_000))
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* giveBack(payment_id)
      expect(yield* recordOf(payment_id)).toMatchObject({ refunded_amount: 13_000 })
      const reported = yield* eventsOfType(payment_id, "payment.refunded")
      expect(reported).toMatchObject([{ amount: 13_000, refunded_amount: 13_000 }])
      expect(yield* itemsOf(payment_id)).toEqual([])
      expect(yield* Effect.flatMap(LedgerStore, (ledger) => ledger.atProviders(payment_id))).toEqual([])
      // Returned before it reached the payer, who was said to have it.
      const [part = ""] = yield* attemptsFor(payment_id, "return")
      yield* callBack("stripe", { key: "CZ bounced", reference: part, state: "returned" })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded", refunded_amount: 0 })
      const failed = yield* eventsOfType(payment_id, "payment.refund_failed")
      expect(failed).toMatchObject([{ amount: 13_000, refund_id: part, refunded_amount: 0 }])
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
    })
  )

  it.effect("a ramp's settlement that came back before it was reported as paid leaves what was collected", () =>
    Effect.gen(function* () {
      circle.otherwise(accepts())
      const { payment_id } = yield* paidRamp(stripe, "BG", "13000.00")
      yield* eventually(
        Effect.sync(() => circle.timesAsked(payment_id)),
        (asked) => asked > 0
      )
      const reference = yield* referenceOf(payment_id, "settlement")
      yield* callBack("circle", { key: "BG back", reference, state: "returned", reason: "the wallet is closed" })
      yield* untilStatus(payment_id, "failed")
      yield* callBack("circle", { key: "BG paid", reference, state: "completed" })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      const there = yield* Effect.flatMap(LedgerStore, (ledger) => ledger.atProviders(payment_id))
      expect(there.map(({ provider }) => provider)).toEqual(["stripe"])
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
    })
  )

  it.effect("the second of two refunds at the manual provider can be settled", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* paysIn(manual, "BE")
      yield* resolve(payment_id, "completed")
      manual.will({ refund: accepts() })
      for (const amount of [500, 600]) {
        expect((yield* act(payment_id, { action: "refund", amount })).status).toBe(200)
        yield* resolve(payment_id, "completed")
      }
      const store = yield* PaymentStore
      const { refunds } = Option.getOrThrow(yield* store.find(Option.none(), payment_id))
      expect(refunds.map(({ state }) => state)).toEqual(["completed", "completed"])
    })
  )

  it.effect("a verdict on new money leaves a finished return at the manual provider alone", () =>
    Effect.gen(function* () {
      const before = yield* at("manual")
      const { callsBack, payment_id, reference } = yield* paysIn(manual, "LT")
      const says = reporter(manual, reference)
      yield* callsBack("no", "failed")
      yield* says(came(900))
      manual.will({ refund: accepts({ state: "completed" }) })
      yield* giveBack(payment_id)
      expect((yield* at("manual")) - before).toBe(0)
      yield* says(came(100, "c2"))
      yield* resolve(payment_id, "failed")
      expect(yield* suspenseOf(payment_id), "the 100 are settled, and the 900 stay where they went").toEqual([])
      expect((yield* at("manual")) - before).toBe(0)
    })
  )

  it.effect("what comes after a smaller sum was accepted waits for an operator", () =>
    Effect.gen(function* () {
      const books = yield* gaining
      const { payment_id, reference } = yield* paysIn(stripe, "AT")
      const says = reporter(stripe, reference)
      yield* says(came(1400))
      yield* resolve(payment_id, "completed")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed", amount: 1400 })
      yield* says(came(100, "c2"))
      expect(yield* books).toEqual({ has: 1500, own: 1400 })
      expect(yield* suspenseOf(payment_id)).toEqual(["100.00 KES"])
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
    })
  )

  it.effect("an unproved hint under the id of an event does not keep the proved event out", () =>
    Effect.gen(function* () {
      const { payment_id, reference } = yield* paysIn(stripe, "IT")
      yield* callBack("stripe", { key: "evt_1", reference, state: null })
      yield* callBack("stripe", { key: "evt_1", reference, state: "completed", received: sum(1500) })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
    })
  )

  it.effect(
    "an early callback is applied to one attempt, though its provider gives a refund the id of the payment",
    () =>
      Effect.gen(function* () {
        const { callsBack, payment_id } = yield* paysIn(stripe, "DK")
        yield* callsBack("yes", "completed")
        stripe.will({ refund: accepts({ state: "processing", providerPaymentId: "pi_27" }) })
        const early = { key: "early 27", reference: null, providerPaymentId: "pi_27", state: "failed" }
        expect((yield* callBack("stripe", early)).status, "it is kept").toBe(202)
        yield* act(payment_id, { action: "refund", amount: 500 })
        yield* callBack("stripe", {
          key: "late 27",
          reference: String((yield* attemptsOf(payment_id))[0]?.["attempt_id"]),
          providerPaymentId: "pi_27",
          state: "completed",
          movements: []
        })
        const store = yield* PaymentStore
        /** A completed payin that is said to have failed is doubted; a refund that is on its way has failed. */
        const changed = Effect.gen(function* () {
          const { refunds } = Option.getOrThrow(yield* store.find(Option.none(), payment_id))
          const items = yield* itemsOf(payment_id)
          return [...items.map(({ kind }) => kind), ...refunds.map(({ state }) => state)]
        })
        yield* Effect.flatMap(Callbacks, ({ applyMatched }) => applyMatched)
        yield* eventually(changed, (all) => !all.includes("open"))
        expect(yield* changed, "of two attempts by this id, the newer one").toEqual(["failed"])
      })
  )
})
