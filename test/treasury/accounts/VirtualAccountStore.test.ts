import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  VirtualAccountStore,
  VirtualTransactionStore,
  type NewVirtualTransaction,
  statusFromPayment
} from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { nilId } from "../../support/AnyId.ts"
import { paymentStatuses } from "../../../src/domain/PaymentStatus.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { money } from "../../money/ledger/Entries.ts"
import { changeTo, draftPayment, newOwner } from "../../payments/support/NewPayment.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/Stores.ts"

const first = (take: number) => ({ after: Option.none(), take })

const newAccount = (owner: Effect.Effect.Success<typeof newOwner>, currency = "KES") =>
  Effect.gen(function* () {
    const store = yield* VirtualAccountStore
    return yield* store.insert({
      ...owner,
      account_id: yield* nextId,
      customer_id: null,
      currency: CurrencyCode.make(currency),
      virtual_account_name: `Initech ${currency}`,
      provider: "fiat"
    })
  })

type Account = Effect.Effect.Success<ReturnType<typeof newAccount>>

const rowFor = (account: Account, about: Partial<NewVirtualTransaction> = {}) =>
  Effect.map(nextId, (transaction_id): NewVirtualTransaction => ({
    transaction_id,
    account_id: account.account_id,
    org_id: account.org_id,
    user_id: account.user_id,
    type: "credit",
    status: "completed",
    amount: money("12.50 KES"),
    fee: money("0 KES"),
    currency: account.currency,
    description: null,
    payment_rail: "internal",
    reference: transaction_id,
    payment_id: null,
    rate: null,
    ...about
  }))

onBothStores("Virtual accounts at rest", (it) => {
  it.effect("are found within their scope", () =>
    Effect.gen(function* () {
      const store = yield* VirtualAccountStore
      const owner = yield* newOwner
      const other = yield* newOwner
      const account = yield* newAccount(owner)
      expect(account).toMatchObject({
        ...owner,
        ...{ status: "active", account_type: "currency", provider: "fiat", frozen_reason: null, customer_id: null }
      })
      for (const scope of [Option.none(), Option.some(owner.org_id)]) {
        expect(yield* store.find(scope, account.account_id)).toEqual(Option.some(account))
      }
      expect(yield* store.find(Option.some(other.org_id), account.account_id)).toEqual(Option.none())
      expect(yield* store.find(Option.none(), nilId)).toEqual(Option.none())
      expect(yield* store.lock(other.org_id, account.account_id)).toEqual(Option.none())
      expect(yield* store.lockForChange(Option.some(other.org_id), account.account_id)).toEqual(Option.none())
    })
  )

  it.effect("are listed newest first, by user and currency", () =>
    Effect.gen(function* () {
      const store = yield* VirtualAccountStore
      const owner = yield* newOwner
      const { user_id } = yield* newOwner
      const made = [
        yield* newAccount(owner),
        yield* newAccount(owner, "USD"),
        yield* newAccount({ ...owner, user_id }, "USD")
      ]
      const ids = (filter: Parameters<typeof store.list>[1], take = 10) =>
        Effect.map(store.list(Option.some(owner.org_id), filter, first(take)), (rows) =>
          rows.map(({ account_id }) => account_id)
        )
      const [kes, usd, theirs] = made.map(({ account_id }) => account_id)
      expect((yield* ids({})).toSorted()).toEqual([kes, usd, theirs].toSorted())
      expect(yield* ids({ currency: "KES" })).toEqual([kes])
      expect(yield* ids({ user_id })).toEqual([theirs])
      expect(yield* ids({ user_id: owner.user_id, currency: "USD" })).toEqual([usd])
      expect(yield* ids({}, 2)).toHaveLength(2)
      const [newest] = yield* store.list(Option.some(owner.org_id), {}, first(1))
      const after = Option.some([newest!.created_at.toISOString(), newest!.account_id] as const)
      const rest = yield* store.list(Option.some(owner.org_id), {}, { after, take: 10 })
      expect(rest.map(({ account_id }) => account_id)).not.toContain(newest!.account_id)
      expect(rest).toHaveLength(2)
    })
  )

  it.effect("change their status, and roll back with the transaction", () =>
    Effect.gen(function* () {
      const store = yield* VirtualAccountStore
      const { atomically } = yield* Transactor
      const owner = yield* newOwner
      const { account_id } = yield* newAccount(owner)
      const frozen = yield* atomically(
        Effect.gen(function* () {
          yield* store.lockForChange(Option.none(), account_id)
          return yield* store.setStatus(owner.org_id, account_id, "frozen", "a suspicion")
        })
      )
      expect(frozen).toMatchObject({ status: "frozen", frozen_reason: "a suspicion" })
      expect(yield* store.lock(owner.org_id, account_id)).toEqual(Option.some(frozen))
      const failing = store.setStatus(owner.org_id, account_id, "active", null).pipe(Effect.zipRight(Effect.fail("no")))
      expect(yield* Effect.flip(atomically(failing))).toBe("no")
      expect(yield* store.find(Option.none(), account_id)).toEqual(Option.some(frozen))
    })
  )
})

