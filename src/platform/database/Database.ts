/** The pool of connections behind every SQL store. */
import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Context, Data, Effect, Layer, Metric, Option, type Redacted, Runtime, Schedule } from "effect"
import type Pg from "pg"
import { connectTimeout, primaryPollInterval, replicaConnectTimeout } from "../../domain/policies/DatabasePolicies.ts"
import { poolClosesWithin } from "../../domain/policies/ServerPolicies.ts"
import { hostsOf } from "../config/DatabaseUrl.ts"
import { Settings } from "../config/Settings.ts"
import { endWithin } from "../fibers/Shutdown.ts"
import { beforeScrape } from "../observability/Metrics.ts"
import { unspanned } from "../observability/Spans.ts"
import { alertOperator } from "../observability/OperatorAlert.ts"
import { Announcements, makeAnnouncements } from "./Announcements.ts"
import { failFastWhenExhausted, limitRole, openPool, withUntracedStatements } from "./Connections.ts"
import { DatabaseServer, RECORD_SERVER } from "./DatabaseServer.ts"
import { PoolQuotas } from "./Transactor.ts"
import { applicationName, migrations } from "./Migrations.ts"
import { readingFrom, Replica } from "./Replica.ts"
import { type Fence, makeFence, Primary } from "./PrimaryFence.ts"

export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{ readonly message: string }> {}

const OLDEST_VERSION = 15
const NAME = applicationName(migrations)
const VERSION = "select current_setting('server_version_num')::int as version"

const total = Metric.gauge("db_pool_connections", { description: "Open database connections." })
const idle = Metric.gauge("db_pool_idle_connections", { description: "Open database connections that are idle." })
const waiting = Metric.gauge("db_pool_waiting_requests", { description: "Statements waiting for a connection." })

const countConnections = (pool: Pg.Pool) =>
  beforeScrape(
    Effect.sync(() => {
      total.unsafeUpdate(pool.totalCount, [])
      idle.unsafeUpdate(pool.idleCount, [])
      waiting.unsafeUpdate(pool.waitingCount, [])
    })
  )

const unreachable = (cause: unknown): DatabaseUnusable => {
  const { code, message } = cause as { readonly message?: string; readonly code?: string }
  const reason = message || (code ?? String(cause))
  return new DatabaseUnusable({
    message: reason.includes("startup parameter")
      ? `DATABASE_URL leads to a pooler (${reason}): set DATABASE_POOLER=transaction.`
      : `Cannot reach PostgreSQL (${reason}). Check DATABASE_URL, or unset it to use the embedded server.`
  })
}

/** For callbacks of the pool. */
const runFork = Effect.map(Effect.runtime<never>(), (runtime) => Runtime.runFork(runtime))

/** A connection that is lost is replaced by the next request; without a listener it would end the process. */
const logLosses = (pool: Pg.Pool) =>
  Effect.map(runFork, (run) =>
    pool.on("error", (error) => run(Effect.logWarning(`A database connection was lost: ${error.message}`)))
  )

const closed = (pool: Pg.Pool) =>
  endWithin(poolClosesWithin, () => "connections to the database")(Effect.promise(() => pool.end()))

/** Logs a failover, and alerts the operator of an old primary that still takes writes. */
const loggedFence = Effect.map(runFork, (run) =>
  makeFence({
    changed: (from, to, closed) => {
      const message = `The primary has changed, from timeline ${from} to ${to}: ${closed} connections to the old one are closed`
      run(Effect.logWarning(message))
    },
    twoPrimaries: (lower, highest) => {
      const message = `A PostgreSQL on timeline ${lower} still takes writes, beside the primary on timeline ${highest}: stop it`
      run(alertOperator("two_primaries", message, {}))
    }
  })
)

