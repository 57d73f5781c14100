/** Withdrawals by the behaviour of their provider, with the simulators and the workers running. */
import { randomUUID } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { FeeRuleStore } from "../../../src/money/fees/Fees.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { Payments } from "../../../src/payments/read/Payments.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { attemptsOf, untilStatus } from "../../payments/support/PaymentCalls.ts"
import { act, setThreshold } from "../../payments/support/ActionCalls.ts"
import { changeTo } from "../../payments/support/NewPayment.ts"
import { onDatabasePaymentServer } from "../../payments/support/PaymentServer.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import {
  accountOf,
  ask,
  balanceOf,
  deposit,
  eventsOf,
  expectBooksInOrder,
  messageOf,
  newBeneficiary,
  openAccount,
  transactionOf,
  transactionsOf,
  withdraw
} from "./AccountFixtures.ts"
import { idFrom } from "../../support/AnyId.ts"

const KES = CurrencyCode.make("KES")

/** An account of the first organisation with 100 on it, and someone to pay. */
const fixture = (ending?: string) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const { account_id } = yield* openAccount(acme.key, { org_id: acme.org_id, user_id: acme.userId("staff") })
    yield* deposit(acme.key, account_id, 100)
    return { acme, account_id, body: { amount: 70, beneficiary_id: yield* newBeneficiary(acme.key, ending) } }
  })

const heldBy = (orgId: string) =>
  Effect.flatMap(LedgerStore, (ledger) =>
    Effect.map(ledger.balance(LedgerAccount.held(orgId, KES)), ({ minor }) => Number(minor) / 100)
  )

const paidBySimulator = Effect.flatMap(LedgerStore, (ledger) =>
  Effect.map(ledger.balance(LedgerAccount.provider("fiat", KES)), ({ minor }) => Number(minor) / 100)
)

/** Withdrawal events of one account, newest first. */
const published = (credential: Parameters<typeof eventsOf>[0], accountId: string) =>
  Effect.map(eventsOf(credential, "virtual_account.withdrawal"), (events) =>
    events.map(({ data }) => data).filter((data) => data["account_id"] === accountId)
  )

