/** Virtual accounts at rest. Their balances are not here: they are in the books. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { accountTables } from "./MemoryTables.ts"
import { firstRow, inScope, newest, type Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { AccountStatus, VirtualAccount } from "./VirtualAccount.ts"

export type NewVirtualAccount = Pick<
  VirtualAccount,
  "account_id" | "org_id" | "user_id" | "customer_id" | "currency" | "virtual_account_name"
>

export interface AccountFilter {
  readonly user_id?: string | undefined
  readonly currency?: string | undefined
}

interface Store {
  readonly insert: (account: NewVirtualAccount) => Effect.Effect<VirtualAccount>
  readonly find: (scope: Scope, id: string) => Effect.Effect<Option.Option<VirtualAccount>>
  readonly list: (scope: Scope, filter: AccountFilter, window: Window) => Effect.Effect<ReadonlyArray<VirtualAccount>>
  /**
   * For a transaction that moves money: the account keeps its status until the end of it. The lock is shared, since the
   * books keep the balance: movements do not wait for each other here, in whatever order they lock, only a freeze does.
   * Whoever holds it must not change the account.
   */
  readonly lock: (orgId: string, id: string) => Effect.Effect<Option.Option<VirtualAccount>>
  /** For a transaction that changes the account: no movement is under way on it from here to the end. */
  readonly lockForChange: (scope: Scope, id: string) => Effect.Effect<Option.Option<VirtualAccount>>
  readonly setStatus: (
    orgId: string,
    id: string,
    status: AccountStatus,
    reason: string | null
  ) => Effect.Effect<VirtualAccount>
}

export class VirtualAccountStore extends Context.Tag("corridor/VirtualAccountStore")<VirtualAccountStore, Store>() {
  static readonly layer = Layer.effect(
    VirtualAccountStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const columns =
        sql.literal(`account_id, org_id, user_id, customer_id, currency, virtual_account_name, account_type,
        status, frozen_reason, provider, created_at, updated_at`)
      const one = (scope: Scope, id: string, lock: "" | "for share" | "for no key update") =>
        sql<VirtualAccount>`select ${columns} from virtual_accounts
          where account_id = ${id} and ${inScope(sql, scope)} ${sql.literal(lock)}`.pipe(
          Effect.map(firstRow),
          Effect.orDie
        )
      return {
        insert: (account) =>
          sql<VirtualAccount>`insert into virtual_accounts ${sql.insert({ ...account })} returning ${columns}`.pipe(
            Effect.map((rows) => rows[0]!),
            Effect.orDie
          ),
        find: (scope, id) => one(scope, id, ""),
        list: (scope, { currency, user_id }, window) => {
          const conditions = [
            inScope(sql, scope),
            ...(user_id === undefined ? [] : [sql`user_id = ${user_id}`]),
            ...(currency === undefined ? [] : [sql`currency = ${currency}`])
          ]
          return sql<VirtualAccount>`select ${columns} from virtual_accounts where ${sql.and(conditions)}
            ${newest(sql, "account_id", window)}`.pipe(Effect.orDie)
        },
        lock: (orgId, id) => one(Option.some(orgId), id, "for share"),
        lockForChange: (scope, id) => one(scope, id, "for no key update"),
        setStatus: (orgId, id, status, reason) =>
          sql<VirtualAccount>`update virtual_accounts
            set status = ${status}, frozen_reason = ${reason}, updated_at = now()
            where account_id = ${id} and org_id = ${orgId} returning ${columns}`.pipe(
            Effect.map((rows) => rows[0]!),
            Effect.orDie
          )
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    VirtualAccountStore,
    Effect.map(openTables(accountTables), ({ virtualAccounts }): Store => {
      const sees = (scope: Scope, row: VirtualAccount) => Option.isNone(scope) || row.org_id === scope.value
      const find = (scope: Scope, id: string) =>
        Effect.sync(() => Option.filter(Option.fromNullable(virtualAccounts.get(id)), (row) => sees(scope, row)))
      return {
        insert: (account) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const at = new Date(now)
            const row: VirtualAccount = {
              ...account,
              account_type: "currency",
              status: "active",
              frozen_reason: null,
              provider: "fiat",
              created_at: at,
              updated_at: at
            }
            virtualAccounts.set(row.account_id, row)
            return row
          }),
        find,
        list: (scope, { currency, user_id }, window) =>
          Effect.sync(() => {
            const rows = Array.from(virtualAccounts.values()).filter(
              (row) =>
                sees(scope, row) &&
                (user_id === undefined || row.user_id === user_id) &&
                (currency === undefined || row.currency === currency)
            )
            return newestFirst(rows, (row) => row.account_id, window)
          }),
        lock: (orgId, id) => find(Option.some(orgId), id),
        lockForChange: find,
        setStatus: (orgId, id, status, frozen_reason) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Effect.orDie(
              Effect.map(Effect.flatten(find(Option.some(orgId), id)), (row) => {
                const changed: VirtualAccount = { ...row, status, frozen_reason, updated_at: new Date(now) }
                virtualAccounts.set(id, changed)
                return changed
              })
            )
          )
      }
    })
  )
}
