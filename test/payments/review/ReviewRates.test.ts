/** A payment that waits for a reviewer keeps its rate for a time; afterwards it goes on only at one that is accepted. */
import { SqlClient } from "@effect/sql"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { FeeRuleStore } from "../../../src/money/fees/Fees.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { expectBooksInOrder } from "../../treasury/accounts/AccountFixtures.ts"
import { checkoutOf, submit, typedCard } from "../../hosted/pages/PageVisits.ts"
import { people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import {
  attemptsOf,
  get,
  initiate,
  type Json,
  jsonOf,
  ofKind,
  recordOf,
  timelineOf,
  untilStatus
} from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { movableClock, timePasses } from "../support/PaymentServices.ts"
import { byBank, byCard, byPhone, kenyanBank } from "../support/Requests.ts"
import { act, setThreshold } from "../support/ActionCalls.ts"
import { itemsOf } from "../support/OperatorActions.ts"

const FEE_RULE = "0199c2a0-6666-7000-8000-000000000001"
const KES = CurrencyCode.make("KES")
const USD = CurrencyCode.make("USD")

const make = () => ({ clock: movableClock(), variables: { REVIEW_RATE_TTL: "2 hours" } })

onDatabasePaymentServer("A rate of a held payment", make, (it, { clock }) => {
  const setRate = (rate: string) =>
    Effect.flatMap(RateStore, (rates) => rates.set([{ from_currency: "KES", to_currency: "USD", rate }]))

  /** 2,000 shillings into dollars, at 0.0078. */
  const held = (request: object) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      yield* setRate("0.0078")
      const path = "/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=USD&amount=2000"
      const { org_rate_id, target_amount } = jsonOf(yield* get(path))["data"] as Json
      const body = { ...request, amount: 2000, target_amount, target_currency: "USD", org_rate_id }
      yield* setThreshold(acme.org_id, "1000")
      const initiated = yield* Effect.ensuring(initiate(body), setThreshold(acme.org_id, null))
      expect(initiated.response).toMatchObject({ status: "initiated", next_action: "wait", provider: null })
      return initiated.payment_id
    })

  const review = (id: string, body: object = {}) =>
    Effect.flatMap(people, ({ acme }) => act(id, { action: "review", ...body }, acme.token("staff")))

  const balances = Effect.gen(function* () {
    const { acme } = yield* people
    const ledger = yield* LedgerStore
    const of = (account: LedgerAccount) =>
      Effect.map(ledger.balance(account), ({ exponent, minor }) => Number(minor) / 10 ** exponent)
    return {
      own: yield* of(LedgerAccount.settlement(acme.org_id, KES)),
      dollars: yield* of(LedgerAccount.settlement(acme.org_id, USD)),
      held: yield* of(LedgerAccount.held(acme.org_id, KES)),
      provider: yield* of(LedgerAccount.provider("fiat", KES)),
      paid: yield* of(LedgerAccount.provider("fiat", USD))
    }
  })

  const moved = (before: Effect.Effect.Success<typeof balances>) =>
    Effect.map(balances, (after) =>
      Object.fromEntries(
        Object.entries(after).map(([name, value]) => [
          name,
          Math.round((value - before[name as keyof typeof before]) * 100) / 100
        ])
      )
    )

  it.effect("outlives its lock, and what is paid is what was agreed", () =>
    Effect.gen(function* () {
      const before = yield* balances
      const id = yield* held(byPhone())
      yield* setRate("0.0079999")
      yield* timePasses(clock, "110 minutes")
      expect((yield* review(id)).response).toMatchObject({
        status: "processing",
        payment_data: { target_amount: 15.6 }
      })
      expect(yield* untilStatus(id, "completed")).toMatchObject({ target_amount: 15.6, comments: null })
      expect(yield* moved(before)).toEqual({ own: 0, dollars: 15.6, held: 0, provider: -2000, paid: 0 })
      yield* expectBooksInOrder
    })
  )

  it.effect("that is more than 0.5 percent better than the live one is shown with it, however young it is", () =>
    Effect.gen(function* () {
      const before = yield* balances
      const [within, beyond] = [yield* held(byPhone()), yield* held(byPhone())]
      // 0.0078 is 0.49 percent better, then 0.52.
      yield* setRate("0.007762")
      expect((yield* review(within)).response).toMatchObject({ payment_data: { target_amount: 15.6 } })
      yield* setRate("0.00776")
      const refused = yield* review(beyond)
      expect(refused).toMatchObject({ status: 409, body: { code: "INVALID_STATE", rate: 0.00776 } })
      expect(yield* recordOf(beyond)).toMatchObject({ status: "initiated", target_amount: 15.6 })
      const accepted = yield* review(beyond, { accept_rate: 0.00776 })
      expect(accepted.response).toMatchObject({ status: "processing", payment_data: { target_amount: 15.52 } })
      for (const id of [within, beyond]) yield* untilStatus(id, "completed")
      expect(yield* moved(before)).toMatchObject({ dollars: 31.12, provider: -4000 })
      yield* expectBooksInOrder
    })
  )

  it.effect("that ran out is shown with the new one, and the payment waits until that is accepted", () =>
    Effect.gen(function* () {
      const before = yield* balances
      const id = yield* held(byPhone())
      const { org_rate_id: _, ...waiting } = yield* recordOf(id)
      yield* setRate("0.0079999")
      yield* timePasses(clock, "120 minutes")
      for (const body of [{}, { accept_rate: 0.0078 }, { accept_rate: 0.00799991 }]) {
        const refused = yield* review(id, body)
        expect(refused).toMatchObject({
          status: 409,
          body: { code: "INVALID_STATE", payment_id: id, rate: 0.0079999 }
        })
        expect(refused.body["message"]).toContain("accept_rate 0.0079999")
      }
      expect(yield* recordOf(id)).toMatchObject(waiting)
      expect(yield* itemsOf(id)).toMatchObject([{ kind: "review" }])
      expect(yield* attemptsOf(id)).toEqual([])

      const accepted = yield* review(id, { accept_rate: 0.0079999 })
      // Rounds the paid-out amount down: half-even would be 16.00.
      expect(accepted.response).toMatchObject({ status: "processing", payment_data: { target_amount: 15.99 } })
      const record = yield* untilStatus(id, "completed")
      const note = "Priced anew at the rate 0.0079999: 2000.00 KES for 15.99 USD instead of 2000.00 KES for 15.60 USD."
      expect(record).toMatchObject({ amount: 2000, target_amount: 15.99, comments: note })
      const reviewed = ofKind(yield* timelineOf(id), "status").find((item) => item["to"] === "reviewed")
      expect(reviewed?.["cause"]).toContain(note)
      expect(yield* itemsOf(id)).toEqual([])
      expect(yield* moved(before)).toEqual({ own: 0, dollars: 15.99, held: 0, provider: -2000, paid: 0 })
      yield* expectBooksInOrder
    })
  )

  it.effect("that is accepted later charges the fee of what the payin then brings", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const rule = { org_id: acme.org_id, payment_method: "mobile_money", direction: "inbound" } as const
      const { put, remove } = yield* FeeRuleStore
      yield* put({ ...rule, fee_rule_id: FEE_RULE, basis_points: 1000, fixed: null })
      const before = yield* balances
      const id = yield* Effect.ensuring(held(byPhone()), Effect.orDie(remove(FEE_RULE)))
      const { fee_ids, total_fees } = yield* recordOf(id)
      expect(total_fees).toBe(1.56)
      yield* put({ ...rule, fee_rule_id: FEE_RULE, basis_points: 1000, fixed: null })
      yield* setRate("0.0039")
      yield* timePasses(clock, "120 minutes")
      yield* Effect.ensuring(review(id, { accept_rate: 0.0039 }), Effect.orDie(remove(FEE_RULE)))
      const record = yield* untilStatus(id, "completed")
      expect(record).toMatchObject({ target_amount: 7.8, total_fees: 0.78, fee_ids })
      expect(yield* moved(before)).toMatchObject({ dollars: 7.02, provider: -2000 })
      yield* expectBooksInOrder
    })
  )

  it.effect("of a payout is accepted on what is held already, or the payout is turned away", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const made = yield* post("/v1/beneficiaries", { ...acme.key }, { ...kenyanBank(), currency: "USD" })
      const { beneficiary_id } = jsonOf(made)["data"] as Json
      const payout = {
        ...byBank(),
        direction: "payout",
        beneficiary_id,
        bank_account: { account_number: "1100223344", bank_code: "01" }
      }
      const before = yield* balances
      const [kept, rejected] = [yield* held(payout), yield* held(payout)]
      expect(yield* moved(before)).toMatchObject({ own: -4000, held: 4000 })
      yield* setRate("0.0075555")
      yield* timePasses(clock, "3 hours")
      expect((yield* review(kept)).status).toBe(409)
      expect((yield* review(kept, { accept_rate: 0.0075555 })).response).toMatchObject({
        payment_data: { amount: 2000, target_amount: 15.11 }
      })
      expect((yield* review(rejected)).status).toBe(409)
      expect((yield* act(rejected, { action: "reject" }, acme.token("staff"))).response).toMatchObject({
        status: "rejected"
      })
      yield* untilStatus(kept, "completed")
      expect(yield* moved(before)).toEqual({ own: -2000, dollars: 0, held: 0, provider: 0, paid: 15.11 })
      yield* expectBooksInOrder
    })
  )

  it.effect("waits for the card at the hosted checkout too, and is asked for again when it runs out there", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const [soon, late] = [yield* held(byCard()), yield* held(byCard())]
      for (const id of [soon, late]) expect((yield* review(id)).response).toMatchObject({ next_action: "redirect" })
      expect((yield* review(late)).status).toBe(409)
      yield* timePasses(clock, "60 minutes")
      expect((yield* submit(yield* checkoutOf(soon), typedCard())).status).toBe(303)
      yield* untilStatus(soon, "completed")

      yield* setRate("0.0081")
      yield* timePasses(clock, "61 minutes")
      const path = yield* checkoutOf(late)
      for (const _ of [1, 2]) {
        const page = yield* submit(path, typedCard())
        expect(page.status).toBe(503)
        expect(page.text).toContain("Nothing was charged")
      }
      expect(yield* recordOf(late)).toMatchObject({ status: "pending", target_amount: 15.6 })
      expect(yield* itemsOf(late)).toMatchObject([{ kind: "review" }])
      expect((yield* act(late, { action: "review", accept_rate: 0.0081 }, acme.key)).status, "the initiator").toBe(409)
      expect(yield* review(late)).toMatchObject({ status: 409, body: { rate: 0.0081 } })
      expect((yield* review(late, { accept_rate: 0.0081 })).response).toMatchObject({
        status: "pending",
        next_action: "redirect",
        payment_data: { target_amount: 16.2 }
      })
      expect(yield* itemsOf(late)).toEqual([])
      // As after the first review, not the hour of a payment link.
      const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
      const [end] = yield* sql`select expires_at > now() + interval '23 hours' as a_day from payments
        where payment_id = ${late}`
      expect(end).toEqual({ a_day: true })
      yield* timePasses(clock, "110 minutes")
      expect((yield* submit(path, typedCard())).status).toBe(303)
      expect(yield* untilStatus(late, "completed")).toMatchObject({ amount: 2000, target_amount: 16.2 })
      yield* expectBooksInOrder
    })
  )
})
