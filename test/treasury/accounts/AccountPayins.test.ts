/** Payins that credit a virtual account: fees, refunds and chargebacks against it, statement lines and events. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { act } from "../../payments/support/ActionCalls.ts"
import { resolve } from "../../payments/support/OperatorActions.ts"
import {
  attemptsOf,
  callBack,
  get,
  initiate,
  jsonOf,
  lookUp,
  recordOf,
  untilStatus
} from "../../payments/support/PaymentCalls.ts"
import { threeProviders, watched } from "../../payments/support/PayinBalances.ts"
import { onDatabasePaymentServer, serveCountry } from "../../payments/support/PaymentServer.ts"
import { byCard } from "../../payments/support/Requests.ts"
import { accepts } from "../../payments/support/ScriptedProvider.ts"
import { people } from "../../support/TestCredentials.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { Money } from "../../../src/domain/Money.ts"
import { Fees } from "../../../src/money/fees/Fees.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { VirtualAccountStore } from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import { linkOf, newLink } from "../../hosted/links/LinkFixtures.ts"
import { byCard as linkByCard, payAt } from "../../hosted/pages/link/LinkPageFixtures.ts"
import { ask, balanceOf, dataOf, eventsOf, expectBooksInOrder, openAccount, transactionsOf } from "./AccountFixtures.ts"

const KES = CurrencyCode.make("KES")

onDatabasePaymentServer("Payins to a virtual account", threeProviders, (it, { stripe }) => {
  const open = (currency = "KES") =>
    Effect.flatMap(people, ({ acme }) =>
      openAccount(acme.key, { org_id: acme.org_id, user_id: acme.userId("staff"), currency })
    )

  const payIn = (country: string, about: object) =>
    Effect.gen(function* () {
      yield* serveCountry(country, ["stripe"])
      const description = `account ${country}`
      stripe.on(description, accepts())
      const initiated = yield* initiate({ ...byCard(), country, description, ...about })
      const [attempt] = yield* attemptsOf(initiated.payment_id)
      const reference = String(attempt?.["attempt_id"])
      const callsBack = (state: string, more: object = {}) =>
        callBack("stripe", { key: `${country} ${state} ${JSON.stringify(more)}`, reference, state, ...more })
      return { ...initiated, callsBack }
    })

  const lines = (accountId: string) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const all = yield* transactionsOf(acme.key, accountId)
      return all.map(({ amount, status, type }) => `${type} ${amount} ${status}`).toReversed()
    })

  it.effect("credit the account when they complete, not the settlement balance", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* open()
      const books = yield* watched
      const { callsBack, payment_id, transaction_id } = yield* payIn("FR", { virtual_account_id: account_id })
      expect(yield* balanceOf(acme.key, account_id)).toBe(0)
      expect(yield* transactionsOf(acme.key, account_id)).toEqual([])
      yield* callsBack("completed")
      yield* untilStatus(payment_id, "completed")
      expect(yield* balanceOf(acme.key, account_id)).toBe(1500)
      expect(yield* books.gained).toEqual({ stripe: -1500 })
      expect(yield* transactionsOf(acme.key, account_id)).toMatchObject([
        {
          transaction_id,
          type: "credit",
          status: "completed",
          amount: 1500,
          reference: payment_id,
          payment_rail: "card"
        }
      ])
      const [event] = yield* eventsOf(acme.key, "virtual_account.deposit")
      expect(event?.data).toMatchObject({ transaction_id, account_id, balance: 1500 })
      yield* callsBack("completed")
      expect(yield* lines(account_id)).toEqual(["credit 1500 completed"])
      yield* expectBooksInOrder
    })
  )

  it.effect("are refunded from the account, and a refund that the account cannot pay is refused", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* open()
      const { callsBack, payment_id } = yield* payIn("DE", { virtual_account_id: account_id })
      yield* callsBack("completed")
      yield* untilStatus(payment_id, "completed")
      const books = yield* watched
      stripe.will({ refund: accepts({ state: "completed" }) })
      expect((yield* act(payment_id, { action: "refund", amount: 500 })).status).toBe(200)
      expect(yield* balanceOf(acme.key, account_id)).toBe(1000)
      expect(yield* books.gained).toEqual({ stripe: 500 })
      expect(yield* lines(account_id)).toEqual(["credit 1500 completed", "debit 500 completed"])
      const back = { from_account_id: account_id, to_account_id: "settlement", amount: 900 }
      dataOf(yield* ask(acme.key, "/transfer", back))
      const refused = yield* act(payment_id, { action: "refund", amount: 500 })
      expect(refused).toMatchObject({ status: 409, body: { code: "INSUFFICIENT_FUNDS" } })
      expect(yield* balanceOf(acme.key, account_id)).toBe(100)
      yield* expectBooksInOrder
    })
  )

  it.effect(
    "take a refund back once that comes back in parts, though an operator gave the account the first part",
    () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const { account_id } = yield* open()
        const books = yield* watched
        const { callsBack, payment_id } = yield* payIn("LT", { virtual_account_id: account_id })
        yield* callsBack("completed")
        stripe.will({ refund: accepts({ state: "completed" }) })
        yield* act(payment_id, { action: "refund", amount: 500 })
        const refund = (yield* attemptsOf(payment_id)).find((one) => one["leg"] === "refund")
        const comesBack = (amount: string) =>
          callBack("stripe", {
            ...{ key: `LT back ${amount}`, reference: String(refund?.["attempt_id"]), state: "completed" },
            movements: [
              { kind: "reinstatement", id: `LT back ${amount}`, amount: { amount, currency: "KES" }, state: "settled" }
            ]
          })
        yield* comesBack("200.00")
        yield* resolve(payment_id, "completed")
        expect(yield* balanceOf(acme.key, account_id)).toBe(1200)
        yield* comesBack("300.00")
        expect(yield* balanceOf(acme.key, account_id)).toBe(1500)
        expect(yield* books.gained).toEqual({ stripe: -1500 })
        expect(yield* lines(account_id)).toEqual([
          "credit 1500 completed",
          "debit 500 completed",
          "credit 200 completed",
          "credit 500 completed",
          "debit 200 completed"
        ])
        yield* expectBooksInOrder
      })
  )

  it.effect("take a failed refund back on the account", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* open()
      const { callsBack, payment_id } = yield* payIn("ES", { virtual_account_id: account_id })
      yield* callsBack("completed")
      yield* untilStatus(payment_id, "completed")
      stripe.will({ refund: accepts({ state: "processing" }) })
      yield* act(payment_id, { action: "refund", amount: 500 })
      expect(yield* balanceOf(acme.key, account_id)).toBe(1000)
      const refund = (yield* attemptsOf(payment_id)).find((one) => one["leg"] === "refund")
      yield* callBack("stripe", { key: "ES no", reference: String(refund?.["attempt_id"]), state: "failed" })
      expect(yield* balanceOf(acme.key, account_id)).toBe(1500)
      expect(yield* lines(account_id)).toEqual(["credit 1500 completed", "debit 500 completed", "credit 500 completed"])
      yield* expectBooksInOrder
    })
  )

  it.effect("bear a chargeback from the account once it is decided, and get it back if it is won", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* open()
      const { callsBack, payment_id } = yield* payIn("IT", { virtual_account_id: account_id })
      yield* callsBack("completed")
      yield* untilStatus(payment_id, "completed")
      const books = yield* watched
      const taken = { amount: "400.00", currency: "KES" }
      yield* callsBack("completed", { taken })
      expect(yield* balanceOf(acme.key, account_id)).toBe(1500)
      yield* resolve(payment_id, "completed", "the organisation bears it")
      expect(yield* balanceOf(acme.key, account_id)).toBe(1100)
      expect(yield* books.gained).toEqual({ stripe: 400 })
      yield* callsBack("completed", { regained: taken })
      expect(yield* balanceOf(acme.key, account_id)).toBe(1500)
      expect(yield* lines(account_id)).toEqual(["credit 1500 completed", "debit 400 completed", "credit 400 completed"])
      yield* expectBooksInOrder
    })
  )

  it.effect("convert at a locked rate into the account's currency", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* open("USD")
      const { org_rate_id, target_amount } = yield* lookUp("KES", "USD", 1500)
      const { callsBack, payment_id } = yield* payIn("PT", {
        ...{ virtual_account_id: account_id, org_rate_id, target_amount, target_currency: "USD" }
      })
      yield* callsBack("completed")
      yield* untilStatus(payment_id, "completed")
      expect(yield* balanceOf(acme.key, account_id)).toBe(target_amount)
      yield* expectBooksInOrder
    })
  )

  it.effect("are refused with the field that is wrong", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const { account_id } = yield* open()
      yield* serveCountry("AT", ["stripe"])
      const usd = yield* open("USD")
      const foreign = yield* openAccount(globex.key, { org_id: globex.org_id, user_id: globex.userId("staff") })
      const cases = [
        [{ virtual_account_id: foreign.account_id }, "virtual_account_id"],
        [{ virtual_account_id: "nothing" }, "virtual_account_id"],
        [{ virtual_account_id: usd.account_id }, "target_currency"],
        [{ virtual_account_id: account_id, direction: "payout" }, "virtual_account_id"]
      ] as const
      for (const [about, field] of cases) {
        const { body, status } = yield* initiate({ ...byCard(), country: "AT", ...about })
        expect([status, body["message"]], field).toEqual([400, expect.stringContaining(field)])
      }
      expect(yield* balanceOf(acme.key, account_id)).toBe(0)
    })
  )

  it.effect("take their fees from the account, and show both", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* open()
      const charge = (basis_points: number) =>
        Effect.flatMap(Fees, (fees) =>
          fees.set(
            operatorPermit("platform", "olga"),
            { org_id: acme.org_id, payment_method: "card", direction: "inbound" },
            { basis_points, fixed: null }
          )
        )
      yield* charge(200)
      const books = yield* watched
      const { callsBack, payment_id } = yield* Effect.ensuring(
        payIn("NL", { virtual_account_id: account_id }),
        Effect.orDie(charge(0))
      )
      yield* callsBack("completed")
      yield* untilStatus(payment_id, "completed")
      expect(yield* balanceOf(acme.key, account_id)).toBe(1470)
      expect(yield* books.gained).toEqual({ stripe: -1500, fees: 30 })
      expect(yield* transactionsOf(acme.key, account_id)).toMatchObject([{ type: "credit", amount: 1500, fee: 30 }])
      const [event] = yield* eventsOf(acme.key, "virtual_account.deposit")
      expect(event?.data).toMatchObject({ amount: 1500, fee: 30, balance: 1470 })
      expect(yield* recordOf(payment_id)).toMatchObject({ virtual_account_id: account_id, total_fees: 30 })
      yield* expectBooksInOrder
    })
  )

  it.effect("show what an operator accepts of an underpaid payin as the payment itself, with its fee", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* open()
      const charge = (basis_points: number) =>
        Effect.flatMap(Fees, (fees) =>
          fees.set(
            operatorPermit("platform", "olga"),
            { org_id: acme.org_id, payment_method: "card", direction: "inbound" },
            { basis_points, fixed: null }
          )
        )
      yield* charge(200)
      const { callsBack, payment_id, transaction_id } = yield* payIn("LU", { virtual_account_id: account_id })
      const part = { kind: "collection", id: "LU c1", amount: { amount: "1000.00", currency: "KES" }, state: "settled" }
      yield* callsBack("completed", { movements: [part] })
      yield* resolve(payment_id, "completed", "good enough")
      yield* charge(0)
      expect(yield* balanceOf(acme.key, account_id)).toBe(980)
      expect(yield* transactionsOf(acme.key, account_id)).toMatchObject([
        { transaction_id, type: "credit", amount: 1000, fee: 20, reference: payment_id }
      ])
      yield* expectBooksInOrder
    })
  )

  it.effect("owe a chargeback that the account lacks the money for, and settlement pays it first", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* open()
      const { callsBack, payment_id } = yield* payIn("BE", { virtual_account_id: account_id })
      yield* callsBack("completed")
      yield* untilStatus(payment_id, "completed")
      dataOf(
        yield* ask(acme.key, "/transfer", { from_account_id: account_id, to_account_id: "settlement", amount: 1400 })
      )
      const ledger = yield* LedgerStore
      const settlement = LedgerAccount.settlement(acme.org_id, KES)
      const has = yield* ledger.balance(settlement)
      yield* ledger.setLimit({ org_id: acme.org_id, currency: KES, credit_limit: Money.zero(KES) })
      const books = yield* watched
      const taken = { amount: "1500.00", currency: "KES" }
      yield* callsBack("completed", { taken })
      yield* resolve(payment_id, "completed", "the organisation bears it")
      expect(yield* balanceOf(acme.key, account_id)).toBe(0)
      const paid = has.minor >= 140_000n ? { settlement: -1400 } : undefined
      expect(yield* books.gained).toMatchObject({ stripe: 1500, ...paid })
      expect(yield* lines(account_id)).toEqual(["credit 1500 completed", "debit 1400 completed", "debit 100 completed"])
      yield* callsBack("completed", { regained: taken })
      expect(yield* books.gained).toEqual({})
      yield* ledger.setLimit({ org_id: acme.org_id, currency: KES, credit_limit: null })
      yield* expectBooksInOrder
    })
  )

  it.effect("reach an account that was frozen or closed meanwhile; a frozen one refunds nothing", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const accounts = yield* VirtualAccountStore
      const frozen = yield* open()
      const one = yield* payIn("IE", { virtual_account_id: frozen.account_id })
      dataOf(yield* ask(admin, `/${frozen.account_id}/freeze`, {}))
      yield* one.callsBack("completed")
      yield* untilStatus(one.payment_id, "completed")
      expect(yield* balanceOf(acme.key, frozen.account_id)).toBe(1500)
      expect((yield* act(one.payment_id, { action: "refund", amount: 500 })).status).toBe(409)
      expect(yield* balanceOf(acme.key, frozen.account_id)).toBe(1500)
      const closed = yield* open()
      const other = yield* payIn("FI", { virtual_account_id: closed.account_id })
      yield* accounts.setStatus(acme.org_id, closed.account_id, "closed", null)
      yield* other.callsBack("completed")
      yield* untilStatus(other.payment_id, "completed")
      expect(yield* balanceOf(acme.key, closed.account_id)).toBe(1500)
      const late = yield* initiate({ ...byCard(), country: "FI", virtual_account_id: closed.account_id })
      expect([late.status, late.body["message"]]).toEqual([400, expect.stringContaining("the account is closed")])
      yield* expectBooksInOrder
    })
  )

  it.effect("come through the page of a payment link too", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* open()
      yield* serveCountry("KE", ["stripe"])
      stripe.on("For the account", accepts())
      const link = yield* newLink(acme, {
        ...{ amount: 1500, currency: "KES", amount_type: "fixed", description: "For the account" },
        ...{ virtual_account_id: account_id }
      })
      const sent = yield* payAt(link, linkByCard())
      expect(sent.status, sent.text).toBe(303)
      const { data } = jsonOf(yield* get(`/transactions?limit=100`)) as {
        readonly data: ReadonlyArray<{ readonly payment_id: PaymentId; readonly virtual_account_id: string | null }>
      }
      const { payment_id } = data.find((one) => one.virtual_account_id === account_id)!
      const [attempt] = yield* attemptsOf(payment_id)
      yield* callBack("stripe", { key: "link", reference: String(attempt?.["attempt_id"]), state: "completed" })
      yield* untilStatus(payment_id, "completed")
      expect(yield* balanceOf(acme.key, account_id)).toBe(1500)
      expect(yield* transactionsOf(acme.key, account_id)).toMatchObject([{ type: "credit", reference: payment_id }])
      const [event] = yield* eventsOf(acme.key, "virtual_account.deposit")
      expect(event?.data).toMatchObject({ account_id, balance: 1500 })
      expect((yield* linkOf(acme, link.link_id)).status).toBe("paid")
      yield* expectBooksInOrder
    })
  )
})
