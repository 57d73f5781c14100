/** Every road that a payment can take, in the books: what is held, what arrives, what comes back, and never a cent more. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { type PaymentId, Ids } from "../../../src/domain/Ids.ts"
import { type Access, operatorPermit } from "../../../src/domain/Access.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { FeeRuleStore } from "../../../src/money/fees/Fees.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { Resolution } from "../../../src/payments/settlement/Resolution.ts"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import { expectBooksInOrder } from "../../treasury/accounts/AccountFixtures.ts"
import { people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import { act, actable } from "../support/ActionCalls.ts"
import { attemptsOf, callBack, initiate, type Json, jsonOf, queueOf, recordOf } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { kenyanBank } from "../support/Requests.ts"
import { accepts, declines, isLost } from "../support/ScriptedProvider.ts"
import { paysIn, watched } from "../support/PayinBalances.ts"

const KES = CurrencyCode.make("KES")
const shillings = (text: string) => moneyOf(text, KES)
const operator = <A extends Access>(access: A) => operatorPermit(access, "tester")

const make = () => {
  const stripe = actable("stripe")
  return { stripe, providers: [stripe] }
}

onDatabasePaymentServer("The books of payments", make, (it, { stripe }) => {
  const payout = (country: string, act: Parameters<typeof stripe.on>[1], about: Json = {}) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      yield* serveCountry(country, ["stripe"], "bank_transfer", "outbound")
      stripe.on(`payout ${country}`, act)
      const answer = yield* post("/v1/beneficiaries", { ...acme.key }, kenyanBank())
      const { data } = jsonOf(answer) as { readonly data: { readonly beneficiary_id: string } }
      const made = yield* initiate({
        amount: 1500,
        target_amount: 1500,
        currency: "KES",
        target_currency: "KES",
        country,
        payment_method: "bank_transfer",
        direction: "payout",
        beneficiary_id: data.beneficiary_id,
        description: `payout ${country}`,
        bank_details: { account_name: "Acme", account_number: "1", bank_name: "B", country },
        bank_account: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" },
        ...about
      })

      if (made.payment_id === "undefined") return { ...made, reference: "" }
      const [attempt] = yield* attemptsOf(made.payment_id)
      return { ...made, reference: String(attempt?.["attempt_id"]) }
    })

  it.effect("a payin counts once it is completed, and a part that goes back is held until it is back", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      const { payment_id, reference } = yield* paysIn(stripe, "FR")
      expect(yield* gained).toEqual({})
      yield* callBack("stripe", { key: "fr", reference, state: "completed" })
      expect(yield* gained).toEqual({ settlement: 1500, stripe: -1500 })
      stripe.will({ refund: accepts() })
      yield* act(payment_id, { action: "refund", amount: 400 })
      expect(yield* gained).toEqual({ settlement: 1100, held: 400, stripe: -1500 })
      const part = (yield* attemptsOf(payment_id)).find((one) => one["leg"] === "refund")
      yield* callBack("stripe", { key: "fr back", reference: String(part?.["attempt_id"]), state: "completed" })
      expect(yield* gained).toEqual({ settlement: 1100, stripe: -1100 })
      stripe.will({ refund: declines() })
      yield* act(payment_id, { action: "refund", amount: 100 })
      expect(yield* gained).toEqual({ settlement: 1100, stripe: -1100 })
      yield* expectBooksInOrder
    })
  )

  it.effect("a payout is held, with its fee, before anyone is asked, and paid or given back by the outcome", () =>
    Effect.gen(function* () {
      const { gained, org_id } = yield* watched
      const rules = yield* FeeRuleStore
      const rule = {
        fee_rule_id: yield* Effect.flatMap(Ids, (ids) => ids.next),
        org_id,
        payment_method: "bank_transfer" as const,
        direction: "outbound" as const,
        basis_points: 100,
        fixed: null
      }
      yield* rules.put(rule)
      const paid = yield* payout("DE", accepts())
      expect(yield* gained).toEqual({ settlement: -1515, held: 1515 })
      yield* callBack("stripe", { key: "de", reference: paid.reference, state: "completed" })
      expect(yield* gained).toEqual({ settlement: -1515, stripe: 1500, fees: 15 })
      yield* callBack("stripe", { key: "de back", reference: paid.reference, state: "returned" })
      expect(yield* gained).toEqual({})
      expect((yield* payout("AT", declines())).status).toBe(502)
      expect(yield* gained).toEqual({})
      const lost = yield* payout("BE", isLost())
      expect(yield* gained).toEqual({ settlement: -1515, held: 1515 })
      yield* callBack("stripe", { key: "be", reference: lost.reference, state: "failed" })
      expect(yield* gained).toEqual({})
      yield* rules.remove(rule.fee_rule_id)
      yield* expectBooksInOrder
    })
  )

  it.effect("a payout without enough money is refused, and no provider is asked", () =>
    Effect.gen(function* () {
      const { org_id } = yield* watched
      const ledger = yield* LedgerStore
      const now = yield* ledger.balance(LedgerAccount.settlement(org_id, KES))
      const credit_limit = shillings("1000000").minor > now.minor ? shillings("2000000") : shillings("0")
      yield* ledger.setLimit({ org_id, currency: KES, credit_limit })
      const asked = stripe.orders.length
      const refused = yield* payout("NL", accepts(), { amount: 90_000_000, target_amount: 90_000_000 })
      expect(refused).toMatchObject({ status: 409, body: { code: "INSUFFICIENT_FUNDS" } })
      expect(String(refused.body["message"])).toContain("Not enough money")
      expect(stripe.orders.length).toBe(asked)
      yield* ledger.setLimit({ org_id, currency: KES, credit_limit: null })
      yield* expectBooksInOrder
    })
  )

  it.effect("money for a payment that has ended waits in suspense until an operator says whose it is", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      const resolution = yield* Resolution
      const resolveAs = (id: PaymentId, outcome: "completed" | "failed") =>
        resolution.resolve(operator("platform"), id, { outcome, reason: "seen at the bank" })
      const late = yield* paysIn(stripe, "IE")
      yield* callBack("stripe", { key: "ie no", reference: late.reference, state: "failed" })
      yield* callBack("stripe", { key: "ie yes", reference: late.reference, state: "completed" })
      yield* callBack("stripe", { key: "ie yes again", reference: late.reference, state: "completed" })
      expect(yield* gained).toEqual({ stripe: -1500, clearing: 1500 })
      yield* resolveAs(late.payment_id, "completed")
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
      const gone = yield* payout("PT", accepts())
      yield* callBack("stripe", { key: "pt no", reference: gone.reference, state: "failed" })
      yield* callBack("stripe", { key: "pt yes", reference: gone.reference, state: "completed" })
      expect(yield* gained).toEqual({ settlement: 1500, clearing: -1500 })
      yield* resolveAs(gone.payment_id, "failed")
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
      yield* expectBooksInOrder
    })
  )

  it.effect("a payin that its provider takes back is for an operator to resolve", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      const { payment_id, reference } = yield* paysIn(stripe, "ES", accepts({ state: "completed" }))
      yield* callBack("stripe", { key: "es back", reference, state: "returned" })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
      expect(yield* gained).toEqual({ settlement: 1500, clearing: -1500 })
      const items = (yield* queueOf()).filter((item) => item["payment_id"] === payment_id)
      expect(items).toMatchObject([{ kind: "suspense" }])
      yield* expectBooksInOrder
    })
  )
})
