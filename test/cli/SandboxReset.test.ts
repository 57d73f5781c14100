/** State after a reset: the rules that came with the schema, and nothing from before. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Organizations } from "../../src/people/organizations/Organizations.ts"
import { Users } from "../../src/people/users/Users.ts"
import { Secrets, SecretStore } from "../../src/platform/secrets/Secrets.ts"
import { EventPublisher } from "../../src/webhooks/EventPublisher.ts"
import { ApiKeys } from "../../src/people/apiKeys/ApiKeys.ts"
import { SandboxLive } from "../../src/app/Services.ts"
import { StoresLive } from "../../src/app/Stores.ts"
import { AuditLog } from "../../src/platform/audit/AuditLog.ts"
import { issuerSecret } from "../../src/people/auth/DevelopmentIssuer.ts"
import { operatorPermit } from "../../src/domain/Access.ts"
import { Ids } from "../../src/domain/Ids.ts"
import { SandboxReset, Sandbox } from "../../src/app/Sandbox.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { testSettings, TestVault } from "../support/TestSettings.ts"

const ResetOn = (settings: ReturnType<typeof testSettings>) =>
  SandboxReset.layer.pipe(
    Layer.provideMerge(SandboxLive),
    Layer.provideMerge(ApiKeys.layer),
    Layer.provide(Users.layer),
    Layer.provide(Organizations.layer),
    Layer.provideMerge(Layer.merge(EventPublisher.layer, Secrets.layer)),
    Layer.provideMerge(AuditLog.layer),
    Layer.provideMerge(StoresLive),
    Layer.provideMerge(TestVault),
    Layer.provideMerge(Ids.layer),
    Layer.provide(settings)
  )

const permit = operatorPermit("platform", "olga")

/** Rows of each table; of the sandbox's own, as many as it always makes. */
const counts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
  const all = yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(
      sql<{ rows: number }>`select count(*)::int as rows from ${sql(name)}`,
      ([row]) => [name, row!.rows] as const
    )
  )
  return Object.fromEntries(all)
})

layer(TestDatabase.pipe(Layer.provide(testSettings())), { excludeTestServices: true, timeout: "120 seconds" })(
  "Reset",
  (it) => {
    it.effect("brings back a sandbox as it is after its first start, but for one audit row", () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        const secrets = yield* SecretStore
        const first = yield* sandbox.ensure
        const fresh = yield* counts
        expect(fresh["payment_transitions"]).toBeGreaterThan(0)
        const issuer = yield* secrets.find(issuerSecret)
        const sql = yield* SqlClient.SqlClient
        yield* sql`update organizations set name = 'Changed'`
        yield* sql`insert into rates (from_currency, to_currency, rate, compared_rate) values ('USD', 'CHF', 0.9, 0.9)`

        const second = yield* Effect.flatMap(SandboxReset, (reset) => reset.run(permit))
        expect(yield* counts).toEqual({ ...fresh, audit_log: fresh["audit_log"]! + 1 })
        expect(second.orgs.map((org) => org.name)).toEqual(first.orgs.map((org) => org.name))
        expect(second.orgs[0]?.api_key).not.toBe(first.orgs[0]?.api_key)
        expect(yield* sandbox.ensure).toMatchObject({ orgs: [{ api_key: second.orgs[0]?.api_key }, {}] })
        expect(issuer._tag).toBe("Some")
        expect(yield* secrets.find(issuerSecret)).toEqual(issuer)
        const [audit] = yield* sql`select actor_id from audit_log where action = 'sandbox.reset'`
        expect(Option.fromNullable(audit)).toEqual(Option.some({ actor_id: "olga" }))
      }).pipe(Effect.provide(ResetOn(testSettings())))
    )

    it.effect("does not touch anything in live mode", () =>
      Effect.gen(function* () {
        const before = yield* counts
        const refused = yield* Effect.flip(Effect.flatMap(SandboxReset, (reset) => reset.run(permit)))
        expect(refused._tag).toBe("Conflict")
        expect(yield* counts).toEqual(before)
      }).pipe(
        Effect.provide(
          ResetOn(
            testSettings({
              CORRIDOR_MODE: "live",
              CORRIDOR_MASTER_KEY: "f".repeat(64),
              KYB_WEBHOOK_SECRET: "a secret of the test"
            })
          )
        )
      )
    )
  }
)
