/** Virtual accounts and their transactions in memory. */
import { Duration, Effect, Layer, Option } from "effect"
import type { AccountId } from "../../domain/Ids.ts"
import { accountDetailsLease } from "../../domain/policies/PaymentPolicies.ts"
import { orDefect } from "../../platform/database/DatabaseFailure.ts"
import { inTurn } from "../../platform/database/ProviderQueues.ts"
import {
  memoryTable,
  newestFirst,
  openTables,
  currentDate,
  matches,
  seenIn
} from "../../platform/database/MemoryDatabase.ts"
import type { Scope } from "../../platform/database/Query.ts"
import {
  type PendingDetails,
  type VirtualAccount,
  VirtualAccountStore,
  withPaymentState,
  type VirtualTransaction,
  VirtualTransactionStore
} from "./VirtualAccountStore.ts"
import type { Payment } from "../../payments/store/Payment.ts"

/** Requests for details, by account. */
interface DetailsRow extends PendingDetails {
  readonly due_at: Date | null
  readonly issuer_reference: string | null
}

const accountTables = {
  virtualAccounts: memoryTable<VirtualAccount>("virtualAccounts"),
  accountDetails: memoryTable<DetailsRow>("accountDetails")
}

const after = (at: Date, time: Duration.Duration) => new Date(at.getTime() + Duration.toMillis(time))

export const virtualAccountStoreMemory = Layer.effect(
  VirtualAccountStore,
  Effect.map(openTables(accountTables), ({ accountDetails, virtualAccounts }) => {
    const find = (scope: Scope, id: AccountId) => Effect.sync(() => virtualAccounts.one(id, seenIn(scope)))
    return {
      insert: ({ wanted, ...account }) =>
        Effect.map(currentDate, (at) => {
          const { account_id, currency, org_id } = account
          const issuer = wanted?.issuer ?? null
          if (wanted !== undefined && issuer !== null) {
            const pending = { account_id, org_id, currency, issuer, holder: wanted.holder, details_tries: 0 }
            accountDetails.set(account_id, { ...pending, due_at: at, issuer_reference: null })
          }
          const row: VirtualAccount = {
            ...account,
            payment_rail: wanted?.payment_rail ?? null,
            details_status: issuer === null ? "none" : "pending",
            details: null,
            details_message: wanted?.details_message ?? null,
            account_type: "currency",
            status: "active",
            frozen_reason: null,
            created_at: at,
            updated_at: at
          }
          virtualAccounts.set(row.account_id, row)
          return row
        }),
      find,
      list: (scope, filter, window) =>
        Effect.sync(() => {
          const rows = virtualAccounts.all(seenIn(scope), matches(filter))
          return newestFirst(rows, (row) => row.account_id, window)
        }),
      lock: (orgId, id) => find(Option.some(orgId), id),
      lockForChange: find,
      claimDetails: (capacity) =>
        Effect.map(currentDate, (at) =>
          inTurn(
            capacity,
            accountDetails.all(({ due_at }) => due_at !== null && due_at <= at),
            ({ issuer }) => issuer,
            ({ due_at }) => due_at!.getTime()
          ).map((row) => {
            const claimed = { ...row, details_tries: row.details_tries + 1, due_at: after(at, accountDetailsLease) }
            accountDetails.set(row.account_id, claimed)
            const { due_at: _due, issuer_reference: _reference, ...pending } = claimed
            return pending
          })
        ),
      changeDetails: ({ account_id, details_tries }, change) =>
        Effect.map(currentDate, (at) => {
          const [row, account] = [accountDetails.get(account_id), virtualAccounts.get(account_id)]
          if (row?.details_tries !== details_tries || account?.details_status !== "pending") return false
          switch (change._tag) {
            case "issued": {
              const { details, issuerReference } = change
              accountDetails.set(account_id, { ...row, issuer_reference: issuerReference, due_at: null })
              const issued = { details_status: "issued", provider: row.issuer, details, details_message: null } as const
              virtualAccounts.set(account_id, { ...account, ...issued, updated_at: at })
              return true
            }
            case "refused": {
              accountDetails.set(account_id, { ...row, due_at: null })
              const refused = { details_status: "refused", details_message: change.message } as const
              virtualAccounts.set(account_id, { ...account, ...refused, updated_at: at })
              return true
            }
            case "pending":
              accountDetails.set(account_id, { ...row, issuer: change.issuer, due_at: after(at, change.dueIn) })
              return true
          }
        }),
      findByIssuer: (issuer, reference) =>
        Effect.sync(() => {
          const rows = accountDetails.all()
          const row = rows.find((one) => one.issuer === issuer && one.issuer_reference === reference)
          return Option.fromNullable(row === undefined ? undefined : virtualAccounts.get(row.account_id))
        }),
      setStatus: (orgId, id, status, frozen_reason) =>
        Effect.flatMap(currentDate, (updated_at) =>
          orDefect(
            Effect.map(Effect.flatten(find(Option.some(orgId), id)), (row) => {
              const changed: VirtualAccount = { ...row, status, frozen_reason, updated_at }
              virtualAccounts.set(id, changed)
              return changed
            })
          )
        )
    }
  })
)

const transactionTables = {
  virtualTransactions: memoryTable<VirtualTransaction>("virtualTransactions"),
  payments: memoryTable<Pick<Payment, "status" | "total_fees" | "updated_at">>("payments")
}

export const virtualTransactionStoreMemory = Layer.effect(
  VirtualTransactionStore,
  Effect.map(openTables(transactionTables), ({ payments, virtualTransactions }) => {
    const following = (row: VirtualTransaction) => {
      const payment = row.payment_id === null ? undefined : payments.get(row.payment_id)
      return payment === undefined ? row : withPaymentState(row, payment)
    }
    return {
      insert: (rows) =>
        Effect.map(currentDate, (at) => {
          const made = rows.map((row): VirtualTransaction => ({ ...row, created_at: at, updated_at: at }))
          for (const row of made) virtualTransactions.set(row.transaction_id, row)
          return made
        }),
      find: (scope, id, userId) =>
        Effect.sync(() =>
          virtualTransactions.one(id).pipe(
            Option.filter((row) => seenIn(scope)(row) && matches({ user_id: userId })(row)),
            Option.map(following)
          )
        ),
      findByPayment: (orgId, paymentId) =>
        Effect.sync(() => {
          const rows = virtualTransactions.all()
          const found = rows.find((row) => row.payment_id === paymentId && row.org_id === orgId)
          return Option.map(Option.fromNullable(found), following)
        }),
      list: (scope, accountId, window) =>
        Effect.sync(() => {
          const rows = virtualTransactions.all((row) => row.account_id === accountId)
          return newestFirst(rows.filter(seenIn(scope)), (row) => row.transaction_id, window).map(following)
        })
    }
  })
)
