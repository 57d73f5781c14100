/**
 * The pool of connections to PostgreSQL, and the timeouts of each, on the server and here. A connection that does not
 * answer is closed: later statements would queue behind the unanswered one.
 */
import { Duration, Effect, FiberRef } from "effect"
import Pg from "pg"
import {
  connectionAge,
  databaseKeepAlive,
  idleConnections,
  idleTransactionTimeout,
  lockTimeout,
  queryTimeout,
  statementTimeout,
  cancelWithin,
  batchTick,
  connectionsStuck,
  ticksIn
} from "../../domain/policies/DatabasePolicies.ts"
import { ConnectionLost, noteOnlyRead, READ_ONLY, sqlStateOf } from "./DatabaseFailure.ts"
import { SqlClient, SqlError, Statement } from "@effect/sql"
import type { Settings } from "../config/Settings.ts"
import { prepareRepeated } from "./PreparedStatements.ts"
import { poolHosts, type Wanted } from "./PrimaryFence.ts"
import { busy } from "../../domain/Failure.ts"

export const connectionLimits = {
  lock_timeout: Duration.toMillis(lockTimeout),
  statement_timeout: Duration.toMillis(statementTimeout),
  idle_in_transaction_session_timeout: Duration.toMillis(idleTransactionTimeout),
  query_timeout: Duration.toMillis(queryTimeout),
  keepAlive: true,
  keepAliveInitialDelayMillis: Duration.toMillis(databaseKeepAlive)
}

/** First statement of a transaction without time limits. */
export const withoutLimits =
  "set local lock_timeout = 0; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0"

/** Lifts the limits of a session, for statements outside of transactions; `sessionLimits` restores them. */
export const sessionWithoutLimits = "set lock_timeout = 0; set statement_timeout = 0"
export const sessionLimits = "reset lock_timeout; reset statement_timeout"

/**
 * Cancels a statement of another session, unless it waits for a synchronous standby. Cancelling that wait would
 * commit on this server alone.
 */
const cancelStatement = (processId: number): string =>
  `select pg_cancel_backend(pid) from pg_stat_activity
    where pid = ${processId} and wait_event is distinct from 'SyncRep'`

/** The cancel statement of @effect/sql-pg. */
const UNSAFE_CANCEL = /^SELECT pg_cancel_backend\((\d+)\)$/

/** Server routine that warns of an unconfirmed commit; the message itself is translated. */
const SYNC_WAIT = "SyncRepWaitForLSN"

/** The longest wait that a timer can be set for. */
const NO_LIMIT = 2 ** 31 - 1

type Done = (error: Error | null | undefined, result: Pg.QueryResult) => void

type Config = string | (Pg.QueryConfig & { readonly query_timeout?: number })

interface Query {
  (config: Config | Pg.Submittable, values?: Array<unknown> | Done, done?: Done): unknown
}

/** pg's messages: without an answer of the server there is no SQLSTATE. */
const isLoss = (error: Error & { readonly code?: string }): boolean =>
  /^(Connection terminated|Client (has encountered|was closed))/.test(error.message) ||
  ["ECONNRESET", "EPIPE", "ETIMEDOUT"].includes(error.code ?? "")

/** A transaction is written by its COMMIT and by nothing before; a lone `select` writes nothing. */
const writesNothing = (text: string, inTransaction: boolean): boolean =>
  inTransaction ? text !== "COMMIT" : /^\s*select\b/i.test(text)

const watch = (client: Pg.PoolClient): (() => boolean) => {
  const query = client.query.bind(client) as Query
  let inTransaction = false
  let unlimited = false
  let underWay = 0
  let writing = 0
  let broken: Error | undefined
  let unconfirmed = false
  client.on("notice", ({ routine }) => {
    if (routine === SYNC_WAIT) unconfirmed = true
  })
  // The connection emits its error before the statement under way fails.
  client.on("error", (error) => {
    broken = error
    if (writing === 0) noteOnlyRead(error)
  })
  /** A lost connection, by its own error event. An error of the server is an answer. */
  const isLost = (error: Error): boolean => isLoss(error) || (error === broken && !(error instanceof Pg.DatabaseError))
  const watched: Query = (config, values, done) => {
    const callback = typeof values === "function" ? values : done
    if (callback === undefined || (typeof config !== "string" && !("text" in config))) {
      return query(config, values, done)
    }
    const cancelled = typeof config === "string" ? UNSAFE_CANCEL.exec(config) : null
    if (cancelled !== null) return query(cancelStatement(Number(cancelled[1])), callback)
    const text = typeof config === "string" ? config : config.text
    if (text === "BEGIN") inTransaction = true
    if (text === withoutLimits || text === sessionWithoutLimits) unlimited = true
    if (text === sessionLimits) unlimited = false
    const harmless = writesNothing(text, inTransaction)
    if (text === "COMMIT" || text === "ROLLBACK") inTransaction = unlimited = false
    underWay += 1
    if (!harmless) writing += 1
    const answered: Done = (error, result) => {
      underWay -= 1
      if (!harmless) writing -= 1
      // The next request connects to the current primary.
      if (error instanceof Error && sqlStateOf(error) === READ_ONLY) void client.end()
      if (unconfirmed && !(error instanceof Error)) {
        void client.end()
        return callback(
          new ConnectionLost({ message: "No standby has confirmed the commit", nothingWritten: harmless }),
          result
        )
      }
      const isTimeout = error?.message === "Query read timeout"
      if (!(error instanceof Error) || !(isTimeout || isLost(error))) return callback(error, result)
      if (isTimeout) void client.end()
      const message = isTimeout ? "The database did not answer" : "The connection to the database was lost"
      return callback(new ConnectionLost({ message, nothingWritten: harmless, cause: error }), result)
    }
    const given = typeof values === "function" ? undefined : values
    if (!unlimited) return query(config, given, answered)
    if (typeof config !== "string" && "submit" in config) {
      return query(Object.assign(config, { query_timeout: NO_LIMIT }), answered)
    }
    const named = typeof config === "string" ? { text, ...(given && { values: given }) } : config
    return query({ ...named, query_timeout: NO_LIMIT }, answered)
  }
  client.query = watched as typeof client.query
  return () => underWay > 0
}

