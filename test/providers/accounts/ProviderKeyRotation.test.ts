/** Credentials of configurations move to a new master key with everything else that is sealed. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { RotatableTablesLive } from "../../../src/app/Ports.ts"
import { StoresLive } from "../../../src/app/Stores.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { AuditLog } from "../../../src/platform/audit/AuditLog.ts"
import { deriveMasterKey } from "../../../src/platform/config/MasterKey.ts"
import { MasterKeyRotation } from "../../../src/platform/masterKey/MasterKeyRotation.ts"
import { guardMasterKey } from "../../../src/platform/masterKey/MasterKeyGuard.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { decryptCredentials, encryptCredentials } from "../../../src/providers/accounts/AccountCredentials.ts"
import { ProviderAccountStore } from "../../../src/providers/accounts/ProviderAccountStore.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/TestSettings.ts"

const [oldKey, newKey] = [deriveMasterKey("old"), deriveMasterKey("new")]

const services = MasterKeyRotation.layer.pipe(
  Layer.provide(RotatableTablesLive),
  Layer.provideMerge(AuditLog.layer),
  Layer.provideMerge(StoresLive),
  Layer.provideMerge(TestDatabase),
  Layer.provideMerge(Ids.layer),
  Layer.provide(testSettings())
)

layer(services, { excludeTestServices: true, timeout: "60 seconds" })("A new master key", (it) => {
  it.effect("takes over the credentials of configurations, once, as the version that they were", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* ProviderAccountStore
      const { rotate } = yield* MasterKeyRotation
      yield* guardMasterKey(oldKey)
      const [before, after] = [Vault.make(oldKey), Vault.make(newKey)]
      const ids = yield* Effect.all([nextId, nextId])
      for (const config_id of ids) {
        const given = { secret_key: Redacted.make(`key of ${config_id}`) }
        const sealed = yield* encryptCredentials(before, config_id, given)
        yield* store.put({ config_id, provider: "stripe", sealed, tested: true })
      }
      const [replacing] = ids
      const sealed = yield* encryptCredentials(before, replacing, { secret_key: Redacted.make(`key of ${replacing}`) })
      yield* store.put({ config_id: replacing, provider: "stripe", sealed, tested: true })
      const permit = operatorPermit("platform", "the test")
      expect(yield* rotate(permit, oldKey, newKey)).toMatchObject({ resealed: 3, already_rotated: false })
      for (const config_id of ids) {
        const account = Option.getOrThrow(yield* store.find(config_id))
        expect(account.version).toBe(config_id === replacing ? 2 : 1)
        const { credentials } = yield* decryptCredentials(after, account, "sandbox")
        expect(Redacted.value(credentials["secret_key"]!)).toBe(`key of ${config_id}`)
        expect(yield* Effect.flip(decryptCredentials(before, account, "sandbox"))).toMatchObject({ _tag: "CannotOpen" })
      }
      const [replaced] = yield* store.replaced(replacing)
      const opened = yield* decryptCredentials(after, { ...replaced!, provider: "stripe" }, "sandbox")
      expect(Redacted.value(opened.credentials["secret_key"]!)).toBe(`key of ${replacing}`)
      const [first, second] = yield* Effect.forEach(ids, (id) => Effect.map(store.find(id), Option.getOrThrow))
      const moved = { ...first!, config_id: second!.config_id }
      expect(yield* Effect.flip(decryptCredentials(after, moved, "sandbox")), "in another's place").toMatchObject({
        _tag: "CannotOpen"
      })
      const old = `%v1.${oldKey.id}.%`
      expect(yield* sql`select 1 from provider_accounts a where a::text like ${old}`).toEqual([])
      expect(yield* sql`select 1 from replaced_credentials r where r::text like ${old}`).toEqual([])
      expect(yield* rotate(permit, oldKey, newKey)).toMatchObject({ resealed: 0, already_rotated: true })
    })
  )
})
