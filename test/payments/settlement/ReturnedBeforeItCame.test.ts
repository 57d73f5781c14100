/** Words about money that goes back which overtake the word that it came, or that meet a refund of ours on its way. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { moneyOf } from "../../../src/platform/database/StoredMoney.ts"
import { people } from "../../support/Credentials.ts"
import { act } from "../support/Acting.ts"
import { callBack, recordOf, untilStatus } from "../support/Calls.ts"
import { itemsOf, resolve } from "../support/ByHand.ts"
import { paysIn, suspenseOf, threeProviders, watched } from "../support/InTheBooks.ts"
import { payout, referenceOf } from "../support/OwnAccount.ts"
import { onPaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { accepts } from "../support/ScriptedProvider.ts"

const made = threeProviders()
const { circle, stripe } = made

const KES = CurrencyCode.make("KES")

const kes = (amount: string) => ({ amount, currency: "KES" })

onPaymentServer("What goes back before it came", "memory", made, (it) => {
  const collecting = (country: string) =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      const { payment_id, reference } = yield* paysIn(stripe, country)
      const says = (key: string, about: { readonly state: string; readonly [name: string]: unknown }) =>
        callBack("stripe", { key: `${reference} ${key}`, reference, providerPaymentId: `id in ${country}`, ...about })
      return {
        payment_id,
        reference,
        gained,
        comes: says("came", { state: "completed", received: kes("1500.00") }),
        goes: says("went", { state: "returned", reason: "it was called off", calledOff: true }),
        takes: (amount: string) => says(`takes ${amount}`, { state: "returned", taken: kes(amount), reason: "fraud" }),
        says
      }
    })

  it.effect("a payin that was called off, and then is said to have been paid, leaves nothing behind", () =>
    Effect.gen(function* () {
      const { comes, gained, goes, payment_id } = yield* collecting("FR")
      yield* goes
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "canceled" })
      yield* comes
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "canceled" })
      expect(yield* gained).toEqual({})
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("but what comes under another id of its provider's is other money", () =>
    Effect.gen(function* () {
      const { gained, goes, payment_id, reference, says } = yield* collecting("DE")
      yield* goes
      yield* says("again", { state: "completed", providerPaymentId: "another id" })
      expect(yield* gained).toEqual({ stripe: -1500, suspense: 1500 })
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "suspense" }])
      stripe.purse.shrank(reference, "DE again", stripe.orders.at(-1)!.money.negate())
    })
  )

  it.effect("a part that is taken before the whole is heard of does not fail the payment", () =>
    Effect.gen(function* () {
      const { comes, gained, payment_id, takes } = yield* collecting("NL")
      yield* takes("400.00")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "processing" })
      expect(yield* gained).toEqual({ stripe: 400, suspense: -400 })
      yield* comes
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* gained).toEqual({ stripe: -1100, settlement: 1500, suspense: -400 })
      expect(yield* itemsOf(payment_id)).toMatchObject([{ detail: expect.stringContaining("taken 400.00 KES back") }])
      yield* resolve(payment_id, "completed")
      expect(yield* gained).toEqual({ stripe: -1100, settlement: 1100 })
    })
  )

  it.effect("parts that are all of it do, and nothing is left when the whole is heard of", () =>
    Effect.gen(function* () {
      const { comes, gained, payment_id, takes } = yield* collecting("BE")
      yield* takes("400.00")
      yield* takes("1100.00")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "failed" })
      expect(yield* gained).toEqual({})
      yield* comes
      expect(yield* gained).toEqual({})
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  const overpaid = [
    { name: "all of it, without a sum", country: "PL", taken: {} },
    { name: "more than was asked for", country: "DK", taken: { taken: kes("2000.00") } }
  ]
  for (const { country, name, taken } of overpaid) {
    it.effect(`what is given back shows how much had come: ${name}`, () =>
      Effect.gen(function* () {
        const { gained, payment_id, reference, says } = yield* collecting(country)
        const there = { stripe: -2000, suspense: 2000 }
        yield* says("went", { state: "returned", reason: "fraud", ...taken })
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "failed" })
        yield* says("won", { state: "completed", regained: kes("2000.00") })
        expect(yield* gained).toEqual(there)
        expect(yield* itemsOf(payment_id)).toMatchObject([
          { detail: "stripe gave 2000.00 KES back, which it had taken: it is held until an operator settles it." }
        ])
        yield* says("part", { state: "returned", reason: "fraud", taken: kes("300.00") })
        expect(yield* gained).toEqual({ stripe: -1700, suspense: 1700 })
        yield* says("part won", { state: "completed", regained: kes("300.00") })
        yield* says("came", { state: "completed", received: kes("2000.00") })
        expect(yield* gained, "the word that it came tells nothing new").toEqual(there)
        stripe.purse.shrank(reference, `${country} besides`, moneyOf("500.00", KES))
      })
    )
  }

  it.effect("but of what was heard to come no more is there than that", () =>
    Effect.gen(function* () {
      const { comes, gained, payment_id, reference, says } = yield* collecting("FI")
      yield* comes
      yield* says("went", { state: "returned", reason: "fraud" })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
      yield* says("won", { state: "completed", regained: kes("1520.00") })
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
      expect(yield* itemsOf(payment_id)).toMatchObject([{ detail: expect.stringContaining("lacked 1500.00 KES") }])
      stripe.purse.shrank(reference, "FI in words alone", moneyOf("20.00", KES))
    })
  )

  it.effect("a payout that came back before it was heard to be paid is its payer's again, once", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      yield* serveCountry("ES", ["stripe"], "bank_transfer", "outbound")
      stripe.on("back first", accepts())
      const { payment_id } = yield* payout("ES", "back first")
      const reference = yield* referenceOf(payment_id)
      yield* callBack("stripe", {
        key: "ES part",
        reference,
        state: "returned",
        taken: kes("400.00"),
        reason: "closed"
      })
      expect(yield* gained).toEqual({ stripe: -400, suspense: 400, held: 1500, settlement: -1500 })
      yield* callBack("stripe", { key: "ES back", reference, state: "returned", reason: "closed" })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "failed" })
      yield* callBack("stripe", { key: "ES paid", reference, state: "completed" })
      expect(yield* gained).toEqual({})
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("nor does a ramp's settlement that came back first leave anything but what it collected", () =>
    Effect.gen(function* () {
      circle.otherwise(accepts())
      const { payment_id } = yield* paidRamp(stripe, "NO", "13000.00")
      yield* untilStatus(payment_id, "processing")
      const reference = yield* referenceOf(payment_id, "settlement")
      yield* callBack("circle", { key: "NO back", reference, state: "returned", reason: "the wallet is closed" })
      yield* untilStatus(payment_id, "failed")
      yield* callBack("circle", { key: "NO paid", reference, state: "completed" })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      const there = yield* Effect.flatMap(LedgerStore, (ledger) => ledger.atProviders(payment_id))
      expect(there.map(({ provider }) => provider)).toEqual(["stripe"])
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
    })
  )

  const refunding = (country: string, amount?: number) =>
    Effect.gen(function* () {
      const paid = yield* collecting(country)
      yield* paid.comes
      const { acme } = yield* people
      stripe.will({ refund: accepts() })
      const asked = { action: "refund", ...(amount === undefined ? {} : { amount }) }
      yield* act(paid.payment_id, asked, acme.token("staff"))
      const back = yield* referenceOf(paid.payment_id, "refund")
      const ends = (state: string) => callBack("stripe", { key: `${back} ${state}`, reference: back, state })
      return { ...paid, ends, returns: paid.says("back", { state: "returned", reason: "it was refunded" }) }
    })

  it.effect("a return while our own refund of it is on its way is that refund, and is booked once", () =>
    Effect.gen(function* () {
      const { ends, gained, payment_id, returns } = yield* refunding("IT")
      yield* returns
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* itemsOf(payment_id)).toEqual([])
      yield* ends("completed")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
      expect(yield* gained).toEqual({})
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("where that refund comes to nothing, a person finds out where the money is", () =>
    Effect.gen(function* () {
      const { ends, gained, payment_id, reference, returns } = yield* refunding("PT")
      yield* returns
      yield* ends("failed")
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "unknown_outcome" }])
      yield* resolve(payment_id, "failed")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
      expect(yield* gained).toEqual({ settlement: 1500, suspense: -1500 })
      yield* resolve(payment_id, "completed")
      expect(yield* gained).toEqual({})
      stripe.purse.told(reference, "returned")
    })
  )

  it.effect("of a refund in part, the rest is taken back besides", () =>
    Effect.gen(function* () {
      const { ends, gained, payment_id, returns } = yield* refunding("AT", 500)
      yield* returns
      expect(yield* gained).toEqual({ stripe: -500, settlement: 1000, held: 500, suspense: -1000 })
      yield* ends("completed")
      expect(yield* gained).toEqual({ settlement: 1000, suspense: -1000 })
      expect(yield* itemsOf(payment_id), "what our own refund gave has its place").toHaveLength(1)
    })
  )

  it.effect("a refund that was given up, goes nevertheless and comes back, leaves nothing to settle", () =>
    Effect.gen(function* () {
      const { ends, gained, payment_id } = yield* refunding("FI", 500)
      yield* ends("failed")
      yield* ends("completed")
      expect(yield* gained).toEqual({ stripe: -1000, settlement: 1500, suspense: -500 })
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
      yield* ends("returned")
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )
})
