/** Lists from a replica that really streams: never behind a write, and from the primary when the replica is of no use. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { temporaryFolder } from "../../bench/BenchCluster.ts"
import { connected } from "../../chaos/environment/OneConnection.ts"
import { startReplicated, untilAnswers } from "../../chaos/environment/Replicated.ts"
import { DatabaseLive } from "../../../src/platform/database/Database.ts"
import { DatabaseServer } from "../../../src/platform/database/DatabaseServer.ts"
import { Replica } from "../../../src/platform/database/Replica.ts"
import { testSettings } from "../../support/TestSettings.ts"

class Pair extends Context.Tag("test/Pair")<Pair, Effect.Effect.Success<ReturnType<typeof startReplicated>>>() {}

const PairLive = Layer.scoped(Pair, Effect.flatMap(temporaryFolder("replica"), startReplicated))

const Database = Layer.unwrapEffect(
  Effect.map(Pair, ({ primary, replica }) =>
    DatabaseLive.pipe(
      Layer.provideMerge(
        Layer.succeed(DatabaseServer, { url: Redacted.make(primary.url), embedded: false, gone: Effect.never })
      ),
      Layer.provide(testSettings({ DATABASE_READ_URL: replica.url }))
    )
  )
).pipe(Layer.provideMerge(PairLive))

const where = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ replica: boolean }>`select pg_is_in_recovery() as replica`, ([row]) =>
    row?.replica === true ? "replica" : "primary"
  )
)

const asList = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flatMap(Replica, ({ reads }) => reads(effect))

const onReplica = (url: string, text: string) => Effect.promise(() => connected(url, (client) => client.query(text)))

/** Skips a replica for a while after a failure. */
const until = (place: string) =>
  Effect.repeat(Effect.delay(asList(where), "100 millis"), { until: (at) => at === place }).pipe(
    Effect.timeoutFail({ duration: "30 seconds", onTimeout: () => `no list came from the ${place}` })
  )

layer(Database, { excludeTestServices: true, timeout: "120 seconds" })("A replica", (it) => {
  it.effect("answers lists, and nothing else", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table written (n integer)`
      expect(yield* where).toBe("primary")
      yield* until("replica")
      expect(yield* sql.withTransaction(asList(where)), "what is part of a transaction stays in it").toBe("primary")
    })
  )

  it.effect("shows everything that was committed before the request", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { primary } = yield* Pair
      yield* until("replica")
      let fromReplica = 0
      for (let n = 1; n <= 40; n++) {
        yield* onReplica(primary.url, `insert into written values (${n})`)
        const [seen, place] = yield* asList(
          Effect.all([sql<{ most: number }>`select max(n) as most from written`, where])
        )
        expect(seen[0]?.most).toBe(n)
        if (place === "replica") fromReplica += 1
      }
      expect(fromReplica, "and it is the replica that shows it").toBeGreaterThan(5)
    })
  )

  it.effect("is not used while it is too far behind", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { replica } = yield* Pair
      yield* until("replica")
      yield* onReplica(replica.url, "select pg_wal_replay_pause()")
      yield* sql`insert into written values (1000)`
      const [seen, place] = yield* asList(
        Effect.all([sql<{ most: number }>`select max(n) as most from written`, where])
      )
      expect([seen[0]?.most, place]).toEqual([1000, "primary"])
      yield* onReplica(replica.url, "select pg_wal_replay_resume()")
      yield* until("replica")
    })
  )

  it.effect("is not used while it is down, and used again afterwards", () =>
    Effect.gen(function* () {
      const { replica } = yield* Pair
      yield* until("replica")
      yield* replica.kill("SIGKILL")
      for (let n = 0; n < 5; n++) expect(yield* asList(where)).toBe("primary")
      yield* replica.start
      yield* untilAnswers(replica.url)
      yield* until("replica")
    })
  )

  it.effect("is not used after it became a primary", () =>
    Effect.gen(function* () {
      const { replica } = yield* Pair
      yield* until("replica")
      yield* onReplica(replica.url, "select pg_promote()")
      yield* until("primary")
      yield* Effect.sleep("3 seconds")
      const sql = yield* SqlClient.SqlClient
      const port = Effect.map(sql<{ port: string }>`select current_setting('port') as port`, ([row]) =>
        Number(row?.port)
      )
      const { primary } = yield* Pair
      for (let n = 0; n < 5; n++) expect(yield* asList(port)).toBe(primary.port)
    })
  )
})
