/** The pool of connections behind every SQL store. */
import { PgClient } from "@effect/sql-pg"
import { Data, Duration, Effect, Layer, Metric, Redacted, Runtime } from "effect"
import Pg from "pg"
import { Settings } from "../config/Settings.ts"
import { connectTimeout } from "../../domain/policies/Database.ts"
import { poolClosesWithin } from "../../domain/policies/Server.ts"
import { endWithin } from "../fibers/Shutdown.ts"
import { beforeScrape } from "../observability/Scrape.ts"
import { connectionLimits, watchConnections } from "./Connections.ts"
import { turnAwayWhenStuck } from "./Crowding.ts"
import { DatabaseServer } from "./DatabaseServer.ts"
import { Lanes } from "./Lanes.ts"
import { prepareRepeated } from "./PreparedStatements.ts"

export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{ readonly message: string }> {}

const OLDEST_VERSION = 15

const total = Metric.gauge("db_pool_connections", { description: "Open database connections." })
const idle = Metric.gauge("db_pool_idle_connections", { description: "Open database connections that nobody uses." })
const waiting = Metric.gauge("db_pool_waiting_requests", { description: "Statements waiting for a connection." })

const countConnections = (pool: Pg.Pool) =>
  beforeScrape(
    Effect.sync(() => {
      total.unsafeUpdate(pool.totalCount, [])
      idle.unsafeUpdate(pool.idleCount, [])
      waiting.unsafeUpdate(pool.waitingCount, [])
    })
  )

const reasonOf = (cause: unknown): string => {
  const error = cause as { readonly message?: string; readonly code?: string }
  return error.message === undefined || error.message === "" ? (error.code ?? String(cause)) : error.message
}

const openPool = Effect.gen(function* () {
  const { databasePool } = yield* Settings
  const server = yield* DatabaseServer
  const run = Runtime.runFork(yield* Effect.runtime<never>())
  const pool = new Pg.Pool({
    connectionString: Redacted.value(server.url),
    max: databasePool,
    connectionTimeoutMillis: Duration.toMillis(connectTimeout),
    application_name: "corridor",
    ...connectionLimits
  })
  yield* countConnections(pool)
  watchConnections(pool)
  prepareRepeated(pool)
  turnAwayWhenStuck(pool)
  // An idle connection that breaks is replaced by the next request; without a listener it would end the process.
  pool.on("error", (error) => run(Effect.logWarning(`A database connection was lost: ${error.message}`)))
  const version = yield* Effect.tryPromise({
    try: () => pool.query<{ version: number }>("select current_setting('server_version_num')::int as version"),
    catch: (cause) =>
      new DatabaseUnusable({
        message: `Cannot reach PostgreSQL (${reasonOf(cause)}). Check DATABASE_URL, or unset it to use the embedded server.`
      })
  }).pipe(Effect.tapError(() => Effect.promise(() => pool.end())))
  const major = Math.trunc((version.rows[0]?.version ?? 0) / 10_000)
  if (major < OLDEST_VERSION) {
    yield* Effect.promise(() => pool.end())
    return yield* new DatabaseUnusable({
      message: `DATABASE_URL names PostgreSQL ${major}; version ${OLDEST_VERSION} or newer is needed.`
    })
  }
  return pool
})

export const DatabaseLive = Layer.unwrapScoped(
  Effect.map(
    Effect.acquireRelease(openPool, (pool) =>
      endWithin(poolClosesWithin, () => "connections to the database")(Effect.promise(() => pool.end()))
    ),
    (pool) => PgClient.layerFromPool({ acquire: Effect.succeed(pool), applicationName: "corridor" })
  )
).pipe(Layer.merge(Lanes.layer))
