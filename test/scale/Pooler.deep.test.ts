/**
 * The service behind PgBouncer 1.18 in transaction mode, which has no prepared statements. Skipped if not installed.
 */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { describe, expect, it as plain } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option, Redacted } from "effect"
import { Client } from "pg"
import { freePort } from "../bench/FreePort.ts"
import { temporaryFolder } from "../bench/BenchCluster.ts"
import { findProgram, makeFolder, makeProgram, programUser } from "../chaos/environment/Program.ts"
import { untilAnswers } from "../chaos/environment/Replicated.ts"
import { StoresLive } from "../../src/app/Stores.ts"
import { startWorkers } from "../../src/app/BackgroundWorkers.ts"
import { connectionLimits } from "../../src/platform/database/Connections.ts"
import { DatabaseLive } from "../../src/platform/database/Database.ts"
import { DatabaseServer } from "../../src/platform/database/DatabaseServer.ts"
import { migrate } from "../../src/platform/database/Migrations.ts"
import { initiate, untilStatus } from "../payments/support/PaymentCalls.ts"
import { byPhone } from "../payments/support/Requests.ts"
import { people } from "../support/TestCredentials.ts"
import { send } from "../support/Send.ts"
import { TestDatabaseServer } from "../support/TestDatabase.ts"
import { onServer } from "../support/TestServer.ts"
import { testSettings } from "../support/TestSettings.ts"

const program = await Effect.runPromise(findProgram("/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"))

const SERVER_CONNECTIONS = 4

const configuration = (port: number, database: URL): string => `
[databases]
* = host=${database.hostname} port=${database.port} user=${database.username} password=${database.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
admin_users = console
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 200
`

class Console extends Context.Tag("test/Console")<Console, { readonly say: (text: string) => Effect.Effect<void> }>() {}

const Bouncer = Layer.scopedContext(
  Effect.gen(function* () {
    const { url } = yield* DatabaseServer
    const database = new URL(Redacted.value(url))
    const user = yield* programUser
    const folder = yield* makeFolder(join(yield* temporaryFolder("pooler"), "own"), user)
    const port = yield* Effect.promise(freePort)
    const file = join(folder, "pgbouncer.ini")
    yield* Effect.promise(() => writeFile(file, configuration(port, database), { mode: 0o644 }))
    yield* makeProgram({ program: Option.getOrThrow(program), args: [file], user, folder, name: "pgbouncer" })
    const address = (name: string, role: string) => `postgres://${role}:x@127.0.0.1:${port}/${name}`
    const through = address(database.pathname.slice(1), "anybody")
    yield* untilAnswers(through)
    const say = (text: string) =>
      Effect.promise(async () => {
        const client = new Client({ connectionString: address("pgbouncer", "console") })
        await client.connect()
        await client.query(text)
        await client.end()
      })
    return Context.make(DatabaseServer, { url: Redacted.make(through), embedded: false, gone: Effect.never }).pipe(
      Context.add(Console, { say })
    )
  })
).pipe(Layer.provide(TestDatabaseServer))

const stores = StoresLive.pipe(Layer.provideMerge(DatabaseLive), Layer.provideMerge(Bouncer))

if (Option.isNone(program)) {
  describe("Behind PgBouncer", () => {
    plain.skip("skipped: pgbouncer is not installed", () => undefined)
  })
} else {
  onServer("Behind PgBouncer", "PostgreSQL", { stores, variables: { DATABASE_POOLER: "transaction" } }, (it) => {
    it.scoped("payments are created, completed, listed and have events", () =>
      Effect.gen(function* () {
        yield* startWorkers
        const { acme } = yield* people
        const made = yield* Effect.replicateEffect(initiate(byPhone()), 12, { concurrency: 12 })
        for (const { payment_id } of made) yield* untilStatus(payment_id, "completed")
        const list = yield* send("/v1/transactions?limit=50", { headers: { ...acme.key } })
        expect(list.status).toBe(200)
        const events = yield* send("/v1/public/events?limit=100", { headers: { ...acme.key } })
        expect(events.text.match(/payment\.completed/g)?.length ?? 0).toBeGreaterThanOrEqual(12)
      })
    )

    it.effect("migrations run, and statements repeat on any connection", () =>
      Effect.gen(function* () {
        const sql = (yield* Layer.build(stores)).pipe(Context.get(SqlClient.SqlClient))
        expect(yield* migrate.pipe(Effect.provideService(SqlClient.SqlClient, sql))).toEqual([])
        const asked = Effect.forEach(
          Array.from({ length: 60 }, (_, n) => n),
          (n) => Effect.map(sql<{ n: number }>`select ${n}::int as n`, ([row]) => row?.n === n),
          { concurrency: 10 }
        )
        expect((yield* asked).every(Boolean)).toBe(true)
      }).pipe(Effect.scoped, Effect.provide(testSettings({ DATABASE_POOLER: "transaction" })))
    )
  })

  describe("A connection through PgBouncer", () => {
    plain.scopedLive("has the same limits, set on the role", () =>
      Effect.gen(function* () {
        const context = yield* Layer.build(stores)
        const sql = Context.get(context, SqlClient.SqlClient)
        // Earlier connections have no limits.
        yield* Context.get(context, Console).say("reconnect")
        const names = ["lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"] as const
        const shown = yield* Effect.forEach(names, (name) =>
          Effect.map(
            sql<{ value: string }>`select extract(epoch from current_setting(${name})::interval) * 1000 as value`,
            ([row]) => Number(row?.value)
          )
        )
        expect(shown).toEqual(names.map((name) => connectionLimits[name]))
      }).pipe(Effect.provide(testSettings({ DATABASE_POOLER: "transaction" })))
    )

    plain.scopedLive("is refused without DATABASE_POOLER", () =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(Layer.build(stores))
        expect(Exit.isFailure(exit) ? String(exit.cause) : "it started").toContain("DATABASE_POOLER=transaction")
      }).pipe(Effect.provide(testSettings()))
    )
  })
}
