/** Payins that credit a virtual account: fees, refunds and chargebacks against it, statement lines and events. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { act } from "../../payments/support/Acting.ts"
import { resolve } from "../../payments/support/ByHand.ts"
import { attemptsOf, callBack, initiate, lookUp, untilStatus } from "../../payments/support/Calls.ts"
import { threeProviders, watched } from "../../payments/support/InTheBooks.ts"
import { onDatabasePaymentServer, serveCountry } from "../../payments/support/PaymentServer.ts"
import { byCard } from "../../payments/support/Requests.ts"
import { accepts } from "../../payments/support/ScriptedProvider.ts"
import { people } from "../../support/Credentials.ts"
import { ask, balanceOf, dataOf, eventsOf, expectBooksInOrder, openAccount, transactionsOf } from "./AccountFixtures.ts"

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
      const hears = (state: string, more: object = {}) =>
        callBack("stripe", { key: `${country} ${state} ${JSON.stringify(more)}`, reference, state, ...more })
      return { ...initiated, hears }
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
      const { hears, payment_id, transaction_id } = yield* payIn("FR", { virtual_account_id: account_id })
      expect(yield* balanceOf(acme.key, account_id)).toBe(0)
      expect(yield* transactionsOf(acme.key, account_id)).toEqual([])
      yield* hears("completed")
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
      yield* hears("completed")
      expect(yield* lines(account_id)).toEqual(["credit 1500 completed"])
      yield* expectBooksInOrder
    })
  )

  it.effect("are refunded from the account, and a refund that the account cannot pay is refused", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* open()
      const { hears, payment_id } = yield* payIn("DE", { virtual_account_id: account_id })
      yield* hears("completed")
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

  it.effect("take a failed refund back on the account", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* open()
      const { hears, payment_id } = yield* payIn("ES", { virtual_account_id: account_id })
      yield* hears("completed")
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
      const { hears, payment_id } = yield* payIn("IT", { virtual_account_id: account_id })
      yield* hears("completed")
      yield* untilStatus(payment_id, "completed")
      const books = yield* watched
      const taken = { amount: "400.00", currency: "KES" }
      yield* hears("completed", { taken })
      expect(yield* balanceOf(acme.key, account_id)).toBe(1500)
      yield* resolve(payment_id, "completed", "the organisation bears it")
      expect(yield* balanceOf(acme.key, account_id)).toBe(1100)
      expect(yield* books.gained).toEqual({ stripe: 400 })
      yield* hears("completed", { regained: taken })
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
      const { hears, payment_id } = yield* payIn("PT", {
        ...{ virtual_account_id: account_id, org_rate_id, target_amount, target_currency: "USD" }
      })
      yield* hears("completed")
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
})
