/**
 * What a person gave back by hand at a provider, or found there, and settled, and what the provider says of it later: it
 * is booked once. Each test states what should be so.
 */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { moneyOf } from "../../../src/platform/database/StoredMoney.ts"
import { act } from "../support/Acting.ts"
import { callBack, recordOf, untilStatus } from "../support/Calls.ts"
import { giveBack, itemsOf, resolve } from "../support/ByHand.ts"
import { at, attemptsFor, paysIn, suspenseOf, threeProviders } from "../support/InTheBooks.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { onPaymentServer } from "../support/PaymentServer.ts"
import { accepts } from "../support/ScriptedProvider.ts"

const KES = CurrencyCode.make("KES")

const made = threeProviders()
const { circle, stripe } = made

onPaymentServer("What a person found at a provider", "memory", made, (it) => {
  const paying = (country: string) =>
    Effect.gen(function* () {
      const before = yield* at("stripe")
      const payin = yield* paysIn(stripe, country)
      const { reference } = payin
      const sum = (amount: string) => ({ amount, currency: "KES" })
      const says = (key: string, state: string, sums: object) =>
        callBack("stripe", { key: `${country} ${key}`, reference, state, ...sums })
      return {
        ...payin,
        takes: (key: string, amount: string) => says(`${key} taken`, "returned", { taken: sum(amount) }),
        regains: (key: string, amount: string) => says(`${key} regained`, "completed", { regained: sum(amount) }),
        /** What is in the books by a person's word is left out where they are held against the outside. */
        byHand: (amount: string) => stripe.purse.shrank(reference, `${reference} by hand`, moneyOf(amount, KES)),
        /** It has gone, whatever else has gone before. */
        undone: (amount: string) => stripe.purse.shrank(reference, `${reference} undone`, moneyOf(amount, KES)),
        has: Effect.map(at("stripe"), (now) => before - now)
      }
    })

  const refund = (payment_id: string, country: string, state: "completed" | "processing", amount = 500) =>
    Effect.gen(function* () {
      stripe.will({ refund: accepts({ state }) })
      yield* act(payment_id, { action: "refund", amount })
      const [reference = ""] = yield* attemptsFor(payment_id as never, "refund")
      return (word: string) => callBack("stripe", { key: `${country} refund ${word}`, reference, state: word })
    })

  it.effect("a surplus that was given back there by hand is not taken a second time by the word of it", () =>
    Effect.gen(function* () {
      const { arrives, byHand, has, payment_id, regains, takes } = yield* paying("FR")
      yield* arrives("1600.00")
      yield* resolve(payment_id, "failed", "given back by hand")
      expect(yield* has).toBe(1500)
      yield* takes("by hand", "100.00")
      expect(yield* has, "its word of it").toBe(1500)
      expect(yield* itemsOf(payment_id)).toEqual([])
      yield* regains("by hand", "100.00")
      expect(yield* has, "it did not reach the payer").toBe(1600)
      expect(yield* suspenseOf(payment_id)).toEqual(["100.00 KES"])
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
      byHand("-100.00")
    })
  )

  it.effect("a dispute of more than a person found to be gone is other money", () =>
    Effect.gen(function* () {
      const { arrives, has, payment_id, takes } = yield* paying("DE")
      yield* arrives("1600.00")
      yield* resolve(payment_id, "failed", "given back by hand")
      yield* takes("dispute", "1500.00")
      expect(yield* has).toBe(0)
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
    })
  )

  it.effect("too little that was given back there by hand is no riddle when its word comes", () =>
    Effect.gen(function* () {
      const { arrives, byHand, has, payment_id, regains, takes } = yield* paying("ES")
      yield* arrives("400.00")
      yield* resolve(payment_id, "failed", "given back by hand")
      yield* takes("by hand", "400.00")
      expect(yield* has).toBe(0)
      expect(yield* itemsOf(payment_id)).toEqual([])
      yield* regains("by hand", "400.00")
      expect(yield* has, "it did not reach the payer").toBe(400)
      expect(yield* suspenseOf(payment_id)).toEqual(["400.00 KES"])
      byHand("-400.00")
    })
  )

  it.effect("what a won dispute seemed to bring besides, and was not there, is not gone twice", () =>
    Effect.gen(function* () {
      const { byHand, has, hears, payment_id, regains, takes } = yield* paying("IT")
      yield* hears("yes", "completed")
      yield* regains("dispute", "1500.00")
      yield* resolve(payment_id, "failed", "there is no more than 1500")
      yield* takes("dispute", "1500.00")
      expect(yield* has).toBe(1500)
      expect(yield* itemsOf(payment_id)).toEqual([])
      byHand("-1500.00")
    })
  )

  it.effect("a refund that bounced, and went out again by hand, went once", () =>
    Effect.gen(function* () {
      const { byHand, has, hears, payment_id, takes } = yield* paying("NL")
      yield* hears("yes", "completed")
      const says = yield* refund(payment_id, "NL", "completed")
      yield* says("returned")
      yield* resolve(payment_id, "failed", "it went out again by hand")
      expect(yield* has).toBe(1000)
      yield* takes("by hand", "500.00")
      expect(yield* has).toBe(1000)
      expect(yield* itemsOf(payment_id)).toEqual([])
      byHand("-500.00")
    })
  )

  it.effect("a refund that strayed, and that a person found to be back, does not come back twice", () =>
    Effect.gen(function* () {
      const { byHand, has, hears, payment_id } = yield* paying("BE")
      yield* hears("yes", "completed")
      const says = yield* refund(payment_id, "BE", "processing")
      yield* says("failed")
      yield* says("completed")
      expect(yield* has).toBe(1000)
      yield* resolve(payment_id, "failed", "it is back")
      expect(yield* has).toBe(1500)
      yield* says("returned")
      expect(yield* has).toBe(1500)
      expect(yield* itemsOf(payment_id)).toEqual([])
      byHand("500.00")
    })
  )

  it.effect("a refund that bounced, and was made by hand before a person looked, leaves nothing to settle", () =>
    Effect.gen(function* () {
      for (const [country, amount, isFirst] of [
        ["LU", "500.00", false],
        ["AT", "500.00", true],
        ["FI", "1500.00", false],
        ["SE", "1500.00", true]
      ] as const) {
        const { has, hears, payment_id, regains, takes, undone } = yield* paying(country)
        yield* hears("yes", "completed")
        const says = yield* refund(payment_id, country, "completed", Number(amount))
        // What is heard first was made later where the whole was refunded: nothing else was there to be taken.
        if (isFirst) yield* takes("by hand", amount)
        yield* says("returned")
        if (!isFirst) yield* takes("by hand", amount)
        if (isFirst && amount === "1500.00") undone(amount)
        expect(yield* has, country).toBe(1500 - Number(amount))
        expect(yield* suspenseOf(payment_id)).toEqual([])
        expect(yield* itemsOf(payment_id), country).toEqual([])
        expect(yield* recordOf(payment_id)).toMatchObject({ refunded_amount: Number(amount) })
        yield* regains("by hand", amount)
        expect(yield* has, `${country}: nor did that reach the payer`).toBe(1500)
        expect(yield* itemsOf(payment_id)).toHaveLength(1)
        expect(yield* recordOf(payment_id)).toMatchObject({ refunded_amount: 0, refunds: [{ state: "failed" }] })
      }
    })
  )

  it.effect("what its provider gave back without having taken it is not settled by a word on a refund", () =>
    Effect.gen(function* () {
      const { has, hears, payment_id, regains, takes, undone } = yield* paying("NO")
      yield* hears("yes", "completed")
      const says = yield* refund(payment_id, "NO", "completed")
      yield* takes("dispute", "400.00")
      yield* regains("dispute", "400.00")
      yield* regains("unheard-of", "400.00")
      yield* says("returned")
      expect(yield* has).toBe(1500)
      const items = yield* itemsOf(payment_id)
      const [bounced] = items.filter(({ detail }) => String(detail).includes("refund of 500.00"))
      expect(items).toHaveLength(2)
      yield* resolve(payment_id, "completed", "the payer is paid otherwise", String(bounced?.["item_id"]))
      expect(yield* itemsOf(payment_id)).toEqual(items.filter((one) => one !== bounced))
      undone("400.00")
    })
  )

  it.effect("a refund that bounced, and was made by hand, went once, whoever says so at the same time", () =>
    Effect.gen(function* () {
      for (const [country, isSettled] of [
        ["IS", false],
        ["PT", true]
      ] as const) {
        const { byHand, has, hears, payment_id, takes } = yield* paying(country)
        yield* hears("yes", "completed")
        const says = yield* refund(payment_id, country, "completed")
        if (isSettled) yield* says("returned")
        const settles = Effect.isSuccess(resolve(payment_id, "failed", "made by hand"))
        const other = isSettled ? settles : Effect.as(says("returned"), false)
        const [isFound] = yield* Effect.all([other, takes("by hand", "500.00")], { concurrency: "unbounded" })
        expect(yield* has, country).toBe(1000)
        expect(yield* suspenseOf(payment_id)).toEqual([])
        expect(yield* itemsOf(payment_id), country).toEqual([])
        expect(yield* recordOf(payment_id)).toMatchObject({ refunded_amount: 500 })
        if (isFound) byHand("-500.00")
      }
    })
  )

  it.effect("a net of two disputes that was settled meets both of their words", () =>
    Effect.gen(function* () {
      const { byHand, has, hears, payment_id, regains, takes } = yield* paying("DK")
      yield* hears("yes", "completed")
      yield* regains("first", "1500.00")
      yield* takes("second", "400.00")
      expect(yield* has).toBe(2600)
      yield* resolve(payment_id, "failed", "there is no more than 1500")
      yield* takes("first", "1500.00")
      yield* regains("second", "400.00")
      expect(yield* has).toBe(1500)
      expect(yield* itemsOf(payment_id)).toEqual([])
      byHand("-1100.00")
    })
  )

  it.effect("what a ramp held, and was given back by hand, is no riddle when its word comes", () =>
    Effect.gen(function* () {
      circle.otherwise(accepts({ state: "completed" }))
      const { payment_id, reference } = yield* paidRamp(stripe, "PL", "9000.00")
      yield* untilStatus(payment_id, "failed")
      yield* resolve(payment_id, "failed", "given back by hand")
      yield* callBack("stripe", {
        key: "PL by hand",
        reference,
        state: "returned",
        taken: { amount: "9000.00", currency: "KES" }
      })
      expect(yield* itemsOf(payment_id)).toEqual([])
      stripe.purse.shrank(reference, "PL by a person's word", moneyOf("-9000.00", KES))
    })
  )

  it.effect("a ramp whose payout came back is held under one item, whatever becomes of a dispute besides", () =>
    Effect.gen(function* () {
      circle.otherwise(accepts({ state: "completed" }))
      const { payment_id, reference } = yield* paidRamp(stripe, "CZ", "13000.00")
      yield* untilStatus(payment_id, "completed")
      const [settlement = ""] = yield* attemptsFor(payment_id, "settlement")
      yield* callBack("circle", { key: "CZ back", reference: settlement, state: "returned" })
      const money = { amount: "13000.00", currency: "KES" }
      yield* callBack("stripe", { key: "CZ taken", reference, state: "returned", taken: money })
      yield* callBack("stripe", { key: "CZ won", reference, state: "completed", regained: money })
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* giveBack(payment_id)
      expect(yield* itemsOf(payment_id)).toEqual([])
      // What a ramp has back is left out as well.
      circle.purse.shrank(settlement, "CZ left out", moneyOf("-100.62", "USDT"))
    })
  )
})
