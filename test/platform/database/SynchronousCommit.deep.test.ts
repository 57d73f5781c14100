/** Commits that wait for a synchronous standby which is gone. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { Client } from "pg"
import { temporaryFolder } from "../../bench/BenchCluster.ts"
import { connected } from "../../chaos/environment/OneConnection.ts"
import { startReplicated } from "../../chaos/environment/Replicated.ts"
import { DatabaseLive } from "../../../src/platform/database/Database.ts"
import { DatabaseServer } from "../../../src/platform/database/DatabaseServer.ts"
import { eventually } from "../../payments/support/PaymentCalls.ts"
import { failureTag } from "../../support/FailureTag.ts"
import { testSettings } from "../../support/TestSettings.ts"

class Waiting extends Context.Tag("test/Waiting")<
  Waiting,
  {
    readonly server: DatabaseServer["Type"]
    readonly admin: (text: string) => Effect.Effect<ReadonlyArray<Record<string, unknown>>>
    /** Until so many commits wait for the standby. */
    readonly untilWaiting: (count: number) => Effect.Effect<unknown, unknown>
    /** Names the synchronous standby; none is none. */
    readonly standby: (name: string) => Effect.Effect<unknown>
  }
>() {}

const WAITING = "select pid from pg_stat_activity where wait_event = 'SyncRep'"

const Database = Layer.unwrapScoped(
  Effect.gen(function* () {
    const { primary } = yield* Effect.flatMap(temporaryFolder("commits"), startReplicated)
    const admin = (text: string) =>
      Effect.promise(() => connected(primary.url, async (client) => (await client.query(text)).rows))
    yield* admin("create table written (n integer)")
    const server = { url: Redacted.make(primary.url), embedded: false, gone: Effect.never }
    return DatabaseLive.pipe(
      Layer.provide(Layer.succeed(DatabaseServer, server)),
      Layer.provide(testSettings({ DATABASE_POOL: "3" })),
      Layer.merge(
        Layer.succeed(Waiting, {
          admin,
          server,
          untilWaiting: (count) => eventually(admin(WAITING), (rows) => rows.length === count),
          standby: (name) =>
            Effect.all([
              admin(`alter system set synchronous_standby_names = '${name}'`),
              admin("select pg_reload_conf()"),
              eventually(
                admin("show synchronous_standby_names"),
                ([row]) => row?.["synchronous_standby_names"] === name
              )
            ]).pipe(Effect.orDie)
        })
      )
    )
  })
)

layer(Database, { excludeTestServices: true, timeout: "120 seconds" })("A commit that no standby confirms", (it) => {
  it.effect("has an unknown result if its wait is cancelled, although PostgreSQL reports success", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { admin, standby, untilWaiting } = yield* Waiting
      yield* standby("gone")
      const alone = yield* Effect.fork(Effect.exit(sql`insert into written values (1)`))
      const together = yield* Effect.fork(Effect.exit(sql.withTransaction(sql`insert into written values (2)`)))
      yield* untilWaiting(2)
      yield* admin("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'")
      expect(failureTag(yield* Fiber.join(alone))).toBe("MaybeWritten")
      expect(failureTag(yield* Fiber.join(together))).toBe("MaybeWritten")
      yield* standby("")
      expect(yield* sql`select n from written order by n`).toEqual([{ n: 1 }, { n: 2 }])
    })
  )

  it.effect.each([true, false])("is not cancelled by a caller that leaves, traced: %s", (traced) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { admin, standby, untilWaiting } = yield* Waiting
      yield* standby("gone")
      const written = traced ? 3 : 4
      const leaving = yield* Effect.fork(Effect.withTracerEnabled(sql`insert into written values (${written})`, traced))
      yield* untilWaiting(1)
      yield* Fiber.interrupt(leaving)
      expect(yield* admin(WAITING)).toHaveLength(1)
      expect(yield* admin(`select from written where n = ${written}`), "others do not see it yet").toEqual([])
      yield* standby("")
      yield* eventually(admin(`select from written where n = ${written}`), (rows) => rows.length === 1)
    })
  )

  it.scoped("refuses new connections while half of the server waits for a standby", () =>
    Effect.gen(function* () {
      const { admin, server, standby, untilWaiting } = yield* Waiting
      yield* standby("gone")
      const clients = yield* Effect.acquireRelease(
        Effect.sync(() =>
          Array.from({ length: 30 }, () => new Client({ connectionString: Redacted.value(server.url) }))
        ),
        (all) => Effect.promise(() => Promise.all(all.map((one) => one.end())))
      )
      yield* Effect.promise(() => Promise.all(clients.map((one) => one.connect())))
      const writes = clients.map((one) => one.query("insert into written values (9)"))
      yield* untilWaiting(30)
      const start = Layer.build(
        DatabaseLive.pipe(Layer.provide(Layer.succeed(DatabaseServer, server)), Layer.provide(testSettings()))
      )
      expect(yield* Effect.flip(start)).toMatchObject({
        message: expect.stringContaining("Too many of its connections wait for a synchronous standby") as string
      })
      yield* standby("")
      yield* Effect.promise(() => Promise.all(writes))
      yield* start
      expect(yield* admin("select from written where n = 9")).toHaveLength(30)
    })
  )

  it.effect("is given up in time, and the pool works again once a standby confirms", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { standby, untilWaiting } = yield* Waiting
      yield* standby("gone")
      const writes = yield* Effect.forkAll([5, 6, 7].map((n) => Effect.exit(sql`insert into written values (${n})`)))
      yield* untilWaiting(3)
      const began = performance.now()
      const exits = yield* Fiber.join(writes)
      expect(exits.map(failureTag)).toEqual(["MaybeWritten", "MaybeWritten", "MaybeWritten"])
      expect(performance.now() - began).toBeLessThan(15_000)
      expect(yield* sql`select 1 as one`, "reads go on").toEqual([{ one: 1 }])
      yield* standby("")
      yield* sql`insert into written values (8)`
      yield* untilWaiting(0)
    })
  )
})
