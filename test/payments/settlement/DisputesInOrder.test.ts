/** Disputes that meet refunds, verdicts and each other, in whatever order their words come. Each test states what should be so. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { moneyOf } from "../../../src/platform/database/StoredMoney.ts"
import { people } from "../../support/Credentials.ts"
import { act } from "../support/Acting.ts"
import { callBack, recordOf, untilStatus } from "../support/Calls.ts"
import { onPaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { accepts } from "../support/ScriptedProvider.ts"
import { itemsOf, resolve } from "../support/ByHand.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { payout, referenceOf } from "../support/OwnAccount.ts"
import { at, later, paysIn, settlement, suspenseOf, threeProviders } from "../support/InTheBooks.ts"

const KES = CurrencyCode.make("KES")

const kes = (amount: string) => ({ amount, currency: "KES" })

const made = threeProviders()
const { circle, clock, stripe } = made

onPaymentServer("Disputes in every order", "memory", made, (it) => {
  const gaining = Effect.map(Effect.all({ stripe: at("stripe"), own: settlement }), (before) =>
    Effect.all({
      stripe: Effect.map(at("stripe"), (now) => now - before.stripe),
      own: Effect.map(settlement, (now) => now - before.own)
    })
  )

  const disputing = (reference: string) => ({
    takes: (amount: string) =>
      callBack("stripe", {
        ...{ key: `${reference} takes ${amount}`, reference, state: "returned" },
        ...{ taken: kes(amount), reason: "the payer disputed it" }
      }),
    regains: (amount: string, key = "won") =>
      callBack("stripe", { key: `${reference} ${key}`, reference, state: "completed", regained: kes(amount) })
  })

  const disputed = (country: string) =>
    Effect.gen(function* () {
      const books = yield* gaining
      const { hears, payment_id, reference } = yield* paysIn(stripe, country)
      yield* hears("yes", "completed")
      return { payment_id, reference, books, ...disputing(reference) }
    })

  const refund = (payment_id: string, amount?: number) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      stripe.will({ refund: accepts({ state: "completed" }) })
      const asked = { action: "refund", ...(amount === undefined ? {} : { amount }) }
      return yield* act(payment_id, asked, acme.token("staff"))
    })

  /** What it gave back in words alone, or by hand before, is left out where the books are held against the outside. */
  const inWordsAlone = (reference: string, amount: string) =>
    stripe.purse.shrank(reference, `${reference} in words alone`, moneyOf(amount, KES))

  it.effect("what is given back of a dispute that the books had no money for is no money either", () =>
    Effect.gen(function* () {
      const { books, payment_id, reference, regains, takes } = yield* disputed("FR")
      yield* refund(payment_id)
      yield* untilStatus(payment_id, "refunded")
      yield* takes("1500.00")
      yield* regains("1500.00")
      expect(yield* books).toEqual({ stripe: 0, own: 0 })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id), "nothing is left to settle").toEqual([])
      inWordsAlone(reference, "1500.00")
    })
  )

  it.effect("nor what is given back beyond what was booked as taken", () =>
    Effect.gen(function* () {
      const { books, payment_id, reference, regains, takes } = yield* disputed("DE")
      yield* refund(payment_id, 500)
      yield* takes("1500.00")
      yield* regains("1500.00")
      expect(yield* books).toEqual({ stripe: -1000, own: 1000 })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect((yield* recordOf(payment_id))["comments"]).toContain(
        "1500.00 KES back, of which the books lacked 1000.00 KES"
      )
      inWordsAlone(reference, "500.00")
    })
  )

  it.effect("nor what a person had found to be back already", () =>
    Effect.gen(function* () {
      const { books, payment_id, reference, regains, takes } = yield* disputed("NL")
      yield* takes("1500.00")
      yield* resolve(payment_id, "failed", "the dispute was won")
      yield* regains("1500.00")
      expect(yield* books).toEqual({ stripe: -1500, own: 1500 })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      inWordsAlone(reference, "1500.00")
    })
  )

  it.effect("nor what is told twice", () =>
    Effect.gen(function* () {
      const { books, payment_id, reference, regains, takes } = yield* disputed("BE")
      yield* takes("400.00")
      yield* regains("400.00")
      yield* regains("400.00", "won again")
      expect(yield* books).toEqual({ stripe: -1500, own: 1500 })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
      inWordsAlone(reference, "400.00")
    })
  )

  it.effect("what is given back before it is heard to be taken leaves nothing to settle", () =>
    Effect.gen(function* () {
      const { books, payment_id, regains, takes } = yield* disputed("AT")
      yield* regains("1500.00")
      yield* takes("1500.00")
      expect(yield* books).toEqual({ stripe: -1500, own: 1500 })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("what a refund and a dispute took both is given back once", () =>
    Effect.gen(function* () {
      const { books, payment_id, regains, takes } = yield* disputed("CZ")
      const { acme } = yield* people
      stripe.will({ refund: accepts() })
      yield* act(payment_id, { action: "refund" }, acme.token("staff"))
      yield* takes("1500.00")
      const back = yield* referenceOf(payment_id, "refund")
      yield* callBack("stripe", { key: `${back} gone`, reference: back, state: "completed" })
      expect(yield* books).toEqual({ stripe: 1500, own: 0 })
      yield* regains("1500.00")
      expect(yield* books).toEqual({ stripe: 0, own: 0 })
      expect(yield* suspenseOf(payment_id)).toEqual([])
    })
  )

  it.effect("what a dispute took is not refunded as well", () =>
    Effect.gen(function* () {
      const { books, payment_id, takes } = yield* disputed("IT")
      yield* takes("400.00")
      yield* resolve(payment_id, "completed")
      expect((yield* refund(payment_id, 1200)).status).toBe(409)
      expect((yield* refund(payment_id)).status).toBe(200)
      expect(yield* books).toEqual({ stripe: 0, own: 0 })
    })
  )

  it.effect("of a payout that came back in part, the rest comes back, and not the whole once more", () =>
    Effect.gen(function* () {
      yield* serveCountry("ES", ["stripe"], "bank_transfer", "outbound")
      stripe.on("came back", accepts({ state: "completed" }))
      const books = yield* gaining
      const { payment_id } = yield* payout("ES", "came back")
      const reference = yield* referenceOf(payment_id)
      const { takes } = disputing(reference)
      yield* takes("400.00")
      expect(yield* books).toEqual({ stripe: 1100, own: -1500 })
      yield* callBack("stripe", { key: `${reference} back`, reference, state: "returned" })
      expect(yield* books).toEqual({ stripe: 0, own: 0 })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
      expect(yield* itemsOf(payment_id)).toEqual([])
      yield* callBack("stripe", { key: `${reference} back again`, reference, state: "returned" })
      expect(yield* books).toEqual({ stripe: 0, own: 0 })
    })
  )

  it.effect("nor of what a ramp settled", () =>
    Effect.gen(function* () {
      circle.otherwise(accepts({ state: "completed" }))
      const { payment_id } = yield* paidRamp(stripe, "NO", "13000.00")
      yield* untilStatus(payment_id, "completed")
      const reference = yield* referenceOf(payment_id, "settlement")
      const there = Effect.flatMap(LedgerStore, (ledger) => ledger.atProviders(payment_id))
      const isSettler = ({ provider }: { readonly provider: string }) => provider === "circle"
      expect((yield* there).filter(isSettler)).toHaveLength(1)
      const taken = { amount: "10", currency: "USDT" }
      yield* callBack("circle", { key: "NO part", reference, state: "returned", taken })
      yield* callBack("circle", { key: "NO rest", reference, state: "returned" })
      expect((yield* there).filter(isSettler), "it has all of it back, and no more").toEqual([])
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
    })
  )

  it.effect("what nobody has said the end of waits for a person, whatever is said of a dispute", () =>
    Effect.gen(function* () {
      const { payment_id, reference } = yield* paysIn(stripe, "CH")
      for (const _ of [1, 2, 3, 4, 5, 6, 7, 8]) yield* later(clock, 90_000)
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "unknown_outcome" }])
      const { regains, takes } = disputing(reference)
      yield* regains("400.00")
      expect((yield* itemsOf(payment_id)).map(({ kind }) => kind)).toContain("unknown_outcome")
      yield* takes("400.00")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "processing" })
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "unknown_outcome" }])
    })
  )

  it.effect(
    "what came too short, and was taken back before that was heard of, ends as if it had been heard in turn",
    () =>
      Effect.gen(function* () {
        for (const [country, order] of [
          ["PT", ["arrives", "takes"]],
          ["IE", ["takes", "arrives"]]
        ] as const) {
          const books = yield* gaining
          const { arrives, payment_id, reference } = yield* paysIn(stripe, country)
          const says = { arrives: arrives("900.00"), takes: disputing(reference).takes("900.00") }
          for (const one of order) yield* says[one]
          expect(yield* books, country).toEqual({ stripe: 0, own: 0 })
          expect(yield* itemsOf(payment_id), country).toEqual([])
          const { failure, status } = yield* recordOf(payment_id)
          expect(status, country).toBe("failed")
          expect(failure, country).toMatchObject({ code: "PROVIDER_FAILED", message: "the payer disputed it" })
        }
      })
  )

  it.effect("what a ramp holds still waits for a person when a dispute about it has ended", () =>
    Effect.gen(function* () {
      circle.otherwise(accepts({ state: "completed" }))
      const { payment_id, reference } = yield* paidRamp(stripe, "SE", "9000.00")
      yield* untilStatus(payment_id, "failed")
      const { regains, takes } = disputing(reference)
      yield* takes("400.00")
      yield* regains("400.00")
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
    })
  )
})
