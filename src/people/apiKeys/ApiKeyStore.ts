/** API keys at rest: the hash, never the key. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { ApiKey } from "../../contract/api/ApiKeys.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { ApiKeyMode } from "../../domain/ApiKeyFormat.ts"
import { newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { apiKeyTables } from "./MemoryTables.ts"
import { firstRow, inScope, newest, type Scope } from "../../platform/database/Query.ts"

type Key = typeof ApiKey.Type

export interface StoredApiKey extends Key {
  readonly hash: string
  readonly mode: ApiKeyMode
}

export interface NewKey extends Omit<Key, "status" | "expires_at" | "created_at" | "updated_at"> {
  readonly hash: string
  readonly mode: ApiKeyMode
}

interface Store {
  readonly insert: (key: NewKey) => Effect.Effect<Key>
  readonly list: (scope: Scope, window: Window) => Effect.Effect<ReadonlyArray<Key>>
  readonly count: (scope: Scope) => Effect.Effect<number>
  /** Inside a transaction the row stays locked until its end. */
  readonly findForUpdate: (scope: Scope, id: string) => Effect.Effect<Option.Option<Key>>
  readonly revoke: (scope: Scope, id: string) => Effect.Effect<void>
  /** Every key of this user that still works; answers with their ids. */
  readonly revokeAllOf: (orgId: string, userId: string) => Effect.Effect<ReadonlyArray<string>>
  readonly expire: (scope: Scope, id: string, graceSeconds: number) => Effect.Effect<void>
}

const withoutHash = ({ hash: _hash, mode: _mode, ...key }: StoredApiKey): Key => key

/** A key whose grace time is over is revoked, though nobody has touched its row since. */
const asOf = (now: number, key: StoredApiKey): StoredApiKey =>
  key.status === "expiring" && key.expires_at !== null && key.expires_at.getTime() <= now
    ? { ...key, status: "revoked", expires_at: null }
    : key

export class ApiKeyStore extends Context.Tag("corridor/ApiKeyStore")<ApiKeyStore, Store>() {
  static readonly layer = Layer.effect(
    ApiKeyStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const columns = sql.literal(`api_key_id, prefix, name, org_id, user_id, obtained_by, role,
        case when status = 'expiring' and expires_at <= now() then 'revoked' else status end as status,
        case when expires_at > now() then expires_at end as expires_at, created_at, updated_at`)
      return {
        insert: ({ hash, ...key }) =>
          sql<Key>`insert into api_keys ${sql.insert({ ...key, hash: Buffer.from(hash, "hex") })} returning ${columns}`.pipe(
            Effect.map((rows) => rows[0]!),
            Effect.orDie
          ),
        list: (scope, window) =>
          sql<Key>`select ${columns} from api_keys where ${inScope(sql, scope)} ${newest(sql, "api_key_id", window)}`.pipe(
            Effect.orDie
          ),
        count: (scope) =>
          sql<{ count: string }>`select count(*) from api_keys where ${inScope(sql, scope)}`.pipe(
            Effect.map((rows) => Number(rows[0]!.count)),
            Effect.orDie
          ),
        findForUpdate: (scope, id) =>
          sql<Key>`select ${columns} from api_keys where api_key_id = ${id} and ${inScope(sql, scope)} for update`.pipe(
            Effect.map(firstRow),
            Effect.orDie
          ),
        revoke: (scope, id) =>
          sql`update api_keys set status = 'revoked', expires_at = null, updated_at = now()
            where api_key_id = ${id} and status <> 'revoked' and ${inScope(sql, scope)}`.pipe(
            Effect.orDie,
            Effect.asVoid
          ),
        revokeAllOf: (orgId, userId) =>
          sql<{ api_key_id: string }>`update api_keys set status = 'revoked', expires_at = null, updated_at = now()
            where org_id = ${orgId} and user_id = ${userId} and (status = 'active' or expires_at > now())
            returning api_key_id`.pipe(
            Effect.map((rows) => rows.map((row) => row.api_key_id)),
            Effect.orDie
          ),
        expire: (scope, id, graceSeconds) =>
          sql`update api_keys set status = 'expiring', expires_at = now() + make_interval(secs => ${graceSeconds}),
            updated_at = now() where api_key_id = ${id} and (status = 'active' or expires_at > now()) and ${inScope(sql, scope)}`.pipe(
            Effect.orDie,
            Effect.asVoid
          )
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    ApiKeyStore,
    Effect.map(openTables(apiKeyTables), ({ apiKeys }): Store => {
      const visible = (scope: Scope, now: number) =>
        Array.from(apiKeys.values())
          .filter((key) => Option.isNone(scope) || key.org_id === scope.value)
          .map((key) => asOf(now, key))
      const change = (scope: Scope, id: string, change: (key: StoredApiKey, now: number) => Partial<StoredApiKey>) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          for (const key of visible(scope, now)) {
            if (key.api_key_id === id && key.status !== "revoked") {
              apiKeys.set(id, { ...key, ...change(key, now), updated_at: new Date(now) })
            }
          }
        })
      return {
        insert: (key) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const at = new Date(now)
            const stored: StoredApiKey = { ...key, status: "active", expires_at: null, created_at: at, updated_at: at }
            apiKeys.set(key.api_key_id, stored)
            return withoutHash(stored)
          }),
        list: (scope, window) =>
          Effect.map(Clock.currentTimeMillis, (now) =>
            newestFirst(visible(scope, now), (key) => key.api_key_id, window).map(withoutHash)
          ),
        count: (scope) => Effect.map(Clock.currentTimeMillis, (now) => visible(scope, now).length),
        findForUpdate: (scope, id) =>
          Effect.map(Clock.currentTimeMillis, (now) =>
            Option.map(Option.fromNullable(visible(scope, now).find((key) => key.api_key_id === id)), withoutHash)
          ),
        revoke: (scope, id) => change(scope, id, () => ({ status: "revoked", expires_at: null })),
        revokeAllOf: (orgId, userId) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const working = visible(Option.some(orgId), now).filter(
              (key) => key.user_id === userId && key.status !== "revoked"
            )
            for (const key of working) {
              apiKeys.set(key.api_key_id, { ...key, status: "revoked", expires_at: null, updated_at: new Date(now) })
            }
            return working.map((key) => key.api_key_id)
          }),
        expire: (scope, id, graceSeconds) =>
          change(scope, id, (_, now) => ({ status: "expiring", expires_at: new Date(now + graceSeconds * 1000) }))
      }
    })
  )
}