onDatabasePaymentServer(
  "Withdrawals",
  () => ({ variables: { PROVIDER_TIMEOUT: "2 seconds" } }),
  (it) => {
    it.effect("are published when they are paid, and not before", () =>
      Effect.gen(function* () {
        const { account_id, acme, body } = yield* fixture()
        const held = yield* heldBy(acme.org_id)
        const { reference, transaction_id } = yield* withdraw(acme.key, account_id, body)
        yield* untilStatus(reference, "completed")
        const paid = yield* transactionOf(acme.key, transaction_id)
        expect(paid).toMatchObject({ status: "completed", amount: 70, fee: 0, type: "debit" })
        expect(yield* published(acme.key, account_id)).toEqual([{ ...paid, balance: 30 }])
        expect(yield* balanceOf(acme.key, account_id)).toBe(30)
        expect(yield* heldBy(acme.org_id)).toBe(held)
        yield* expectBooksInOrder
      })
    )

    it.effect("that every provider declines give the money back: 502", () =>
      Effect.gen(function* () {
        const { account_id, acme, body } = yield* fixture("0001")
        const headers = { "idempotency-key": randomUUID() }
        const answer = yield* ask(acme.key, `/${account_id}/withdraw`, body, headers)
        const refusal = JSON.parse(answer.text) as Readonly<Record<string, unknown>>
        expect([answer.status, Object.keys(refusal)]).toEqual([
          502,
          ["status", "message", "payment_id", "transaction_id"]
        ])
        expect(yield* balanceOf(acme.key, account_id)).toBe(100)
        const again = yield* ask(acme.key, `/${account_id}/withdraw`, body, headers)
        expect([again.status, again.text]).toEqual([502, answer.text])
        const [failed, , ...more] = yield* transactionsOf(acme.key, account_id)
        expect(failed).toMatchObject({ type: "debit", status: "failed", amount: 70 })
        expect(failed).toMatchObject({ transaction_id: refusal["transaction_id"], reference: refusal["payment_id"] })
        expect(more).toEqual([])
        expect(yield* published(acme.key, account_id)).toEqual([])
        yield* expectBooksInOrder
      })
    )

    it.effect("with an unknown outcome keep the money held", () =>
      Effect.gen(function* () {
        const { account_id, acme, body } = yield* fixture("0003")
        const held = yield* heldBy(acme.org_id)
        const made = yield* withdraw(acme.key, account_id, body)
        expect(made).toMatchObject({ status: "pending" })
        const [attempt] = yield* attemptsOf(made.reference)
        expect(attempt).toMatchObject({ outcome: "unknown" })
        expect(yield* balanceOf(acme.key, account_id)).toBe(30)
        expect(yield* heldBy(acme.org_id)).toBe(held + 70)
        expect(yield* published(acme.key, account_id)).toEqual([])
        const more = yield* ask(acme.key, `/${account_id}/withdraw`, { ...body, amount: 31 })
        expect(more.status).toBe(409)
        yield* expectBooksInOrder
      })
    )

    it.effect("that fail later give the money back, to a frozen account too", () =>
      Effect.gen(function* () {
        const { account_id, acme, body } = yield* fixture("0004")
        const { admin } = yield* people
        const made = yield* withdraw(acme.key, account_id, body)
        expect((yield* ask(admin, `/${account_id}/freeze`)).status).toBe(200)
        yield* untilStatus(made.reference, "failed")
        expect(yield* transactionOf(acme.key, made.transaction_id)).toMatchObject({ status: "failed" })
        expect(yield* accountOf(acme.key, account_id)).toMatchObject({ status: "frozen", balance: 100 })
        expect(yield* published(acme.key, account_id)).toEqual([])
        yield* expectBooksInOrder
      })
    )

    it.effect("hold their fee too, and show it", () =>
      Effect.gen(function* () {
        const { account_id, acme, body } = yield* fixture()
        const rules = yield* FeeRuleStore
        const fee_rule_id = yield* Effect.flatMap(Ids, (ids) => ids.next)
        yield* rules.put({
          ...{ fee_rule_id, org_id: acme.org_id, payment_method: "bank_transfer", direction: "outbound" },
          ...{ basis_points: 100, fixed: null }
        } as const)
        const all = yield* ask(acme.key, `/${account_id}/withdraw`, { ...body, amount: 100 })
        expect([all.status, messageOf(all)]).toEqual([409, expect.stringContaining("Not enough money")])
        const made = yield* withdraw(acme.key, account_id, body)
        yield* rules.remove(fee_rule_id)
        expect(made).toMatchObject({ amount: 70, fee: 0.7 })
        expect(yield* balanceOf(acme.key, account_id)).toBe(29.3)
        yield* untilStatus(made.reference, "completed")
        const [event] = yield* published(acme.key, account_id)
        expect(event).toMatchObject({ amount: 70, fee: 0.7, balance: 29.3 })
        yield* expectBooksInOrder
      })
    )
  }
)

