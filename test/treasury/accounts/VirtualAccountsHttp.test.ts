import { randomUUID } from "node:crypto"
import { expect } from "@effect/vitest"
import { BigDecimal, Effect, Option } from "effect"
import { AccountMovements } from "../../../src/treasury/accounts/AccountMovements.ts"
import { VirtualAccounts } from "../../../src/treasury/accounts/VirtualAccounts.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { createKey } from "../../contract/api/Keys.ts"
import { newOwner } from "../../payments/support/NewPayment.ts"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { byKey, type Cast, people } from "../../support/TestCredentials.ts"
import { refusedFields } from "../../support/RefusedFields.ts"
import { post, send } from "../../support/Send.ts"
import { onDatabaseServer, onServer } from "../../support/TestServer.ts"
import {
  type Account,
  accountOf,
  ask,
  balanceOf,
  dataOf,
  deposit,
  eventsOf,
  expectBooksInOrder,
  get,
  messageOf,
  newBeneficiary,
  openAccount,
  type Transaction,
  transactionOf,
  transactionsOf,
  transfer,
  withdraw
} from "./AccountFixtures.ts"

const accountFields = [
  ...["account_id", "account_type", "balance", "created_at", "currency", "customer_id", "details", "details_message"],
  ...[
    "details_status",
    "frozen_reason",
    "org_id",
    "payment_rail",
    "provider",
    "status",
    "updated_at",
    "user_id",
    "virtual_account_name"
  ]
]

const transactionFields = [
  ...["account_id", "amount", "created_at", "currency", "description", "fee", "org_id", "payment_rail", "reference"],
  ...["status", "transaction_id", "type", "updated_at", "user_id"]
]

const ownerOf = (org: Cast) => ({ org_id: org.org_id, user_id: org.userId("staff") })

const open = (org: Cast, about: object = {}) => openAccount(org.key, { ...ownerOf(org), ...about })

/** With so much on it. */
const funded = (org: Cast, amount: number, about: object = {}) =>
  Effect.tap(open(org, about), ({ account_id }) => deposit(org.key, account_id, amount))

const lockRate = (org: Cast, from: string, to: string) =>
  Effect.map(
    send(`/v1/organizations/admin/exchange-rate?fromCurrency=${from}&toCurrency=${to}`, { headers: { ...org.key } }),
    (answer) => dataOf<{ readonly org_rate_id: string; readonly rate: number }>(answer)
  )

