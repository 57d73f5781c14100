import { expect } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import {
  VirtualAccountStore,
  VirtualTransactionStore,
  type NewVirtualTransaction,
  type WantedDetails,
  statusFromPayment
} from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import { fullCapacity } from "../../../src/platform/database/ProviderQueues.ts"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { nilId } from "../../support/AnyId.ts"
import { paymentStatuses } from "../../../src/domain/PaymentStatus.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { money } from "../../money/ledger/Entries.ts"
import { changeTo, makePayment, newOwner } from "../../payments/support/NewPayment.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"

const first = (take: number) => ({ after: Option.none(), take })

const newAccount = (owner: Effect.Effect.Success<typeof newOwner>, currency = "KES", wanted?: WantedDetails) =>
  Effect.gen(function* () {
    const store = yield* VirtualAccountStore
    return yield* store.insert({
      ...owner,
      account_id: yield* nextId,
      customer_id: null,
      currency: CurrencyCode.make(currency),
      virtual_account_name: `Initech ${currency}`,
      provider: "fiat",
      ...(wanted === undefined ? {} : { wanted })
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

const full = fullCapacity(100)

onBothStores("Virtual accounts at rest", (it) => {
  it.effect("ask for details once at a time, and end with details or a refusal", () =>
    Effect.gen(function* () {
      const store = yield* VirtualAccountStore
      const owner = yield* newOwner
      const holder = { name: "Ada Obi", email: "ada@example.com", phone: null }
      const pending = { payment_rail: "bank_transfer", issuer: "paystack", details_message: null, holder } as const
      const one = yield* newAccount(owner, "NGN", pending)
      const other = yield* newAccount(owner, "NGN", pending)
      const none = yield* newAccount(owner, "NGN", { ...pending, issuer: null, details_message: "fund it otherwise" })
      expect(one).toMatchObject({ payment_rail: "bank_transfer", details_status: "pending", details: null })
      expect(none).toMatchObject({ details_status: "none", details_message: "fund it otherwise" })
      const claimed = yield* store.claimDetails(full)
      const mine = [one, other].map(({ account_id }) => claimed.find((row) => row.account_id === account_id)!)
      expect(mine[0]).toMatchObject({ org_id: owner.org_id, issuer: "paystack", holder, details_tries: 1 })
      expect((yield* store.claimDetails(full)).map(({ account_id }) => account_id)).not.toContain(one.account_id)
      const issued = {
        _tag: "issued",
        issuerReference: `CUS_${one.account_id}`,
        details: { account_number: "1" }
      } as const
      expect(yield* store.changeDetails({ ...mine[0]!, details_tries: 7 }, issued)).toBe(false)
      expect(yield* store.changeDetails(mine[0]!, issued)).toBe(true)
      expect(yield* store.changeDetails(mine[0]!, { _tag: "refused", message: "no" })).toBe(false)
      const found = yield* Effect.flatten(store.findByIssuer("paystack", `CUS_${one.account_id}`))
      expect(found).toMatchObject({
        account_id: one.account_id,
        provider: "paystack",
        details: { account_number: "1" }
      })
      expect(yield* store.findByIssuer("stripe", `CUS_${one.account_id}`)).toEqual(Option.none())
      const again = { _tag: "pending", issuer: "stripe", dueIn: Duration.zero } as const
      expect(yield* store.changeDetails(mine[1]!, again)).toBe(true)
      const next = (yield* store.claimDetails(full)).find(({ account_id }) => account_id === other.account_id)
      expect(next).toMatchObject({ issuer: "stripe", details_tries: 2 })
      expect(yield* store.changeDetails(next!, { _tag: "refused", message: "stripe: no" })).toBe(true)
      const refused = yield* Effect.flatten(store.find(Option.none(), other.account_id))
      expect(refused).toMatchObject({ details_status: "refused", details_message: "stripe: no", provider: "fiat" })
    })
  )

  for (const [size, issuer] of [
    [8, "flutterwave"],
    [520, "circle"]
  ] as const) {
    it.effect(`are handed out by issuer, one of each organisation in turn: ${size} of one stand before no other`, () =>
      Effect.gen(function* () {
        const store = yield* VirtualAccountStore
        const [crowd, neighbour] = [yield* newOwner, yield* newOwner]
        const holder = { name: "Ada Obi", email: "ada@example.com", phone: null }
        const pending = { payment_rail: "bank_transfer", issuer, details_message: null, holder } as const
        yield* Effect.replicateEffect(newAccount(crowd, "NGN", pending), size, { concurrency: 16 })
        yield* Effect.replicateEffect(newAccount(neighbour, "NGN", pending), 2)
        const elsewhere = yield* newAccount(neighbour, "EUR", { ...pending, issuer: "adyen" })
        const claimed = yield* store.claimDetails([{ provider: issuer, room: 4 }])
        const ofEach = [crowd, neighbour].map(({ org_id }) => claimed.filter((row) => row.org_id === org_id).length)
        expect(ofEach).toEqual([2, 2])
        expect(claimed.map(({ account_id }) => account_id)).not.toContain(elsewhere.account_id)
        const late = yield* newAccount(neighbour, "NGN", pending)
        const busy = { [crowd.org_id]: 3 }
        const one = yield* store.claimDetails([{ provider: issuer, room: 1, busy }])
        expect(one, "room comes back one by one").toMatchObject([{ account_id: late.account_id }])
        const rest = yield* store.claimDetails([{ provider: issuer, room: 1000 }])
        expect(new Set([...claimed, ...rest].map(({ account_id }) => account_id)).size, "each once").toBe(size + 2)
        expect(yield* store.claimDetails([])).toEqual([])
        expect(yield* store.claimDetails([{ provider: "adyen", room: 9 }])).toMatchObject([
          { account_id: elsewhere.account_id }
        ])
      })
    )
  }

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
      const payment = yield* makePayment(owner, {
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