const primaryPool = Effect.gen(function* () {
  const { databasePool: max, databasePooler: pooler } = yield* Settings
  const urls = hostsOf((yield* DatabaseServer).url)
  const fence = yield* loggedFence
  const wanted = { kind: "primary", fence } as const
  const { look, pool } = openPool({ urls, wanted, max, pooler, connectTimeout, applicationName: NAME })
  yield* countConnections(pool)
  failFastWhenExhausted(pool)
  yield* logLosses(pool)
  const started = Effect.tryPromise({
    try: async () => {
      const client = await pool.connect()
      try {
        if (pooler === "transaction") await limitRole(client)
        const { rows } = await client.query<{ version: number }>(VERSION)
        return Math.trunc((rows[0]?.version ?? 0) / 10_000)
      } finally {
        client.release()
      }
    },
    catch: unreachable
  }).pipe(
    Effect.filterOrFail(
      (major) => major >= OLDEST_VERSION,
      (major) => {
        const message = `DATABASE_URL names PostgreSQL ${major}; version ${OLDEST_VERSION} or newer is needed.`
        return new DatabaseUnusable({ message })
      }
    )
  )
  yield* Effect.tapError(started, () => Effect.promise(() => pool.end()))
  /** For the connection that listens. */
  const openListening = () =>
    openPool({ urls, wanted, max: 1, pooler, connectTimeout, applicationName: "corridor listens" }).pool
  return { pool, look, fence, openListening, listens: pooler === "none" }
})

type PrimaryPool = Effect.Effect.Success<typeof primaryPool>

/** Looks for a new primary while the old one still answers, and records its timeline. */
const watchPrimary = ({ fence: { primary }, look, pool }: PrimaryPool) => {
  let recorded = 0
  const record = Effect.promise(async () => {
    const changes = primary.changes()
    const server = primary.server()
    if (changes === recorded) return
    await pool.query(RECORD_SERVER, [server?.system ?? null, server?.timeline ?? null]).then(
      () => (recorded = changes),
      () => undefined
    )
  })
  return Effect.zipRight(Effect.promise(look), record).pipe(
    Effect.repeat(Schedule.jittered(Schedule.spaced(primaryPollInterval))),
    Effect.delay(primaryPollInterval),
    unspanned
  )
}

const clientOf = (pool: Pg.Pool) =>
  Layer.map(PgClient.layerFromPool({ acquire: Effect.succeed(pool), applicationName: NAME }), (context) =>
    Context.make(SqlClient.SqlClient, withUntracedStatements(Context.get(context, SqlClient.SqlClient), pool))
  )

/** For the replicas of the same primary. */
class PrimaryFence extends Context.Tag("corridor/PrimaryFence")<PrimaryFence, Fence>() {}

/** The embedded server is alone. */
const PrimaryLive = Layer.unwrapScoped(
  Effect.gen(function* () {
    const opened = yield* Effect.acquireRelease(primaryPool, ({ pool }) => closed(pool))
    if (!(yield* DatabaseServer).embedded) yield* Effect.forkScoped(watchPrimary(opened))
    return Layer.mergeAll(
      clientOf(opened.pool),
      Layer.scoped(Announcements, makeAnnouncements(opened.pool, opened.openListening, opened.listens)),
      Layer.succeed(Primary, opened.fence.primary),
      Layer.succeed(PrimaryFence, opened.fence)
    )
  })
)

/** Not awaited at the start: without it the primary answers. */
const replicaPool = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const { databasePool: max, databasePooler: pooler } = yield* Settings
    const wanted = { kind: "replica", fence: yield* PrimaryFence } as const
    const opening = { wanted, max, pooler, connectTimeout: replicaConnectTimeout }
    const { pool } = openPool({ ...opening, urls: hostsOf(url), applicationName: "corridor reads" })
    yield* logLosses(pool)
    return pool
  })

const ReplicaLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ databaseReadUrl }) =>
    Option.match(databaseReadUrl, {
      onNone: () => Layer.empty,
      onSome: (url) =>
        Layer.scoped(
          Replica,
          Effect.gen(function* () {
            const pool = yield* Effect.acquireRelease(replicaPool(url), closed)
            const context = yield* Layer.build(clientOf(pool))
            return yield* readingFrom(Context.get(context, SqlClient.SqlClient))
          })
        )
    })
  )
)

export const DatabaseLive = ReplicaLive.pipe(Layer.provideMerge(Layer.merge(PrimaryLive, PoolQuotas.layer)))