/** Called before other listeners are added to the pool. */
export const watchConnections = (pool: Pg.Pool): void => {
  const isBusy = new WeakMap<Pg.PoolClient, () => boolean>()
  const expiresAt = new WeakMap<Pg.PoolClient, number>()
  let share = 0
  const [least, most] = [Duration.toMillis(connectionAge.least), Duration.toMillis(connectionAge.most)]
  pool.on("connect", (client) => {
    isBusy.set(client, watch(client))
    // Steps of the golden ratio spread connections that were made together.
    share = (share + 0.618) % 1
    expiresAt.set(client, performance.now() + least + share * (most - least))
  })
  // A caller that gave up leaves its statement running on the connection.
  pool.on("release", (_error, client) => {
    const isOld = performance.now() > (expiresAt.get(client) ?? Infinity)
    if (isOld || isBusy.get(client)?.() === true) void client.end()
  })
}

type Rows = ReadonlyArray<unknown>

const failed = (message: string, cause: unknown) => Effect.fail(new SqlError.SqlError({ cause, message }))

/** Several statements in one text have an answer each. */
const rowsOf = (result: Pg.QueryResult | ReadonlyArray<Pg.QueryResult>): Rows =>
  "rows" in result ? result.rows : result.map(({ rows }) => rows)

/** Runs a statement over the pool. A broken connection fails its statement (see `watch`). */
const overPool = (
  pool: Pg.Pool,
  text: string,
  values: ReadonlyArray<unknown>
): Effect.Effect<Rows, SqlError.SqlError> =>
  Effect.async((resume) => {
    /** Set until the client is released. */
    let client: (Pg.PoolClient & { readonly processID?: number }) | undefined
    let isLeft = false
    /** A late cancel would stop the next statement on this connection. */
    let isBeingCancelled = false
    const giveBack = () => {
      const held = client
      client = undefined
      held?.release(isBeingCancelled)
    }
    pool.connect((cause, given) => {
      if (given === undefined) return resume(failed("Failed to acquire connection", cause))
      if (isLeft) return given.release()
      client = given
      given.query(text, values as Array<unknown>, (error: Error | null, result) => {
        if (!isBeingCancelled) giveBack()
        resume(error instanceof Error ? failed("Failed to execute statement", error) : Effect.succeed(rowsOf(result)))
      })
    })
    /** Best effort, and only while the statement runs. Poolers give no process id to cancel by. */
    const cancelled = () =>
      Effect.async<void>((done) => {
        const processId = client?.processID
        if (processId === undefined || pool.ending) return done(Effect.void)
        pool.connect((_, other) => {
          if (other === undefined) return done(Effect.void)
          if (client === undefined) {
            other.release()
            return done(Effect.void)
          }
          isBeingCancelled = true
          other.query(cancelStatement(processId), (error: Error | null) => {
            isBeingCancelled = error instanceof Error
            other.release()
            done(Effect.void)
          })
        })
      }).pipe(Effect.interruptible, Effect.timeoutOption(cancelWithin))
    return Effect.suspend(() => {
      isLeft = true
      return client === undefined ? Effect.void : Effect.ensuring(cancelled(), Effect.sync(giveBack))
    })
  })

/** Statements run by `commit`. */
type Committed = Statement.Statement<object> & { commit: () => Effect.Effect<Rows, SqlError.SqlError> }

const alone = (pool: Pg.Pool, statement: Committed): Committed => {
  const whole = statement.commit.bind(statement)
  statement.commit = () =>
    Effect.withFiberRuntime((fiber) => {
      const isInside = fiber.currentContext.unsafeMap.has(SqlClient.TransactionConnection.key)
      if (isInside || fiber.getFiberRef(FiberRef.currentTracerEnabled)) return whole()
      return overPool(pool, ...statement.compile())
    })
  return statement
}

