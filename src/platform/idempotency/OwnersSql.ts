/** Owners from PostgreSQL. */
import { orDatabaseFailure } from "../database/DatabaseFailure.ts"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import { OrgId } from "../../domain/Identifiers.ts"
import { rowAs } from "../database/Rows.ts"
import { Owners } from "./Owners.ts"

const owner = rowAs(Schema.Struct({ org_id: OrgId }))

export const ownersSql = Layer.effect(
  Owners,
  Effect.map(SqlClient.SqlClient, (sql): Owners["Type"] => ({
    ownerOf: ({ account_id = null, escrow_id = null, payment_id = null }) =>
      sql`
        select org_id from payments where payment_id = ${payment_id}::uuid
        union all select org_id from virtual_accounts where account_id = ${account_id}::uuid
        union all select org_id from escrows where escrow_id = ${escrow_id}::uuid
        limit 1`.pipe(Effect.flatMap(owner), Effect.map(Option.map(({ org_id }) => org_id)), orDatabaseFailure)
  }))
)
