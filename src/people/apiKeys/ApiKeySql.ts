/** API keys in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import { KeyId } from "../../domain/Ids.ts"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { rowAs, rowsAs, theRowAs, inScope, newest, ownedIn } from "../../platform/database/Query.ts"
import { ApiKey } from "../../contract/api/ApiKeysApi.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"

const Key = Schema.typeSchema(ApiKey)
const key = rowAs(Key)
const theKey = theRowAs(Key)
const keys = rowsAs(Key)
const keyIds = rowsAs(Schema.Struct({ api_key_id: KeyId }))
const counted = theRowAs(Schema.Struct({ count: Schema.NumberFromString }))

export const apiKeyStoreSql = Layer.effect(
  ApiKeyStore,
  Effect.map(SqlClient.SqlClient, (sql): ApiKeyStore["Type"] => {
    const columns = sql.literal(`api_key_id, prefix, name, org_id, user_id, obtained_by, role,
      case when status = 'expiring' and expires_at <= now() then 'revoked' else status end as status,
      case when expires_at > now() then expires_at end as expires_at, created_at, updated_at`)
    return {
      insert: ({ hash, ...fresh }) =>
        sql`insert into api_keys ${sql.insert({ ...fresh, hash: Buffer.from(hash, "hex") })} returning ${columns}`.pipe(
          Effect.flatMap(theKey),
          orDatabaseFailure
        ),
      list: (scope, window) =>
        sql`select ${columns} from api_keys where ${inScope(sql, scope)} ${newest(sql, "api_key_id", window)}`.pipe(
          Effect.flatMap(keys),
          orDatabaseFailure
        ),
      count: (scope) =>
        sql`select count(*) from api_keys where ${inScope(sql, scope)}`.pipe(
          Effect.flatMap(counted),
          Effect.map(({ count }) => count),
          orDatabaseFailure
        ),
      findForUpdate: (scope, id) =>
        sql`select ${columns} from api_keys where api_key_id = ${id} and ${ownedIn(sql, scope)} for update`.pipe(
          Effect.flatMap(key),
          orDatabaseFailure
        ),
      revoke: (scope, id) =>
        sql`update api_keys set status = 'revoked', expires_at = null, updated_at = now()
          where api_key_id = ${id} and status <> 'revoked' and ${ownedIn(sql, scope)}`.pipe(
          orDatabaseFailure,
          Effect.asVoid
        ),
      revokeAllOf: (orgId, userId) =>
        sql`update api_keys set status = 'revoked', expires_at = null, updated_at = now()
          where org_id = ${orgId} and user_id = ${userId} and (status = 'active' or expires_at > now())
          returning api_key_id`.pipe(
          Effect.flatMap(keyIds),
          Effect.map((rows) => rows.map(({ api_key_id }) => api_key_id)),
          orDatabaseFailure
        ),
      expire: (scope, id, graceSeconds) =>
        sql`update api_keys set status = 'expiring', expires_at = now() + make_interval(secs => ${graceSeconds}),
          updated_at = now() where api_key_id = ${id} and (status = 'active' or expires_at > now()) and ${ownedIn(sql, scope)}`.pipe(
          orDatabaseFailure,
          Effect.asVoid
        )
    }
  })
)
