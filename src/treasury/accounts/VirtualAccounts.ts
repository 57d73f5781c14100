/** Opens, freezes, unfreezes and reads virtual accounts. Each change is audited in its transaction. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { AccountId, type OrgId, type TransactionId, UserId, idOrNil, Ids } from "../../domain/Ids.ts"
import type { CreateVirtualAccount } from "../../contract/api/VirtualAccountsApi.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { mapRefusal, orNotFound, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Access, Permit } from "../../domain/Access.ts"
import { Conflict, Invalid } from "../../domain/Failure.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import type { Window } from "../../platform/database/Query.ts"
import { Users } from "../../people/users/Users.ts"
import { EventPublisher } from "../../webhooks/EventPublisher.ts"
import type { AccountHolder } from "../../providers/port/AccountIssuer.ts"
import { freezeEvent } from "./VirtualAccountView.ts"
import {
  type AccountWithBalance,
  ledgerAccountOf,
  type VirtualAccount,
  type AccountFilter,
  VirtualAccountStore,
  VirtualTransactionStore,
  type WantedDetails
} from "./VirtualAccountStore.ts"
import { traced } from "../../platform/observability/Spans.ts"

const make = Effect.gen(function* () {
  const accounts = yield* VirtualAccountStore
  const transactions = yield* VirtualTransactionStore
  const ledger = yield* Ledger
  const organizations = yield* Organizations
  const users = yield* Users
  const events = yield* EventPublisher
  const audit = yield* AuditLog
  const ids = yield* Ids
  const { atomically } = yield* Transactor
  const { mode } = yield* Settings

  const withBalances = (rows: ReadonlyArray<VirtualAccount>) =>
    Effect.map(ledger.balances(rows.map(ledgerAccountOf)), (balances) =>
      rows.map((row): AccountWithBalance => ({ ...row, balance: balances.get(ledgerAccountOf(row))! }))
    )
  const withBalance = (row: VirtualAccount) =>
    Effect.map(ledger.balance(ledgerAccountOf(row)), (balance): AccountWithBalance => ({ ...row, balance }))

  const found = orNotFound("virtual account")

  const record = (
    permit: Permit<Access>,
    action: string,
    { account_id, org_id }: VirtualAccount,
    detail: Readonly<Record<string, unknown>>
  ) => audit.record(permit, { action, org: org_id, subject: ["virtual_account", account_id], detail })

  const setStatus = Effect.fnUntraced(function* (
    permit: Permit<"platform">,
    accountId: AccountId,
    status: "active" | "frozen",
    reason: string | null
  ) {
    const account = yield* found(accounts.lockForChange(permit.scope, accountId))
    if (account.status === status) return account
    if (account.status === "closed") return yield* new Conflict({ message: "This account is closed." })
    const changed = yield* accounts.setStatus(account.org_id, accountId, status, reason)
    const action = status === "frozen" ? "virtual_account.frozen" : "virtual_account.unfrozen"
    yield* record(permit, action, changed, { reason })
    const at = new Date(yield* Clock.currentTimeMillis)
    yield* events.publishEvent(freezeEvent(yield* ids.next, changed, at))
    return changed
  })

  return {
    create: traced("VirtualAccounts.create")(function* (
      permit: Permit<"accounts">,
      { currency, customer_id, org_name, user_id }: typeof CreateVirtualAccount.Type,
      /** Details for the account, by the name and address of its owner. */
      planDetails: (owner: AccountHolder) => Stored<WantedDetails | undefined, Invalid> = () =>
        Effect.succeed(undefined)
    ) {
      const { email, name, org_id } = yield* mapRefusal(
        Effect.flatten(Effect.flatMap(permit.scope, organizations.find)),
        () => new Invalid({ message: "org_id: say which organisation the account is for." })
      )
      const user = idOrNil(UserId)(user_id)
      if (!(yield* users.isMember(org_id, user))) {
        return yield* new Invalid({ message: "user_id: is not a member of this organisation." })
      }
      const virtual_account_name = `${org_name ?? name} ${currency}`
      const wanted = yield* planDetails({ name: virtual_account_name, email, phone: null })
      return yield* atomically(
        Effect.gen(function* () {
          const account = yield* accounts.insert({
            account_id: yield* ids.make(AccountId),
            org_id,
            user_id: user,
            customer_id: customer_id ?? null,
            currency,
            virtual_account_name,
            provider: mode === "sandbox" ? "fiat" : null,
            ...(wanted === undefined ? {} : { wanted })
          })
          yield* record(permit, "virtual_account.created", account, { currency, user_id: user })
          return yield* withBalance(account)
        })
      )
    }),
    list: (permit: Permit<"any">, filter: AccountFilter, window: Window) =>
      Effect.flatMap(accounts.list(permit.scope, filter, window), withBalances),
    get: (permit: Permit<Access>, id: AccountId) => Effect.flatMap(found(accounts.find(permit.scope, id)), withBalance),
    /** For other features within an organisation. */
    find: (orgId: OrgId, id: AccountId) => accounts.find(Option.some(orgId), id),
    /** For a transaction that moves money: keeps the account's status until its end. */
    lock: accounts.lock,
    transactions: (permit: Permit<"any">, { account_id }: VirtualAccount, window: Window) =>
      transactions.list(permit.scope, account_id, window),
    /** `userId`: finds the transaction only if this user owns the account. */
    transaction: (permit: Permit<"any">, id: TransactionId, userId: UserId | undefined) =>
      orNotFound("virtual transaction")(transactions.find(permit.scope, id, userId)),
    freeze: traced("VirtualAccounts.freeze")((permit: Permit<"platform">, id: AccountId, reason: string | null) =>
      Effect.flatMap(atomically(setStatus(permit, id, "frozen", reason)), withBalance)
    ),
    unfreeze: traced("VirtualAccounts.unfreeze")((permit: Permit<"platform">, id: AccountId) =>
      Effect.flatMap(atomically(setStatus(permit, id, "active", null)), withBalance)
    )
  }
})

export class VirtualAccounts extends Context.Tag("corridor/VirtualAccounts")<
  VirtualAccounts,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.effect(VirtualAccounts, make)
}
