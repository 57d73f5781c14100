/** Money between the settlement balance of an organisation and its virtual accounts. */
import { randomUUID } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import { type Cast, people } from "../../support/TestCredentials.ts"
import { send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import {
  ask,
  balanceOf,
  dataOf,
  eventsOf,
  expectBooksInOrder,
  messageOf,
  openAccount,
  type Transaction,
  transactionsOf
} from "./AccountFixtures.ts"

const KES = CurrencyCode.make("KES")
const USD = CurrencyCode.make("USD")

const open = (org: Cast, currency = "KES") =>
  openAccount(org.key, { org_id: org.org_id, user_id: org.userId("staff"), currency })

const settlement = ({ org_id }: Cast, currency = KES) =>
  Effect.flatMap(LedgerStore, (ledger) =>
    Effect.map(ledger.balances([LedgerAccount.settlement(org_id, currency)]), (all) =>
      Number(all.get(LedgerAccount.settlement(org_id, currency))?.toString().split(" ")[0] ?? 0)
    )
  )

const lockRate = (org: Cast, from: string, to: string) =>
  Effect.map(
    send(`/v1/organizations/admin/exchange-rate?fromCurrency=${from}&toCurrency=${to}`, { headers: { ...org.key } }),
    (answer) => dataOf<{ readonly org_rate_id: string; readonly rate: number }>(answer)
  )

onDatabaseServer("Funding of virtual accounts", (it) => {
  it.effect("moves money from settlement to the account and back", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* open(acme)
      const before = yield* settlement(acme)
      const credit = dataOf<Transaction>(yield* ask(acme.key, `/${account_id}/fund`, { amount: 1500.5 }))
      expect(credit).toMatchObject({
        ...{ type: "credit", status: "completed", amount: 1500.5, payment_rail: "internal" },
        description: "Transfer from settlement"
      })
      expect(yield* balanceOf(acme.key, account_id)).toBe(1500.5)
      expect((yield* settlement(acme)) - before).toBe(-1500.5)
      const debit = dataOf<Transaction>(
        yield* ask(acme.key, "/transfer", { from_account_id: account_id, to_account_id: "settlement", amount: 500.5 })
      )
      expect(debit).toMatchObject({ type: "debit", amount: 500.5, description: "Transfer to settlement" })
      expect(yield* balanceOf(acme.key, account_id)).toBe(1000)
      expect((yield* settlement(acme)) - before).toBe(-1000)
      const [deposit] = yield* eventsOf(acme.key, "virtual_account.deposit")
      expect(deposit?.data).toMatchObject({ transaction_id: credit.transaction_id, balance: 1500.5 })
      const [withdrawal] = yield* eventsOf(acme.key, "virtual_account.withdrawal")
      expect(withdrawal?.data).toMatchObject({ transaction_id: debit.transaction_id, balance: 1000 })
      yield* expectBooksInOrder
    })
  )

  it.effect("refuses more than settlement holds with its credit limit, and moves nothing", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const ledger = yield* LedgerStore
      const { account_id } = yield* open(acme, "GHS")
      const currency = CurrencyCode.make("GHS")
      yield* ledger.setLimit({ org_id: acme.org_id, currency, credit_limit: moneyOf("100", currency) })
      const refused = yield* ask(acme.key, `/${account_id}/fund`, { amount: 100.01 })
      expect(refused.status).toBe(409)
      expect(yield* balanceOf(acme.key, account_id)).toBe(0)
      expect(yield* transactionsOf(acme.key, account_id)).toEqual([])
      dataOf<Transaction>(yield* ask(acme.key, `/${account_id}/fund`, { amount: 100 }))
      yield* ledger.setLimit({ org_id: acme.org_id, currency, credit_limit: null })
    })
  )

  it.effect("converts at the worse of locked and live rate, each lock once, both ways", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* open(acme)
      const { org_rate_id, rate } = yield* lockRate(acme, "USD", "KES")
      const before = yield* settlement(acme, USD)
      const body = { amount: 10, org_rate_id }
      const { amount } = dataOf<Transaction>(yield* ask(acme.key, `/${account_id}/fund`, body))
      expect(amount).toBe(Math.floor(rate * 1000) / 100)
      expect((yield* settlement(acme, USD)) - before).toBe(-10)
      const again = yield* ask(acme.key, `/${account_id}/fund`, body)
      expect([again.status, messageOf(again)]).toEqual([400, expect.stringMatching(/^org_rate_id: .*\bused\b/)])
      const back = yield* lockRate(acme, "KES", "USD")
      const there = { from_account_id: account_id, to_account_id: "settlement", amount, org_rate_id: back.org_rate_id }
      expect(dataOf<Transaction>(yield* ask(acme.key, "/transfer", there))).toMatchObject({ type: "debit", amount })
      const gained = (yield* settlement(acme, USD)) - before
      expect(gained).toBeLessThanOrEqual(0)
      expect(gained).toBeGreaterThan(-1)
      yield* expectBooksInOrder
    })
  )

  it.effect("names the field that is wrong", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const { account_id } = yield* open(acme)
      const wrongPair = yield* lockRate(acme, "USD", "GHS")
      const foreign = yield* lockRate(globex, "USD", "KES")
      const cases = [
        [{ amount: 10, org_rate_id: wrongPair.org_rate_id }, 400, "org_rate_id"],
        [{ amount: 10, org_rate_id: foreign.org_rate_id }, 400, "org_rate_id"],
        [{ amount: 10, org_rate_id: "none" }, 400, "org_rate_id"],
        [{ amount: 0 }, 400, "amount"],
        [{ amount: 0.001 }, 400, "amount"]
      ] as const
      for (const [body, status, field] of cases) {
        const answer = yield* ask(acme.key, `/${account_id}/fund`, body)
        expect([answer.status, messageOf(answer)], JSON.stringify(body)).toEqual([
          status,
          expect.stringContaining(field)
        ])
      }
      const turned = yield* lockRate(acme, "KES", "USD")
      const funded = yield* ask(acme.key, `/${account_id}/fund`, { amount: 10, org_rate_id: turned.org_rate_id })
      const { org_rate_id } = yield* lockRate(acme, "USD", "KES")
      const there = { from_account_id: account_id, to_account_id: "settlement", amount: 1, org_rate_id }
      for (const answer of [funded, yield* ask(acme.key, "/transfer", there)]) {
        expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringContaining("org_rate_id")])
      }
      expect((yield* ask(globex.key, `/${account_id}/fund`, { amount: 1 })).status).toBe(404)
      expect((yield* ask(acme.token("member"), `/${account_id}/fund`, { amount: 1 })).status).toBe(403)
    })
  )

  it.effect("moves once however often a key is sent, and into a frozen account too", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const { account_id } = yield* open(acme)
      dataOf(yield* ask(admin, `/${account_id}/freeze`, {}))
      const key = { "idempotency-key": randomUUID() }
      const fund = ask(acme.key, `/${account_id}/fund`, { amount: 40 }, key)
      const answers = yield* Effect.all([fund, fund, fund], { concurrency: "unbounded" })
      const last = yield* fund
      expect(last.status).toBe(200)
      for (const answer of answers) if (answer.status === 200) expect(answer.text).toBe(last.text)
      expect(yield* balanceOf(acme.key, account_id)).toBe(40)
      const out = { from_account_id: account_id, to_account_id: "settlement", amount: 1 }
      expect((yield* ask(acme.key, "/transfer", out)).status).toBe(409)
    })
  )
})
