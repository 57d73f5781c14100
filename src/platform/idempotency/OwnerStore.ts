/** Whose is what a request names? Asked for a caller who belongs to no organisation, and whose key must belong to one. */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option } from "effect"
import { memoryTable, openTables } from "../database/MemoryDatabase.ts"
import { firstRow } from "../database/Query.ts"

export interface Named {
  readonly payment_id?: string | undefined
  readonly account_id?: string | undefined
  readonly escrow_id?: string | undefined
}

interface Store {
  /** The organisation of the first of them that is named and there. */
  readonly ownerOf: (named: Named) => Effect.Effect<Option.Option<string>>
}

const owned = memoryTable<{ readonly org_id: string }>

export class OwnerStore extends Context.Tag("corridor/OwnerStore")<OwnerStore, Store>() {
  static readonly layer = Layer.effect(
    OwnerStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => ({
      ownerOf: ({ account_id = null, escrow_id = null, payment_id = null }) =>
        sql<{ readonly org_id: string }>`
          select org_id from payments where payment_id = ${payment_id}::uuid
          union all select org_id from virtual_accounts where account_id = ${account_id}::uuid
          union all select org_id from escrows where escrow_id = ${escrow_id}::uuid
          limit 1`.pipe(
          Effect.map((rows) => Option.map(firstRow(rows), ({ org_id }) => org_id)),
          Effect.orDie
        )
    }))
  )

  static readonly layerMemory = Layer.effect(
    OwnerStore,
    Effect.map(
      openTables({ payments: owned("payments"), virtualAccounts: owned("virtualAccounts"), escrows: owned("escrows") }),
      ({ escrows, payments, virtualAccounts }): Store => ({
        ownerOf: ({ account_id = "", escrow_id = "", payment_id = "" }) =>
          Effect.sync(() => {
            const found = payments.get(payment_id) ?? virtualAccounts.get(account_id) ?? escrows.get(escrow_id)
            return Option.map(Option.fromNullable(found), ({ org_id }) => org_id)
          })
      })
    )
  )
}