onBothStores("Virtual transactions at rest", (it) => {
  it.effect("are read as written, within their scope", () =>
    Effect.gen(function* () {
      const store = yield* VirtualTransactionStore
      const owner = yield* newOwner
      const other = yield* newOwner
      const account = yield* newAccount(owner)
      const rows = [yield* rowFor(account), yield* rowFor(account, { type: "debit", description: "Rent" })]
      const written = yield* store.insert(rows)
      expect(written.map(({ created_at: _c, updated_at: _u, ...row }) => row)).toEqual(rows)
      expect(yield* store.insert([])).toEqual([])
      const [credit] = written
      const id = credit!.transaction_id
      expect(yield* store.find(Option.some(owner.org_id), id)).toEqual(Option.some(credit))
      expect(yield* store.find(Option.none(), id, owner.user_id)).toEqual(Option.some(credit))
      expect(yield* store.find(Option.none(), id, other.user_id)).toEqual(Option.none())
      expect(yield* store.find(Option.some(other.org_id), id)).toEqual(Option.none())
      const own = yield* store.list(Option.some(owner.org_id), account.account_id, first(10))
      expect(own.map(({ transaction_id }) => transaction_id)).toEqual(
        written
          .map(({ transaction_id }) => transaction_id)
          .toSorted()
          .toReversed()
      )
      expect(yield* store.list(Option.some(owner.org_id), account.account_id, first(1))).toHaveLength(1)
      expect(yield* store.list(Option.some(other.org_id), account.account_id, first(10))).toEqual([])
    })
  )

  it.effect("follow their payment", () =>
    Effect.gen(function* () {
      const store = yield* VirtualTransactionStore
      const payments = yield* PaymentStore
      const owner = yield* newOwner
      const account = yield* newAccount(owner)
      const payment = yield* draftPayment(owner, {
        ...{ direction: "outbound", provider: "fiat", total_fees: money("1.25 KES") }
      })
      yield* payments.create({ payment, attempt: null })
      const { payment_id } = payment
      const row = yield* rowFor(account, { type: "debit", status: "pending", payment_id })
      yield* store.insert([row])
      const found = Effect.flatten(store.findByPayment(owner.org_id, payment_id))
      expect(yield* found).toMatchObject({ status: "pending", fee: money("1.25 KES"), amount: money("12.50 KES") })
      yield* payments.apply(yield* changeTo(payment, "completed"))
      const completed = yield* found
      expect(completed).toMatchObject({ status: "completed", fee: money("1.25 KES") })
      expect(completed.updated_at.getTime()).toBeGreaterThanOrEqual(payment.updated_at.getTime())
      expect(yield* store.find(Option.none(), row.transaction_id)).toEqual(Option.some(completed))
      expect(yield* store.list(Option.none(), account.account_id, first(10))).toEqual([completed])
      yield* payments.apply(yield* changeTo({ ...payment, status: "completed", version: 2 }, "refunded"))
      expect(yield* found).toMatchObject({ status: "reversed" })
      expect(yield* store.findByPayment((yield* newOwner).org_id, payment_id)).toEqual(Option.none())
    })
  )

  it.effect("have a status for every status of a payment", () =>
    Effect.sync(() => {
      expect(Object.fromEntries(paymentStatuses.map((status) => [status, statusFromPayment(status)]))).toEqual({
        ...{ initiated: "pending", reviewed: "pending", confirmed: "pending", processing: "pending" },
        ...{ pending: "pending", completed: "completed", failed: "failed", refunded: "reversed" },
        ...{ rejected: "failed", canceled: "failed" }
      })
    })
  )
})
