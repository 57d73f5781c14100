/** Money that providers take back, and what is there to be taken. Each test states what should be so. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { moneyOf } from "../../../src/platform/database/StoredMoney.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { people } from "../../support/Credentials.ts"
import { post } from "../../support/Send.ts"
import { attemptsOf, callBack, initiate, jsonOf, recordOf, untilStatus } from "../support/Calls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byBank, byCard, kenyanBank } from "../support/Requests.ts"
import { accepts, declines } from "../support/ScriptedProvider.ts"
import { itemsOf, resolve } from "../support/ByHand.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { at, paysIn, settlement, suspenseOf, threeProviders } from "../support/InTheBooks.ts"

const KES = CurrencyCode.make("KES")

onDatabasePaymentServer("money that is taken back", threeProviders, (it, { adyen, circle, stripe }) => {
  /** What was given back by hand is left out where the books are held against the outside. */
  const leftOutside = (reference: string, amount: string) =>
    stripe.purse.shrank(reference, `${reference} by hand`, moneyOf(amount, KES).negate())

  it.effect("a ramp that was paid too little gives no more back than that when it is taken back", () =>
    Effect.gen(function* () {
      const before = yield* at("stripe")
      circle.otherwise(accepts({ state: "completed" }))
      const { payment_id, reference } = yield* paidRamp(stripe, "SE", "9000.00")
      yield* untilStatus(payment_id, "failed")
      expect((yield* at("stripe")) - before).toBe(-9000)
      yield* callBack("stripe", { key: "SE back", reference, state: "returned" })
      expect((yield* at("stripe")) - before).toBe(0)
    })
  )

  it.effect("what a person gave back by hand is not taken back once more", () =>
    Effect.gen(function* () {
      const before = yield* at("stripe")
      const { hears, payment_id, reference } = yield* paysIn(stripe, "FR")
      yield* hears("yes", "completed", "1600.00")
      yield* resolve(payment_id, "failed", "100 wired back by hand")
      expect((yield* at("stripe")) - before).toBe(-1500)
      yield* hears("back", "returned")
      expect((yield* at("stripe")) - before).toBe(0)
      leftOutside(reference, "100.00")
    })
  )

  it.effect("nor of a ramp", () =>
    Effect.gen(function* () {
      const before = yield* at("stripe")
      circle.otherwise(declines("sanctioned address"))
      const { payment_id, reference } = yield* paidRamp(stripe, "NO", "13000.00")
      yield* untilStatus(payment_id, "failed")
      yield* resolve(payment_id, "failed", "given back at stripe")
      expect((yield* at("stripe")) - before).toBe(0)
      yield* callBack("stripe", { key: "NO back", reference, state: "returned" })
      expect((yield* at("stripe")) - before).toBe(0)
      expect(yield* suspenseOf(payment_id)).toEqual([])
      leftOutside(reference, "13000.00")
    })
  )

  it.effect("money that came late, was given to the organisation and is taken back, is put before a person", () =>
    Effect.gen(function* () {
      const before = { stripe: yield* at("stripe"), own: yield* settlement }
      const { hears, payment_id } = yield* paysIn(stripe, "DE")
      yield* hears("no", "failed")
      yield* hears("yes", "completed")
      yield* resolve(payment_id, "completed")
      expect((yield* settlement) - before.own).toBe(1500)
      yield* hears("back", "returned")
      expect.soft((yield* at("stripe")) - before.stripe, "stripe has nothing any more").toBe(0)
      expect(yield* itemsOf(payment_id), "who bears it?").toHaveLength(1)
    })
  )

  it.effect("of a refused attempt too", () =>
    Effect.gen(function* () {
      const before = yield* at("stripe")
      yield* serveCountry("NL", ["stripe", "adyen"])
      stripe.on("both NL", declines())
      adyen.on("both NL", accepts({ state: "completed" }))
      const { payment_id } = yield* initiate({ ...byCard(), country: "NL", description: "both NL" })
      const reference = String((yield* attemptsOf(payment_id))[0]?.["attempt_id"])
      yield* callBack("stripe", { key: "NL yes", reference, state: "completed" })
      yield* resolve(payment_id, "completed")
      yield* callBack("stripe", { key: "NL back", reference, state: "returned" })
      expect.soft((yield* at("stripe")) - before, "stripe has nothing any more").toBe(0)
      expect(yield* itemsOf(payment_id), "who bears it?").toHaveLength(1)
    })
  )

  it.effect("too little that its provider gives back by itself waits for nobody", () =>
    Effect.gen(function* () {
      const before = yield* at("stripe")
      const { hears, payment_id } = yield* paysIn(stripe, "CH")
      yield* hears("part", "completed", "900.00")
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
      yield* hears("back", "returned")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "failed" })
      expect((yield* at("stripe")) - before).toBe(0)
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("a payout that was paid late, and came back, is its payer's again", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const beneficiary = yield* post("/v1/beneficiaries", { ...acme.key }, kenyanBank())
      const { data } = jsonOf(beneficiary) as { readonly data: { readonly beneficiary_id: string } }
      yield* serveCountry("PT", ["stripe"], "bank_transfer", "outbound")
      stripe.on("paid late", accepts())
      const before = { stripe: yield* at("stripe"), own: yield* settlement }
      const { payment_id } = yield* initiate({
        ...byBank(),
        country: "PT",
        direction: "payout",
        beneficiary_id: data.beneficiary_id,
        bank_account: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" },
        description: "paid late"
      })
      const reference = String((yield* attemptsOf(payment_id))[0]?.["attempt_id"])
      const hears = (state: string) => callBack("stripe", { key: `late ${state}`, reference, state })
      yield* hears("failed")
      yield* hears("completed")
      yield* resolve(payment_id, "completed")
      expect((yield* at("stripe")) - before.stripe).toBe(1500)
      expect((yield* settlement) - before.own).toBe(-1500)
      yield* hears("returned")
      expect((yield* at("stripe")) - before.stripe).toBe(0)
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
      yield* resolve(payment_id, "completed")
      expect((yield* settlement) - before.own).toBe(0)
    })
  )
})