/**
 * Client that runs statements outside of transactions without span and scope while tracing is off. These cost as much as
 * a short statement itself.
 */
export const withUntracedStatements = (client: SqlClient.SqlClient, pool: Pg.Pool): SqlClient.SqlClient => {
  const make = client as unknown as (...given: ReadonlyArray<unknown>) => unknown
  const made = (...given: ReadonlyArray<unknown>): unknown => {
    const one = make(...given)
    return Statement.isFragment(one) ? alone(pool, one as unknown as Committed) : one
  }
  const unsafe = (text: string, values?: ReadonlyArray<unknown>) =>
    alone(pool, client.unsafe(text, values) as unknown as Committed)
  return Object.assign(made, client, { unsafe }) as unknown as SqlClient.SqlClient
}

interface Opening {
  readonly urls: ReadonlyArray<string>
  readonly wanted: Wanted
  readonly max: number
  readonly pooler: Settings["Type"]["databasePooler"]
  readonly connectTimeout: Duration.Duration
  readonly applicationName: string
}

const { idle_in_transaction_session_timeout, lock_timeout, statement_timeout, ...ownLimits } = connectionLimits

/** Server-side limits of a session. Poolers accept no such parameters: see `limitRole`. */
const serverLimits = { idle_in_transaction_session_timeout, lock_timeout, statement_timeout }

/**
 * Random reads cost about as much as sequential ones on SSDs. With the server's default of 4, small tables are read whole,
 * by plans that stay while the tables grow. Compiling a statement takes longer than any of ours. `options` of the URL come
 * first.
 */
export const planning = { options: "-c random_page_cost=1.1 -c jit=off" }

/** `look` shows every host to the fence once. */
export const openPool = ({ applicationName, connectTimeout, max, pooler, urls, wanted }: Opening) => {
  const { look, reset, ...hosts } = poolHosts(urls, wanted)
  const pool = new Pg.Pool({
    ...hosts,
    max,
    min: Math.min(idleConnections, max),
    connectionTimeoutMillis: Duration.toMillis(connectTimeout),
    application_name: applicationName,
    ...ownLimits,
    ...(pooler === "none" ? { ...serverLimits, ...planning } : {})
  })
  pool.on("remove", reset)
  wanted.fence.keep(pool)
  watchConnections(pool)
  if (pooler === "none") prepareRepeated(pool)
  // A pooler's process id is not the server's: cancelling by it might stop another session.
  else pool.on("connect", (client) => Object.assign(client, { processID: undefined }))
  return { pool, look }
}

/** Advisory lock of instances that set the limits. */
const LOCK = 7_402_118_614

/**
 * Sets the limits of the role on this database, for sessions that begin afterwards: a pooler takes no session parameters.
 * In a transaction, since nothing else stays with one session there.
 */
export const limitRole = async (client: Pg.ClientBase): Promise<void> => {
  const wanted = Object.entries(serverLimits).map(([name, millis]) => `${name}=${millis}ms`)
  await client.query("BEGIN")
  try {
    await client.query("select pg_advisory_xact_lock($1)", [LOCK])
    const { rows } = await client.query<{ database: string; has: boolean }>(
      `select quote_ident(current_database()) as database, exists (
        select from pg_db_role_setting where setrole = current_user::regrole
          and setdatabase = (select oid from pg_database where datname = current_database()) and setconfig @> $1
      ) as has`,
      [wanted]
    )
    const { database, has } = rows[0]!
    for (const [name, millis] of has ? [] : Object.entries(serverLimits)) {
      await client.query(`alter role current_user in database ${database} set ${name} = '${millis}ms'`)
    }
    await client.query("COMMIT")
  } catch (error) {
    await client.query("ROLLBACK")
    throw error
  }
}

/**
 * Fails fast with 503 while the pool is exhausted, instead of queueing more callers behind it. The next acquired
 * connection ends this.
 */
type Acquired = (error: Error | undefined, client: Pg.PoolClient | undefined, release: (end?: unknown) => void) => void

export const failFastWhenExhausted = (pool: Pg.Pool): void => {
  const connect = pool.connect.bind(pool) as { (): Promise<Pg.PoolClient>; (done: Acquired): void }
  let waiting = 0
  /** Ticks since the last acquired connection. A blocked process has no ticks, so it never counts as exhausted. */
  let ticks = 0
  let ticking = false

  const tick = (): void => {
    ticking = waiting > 0
    ticks = ticking ? ticks + 1 : 0
    if (ticking) setTimeout(tick, Duration.toMillis(batchTick)).unref()
  }

  const inTurn = (done: Acquired): void => {
    if (ticks > ticksIn(connectionsStuck)) {
      process.nextTick(() => done(busy(), undefined, () => undefined))
      return
    }
    waiting += 1
    if (!ticking) tick()
    connect((error, client, release) => {
      waiting -= 1
      if (client !== undefined) ticks = 0
      done(error, client, release)
    })
  }

  pool.connect = ((done?: Acquired) => (done === undefined ? connect() : inTurn(done))) as typeof pool.connect
}
