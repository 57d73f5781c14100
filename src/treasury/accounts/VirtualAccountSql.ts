/** Virtual accounts in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import type { AccountId } from "../../domain/Identifiers.ts"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { inScope, newest, ownedBy, ownedIn, type Scope } from "../../platform/database/Query.ts"
import { rowAs, rowsAs } from "../../platform/database/Rows.ts"
import { VirtualAccount } from "./VirtualAccount.ts"
import { VirtualAccountStore } from "./VirtualAccountStore.ts"

const accountOf = rowAs(VirtualAccount)
const accountsOf = rowsAs(VirtualAccount)

export const virtualAccountStoreSql = Layer.effect(
  VirtualAccountStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(Object.keys(VirtualAccount.fields).join(", "))
    const one = (scope: Scope, id: AccountId, lock: "" | "for share" | "for no key update") =>
      sql`select ${columns} from virtual_accounts
        where account_id = ${id} and ${ownedIn(sql, scope)} ${sql.literal(lock)}`.pipe(
        Effect.flatMap(accountOf),
        orDatabaseFailure
      )
    return {
      insert: (account) =>
        sql`insert into virtual_accounts ${sql.insert({ ...account })} returning ${columns}`.pipe(
          Effect.flatMap(accountOf),
          Effect.map(Option.getOrThrow),
          orDatabaseFailure
        ),
      find: (scope, id) => one(scope, id, ""),
      list: (scope, { currency, user_id }, window) => {
        const conditions = [
          inScope(sql, scope),
          ...(user_id === undefined ? [] : [sql`user_id = ${user_id}`]),
          ...(currency === undefined ? [] : [sql`currency = ${currency}`])
        ]
        return sql`select ${columns} from virtual_accounts where ${sql.and(conditions)}
          ${newest(sql, "account_id", window)}`.pipe(Effect.flatMap(accountsOf), orDatabaseFailure)
      },
      lock: (orgId, id) => one(Option.some(orgId), id, "for share"),
      lockForChange: (scope, id) => one(scope, id, "for no key update"),
      setStatus: (orgId, id, status, reason) =>
        sql`update virtual_accounts
          set status = ${status}, frozen_reason = ${reason}, updated_at = now()
          where account_id = ${id} and ${ownedBy(sql, orgId)} returning ${columns}`.pipe(
          Effect.flatMap(accountOf),
          Effect.map(Option.getOrThrow),
          orDatabaseFailure
        )
    }
  })
)