onDatabasePaymentServer(
  "A withdrawal",
  () => ({}),
  (it) => {
    it.effect("that comes back after it was paid is reversed, and the money is on the account again", () =>
      Effect.gen(function* () {
        const { account_id, acme, body } = yield* fixture()
        const payments = yield* PaymentStore
        const { reference, transaction_id } = yield* withdraw(acme.key, account_id, body)
        yield* untilStatus(reference, "completed")
        const payment = Option.getOrThrow(yield* payments.find(Option.some(acme.org_id), idFrom(reference)))
        yield* payments.apply(yield* changeTo(payment, "refunded"))
        expect(yield* transactionOf(acme.key, transaction_id)).toMatchObject({ status: "reversed" })
        expect(yield* balanceOf(acme.key, account_id)).toBe(100)
        yield* expectBooksInOrder
      })
    )

    it.effect("whose answer was lost in a crash is answered by its key as it then is", () =>
      Effect.gen(function* () {
        const { account_id, acme, body } = yield* fixture()
        const { reference, transaction_id } = yield* withdraw(acme.key, account_id, body)
        yield* untilStatus(reference, "completed")
        const operation = `POST /v1/virtual-accounts/${account_id}/withdraw`
        const lost = yield* Effect.flatMap(Payments, (payments) =>
          payments.answerTo(acme.org_id, idFrom(reference), operation)
        )
        expect(JSON.parse(lost)).toEqual({
          status: "success",
          message: "Withdrawal initiated",
          data: yield* transactionOf(acme.key, transaction_id)
        })
        expect(lost).toContain('"amount":70.00,')
      })
    )

    it.effect("that waits for a review holds its money, and gives it back once if it is turned away", () =>
      Effect.gen(function* () {
        const { account_id, acme, body } = yield* fixture()
        const { admin } = yield* people
        const held = yield* heldBy(acme.org_id)
        yield* setThreshold(acme.org_id, "50")
        const waiting = yield* withdraw(acme.key, account_id, body)
        const twice = yield* ask(acme.key, `/${account_id}/withdraw`, body)
        yield* setThreshold(acme.org_id, null)
        expect(waiting).toMatchObject({ status: "pending", amount: 70 })
        expect([twice.status, messageOf(twice)]).toEqual([409, expect.stringContaining("Not enough money")])
        expect(yield* balanceOf(acme.key, account_id)).toBe(30)
        expect(yield* heldBy(acme.org_id)).toBe(held + 70)
        const review = (credential: Credential) => act(waiting.reference, { action: "review" }, credential)
        expect((yield* review(acme.key)).status).toBe(409)
        yield* ask(admin, `/${account_id}/freeze`)
        const refused = yield* review(acme.token("staff"))
        expect([refused.status, refused.body["message"]]).toEqual([409, expect.stringContaining("is frozen")])
        yield* ask(admin, `/${account_id}/unfreeze`)
        expect(yield* heldBy(acme.org_id)).toBe(held + 70)
        expect(yield* transactionOf(acme.key, waiting.transaction_id)).toMatchObject({ status: "pending" })

        const [one, other] = yield* Effect.forEach(
          [1, 2],
          () => act(waiting.reference, { action: "reject" }, acme.token("staff")),
          { concurrency: "unbounded" }
        )
        expect([one?.status, other?.status].toSorted()).toEqual([200, 409])
        expect(yield* balanceOf(acme.key, account_id)).toBe(100)
        expect(yield* heldBy(acme.org_id)).toBe(held)
        expect(yield* transactionOf(acme.key, waiting.transaction_id)).toMatchObject({ status: "failed" })
        expect(yield* published(acme.key, account_id)).toEqual([])
        yield* expectBooksInOrder
      })
    )

    it.effect("that was reviewed pays what it held, and no more", () =>
      Effect.gen(function* () {
        const { account_id, acme, body } = yield* fixture()
        const [held, paid] = [yield* heldBy(acme.org_id), yield* paidBySimulator]
        yield* setThreshold(acme.org_id, "50")
        const waiting = yield* withdraw(acme.key, account_id, body)
        const second = yield* withdraw(acme.key, account_id, { ...body, amount: 30 })
        yield* setThreshold(acme.org_id, null)
        yield* untilStatus(second.reference, "completed")
        expect((yield* act(waiting.reference, { action: "review" }, acme.token("staff"))).status).toBe(200)
        yield* untilStatus(waiting.reference, "completed")
        expect(yield* transactionOf(acme.key, waiting.transaction_id)).toMatchObject({ status: "completed" })
        expect(yield* published(acme.key, account_id)).toHaveLength(2)
        expect(yield* balanceOf(acme.key, account_id)).toBe(0)
        expect(yield* heldBy(acme.org_id)).toBe(held)
        expect((yield* paidBySimulator) - paid).toBe(100)
        yield* expectBooksInOrder
      })
    )

    it.effect("in review is canceled by its initiator, and the money returns", () =>
      Effect.gen(function* () {
        const { account_id, acme, body } = yield* fixture()
        yield* setThreshold(acme.org_id, "50")
        const waiting = yield* withdraw(acme.key, account_id, body)
        yield* setThreshold(acme.org_id, null)
        expect((yield* act(waiting.reference, { action: "cancel" })).status).toBe(200)
        expect(yield* balanceOf(acme.key, account_id)).toBe(100)
        expect((yield* act(waiting.reference, { action: "review" }, acme.token("staff"))).status).toBe(409)
        yield* expectBooksInOrder
      })
    )
  }
)
