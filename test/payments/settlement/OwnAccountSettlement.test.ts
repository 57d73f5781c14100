/**
 * Payments through an organisation's own account at a provider: booked on accounts of their own, from fee to clawback.
 * The balance that the platform's accounts pay out never changes.
 */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { FeeRuleStore } from "../../../src/money/fees/Fees.ts"
import { Ledger } from "../../../src/money/ledger/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import { deposit, expectBooksInOrder, messageOf, openAccount } from "../../treasury/accounts/AccountFixtures.ts"
import { people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import { backends } from "../../support/OnBothStores.ts"
import { act, setThreshold } from "../support/ActionCalls.ts"
import { giveBack, resolve } from "../support/OperatorActions.ts"
import { attemptsOf, get, initiate, jsonOf, recordOf } from "../support/PaymentCalls.ts"
import { at, honouring, settlement, suspenseOf } from "../support/PayinBalances.ts"
import {
  booksAround,
  gaining,
  callsBack,
  ownStripe,
  payin,
  payout,
  type Reached,
  referenceOf,
  servedBy,
  servedByOwn
} from "../support/OwnAccount.ts"
import { onPaymentServer } from "../support/PaymentServer.ts"
import { onRamp } from "../support/RampCalls.ts"
import { byCard, kenyanBank } from "../support/Requests.ts"
import { accepts, declines } from "../support/ScriptedProvider.ts"

const KES = CurrencyCode.make("KES")
const shillings = (text: string) => moneyOf(text, KES)

const toBank = { payment_method: "bank_transfer", direction: "outbound" } as const

for (const backend of backends) {
  const stripe = honouring("stripe")
  const adyen = honouring("adyen")
  const accounts = new Map<string, Provider>()

  onPaymentServer("An organisation's own account", backend, { providers: [stripe, adyen], accounts }, (it) => {
    /** A provider reached through acme's own account there, and what the books around it gain from now on. */
    const own = (country: string, about: { readonly priority?: number } & Partial<typeof toBank> = {}) =>
      Effect.gen(function* () {
        const provider = ownStripe()
        provider.otherwise(accepts())
        const account = yield* servedByOwn(accounts, provider, { country, ...about })
        const reached: Reached = { provider, account }
        return { account, provider, reached, gained: yield* gaining(yield* booksAround(account)) }
      })

    it.effect("has what a payin brings, less its fee, and gives back from that", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const rules = yield* FeeRuleStore
        const at = { fee_rule_id: yield* Effect.flatMap(Ids, (ids) => ids.next), org_id: acme.org_id }
        yield* rules.put({
          ...at,
          payment_method: "card",
          direction: "inbound",
          basis_points: 0,
          fixed: shillings("50")
        })
        const { gained, provider, reached } = yield* own("FR")
        const { payment_id } = yield* payin("FR", "own payin")
        yield* rules.remove(at.fee_rule_id)
        expect(yield* gained).toEqual({})
        yield* callsBack(reached, yield* referenceOf(payment_id), "completed")
        expect(yield* gained).toEqual({ own: 1450, fees: 50, there: -1500 })
        yield* act(payment_id, { action: "refund", amount: 400 })
        expect(yield* gained).toEqual({ own: 1050, held: 400, fees: 50, there: -1500 })
        yield* callsBack(reached, yield* referenceOf(payment_id, "refund"), "completed")
        expect(yield* gained).toEqual({ own: 1050, fees: 50, there: -1100 })
        provider.will({ refund: declines() })
        yield* act(payment_id, { action: "refund", amount: 100 })
        expect(yield* gained, "what could not go back is there again").toEqual({ own: 1050, fees: 50, there: -1100 })
        yield* callsBack(reached, yield* referenceOf(payment_id, "refund"), "completed", { key: "FR late" })
        expect(yield* gained).toEqual({ own: 1050, fees: 50, there: -1000 })
        expect(yield* suspenseOf(payment_id)).toEqual(["-100.00 KES"])
        yield* resolve(payment_id, "completed")
        expect(yield* gained).toEqual({ own: 950, fees: 50, there: -1000 })
        yield* expectBooksInOrder
      })
    )

    it.effect("bears what its provider takes back", () =>
      Effect.gen(function* () {
        const { gained, reached } = yield* own("BE")
        const { payment_id } = yield* payin("BE", "own clawback")
        const reference = yield* referenceOf(payment_id)
        yield* callsBack(reached, reference, "completed")
        yield* callsBack(reached, reference, "returned")
        expect(yield* gained).toEqual({ own: 1500 })
        expect(yield* suspenseOf(payment_id)).toEqual(["-1500.00 KES"])
        yield* resolve(payment_id, "completed")
        expect(yield* gained).toEqual({})
        yield* expectBooksInOrder
      })
    )

    it.effect("has the other side of an exchange, and bears it when that is taken back", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const { account, gained, reached } = yield* own("CZ")
        const path = "/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=USD&amount=1500"
        const { data } = jsonOf(yield* get(path)) as { readonly data: Readonly<Record<string, unknown>> }
        const USD = CurrencyCode.make("USD")
        const dollars = yield* gaining({
          own: LedgerAccount.ownAccount(acme.org_id, account, USD),
          settlement: LedgerAccount.settlement(acme.org_id, USD),
          fx: LedgerAccount.fx(USD)
        })
        const { target_amount, org_rate_id } = data
        const { payment_id } = yield* initiate({
          ...byCard(),
          ...{ country: "CZ", target_currency: "USD", target_amount, org_rate_id }
        })
        const reference = yield* referenceOf(payment_id)
        yield* callsBack(reached, reference, "completed")
        expect(yield* gained).toEqual({ there: -1500 })
        expect(yield* dollars).toEqual({ own: target_amount, fx: -Number(target_amount) })
        yield* callsBack(reached, reference, "returned")
        yield* resolve(payment_id, "completed")
        expect([yield* gained, yield* dollars]).toEqual([{}, {}])
        yield* expectBooksInOrder
      })
    )

    it.effect("gives money that waits back through itself", () =>
      Effect.gen(function* () {
        const { gained, provider, reached } = yield* own("NL")
        const { payment_id } = yield* payin("NL", "own surplus")
        yield* callsBack(reached, yield* referenceOf(payment_id), "completed", {
          received: { amount: "1700.00", currency: "KES" }
        })
        expect(yield* gained).toEqual({ own: 1500, there: -1700 })
        expect(yield* suspenseOf(payment_id)).toEqual(["200.00 KES"])
        provider.will({ refund: accepts({ state: "completed" }) })
        yield* giveBack(payment_id)
        expect(yield* gained).toEqual({ own: 1500, there: -1500 })
        expect(provider.refunds.map(({ money }) => money.toString())).toEqual(["200.00 KES"])
        expect(stripe.refunds).toEqual([])
      })
    )

    it.effect("pays payouts without end, for the balance at the platform neither covers nor pays them", () =>
      Effect.gen(function* () {
        const { gained, reached } = yield* own("AT", toBank)
        const paid = yield* payout("AT", "own payout")
        expect(yield* gained).toEqual({ own: -1500, held: 1500 })
        const reference = yield* referenceOf(paid.payment_id)
        yield* callsBack(reached, reference, "completed")
        expect(yield* gained).toEqual({ own: -1500, there: 1500 })
        yield* callsBack(reached, reference, "returned")
        expect(yield* gained).toEqual({})
        const failing = yield* payout("AT", "own payout fails")
        expect(yield* gained).toEqual({ own: -1500, held: 1500 })
        yield* callsBack(reached, yield* referenceOf(failing.payment_id), "failed")
        expect(yield* gained).toEqual({})
        yield* expectBooksInOrder
      })
    )

    it.effect("that all organisations share is the platform's, with an account of its own at the provider", () =>
      Effect.gen(function* () {
        const provider = ownStripe()
        provider.otherwise(accepts({ state: "completed" }))
        const account = yield* servedByOwn(accounts, provider, { country: "ES", org_id: null })
        const gained = yield* gaining(yield* booksAround(account))
        yield* payin("ES", "shared")
        expect(yield* gained).toEqual({ settlement: 1500, there: -1500 })
      })
    )

    it.effect("hands over to the platform's with the hold, and later reports stay with their own account", () =>
      Effect.gen(function* () {
        const { gained, provider, reached } = yield* own("IT", toBank)
        yield* servedBy(adyen, { country: "IT", ...toBank, priority: 2 })
        provider.on("own then platform", declines("our limit"))
        adyen.on("own then platform", accepts())
        const { payment_id } = yield* payout("IT", "own then platform")
        expect(yield* gained).toEqual({ settlement: -1500, held: 1500 })
        const [first, second] = (yield* attemptsOf(payment_id)).map((one) => String(one["attempt_id"]))
        yield* callsBack({ provider: adyen, account: null }, second!, "completed")
        expect(yield* gained).toEqual({ settlement: -1500, adyen: 1500 })
        yield* callsBack(reached, first!, "completed", { key: "IT paid after all" })
        expect(yield* gained).toEqual({ settlement: -1500, adyen: 1500, there: 1500 })
        expect(yield* suspenseOf(payment_id)).toEqual(["-1500.00 KES"])
        yield* resolve(payment_id, "completed")
        expect(yield* gained, "it was paid twice, once from each").toEqual({
          ...{ settlement: -1500, adyen: 1500 },
          ...{ own: -1500, there: 1500 }
        })
        yield* expectBooksInOrder
      })
    )

    it.effect("takes the hold over from the platform's, and from another of the organisation's own", () =>
      Effect.gen(function* () {
        yield* servedBy(adyen, { country: "PT", ...toBank, priority: 1 })
        const { gained, reached } = yield* own("PT", { ...toBank, priority: 2 })
        adyen.on("platform then own", declines("our limit"))
        const { payment_id } = yield* payout("PT", "platform then own")
        expect(yield* gained).toEqual({ own: -1500, held: 1500 })
        yield* callsBack(reached, yield* referenceOf(payment_id), "failed")
        expect(yield* gained, "back to where it was held from last").toEqual({})
        const other = honouring("adyen")
        const account = yield* servedByOwn(accounts, other, { country: "SE", ...toBank, priority: 1 })
        const between = yield* own("SE", { ...toBank, priority: 2 })
        other.otherwise(declines("our limit"))
        yield* payout("SE", "own then own")
        expect(yield* between.gained).toEqual({ own: -1500, held: 1500 })
        const { acme } = yield* people
        const first = LedgerAccount.ownAccount(acme.org_id, account, KES)
        const ledger = yield* LedgerStore
        expect((yield* ledger.balance(first)).isZero).toBe(true)
        yield* expectBooksInOrder
      })
    )

    /** Runs without credit: acme may owe nothing beyond what it has. */
    const withoutCredit = <A, E, R>(use: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const ledger = yield* Ledger
        const permit = operatorPermit("platform", "tester", Option.none())
        const owed = -(yield* settlement)
        const limit = { org_id: acme.org_id, currency: KES }
        const least = shillings(String(Math.max(0, owed)))
        yield* ledger.setCreditLimit(permit, { ...limit, credit_limit: least })
        return yield* Effect.ensuring(
          use,
          Effect.orDie(ledger.setCreditLimit(permit, { ...limit, credit_limit: null }))
        )
      })

    it.effect("is left for the next who is covered where the platform's balance does not cover it", () =>
      Effect.gen(function* () {
        const { gained, provider } = yield* own("DK", toBank)
        yield* servedBy(adyen, { country: "DK", ...toBank, priority: 2 })
        provider.otherwise(declines("our limit"))
        adyen.otherwise(accepts())
        const orders = adyen.orders.length
        const last = yield* withoutCredit(payout("DK", "the last is short", 900_000))
        expect(last.status).toBe(502)
        expect(last.text).toContain("adyen was not asked: the KES balance that pays through it does not cover this.")
        expect(adyen.orders).toHaveLength(orders)
        expect(yield* gained).toEqual({})
        const record = yield* recordOf(last.payment_id)
        expect(record).toMatchObject({ status: "failed", failure: { message: "our limit", provider: "stripe" } })
        expect(record["comments"]).toContain("adyen was not asked")
        const third = honouring("paystack")
        third.otherwise(accepts())
        yield* servedByOwn(accounts, third, { country: "DK", ...toBank, priority: 3 })
        const taken = yield* withoutCredit(payout("DK", "the second is short", 900_000))
        expect(taken.status, taken.text).toBe(200)
        expect((yield* attemptsOf(taken.payment_id)).map((one) => one["provider"])).toEqual(["stripe", "paystack"])
        expect((yield* recordOf(taken.payment_id))["comments"]).toContain("adyen was not asked")
        expect(yield* gained).toEqual({ held: 900_000 })
      })
    )

    it.effect("changes nothing for a payment whose first candidate is not covered", () =>
      Effect.gen(function* () {
        yield* servedBy(adyen, { country: "FI", ...toBank, priority: 1 })
        yield* own("FI", { ...toBank, priority: 2 })
        const refused = yield* withoutCredit(payout("FI", "the first is short", 900_000))
        expect(refused.status).toBe(409)
        expect(refused.text).toContain("INSUFFICIENT_FUNDS")
      })
    )

    it.effect("pays what waited for a review, and the hold moves to the provider that is asked in the end", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const { gained, provider } = yield* own("IE", toBank)
        yield* servedBy(adyen, { country: "IE", ...toBank, priority: 2 })
        adyen.on("reviewed", accepts())
        yield* setThreshold(acme.org_id, "1")
        const { payment_id } = yield* Effect.ensuring(payout("IE", "reviewed"), setThreshold(acme.org_id, null))
        expect(yield* gained).toEqual({ own: -1500, held: 1500 })
        provider.on("reviewed", declines("our limit"))
        const answer = yield* act(payment_id, { action: "review" }, acme.token("staff"))
        expect(answer.status).toBe(200)
        expect(yield* gained).toEqual({ settlement: -1500, held: 1500 })
      })
    )

    it.effect("never moves what the platform keeps: withdrawals and ramps go through the platform's accounts", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const kept = "does not go through the organisation's own account"
        yield* own("LU", toBank)
        const made = yield* post("/v1/beneficiaries", { ...acme.key }, { ...kenyanBank(), country: "LU" })
        const { data } = jsonOf(made) as { readonly data: { readonly beneficiary_id: string } }
        const { account_id } = yield* openAccount(acme.key, { org_id: acme.org_id, user_id: acme.userId("staff") })
        yield* deposit(acme.key, account_id, 2000)
        const withdrawal = { amount: 1500, beneficiary_id: data.beneficiary_id }
        const path = `/v1/virtual-accounts/${account_id}/withdraw`
        const refused = yield* post(path, { ...acme.key }, withdrawal)
        expect(refused.status, refused.text).toBe(422)
        expect(messageOf(refused)).toContain(kept)
        const { provider } = yield* own("KE", toBank)
        const home = yield* post("/v1/beneficiaries", { ...acme.key }, kenyanBank())
        const { data: beneficiary } = jsonOf(home) as { readonly data: { readonly beneficiary_id: string } }
        const paid = yield* post(path, { ...acme.key }, { amount: 1500, beneficiary_id: beneficiary.beneficiary_id })
        expect(paid.status, paid.text).toBe(200)
        expect(provider.orders).toEqual([])
        yield* payout("KE", "of its own")
        expect(provider.orders.map(({ description }) => description)).toEqual(["of its own"])
      })
    )

    it.effect("is left out of a preview of what the platform keeps, with the reason", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const { account } = yield* own("SI")
        const asked = (about: object) =>
          Effect.map(
            post("/v1/payments-init/route-preview", { ...acme.key }, { ...byCard(), country: "SI", ...about }),
            jsonOf
          )
        expect(yield* asked({})).toMatchObject({ data: { candidates: [{ config_id: account }], excluded: [] } })
        expect(yield* asked({ platform_only: true })).toMatchObject({
          data: {
            candidates: [],
            excluded: [
              {
                config_id: account,
                reason: expect.stringContaining("does not go through the organisation's own account") as string
              }
            ]
          }
        })
      })
    )

    it.effect("is not left out of a payment by a wish that only a preview knows: it is refused by its name", () =>
      Effect.gen(function* () {
        const { provider } = yield* own("SK")
        const request = { ...byCard(), country: "SK" }
        const refused = yield* initiate({ ...request, platform_only: true })
        expect(refused).toMatchObject({
          status: 400,
          body: {
            code: "VALIDATION_ERROR",
            message: expect.stringMatching(/^platform_only: /) as string
          }
        })
        expect(provider.orders).toEqual([])
        for (const platform_only of [false, null]) {
          expect((yield* initiate({ ...request, platform_only })).status).toBe(200)
        }
        expect(provider.orders).toHaveLength(2)
      })
    )

    it.effect("serves neither leg of a ramp", () =>
      Effect.gen(function* () {
        const circle = honouring("circle")
        yield* servedByOwn(accounts, circle, { country: "GR", payment_method: "crypto", direction: "external" })
        const refused = yield* onRamp("GR")
        expect(refused.status).toBe(422)
        expect(refused.text).toContain("does not go through the organisation's own account")
      })
    )

    it.effect("is distinguished where a payment's money is looked for", () =>
      Effect.gen(function* () {
        const { account, reached } = yield* own("HR")
        const { payment_id } = yield* payin("HR", "told apart")
        yield* callsBack(reached, yield* referenceOf(payment_id), "completed")
        const ledger = yield* Ledger
        expect(yield* ledger.atProviders(payment_id)).toEqual([
          { provider: "stripe", account, money: shillings("1500") }
        ])
        expect(yield* suspenseOf(payment_id)).toEqual([])
        const { acme } = yield* people
        const listed = yield* ledger.balancesOf(operatorPermit("platform", "tester", Option.some(acme.org_id)))
        expect(listed).toContainEqual({
          account: LedgerAccount.ownAccount(acme.org_id, account, KES),
          org_id: acme.org_id,
          balance: shillings("1500"),
          floor: null
        })
        expect(yield* at("stripe")).not.toBe(-1500)
      })
    )
  })
}
