/** Stores API keys by their hash, never the key itself. */
import { Context, type Option, Effect, Layer, Schema } from "effect"
import { KeyId, type OrgId, type UserId } from "../../domain/Ids.ts"
import { ApiKey } from "../../contract/api/ApiKeysApi.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import {
  type Window,
  type Scope,
  inScope,
  newest,
  ownedIn,
  execute,
  queryCount,
  query
} from "../../platform/database/Query.ts"
import type { ApiKeyMode } from "../../domain/ApiKeyFormat.ts"
import { SqlClient } from "@effect/sql"

const Key = Schema.typeSchema(ApiKey)
export type Key = typeof Key.Type

export interface StoredApiKey extends Key {
  readonly hash: string
  readonly mode: ApiKeyMode
}

export interface NewKey extends Omit<Key, "status" | "expires_at" | "created_at" | "updated_at"> {
  readonly hash: string
  readonly mode: ApiKeyMode
}

interface Store {
  readonly insert: (key: NewKey) => Stored<Key>
  readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Key>>
  readonly count: (scope: Scope) => Stored<number>
  /** Locks the row until the end of the transaction. */
  readonly findForUpdate: (scope: Scope, id: KeyId) => Stored<Option.Option<Key>>
  readonly revoke: (scope: Scope, id: KeyId) => Stored<void>
  /** Revokes every working key of this user; returns their ids. */
  readonly revokeAllOf: (orgId: OrgId, userId: UserId) => Stored<ReadonlyArray<KeyId>>
  readonly expire: (scope: Scope, id: KeyId, graceSeconds: number) => Stored<void>
}

export class ApiKeyStore extends Context.Tag("corridor/ApiKeyStore")<ApiKeyStore, Store>() {}

const keys = query(Key)
const keyIds = query(Schema.Struct({ api_key_id: KeyId }))

export const apiKeyStoreSql = Layer.effect(
  ApiKeyStore,
  Effect.map(SqlClient.SqlClient, (sql): ApiKeyStore["Type"] => {
    const columns = sql.literal(`api_key_id, prefix, name, org_id, user_id, obtained_by, role,
      case when status = 'expiring' and expires_at <= now() then 'revoked' else status end as status,
      case when expires_at > now() then expires_at end as expires_at, created_at, updated_at`)
    return {
      insert: ({ hash, ...fresh }) =>
        keys.one(
          sql`insert into api_keys ${sql.insert({ ...fresh, hash: Buffer.from(hash, "hex") })} returning ${columns}`
        ),
      list: (scope, window) =>
        keys.all(
          sql`select ${columns} from api_keys where ${inScope(sql, scope)} ${newest(sql, "api_key_id", window)}`
        ),
      count: (scope) => queryCount(sql`select count(*)::int from api_keys where ${inScope(sql, scope)}`),
      findForUpdate: (scope, id) =>
        keys.first(sql`select ${columns} from api_keys where api_key_id = ${id} and ${ownedIn(sql, scope)} for update`),
      revoke: (scope, id) =>
        execute(sql`update api_keys set status = 'revoked', expires_at = null, updated_at = now()
          where api_key_id = ${id} and status <> 'revoked' and ${ownedIn(sql, scope)}`),
      revokeAllOf: (orgId, userId) =>
        sql`update api_keys set status = 'revoked', expires_at = null, updated_at = now()
          where org_id = ${orgId} and user_id = ${userId} and (status = 'active' or expires_at > now())
          returning api_key_id`.pipe(
          keyIds.all,
          Effect.map((rows) => rows.map(({ api_key_id }) => api_key_id))
        ),
      expire: (scope, id, graceSeconds) =>
        execute(sql`update api_keys set status = 'expiring', expires_at = now() + make_interval(secs => ${graceSeconds}),
          updated_at = now() where api_key_id = ${id} and (status = 'active' or expires_at > now()) and ${ownedIn(sql, scope)}`)
    }
  })
)
