/** A payin of which a part has come, and of that part some has gone again before the rest comes. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { callBack, recordOf, untilStatus } from "../support/PaymentCalls.ts"
import { onPaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { giveBack, itemsOf, resolve } from "../support/OperatorActions.ts"
import { attemptsFor, paysIn, clearingOf, threeProviders, watched } from "../support/PayinBalances.ts"
import { onRamp } from "../support/RampCalls.ts"
import { accepts } from "../support/ScriptedProvider.ts"

const made = threeProviders()
const { circle, stripe } = made

onPaymentServer("Underpaid, and taken back in part", "memory", made, (it) => {
  /** 700 of 1500 have come, and 300 of them were taken back. */
  const shrunk = (country: string) =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      const paid = yield* paysIn(stripe, country)
      yield* paid.arrives("700.00")
      yield* callBack("stripe", {
        key: `${country} taken`,
        reference: paid.reference,
        state: "returned",
        taken: { amount: "300.00", currency: "KES" }
      })
      expect(yield* gained).toEqual({ stripe: -400, clearing: 400 })
      return { ...paid, gained }
    })

  it.effect("is completed once all has come, and what was taken back waits for an operator", () =>
    Effect.gen(function* () {
      const { arrives, gained, payment_id } = yield* shrunk("FR")
      yield* arrives("900.00")
      yield* arrives("1500.00")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed", amount: 1500 })
      expect(yield* gained).toEqual({ stripe: -1200, settlement: 1500, clearing: -300 })
      expect(yield* itemsOf(payment_id)).toMatchObject([
        { kind: "suspense", detail: "300.00 KES was taken back: an operator must say who bears it." }
      ])
      yield* resolve(payment_id, "completed")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed", amount: 1500 })
      expect(yield* gained).toEqual({ stripe: -1200, settlement: 1200 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("what an operator accepts is what is there, and what comes later waits", () =>
    Effect.gen(function* () {
      const { arrives, gained, payment_id } = yield* shrunk("NL")
      yield* resolve(payment_id, "completed")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed", amount: 400, target_amount: 400 })
      expect(yield* gained).toEqual({ stripe: -400, settlement: 400 })
      expect(yield* itemsOf(payment_id)).toEqual([])
      yield* arrives("1500.00")
      expect(yield* gained).toEqual({ stripe: -1200, settlement: 400, clearing: 800 })
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
    })
  )

  it.effect("what comes in several currencies is an item for each, settled one by one", () =>
    Effect.gen(function* () {
      const { arrives, payment_id } = yield* paysIn(stripe, "IT")
      yield* arrives("700.00")
      yield* arrives("20.00", "USD")
      expect(yield* clearingOf(payment_id)).toEqual(["700.00 KES", "20.00 USD"])
      const items = yield* itemsOf(payment_id)
      expect(items.map(({ kind }) => kind)).toEqual(["suspense", "suspense"])
      const dollars = items.find(({ detail }) => String(detail).includes("USD"))
      const shillings = items.find((one) => one !== dollars)
      yield* resolve(payment_id, "completed", "it is enough", String(shillings?.["item_id"]))
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed", amount: 700 })
      expect(yield* clearingOf(payment_id)).toEqual(["20.00 USD"])
      expect(yield* itemsOf(payment_id)).toMatchObject([{ item_id: dollars?.["item_id"] }])
    })
  )

  it.effect("what an operator gives up, or gives back, is what is there", () =>
    Effect.gen(function* () {
      const { gained, payment_id } = yield* shrunk("BE")
      yield* resolve(payment_id, "failed")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "failed" })
      expect(yield* gained).toEqual({})
      const other = yield* shrunk("AT")
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* giveBack(other.payment_id)
      expect(stripe.refunds.at(-1)?.money.toString()).toBe("400.00 KES")
      expect(yield* other.gained).toEqual({})
      expect(yield* itemsOf(other.payment_id)).toEqual([])
    })
  )

  /** Report of a transfer that has come, while the provider goes on waiting. */
  const hearsOf = (reference: string, nth: number, amount: string) =>
    callBack("stripe", {
      ...{ key: `${reference} ${nth}`, reference, state: "processing" },
      movements: [
        { kind: "collection", id: `${reference} c${nth}`, amount: { amount, currency: "KES" }, state: "settled" }
      ]
    })

  it.effect("a part that comes while the payin is processing is no surplus: the organisation gets it once", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      const { payment_id, reference } = yield* paysIn(stripe, "DK")
      yield* hearsOf(reference, 1, "600.00")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "processing" })
      expect(yield* itemsOf(payment_id)).toMatchObject([
        { detail: expect.stringMatching(/^Only 600.00 KES of 1500.00 KES/) }
      ])
      yield* resolve(payment_id, "completed")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed", amount: 600, target_amount: 600 })
      expect(yield* gained).toEqual({ stripe: -600, settlement: 600 })
      yield* hearsOf(reference, 2, "900.00")
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 600, clearing: 900 })
    })
  )

  it.effect("a part of what a ramp collects goes nowhere else while the rest may come", () =>
    Effect.gen(function* () {
      yield* serveCountry("SE", ["stripe"], "bank_transfer", "inbound")
      yield* serveCountry("SE", ["circle"], "crypto", "outbound")
      stripe.otherwise(accepts({ state: "pending", nextAction: "bank_transfer" }))
      circle.otherwise(accepts({ state: "completed" }))
      const { gained } = yield* watched
      const { payment_id } = yield* onRamp("SE")
      const [reference] = yield* attemptsFor(payment_id, "collection")
      yield* hearsOf(reference!, 1, "5000.00")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending" })
      expect(yield* Effect.flip(resolve(payment_id, "completed"))).toMatchObject({ _tag: "Conflict" })
      expect(yield* gained).toEqual({ stripe: -5000, clearing: 5000 })
      yield* hearsOf(reference!, 2, "8000.00")
      yield* untilStatus(payment_id, "completed")
      expect(yield* gained).toEqual({ stripe: -13000 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )
})