onDatabaseServer("Virtual accounts", (it) => {
  it.effect("are opened in the name of the organisation, with nothing on them", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answer = yield* ask(acme.key, "/internal/bank", {
        ...{ ...ownerOf(acme), currency: "JPY", customer_id: "customer-1", org_name: "Acme Tokyo" }
      })
      const account = dataOf<Account>(answer, 201)
      expect(Object.keys(account).toSorted()).toEqual(accountFields)
      expect(account).toMatchObject({
        ...ownerOf(acme),
        ...{ currency: "JPY", customer_id: "customer-1", virtual_account_name: "Acme Tokyo JPY", balance: 0 },
        ...{ status: "active", account_type: "currency", provider: "fiat" }
      })
      expect(answer.text).toContain('"balance":0.0,')
      expect((yield* open(acme)).customer_id).toBeNull()
      expect((yield* open(acme)).virtual_account_name).toMatch(/^\S.* KES$/)
      const audited = yield* send("/v1/audit-log?action=virtual_account.created", { headers: { ...acme.key } })
      expect(audited.text).toContain(account.account_id)
    })
  )

  it.effect("belong to a member of the caller's own organisation", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      const own = { ...ownerOf(acme), currency: "KES" }
      const foreign = yield* ask(acme.key, "/internal/bank", { ...own, org_id: globex.org_id })
      expect(foreign.status).toBe(403)
      for (const user_id of [globex.userId("staff"), randomUUID(), "nobody"]) {
        const answer = yield* ask(acme.key, "/internal/bank", { ...own, user_id })
        expect(refusedFields(answer)).toEqual([400, "user_id"])
      }
      for (const body of [
        { ...own, org_id: undefined },
        { ...own, user_id: undefined },
        { ...own, currency: "kes" },
        { ...own, currency: "XXX" },
        { ...own, currency: "USDT" },
        { ...own, customer_id: 7 }
      ]) {
        expect((yield* ask(acme.key, "/internal/bank", body)).status, JSON.stringify(body)).toBe(400)
      }
      expect((yield* openAccount(admin, ownerOf(globex))).org_id).toBe(globex.org_id)
    })
  )

  it.effect("are read by any credential, and moved only by staff or with the permission", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const { account_id } = yield* funded(acme, 50)
      const other = yield* open(acme)
      const beneficiary_id = yield* newBeneficiary(acme.key)
      const movements = (): ReadonlyArray<readonly [string, object]> => [
        ["/internal/bank", { ...ownerOf(acme), currency: "KES" }],
        [`/${account_id}/simulate-deposit`, { amount: 1 }],
        ["/transfer", { from_account_id: account_id, to_account_id: other.account_id, amount: 1 }],
        [`/${account_id}/withdraw`, { amount: 1, beneficiary_id }]
      ]
      const member = acme.token("member")
      for (const path of ["", `/${account_id}`, `/${account_id}/transactions`]) {
        expect((yield* get(member, path)).status, path).toBe(200)
      }
      for (const [path, body] of movements()) {
        expect((yield* ask(member, path, body)).status, path).toBe(403)
        expect((yield* ask(acme.token("staff"), path, body)).status, path).toBeLessThan(300)
        expect((yield* ask(admin, path, body)).status, path).toBeLessThan(300)
      }
      const { api_key } = yield* createKey(acme.key, { role: "member" })
      expect((yield* ask(byKey(api_key), `/${account_id}/simulate-deposit`, { amount: 1 })).status).toBe(403)
      const granting = `/v1/organizations/${acme.org_id}/members/${acme.userId("member")}/permissions`
      expect((yield* post(granting, { ...acme.key }, { permission: "accounts" })).status).toBe(200)
      for (const [path, body] of movements()) {
        expect((yield* ask(member, path, body)).status, path).toBeLessThan(300)
      }
      for (const action of ["freeze", "unfreeze"]) {
        for (const credential of [acme.key, acme.token("org-admin"), acme.token("staff")]) {
          expect((yield* ask(credential, `/${account_id}/${action}`)).status, action).toBe(403)
        }
        expect((yield* ask(admin, `/${account_id}/${action}`)).status, action).toBe(200)
      }
      yield* expectBooksInOrder
    })
  )

  it.effect("are listed newest first, page by page, by user and by currency", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      const member = acme.userId("member")
      const made = [
        yield* open(acme, { user_id: member, currency: "UGX" }),
        yield* funded(acme, 20, { user_id: member, currency: "UGX" }),
        yield* open(acme, { user_id: member, currency: "GHS" }),
        yield* open(acme, { currency: "UGX" })
      ]
      yield* open(globex, { currency: "UGX" })
      const ids = (query: string, credential = acme.key) =>
        Effect.map(get(credential, `?limit=100&${query}`), (answer) =>
          dataOf<ReadonlyArray<Account>>(answer).map(({ account_id }) => account_id)
        )
      const [first, second, third, fourth] = made.map(({ account_id }) => account_id)
      expect(yield* ids("currency=UGX")).toEqual([fourth, second, first])
      expect(yield* ids(`user_id=${member}&currency=UGX`)).toEqual([second, first])
      expect(yield* ids(`user_id=${member}`)).toEqual([third, second, first])
      expect(yield* ids(`user_id=${globex.userId("staff")}`)).toEqual([])
      expect(yield* ids("user_id=nobody")).toEqual([])
      expect(yield* ids(`currency=UGX&org_id=${acme.org_id}`, admin)).toEqual([fourth, second, first])
      expect((yield* ids("currency=UGX", admin)).length).toBeGreaterThanOrEqual(4)
      expect((yield* get(acme.key, `?org_id=${globex.org_id}`)).status).toBe(403)
      expect((yield* get(acme.key, "?currency=ugx")).status).toBe(400)
      const page = JSON.parse((yield* get(acme.key, "?currency=UGX&limit=2")).text) as {
        readonly data: ReadonlyArray<Account>
        readonly last_evaluated_key: string
        readonly meta: object
      }
      expect(page.data.map(({ balance }) => balance)).toEqual([0, 20])
      expect(page.meta).toEqual({ count: 2, has_more: true, last_evaluated_key: page.last_evaluated_key })
      const next = `last_evaluated_key=${encodeURIComponent(page.last_evaluated_key)}`
      expect(yield* ids(`currency=UGX&${next}`)).toEqual([first])
      expect((yield* get(acme.key, `?limit=100&${next}`)).status).toBe(400)
    })
  )

  it.effect("take a deposit at once, and publish it", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* open(acme)
      const answer = yield* ask(acme.key, `/${account_id}/simulate-deposit`, { amount: 1500.5 })
      const made = dataOf<Transaction>(answer)
      expect(Object.keys(made).toSorted()).toEqual(transactionFields)
      expect(made).toMatchObject({
        ...{ account_id, ...ownerOf(acme), type: "credit", status: "completed", amount: 1500.5, fee: 0 },
        ...{ currency: "KES", payment_rail: "bank_transfer" }
      })
      expect(answer.text).toContain('"amount":1500.50,"fee":0.00,')
      const shown = yield* get(acme.key, `/${account_id}`)
      expect(shown.text).toContain('"balance":1500.50,')
      expect(yield* transactionOf(acme.key, made.transaction_id)).toEqual(made)
      expect(yield* transactionsOf(acme.key, account_id)).toEqual([made])
      const [event] = yield* eventsOf(acme.key, "virtual_account.deposit")
      expect(event!.data).toEqual({ ...made, balance: 1500.5 })
      yield* expectBooksInOrder
    })
  )

  it.effect("refuse amounts that are none, or finer than the currency", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const kes = yield* funded(acme, 100)
      const ugx = yield* funded(acme, 100, { currency: "UGX" })
      const beneficiary_id = yield* newBeneficiary(acme.key)
      const attempts = (id: string, amount: unknown) => [
        ask(acme.key, `/${id}/simulate-deposit`, { amount }),
        ask(acme.key, `/${id}/withdraw`, { amount, beneficiary_id }),
        ask(acme.key, "/transfer", { from_account_id: id, to_account_id: kes.account_id, amount })
      ]
      for (const amount of [0, -1, "5", null, undefined, 1234567890123456]) {
        for (const answer of yield* Effect.all(attempts(ugx.account_id, amount))) {
          expect([answer.status, messageOf(answer)], answer.text).toEqual([400, expect.stringMatching(/^amount: /)])
        }
      }
      for (const answer of yield* Effect.all(attempts(ugx.account_id, 0.5))) {
        expect(messageOf(answer)).toMatch(/^amount: .*\bUGX\b/)
      }
      const fine = yield* ask(acme.key, `/${kes.account_id}/simulate-deposit`, { amount: 1.234 })
      expect(messageOf(fine)).toMatch(/^amount: .*\b2\b.*\bKES\b/)
      expect(yield* balanceOf(acme.key, kes.account_id)).toBe(100)
      expect(yield* balanceOf(acme.key, ugx.account_id)).toBe(100)
    })
  )

  it.effect("transfer one to one within a currency, and never more than there is", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const from = yield* funded(acme, 100)
      const to = yield* open(acme, { user_id: acme.userId("member") })
      const sides = { from_account_id: from.account_id, to_account_id: to.account_id }
      const debit = yield* transfer(acme.key, { ...sides, amount: 60.01 })
      expect(debit).toMatchObject({
        ...{ account_id: from.account_id, user_id: from.user_id, type: "debit", status: "completed", amount: 60.01 },
        ...{ payment_rail: "internal", description: `Transfer to ${to.account_id}` }
      })
      const [credit] = yield* transactionsOf(acme.key, to.account_id)
      expect(credit).toMatchObject({
        ...{ account_id: to.account_id, user_id: to.user_id, type: "credit", status: "completed", amount: 60.01 },
        ...{ reference: debit.reference, description: `Transfer from ${from.account_id}` }
      })
      const [deposited] = yield* eventsOf(acme.key, "virtual_account.deposit")
      expect(deposited!.data).toEqual({ ...credit, balance: 60.01 })
      const [withdrawn] = yield* eventsOf(acme.key, "virtual_account.withdrawal")
      expect(withdrawn!.data).toEqual({ ...debit, balance: 39.99 })
      const tooMuch = yield* ask(acme.key, "/transfer", { ...sides, amount: 40 })
      expect([tooMuch.status, messageOf(tooMuch)]).toEqual([409, expect.stringContaining("Not enough money")])
      yield* transfer(acme.key, { ...sides, amount: 39.99 })
      expect(yield* balanceOf(acme.key, from.account_id)).toBe(0)
      expect(yield* balanceOf(acme.key, to.account_id)).toBe(100)
      expect(yield* transactionsOf(acme.key, to.account_id)).toHaveLength(2)
      yield* expectBooksInOrder
    })
  )

  it.effect("transfer only between two accounts of one organisation", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      const own = yield* funded(acme, 100)
      const other = yield* open(acme)
      const theirs = yield* funded(globex, 100)
      const between = (from_account_id: string, to_account_id: string, credential = acme.key) =>
        ask(credential, "/transfer", { from_account_id, to_account_id, amount: 1 })
      const itself = yield* between(own.account_id, own.account_id)
      expect([itself.status, messageOf(itself)]).toEqual([400, expect.stringMatching(/^to_account_id: /)])
      const nobodys = yield* between(randomUUID(), other.account_id)
      expect(refusedFields(nobodys)).toEqual([404, "from_account_id"])
      expect((yield* between(theirs.account_id, own.account_id)).text).toBe(nobodys.text)
      const nowhere = yield* between(own.account_id, "nowhere")
      expect(refusedFields(nowhere)).toEqual([404, "to_account_id"])
      expect((yield* between(own.account_id, theirs.account_id)).text).toBe(nowhere.text)
      expect((yield* between(own.account_id, theirs.account_id, admin)).text).toBe(nowhere.text)
      expect(yield* balanceOf(acme.key, own.account_id)).toBe(100)
      expect(yield* balanceOf(globex.key, theirs.account_id)).toBe(100)
    })
  )

  it.effect("transfer between currencies at a locked rate, and at no other", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const from = yield* funded(acme, 100, { currency: "USD" })
      const to = yield* open(acme, { currency: "UGX" })
      const sides = { from_account_id: from.account_id, to_account_id: to.account_id, amount: 33.33 }
      const refused = (body: object) =>
        Effect.map(ask(acme.key, "/transfer", { ...sides, ...body }), (answer) => {
          expect(answer.status, answer.text).toBe(400)
          return messageOf(answer)
        })
      const { org_rate_id, rate } = yield* lockRate(acme, "USD", "UGX")
      expect(yield* refused({})).toMatch(/^org_rate_id: .*\bUSD to UGX\b/)
      expect(yield* refused({ org_rate_id: randomUUID() })).toContain("org_rate_id: is not a rate that was locked")
      const foreign = yield* lockRate(globex, "USD", "UGX")
      expect(yield* refused({ org_rate_id: foreign.org_rate_id })).toContain("is not a rate that was locked")
      const turned = yield* lockRate(acme, "UGX", "USD")
      expect(yield* refused({ org_rate_id: turned.org_rate_id })).toContain("is locked for UGX to USD")
      const debit = yield* transfer(acme.key, { ...sides, org_rate_id })
      expect(debit).toMatchObject({ currency: "USD", amount: 33.33 })
      expect(yield* balanceOf(acme.key, from.account_id)).toBe(66.67)
      const worth = Math.floor(33.33 * rate)
      expect(yield* balanceOf(acme.key, to.account_id)).toBe(worth)
      const [credit] = yield* transactionsOf(acme.key, to.account_id)
      expect(credit).toMatchObject({ currency: "UGX", amount: worth, reference: debit.reference })
      const back = { from_account_id: to.account_id, to_account_id: from.account_id, amount: 1 }
      expect(yield* refused({ ...back, org_rate_id: turned.org_rate_id })).toContain("rounds to zero in USD")
      yield* expectBooksInOrder
    })
  )

  it.effect("transfer at the worse of the locked and the live rate, each lock once", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const store = yield* RateStore
      const set = (rate: string) => store.set([{ from_currency: "USD", to_currency: "ZAR", rate }])
      const from = yield* funded(acme, 100, { currency: "USD" })
      const to = yield* open(acme, { currency: "ZAR" })
      const move = (org_rate_id: string) =>
        ask(acme.key, "/transfer", {
          from_account_id: from.account_id,
          to_account_id: to.account_id,
          amount: 10,
          org_rate_id
        })
      yield* set("18")
      const [dear, again, cheap] = yield* Effect.replicateEffect(lockRate(acme, "USD", "ZAR"), 3)
      yield* set("17")
      dataOf(yield* move(dear!.org_rate_id))
      expect(yield* balanceOf(acme.key, to.account_id)).toBe(170)
      yield* set("18.2")
      dataOf(yield* move(cheap!.org_rate_id))
      expect(yield* balanceOf(acme.key, to.account_id)).toBe(350)
      const used = yield* move(dear!.org_rate_id)
      expect([used.status, messageOf(used)]).toEqual([400, expect.stringMatching(/^org_rate_id: .*\bused\b/)])
      const atOnce = yield* Effect.all(
        Array.from({ length: 4 }, () => move(again!.org_rate_id)),
        { concurrency: "unbounded" }
      )
      expect(atOnce.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400])
      expect(yield* balanceOf(acme.key, to.account_id)).toBe(530)
      yield* expectBooksInOrder
    })
  )

  it.effect("pay a beneficiary, holding the money until it is paid", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* funded(acme, 100)
      const beneficiary_id = yield* newBeneficiary(acme.key)
      const made = yield* withdraw(acme.key, account_id, { amount: 70, beneficiary_id, description: "Rent" })
      expect(Object.keys(made).toSorted()).toEqual(transactionFields)
      expect(made).toMatchObject({
        ...{ account_id, ...ownerOf(acme), type: "debit", status: "pending", amount: 70, fee: 0, description: "Rent" },
        ...{ currency: "KES", payment_rail: "bank_transfer" }
      })
      const paying = yield* send(`/v1/payments/transaction/${made.transaction_id}`, { headers: { ...acme.key } })
      expect(JSON.parse(paying.text)).toMatchObject({
        ...{ payment_id: made.reference, status: "processing", direction: "outbound", amount: 70, beneficiary_id }
      })
      expect(yield* balanceOf(acme.key, account_id)).toBe(30)
      const tooMuch = yield* ask(acme.key, `/${account_id}/withdraw`, { amount: 30.01, beneficiary_id })
      expect([tooMuch.status, messageOf(tooMuch)]).toEqual([409, expect.stringContaining("Not enough money")])
      expect(yield* transactionsOf(acme.key, account_id)).toHaveLength(2)
      expect(yield* balanceOf(acme.key, account_id)).toBe(30)
      yield* expectBooksInOrder
    })
  )

  it.effect("pay only the organisation's own beneficiaries, in the account's currency", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const { account_id } = yield* funded(acme, 100)
      const dollars = yield* funded(acme, 100, { currency: "USD" })
      const theirs = yield* newBeneficiary(globex.key)
      for (const beneficiary_id of [theirs, randomUUID(), "nobody"]) {
        const answer = yield* ask(acme.key, `/${account_id}/withdraw`, { amount: 1, beneficiary_id })
        expect(refusedFields(answer)).toEqual([400, "beneficiary_id"])
      }
      const shillings = { amount: 1, beneficiary_id: yield* newBeneficiary(acme.key) }
      const other = yield* ask(acme.key, `/${dollars.account_id}/withdraw`, shillings)
      expect([other.status, messageOf(other)]).toEqual([400, expect.stringMatching(/^beneficiary_id: .*\bKES\b/)])
      const foreign = yield* ask(globex.key, `/${account_id}/withdraw`, { amount: 1, beneficiary_id: theirs })
      expect([foreign.status, messageOf(foreign)]).toEqual([404, expect.stringContaining("virtual account")])
      expect(yield* balanceOf(acme.key, account_id)).toBe(100)
      expect(yield* balanceOf(acme.key, dollars.account_id)).toBe(100)
    })
  )

  it.effect("give nothing while they are frozen, and still take money", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const { account_id } = yield* funded(acme, 100)
      const other = yield* funded(acme, 100)
      const beneficiary_id = yield* newBeneficiary(acme.key)
      const frozen = dataOf<Account>(yield* ask(admin, `/${account_id}/freeze`, { reason: "A suspicion" }))
      expect(Object.keys(frozen).toSorted()).toEqual(accountFields)
      expect(frozen).toMatchObject({ account_id, status: "frozen", frozen_reason: "A suspicion", balance: 100 })
      const [published] = yield* eventsOf(acme.key, "virtual_account.frozen")
      expect(published!.data).toEqual({ account_id, status: "frozen", reason: "A suspicion" })
      const out = { from_account_id: account_id, to_account_id: other.account_id, amount: 1 }
      for (const refused of [
        yield* ask(acme.key, `/${account_id}/withdraw`, { amount: 1, beneficiary_id }),
        yield* ask(acme.key, "/transfer", out)
      ]) {
        expect([refused.status, messageOf(refused)]).toEqual([409, expect.stringContaining("frozen")])
      }
      yield* deposit(acme.key, account_id, 5)
      yield* transfer(acme.key, { from_account_id: other.account_id, to_account_id: account_id, amount: 5 })
      expect(yield* balanceOf(acme.key, account_id)).toBe(110)
      const again = dataOf<Account>(yield* ask(admin, `/${account_id}/freeze`))
      expect(again).toMatchObject({ status: "frozen", updated_at: frozen["updated_at"] })
      const events = yield* eventsOf(acme.key, "virtual_account.frozen")
      expect(events.filter(({ data }) => data["account_id"] === account_id)).toHaveLength(1)
      expect(dataOf<Account>(yield* ask(admin, `/${account_id}/unfreeze`))).toMatchObject({
        status: "active",
        frozen_reason: null
      })
      const [untold] = yield* eventsOf(acme.key, "virtual_account.unfrozen")
      expect(untold!.data).toEqual({ account_id, status: "active", reason: null })
      yield* transfer(acme.key, out)
      yield* withdraw(acme.key, account_id, { amount: 1, beneficiary_id })
      expect(yield* accountOf(acme.key, account_id)).toMatchObject({ status: "active", balance: 108 })
      const audited = yield* send("/v1/audit-log?limit=100", { headers: { ...acme.key } })
      for (const action of ["virtual_account.frozen", "virtual_account.unfrozen"]) {
        expect(audited.text).toContain(`"action":"${action}"`)
      }
      yield* expectBooksInOrder
    })
  )

  it.effect("show a transaction to the owner of the account", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      const { account_id, user_id } = yield* open(acme)
      const { transaction_id } = yield* deposit(acme.key, account_id, 5)
      const path = `/transactions/${transaction_id}`
      for (const credential of [acme.key, acme.token("member"), admin]) {
        expect((yield* get(credential, path)).status).toBe(200)
      }
      expect((yield* get(acme.key, `${path}?user_id=${user_id}`)).status).toBe(200)
      const none = yield* get(acme.key, `/transactions/${randomUUID()}`)
      expect([none.status, messageOf(none)]).toEqual([404, expect.stringContaining("virtual transaction")])
      for (const hidden of [
        yield* get(acme.key, `${path}?user_id=${acme.userId("member")}`),
        yield* get(acme.key, `${path}?user_id=nobody`),
        yield* get(globex.key, path)
      ]) {
        expect([hidden.status, hidden.text]).toEqual([404, none.text])
      }
      expect((yield* get(globex.key, `/${account_id}/transactions`)).status).toBe(404)
    })
  )

  it.effect("list their transactions page by page, each page for its own account", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* open(acme)
      const other = yield* open(acme)
      const made = yield* Effect.forEach([1, 2, 3], (amount) => deposit(acme.key, account_id, amount))
      const page = JSON.parse((yield* get(acme.key, `/${account_id}/transactions?limit=2`)).text) as {
        readonly data: ReadonlyArray<Transaction>
        readonly last_evaluated_key: string
      }
      expect(page.data).toEqual([made[2], made[1]])
      const next = `limit=2&last_evaluated_key=${encodeURIComponent(page.last_evaluated_key)}`
      const rest = yield* get(acme.key, `/${account_id}/transactions?${next}`)
      expect(dataOf<ReadonlyArray<Transaction>>(rest)).toEqual([made[0]])
      expect((yield* get(acme.key, `/${other.account_id}/transactions?${next}`)).status).toBe(400)
    })
  )

  it.effect("move once however often a key is sent", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { account_id } = yield* funded(acme, 100)
      const other = yield* open(acme)
      const beneficiary_id = yield* newBeneficiary(acme.key)
      const movements: ReadonlyArray<readonly [string, object, number]> = [
        [`/${account_id}/simulate-deposit`, { amount: 10 }, 110],
        ["/transfer", { from_account_id: account_id, to_account_id: other.account_id, amount: 20 }, 90],
        [`/${account_id}/withdraw`, { amount: 30, beneficiary_id }, 60]
      ]
      for (const [path, body, left] of movements) {
        const headers = { "idempotency-key": randomUUID() }
        const first = yield* ask(acme.key, path, body, headers)
        expect(first.status, first.text).toBe(200)
        for (const again of yield* Effect.all([
          ask(acme.key, path, body, headers),
          ask(acme.key, path, body, headers)
        ])) {
          expect([again.status, again.text]).toEqual([200, first.text])
          expect(again.headers["idempotent-replayed"]).toBe("true")
        }
        const changed = yield* ask(acme.key, path, { ...body, amount: 1 }, headers)
        expect(changed.status).toBe(409)
        expect(yield* balanceOf(acme.key, account_id)).toBe(left)
      }
      const headers = { "idempotency-key": randomUUID() }
      const burst = yield* Effect.all(
        Array.from({ length: 8 }, () => ask(acme.key, `/${account_id}/simulate-deposit`, { amount: 1 }, headers)),
        { concurrency: "unbounded" }
      )
      for (const { status } of burst) expect([200, 409]).toContain(status)
      expect(burst.map(({ status }) => status)).toContain(200)
      expect(yield* balanceOf(acme.key, account_id)).toBe(61)
      yield* expectBooksInOrder
    })
  )

  it.effect("leave a key free when nothing was moved", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const from = yield* open(acme)
      const to = yield* open(acme)
      const headers = { "idempotency-key": randomUUID() }
      const body = { from_account_id: from.account_id, to_account_id: to.account_id, amount: 5 }
      expect((yield* ask(acme.key, "/transfer", body, headers)).status).toBe(409)
      yield* deposit(acme.key, from.account_id, 5)
      expect((yield* ask(acme.key, "/transfer", body, headers)).status).toBe(200)
      expect(yield* balanceOf(acme.key, to.account_id)).toBe(5)
    })
  )
})

const live = { CORRIDOR_MODE: "live", CORRIDOR_MASTER_KEY: "f".repeat(64), KYB_WEBHOOK_SECRET: "a secret of the test" }

onServer("Virtual accounts of a live service", "memory", { variables: live }, (it) => {
  it.effect("take no simulated deposit", () =>
    Effect.gen(function* () {
      const accounts = yield* VirtualAccounts
      const movements = yield* AccountMovements
      const { org_id, user_id } = yield* newOwner
      const permit = operatorPermit("accounts", "tester", Option.some(org_id))
      const { account_id } = yield* accounts.create(permit, { org_id, user_id, currency: CurrencyCode.make("KES") })
      const amount = BigDecimal.make(100n, 0)
      const refused = yield* Effect.flip(movements.simulateDeposit(permit, account_id, { amount }))
      expect(refused).toMatchObject({ _tag: "NotFound", message: "Deposits are simulated in sandbox mode only." })
      const { balance } = yield* accounts.get(permit, account_id)
      expect(balance.isZero).toBe(true)
    })
  )
})
