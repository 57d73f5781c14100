/** Disputes that name more than the books have at that moment, and returns that name nothing. Each test states what should be so. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { PaymentId } from "../../../src/domain/Identifiers.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { moneyOf } from "../../../src/platform/database/StoredMoney.ts"
import { people } from "../../support/Credentials.ts"
import { act } from "../support/Acting.ts"
import { callBack, initiate, recordOf, toldOf, untilStatus } from "../support/Calls.ts"
import { onPaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, declines, isLost } from "../support/ScriptedProvider.ts"
import { itemsOf, resolve } from "../support/ByHand.ts"
import { referenceOf } from "../support/OwnAccount.ts"
import { at, attemptsFor, paysIn, settlement, suspenseOf, threeProviders } from "../support/InTheBooks.ts"

const KES = CurrencyCode.make("KES")

const made = threeProviders()
const { adyen, stripe } = made

onPaymentServer("Disputes beyond the books", "memory", made, (it) => {
  const paying = (country: string) =>
    Effect.gen(function* () {
      const before = { stripe: yield* at("stripe"), own: yield* settlement }
      const { hears, payment_id, reference } = yield* paysIn(stripe, country)
      const says = (key: string, state: string, sums: object) =>
        callBack("stripe", { key: `${country} ${key}`, reference, state, ...sums })
      const sum = (amount: string) => ({ amount, currency: "KES" })
      return {
        payment_id,
        reference,
        hears,
        takes: (key: string, amount: string) => says(key, "returned", { taken: sum(amount) }),
        /** It says for which reason, and how much all that went for it comes to. */
        takesFor: (key: string, reason: string, amount: string, all = amount) =>
          says(key, "returned", { reason, taken: sum(amount), takenInAll: sum(all) }),
        regains: (key: string, amount: string) => says(key, "completed", { regained: sum(amount) }),
        /** What it took while it had nothing of it by its words so far. */
        tookBesides: (amount: string) => stripe.purse.shrank(reference, `${reference} besides`, moneyOf(amount, KES)),
        tookTwice: (amount: string) => stripe.purse.overdrew(reference, moneyOf(amount, KES)),
        books: Effect.all({
          stripe: Effect.map(at("stripe"), (now) => now - before.stripe),
          own: Effect.map(settlement, (now) => now - before.own)
        })
      }
    })

  const paid = (country: string) => Effect.tap(paying(country), ({ hears }) => hears("yes", "completed"))

  const refund = (payment_id: PaymentId, amount: number, state: "completed" | "processing" = "completed") =>
    Effect.gen(function* () {
      const { acme } = yield* people
      stripe.will({ refund: accepts({ state }) })
      expect((yield* act(payment_id, { action: "refund", amount }, acme.token("staff"))).status).toBe(200)
      const reference = (yield* attemptsFor(payment_id, "refund")).at(-1)!
      return (word: string) => callBack("stripe", { key: `${reference} ${word}`, reference, state: word })
    })

  const lastTold = (payment_id: PaymentId, type: string) => Effect.map(toldOf(payment_id, type), (all) => all.at(-1))

  it.effect("a second dispute that is heard of before the first is won takes the money a second time", () =>
    Effect.gen(function* () {
      const { books, payment_id, regains, takes, tookBesides } = yield* paid("FR")
      yield* takes("first", "1500.00")
      yield* takes("second", "1500.00")
      expect(yield* suspenseOf(payment_id)).toEqual(["-1500.00 KES"])
      expect(yield* itemsOf(payment_id)).toMatchObject([
        { detail: expect.stringContaining("do not have there, besides 1500.00 KES that wait already") as string }
      ])
      yield* regains("the first", "1500.00")
      tookBesides("1500.00")
      expect(yield* books).toEqual({ stripe: 0, own: 1500 })
      expect(yield* suspenseOf(payment_id)).toEqual(["-1500.00 KES"])
      expect(yield* itemsOf(payment_id)).toMatchObject([
        { detail: expect.stringContaining("1500.00 KES are still gone") as string }
      ])
      expect((yield* recordOf(payment_id))["comments"]).not.toContain("has its money")
      yield* regains("the second", "1500.00")
      expect(yield* books).toEqual({ stripe: -1500, own: 1500 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("what was borne before the first was won is not given to whoever bore it", () =>
    Effect.gen(function* () {
      const { books, payment_id, regains, takes, tookBesides } = yield* paid("NO")
      yield* takes("first", "1500.00")
      yield* takes("second", "1500.00")
      yield* resolve(payment_id, "completed")
      yield* regains("the first", "1500.00")
      tookBesides("1500.00")
      expect(yield* books).toEqual({ stripe: 0, own: 0 })
      expect(yield* suspenseOf(payment_id)).toEqual([])
    })
  )

  it.effect("a whole return without a sum, and the dispute that names it, are the same money", () =>
    Effect.gen(function* () {
      const { books, hears, payment_id, regains, takes } = yield* paid("CH")
      yield* hears("reversed", "returned")
      const before = yield* itemsOf(payment_id)
      yield* takes("its dispute", "1500.00")
      expect(yield* itemsOf(payment_id)).toEqual(before)
      yield* regains("won", "1500.00")
      expect(yield* books).toEqual({ stripe: -1500, own: 1500 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  const disputesTold = (payment_id: PaymentId) =>
    Effect.map(toldOf(payment_id, "transaction.updated"), (all) => all.flatMap((one) => one["dispute"] ?? []))

  it.effect("what was refunded at the provider because of a dispute is told of twice, and is the same money", () =>
    Effect.gen(function* () {
      const { books, payment_id, takesFor } = yield* paid("IS")
      yield* takesFor("refund", "refunded by hand", "400.00")
      const before = yield* itemsOf(payment_id)
      yield* takesFor("dispute", "disputed", "400.00")
      expect(yield* suspenseOf(payment_id)).toEqual(["-400.00 KES"])
      expect(yield* itemsOf(payment_id)).toEqual(before)
      expect(yield* disputesTold(payment_id)).toMatchObject([{ kind: "returned", amount: 400 }])
      yield* takesFor("another refund", "refunded by hand", "300.00", "700.00")
      expect(yield* books).toEqual({ stripe: -800, own: 1500 })
      expect(yield* disputesTold(payment_id)).toMatchObject([{ amount: 400 }, { amount: 300 }])
    })
  )

  it.effect("whichever of them comes first, and where it is all of it", () =>
    Effect.gen(function* () {
      const { books, payment_id, takesFor } = yield* paid("LI")
      yield* takesFor("dispute", "disputed", "1500.00")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
      const before = yield* itemsOf(payment_id)
      yield* takesFor("refund", "refunded by hand", "1500.00")
      expect(yield* books).toEqual({ stripe: 0, own: 1500 })
      expect(yield* itemsOf(payment_id)).toEqual(before)
    })
  )

  it.effect("two refunds of one sum are two, though the second is heard of first", () =>
    Effect.gen(function* () {
      const { payment_id, takesFor } = yield* paid("MT")
      yield* takesFor("second", "refunded by hand", "400.00", "800.00")
      yield* takesFor("first", "refunded by hand", "400.00")
      expect(yield* suspenseOf(payment_id)).toEqual(["-800.00 KES"])
    })
  )

  it.effect("what is taken in another currency before anybody knows that it came leaves the payment alone", () =>
    Effect.gen(function* () {
      const { books, hears, payment_id, reference } = yield* paying("GR")
      const taken = { amount: "10.00", currency: "EUR" }
      yield* callBack("stripe", { key: "GR foreign", reference, state: "returned", taken })
      yield* hears("yes", "completed")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* books).toEqual({ stripe: -1500, own: 1500 })
      expect(yield* itemsOf(payment_id)).toMatchObject([
        { kind: "suspense", detail: expect.stringContaining("10.00 EUR") as string }
      ])
    })
  )

  it.effect("why its customer had to try again is no word that it went back", () =>
    Effect.gen(function* () {
      const { hears, payment_id, reference } = yield* paysIn(stripe, "PT", isLost())
      yield* callBack("stripe", { key: "PT card", reference, state: "pending", reason: "the card was declined" })
      yield* hears("yes", "completed")
      const says = yield* refund(payment_id, 500, "processing")
      yield* says("failed")
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("what a dispute took of a refund that bounces is booked when it does", () =>
    Effect.gen(function* () {
      const { books, payment_id, regains, takes, tookBesides } = yield* paid("DE")
      const says = yield* refund(payment_id, 500)
      yield* takes("all", "1500.00")
      expect(yield* books).toEqual({ stripe: 0, own: 1000 })
      yield* says("returned")
      tookBesides("500.00")
      expect(yield* books).toEqual({ stripe: 0, own: 1000 })
      expect((yield* suspenseOf(payment_id)).toSorted()).toEqual(["-1500.00 KES", "500.00 KES"])
      const details = (yield* itemsOf(payment_id)).map(({ detail }) => detail)
      expect(details).toHaveLength(2)
      expect(details).toContain(
        "stripe has taken 500.00 KES back, 1500.00 KES in all: an operator must settle who bears it."
      )
      expect(yield* lastTold(payment_id, "transaction.updated")).toMatchObject({
        dispute: { kind: "returned", amount: 500 }
      })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded", refunded_amount: 1500 })
      yield* regains("won", "1500.00")
      expect(yield* books).toEqual({ stripe: -1500, own: 1000 })
      expect(yield* suspenseOf(payment_id)).toEqual(["500.00 KES"])
      yield* resolve(payment_id, "completed")
      expect(yield* books).toEqual({ stripe: -1500, own: 1500 })
    })
  )

  it.effect("what was refunded and is then taken by a dispute too is borne by whoever a person says", () =>
    Effect.gen(function* () {
      const { books, payment_id, regains, takes, tookTwice } = yield* paid("ES")
      yield* refund(payment_id, 1500)
      yield* untilStatus(payment_id, "refunded")
      yield* takes("all of it once more", "1500.00")
      tookTwice("1500.00")
      expect(yield* books).toEqual({ stripe: 0, own: 0 })
      yield* resolve(payment_id, "completed")
      expect(yield* books).toEqual({ stripe: 1500, own: -1500 })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id)).toEqual([])
      yield* regains("won", "1500.00")
      expect(yield* books).toEqual({ stripe: 0, own: -1500 })
      expect(yield* suspenseOf(payment_id)).toEqual(["1500.00 KES"])
      yield* resolve(payment_id, "completed")
      expect(yield* books).toEqual({ stripe: 0, own: 0 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("and so is what was refunded in part, together with the rest", () =>
    Effect.gen(function* () {
      const { books, payment_id, takes, tookTwice } = yield* paid("FI")
      yield* refund(payment_id, 500)
      yield* takes("all", "1500.00")
      tookTwice("500.00")
      expect(yield* suspenseOf(payment_id)).toEqual(["-1000.00 KES"])
      yield* resolve(payment_id, "completed")
      expect(yield* books).toEqual({ stripe: 500, own: -500 })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("a refund that bounces after somebody bore it with its dispute comes back to a person", () =>
    Effect.gen(function* () {
      const { books, payment_id, takes, tookTwice } = yield* paid("IE")
      const says = yield* refund(payment_id, 500)
      yield* takes("all", "1500.00")
      tookTwice("500.00")
      yield* resolve(payment_id, "completed")
      yield* says("returned")
      expect(yield* books).toEqual({ stripe: 0, own: -500 })
      expect(yield* suspenseOf(payment_id)).toEqual(["500.00 KES"])
      yield* resolve(payment_id, "completed")
      expect(yield* books).toEqual({ stripe: 0, own: 0 })
    })
  )

  it.effect("whoever keeps what came back of a refund does not bear what went twice by the same word", () =>
    Effect.gen(function* () {
      const { books, payment_id, takes, tookTwice } = yield* paid("LU")
      const first = yield* refund(payment_id, 500)
      yield* refund(payment_id, 1000)
      yield* untilStatus(payment_id, "refunded")
      yield* takes("all", "1500.00")
      tookTwice("1500.00")
      yield* first("returned")
      const { message } = yield* Effect.flip(resolve(payment_id, "completed"))
      expect(message).toContain("--item")
      for (const { item_id } of yield* itemsOf(payment_id)) {
        yield* resolve(payment_id, "completed", "seen at the bank", String(item_id))
      }
      expect(yield* books).toEqual({ stripe: 1000, own: -1000 })
      expect(yield* suspenseOf(payment_id)).toEqual([])
    })
  )

  it.effect("what went twice, and a person found to be back with its provider, is nobody's to bear later", () =>
    Effect.gen(function* () {
      const { books, payment_id, regains, takes, tookTwice } = yield* paid("HU")
      yield* refund(payment_id, 500)
      yield* takes("all", "1500.00")
      yield* resolve(payment_id, "failed")
      expect(yield* books).toEqual({ stripe: -1000, own: 1000 })
      yield* takes("another", "300.00")
      tookTwice("300.00")
      yield* resolve(payment_id, "completed")
      expect(yield* books).toEqual({ stripe: -700, own: 700 })
      yield* regains("won", "1500.00")
      // It has said what the person had said for it.
      tookTwice("1500.00")
      expect(yield* books).toEqual({ stripe: -700, own: 700 })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect(
    "what another provider had brought, and a refund gave back, has not gone twice by a dispute of this one",
    () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const before = { stripe: yield* at("stripe"), own: yield* settlement }
        yield* serveCountry("RO", ["stripe", "adyen"])
        stripe.on("in RO", declines())
        adyen.on("in RO", accepts({ state: "completed" }))
        const { payment_id } = yield* initiate({ ...byCard(), country: "RO", description: "in RO" })
        yield* untilStatus(payment_id, "completed")
        adyen.will({ refund: accepts({ state: "completed" }) })
        expect((yield* act(payment_id, { action: "refund", amount: 500 }, acme.token("staff"))).status).toBe(200)
        const reference = (yield* attemptsFor(payment_id, "payment"))[0]!
        const taken = { amount: "1500.00", currency: "KES" }
        yield* callBack("stripe", { key: "RO dispute", reference, state: "returned", taken })
        expect(yield* itemsOf(payment_id)).toHaveLength(1)
        yield* resolve(payment_id, "completed")
        expect((yield* at("stripe")) - before.stripe).toBe(0)
        expect((yield* settlement) - before.own).toBe(1000)
      })
  )

  it.effect("what is given back before the return of the whole is heard of stays", () =>
    Effect.gen(function* () {
      const { books, hears, payment_id, regains } = yield* paid("AT")
      yield* regains("won", "1500.00")
      yield* hears("reversed", "returned")
      stripe.purse.shrank(yield* referenceOf(payment_id), "AT won after", moneyOf("-1500.00", KES))
      expect(yield* books).toEqual({ stripe: -1500, own: 1500 })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("even where it is heard of before anybody knows that it came", () =>
    Effect.gen(function* () {
      const { books, hears, payment_id, reference, regains } = yield* paying("SE")
      yield* regains("won", "1500.00")
      yield* hears("reversed", "returned")
      yield* hears("late", "completed")
      stripe.purse.shrank(reference, "SE won after", moneyOf("-1500.00", KES))
      expect(yield* books).toEqual({ stripe: -1500, own: 0 })
      expect(yield* suspenseOf(payment_id)).toEqual(["1500.00 KES"])
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
    })
  )

  it.effect("a part that bounces after the payment was refunded is not told as refunded", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* paid("NL")
      const first = yield* refund(payment_id, 500)
      yield* refund(payment_id, 1000)
      yield* untilStatus(payment_id, "refunded")
      expect(yield* recordOf(payment_id)).toMatchObject({ refunded_amount: 1500 })
      yield* first("returned")
      expect(yield* lastTold(payment_id, "payment.refund_failed")).toMatchObject({ amount: 500, refunded_amount: 1000 })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded", refunded_amount: 1000 })
      yield* resolve(payment_id, "failed", "it was sent again by hand")
      expect(yield* recordOf(payment_id)).toMatchObject({ refunded_amount: 1500 })
    })
  )

  it.effect("a part that failed leaves what was taken back whole", () =>
    Effect.gen(function* () {
      const { payment_id, takes } = yield* paid("BE")
      const says = yield* refund(payment_id, 500, "processing")
      yield* says("failed")
      yield* takes("all", "1500.00")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded", refunded_amount: 1500 })
    })
  )

  it.effect("a return of the whole while a part is on its way tells of the rest, and the part of itself", () =>
    Effect.gen(function* () {
      const { books, hears, payment_id } = yield* paid("IT")
      const says = yield* refund(payment_id, 500, "processing")
      yield* hears("reversed", "returned")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded", refunded_amount: 1000 })
      expect(yield* lastTold(payment_id, "payment.refunded")).toMatchObject({ amount: 1000, refunded_amount: 1000 })
      yield* says("completed")
      expect(yield* lastTold(payment_id, "payment.refunded")).toMatchObject({ amount: 500, refunded_amount: 1500 })
      expect(yield* recordOf(payment_id)).toMatchObject({ refunded_amount: 1500 })
      expect(yield* books).toEqual({ stripe: 0, own: 1000 })
    })
  )
})
