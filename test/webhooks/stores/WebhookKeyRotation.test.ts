/** Endpoints' secrets move to a new master key with everything else that is sealed. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { StoresLive } from "../../../src/app/Stores.ts"
import { AuditLog } from "../../../src/platform/audit/AuditLog.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { deriveMasterKey } from "../../../src/platform/config/MasterKey.ts"
import { guardMasterKey } from "../../../src/platform/masterKey/MasterKeyGuard.ts"
import { RotatableTablesLive } from "../../../src/app/Ports.ts"
import { MasterKeyRotation } from "../../../src/platform/masterKey/MasterKeyRotation.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { secretContext } from "../../../src/webhooks/WebhookSecrets.ts"
import { WebhookStore } from "../../../src/webhooks/WebhookStore.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
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
  it.effect("takes over the secrets of endpoints, the previous ones too, once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* WebhookStore
      const { rotate } = yield* MasterKeyRotation
      yield* guardMasterKey(oldKey)
      const { org_id } = yield* newOrganization()
      const [before, after] = [Vault.make(oldKey), Vault.make(newKey)]
      const made = yield* Effect.forEach([1, 2], () =>
        Effect.gen(function* () {
          const webhook_id = yield* nextId
          const context = secretContext(webhook_id)
          const secret_sealed = yield* before.encrypt(`first of ${webhook_id}`, context)
          yield* store.insert({
            webhook_id,
            org_id,
            endpoint_url: "https://shop.example/",
            events: ["*"],
            secret_sealed
          })
          return { webhook_id, context }
        })
      )
      const [rotated, single] = made as [(typeof made)[number], (typeof made)[number]]
      const second = yield* before.encrypt("second", rotated.context)
      yield* store.replaceSecret(Option.none(), rotated.webhook_id, second, false)

      const permit = operatorPermit("platform", "the test")
      expect(yield* rotate(permit, oldKey, newKey)).toMatchObject({ resealed: 3, already_rotated: false })
      const sealed = yield* sql<{
        readonly webhook_id: string
        readonly secret_sealed: string
        readonly previous_secret_sealed: string | null
      }>`select webhook_id, secret_sealed, previous_secret_sealed from webhooks`
      const rows = new Map(sealed.map((row) => [row.webhook_id, row]))
      const open = (sealed: string | null | undefined, context: string) => after.decrypt(sealed ?? "", context)
      const [one, other] = [rows.get(rotated.webhook_id), rows.get(single.webhook_id)]
      expect(yield* open(one?.secret_sealed, rotated.context)).toBe("second")
      expect(yield* open(one?.previous_secret_sealed, rotated.context)).toBe(`first of ${rotated.webhook_id}`)
      expect(yield* open(other?.secret_sealed, single.context)).toBe(`first of ${single.webhook_id}`)
      expect(other?.previous_secret_sealed).toBeNull()
      const left = yield* sql`select 1 from webhooks w where w::text like ${`%v1.${oldKey.id}.%`}`
      expect(left).toEqual([])
      expect(yield* rotate(permit, oldKey, newKey)).toMatchObject({ resealed: 0, already_rotated: true })
    })
  )
})
