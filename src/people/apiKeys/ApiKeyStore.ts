/** Stores API keys by their hash, never the key itself. */
import { Context, type Option } from "effect"
import type { KeyId, OrgId, UserId } from "../../domain/Ids.ts"
import type { ApiKey } from "../../contract/api/ApiKeysApi.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Window, Scope } from "../../platform/database/Query.ts"
import type { ApiKeyMode } from "../../domain/ApiKeyFormat.ts"

export type Key = typeof ApiKey.Type

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
