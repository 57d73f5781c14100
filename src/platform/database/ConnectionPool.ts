/** A pool of connections to PostgreSQL, each with its limits, directly or through a pooler. */
import { Duration } from "effect"
import Pg from "pg"
import type { Settings } from "../config/Settings.ts"
import { connectionLimits, watchConnections } from "./Connections.ts"
import { poolHosts, type Wanted } from "./PrimaryFence.ts"
import { busy } from "../../domain/Failure.ts"
import { batchTick, connectionsStuck, ticksIn } from "../../domain/policies/DatabasePolicies.ts"

/** Bounds the server's memory for texts that vary without end. */
const MOST_STATEMENTS = 256

type Done = (error: Error, result: Pg.QueryResult) => void

interface Query {
  (text: string | Pg.QueryConfig | Pg.Submittable, values?: ReadonlyArray<unknown> | Done, done?: Done): unknown
}

/** Gives each text the same name on every connection, from the second time it is seen. */
export const makeNames = (most: number = MOST_STATEMENTS): ((text: string) => string | undefined) => {
  const names = new Map<string, string>()
  const once = new Set<string>()
  return (text) => {
    const name = names.get(text)
    if (name !== undefined || names.size >= most) return name
    if (!once.delete(text)) {
      if (once.size >= most) once.clear()
      once.add(text)
      return undefined
    }
    const fresh = `s${names.size + 1}`
    names.set(text, fresh)
    return fresh
  }
}

/** Prepares repeated statements: PostgreSQL parses and plans the long ones once for each connection. */
export const prepareRepeated = (pool: Pg.Pool): void => {
  const nameOf = makeNames()
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as Query
    const named: Query = (text, values, done) => {
      if (typeof text !== "string" || !Array.isArray(values) || values.length === 0) return query(text, values, done)
      const name = nameOf(text)
      return name === undefined ? query(text, values, done) : query({ name, text, values }, done)
    }
    client.query = named as typeof client.query
  })
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
 * by plans that stay while the tables grow. `options` of the URL come first.
 */
export const planning = { options: "-c random_page_cost=1.1" }

/** `look` shows every host to the fence once. */
export const openPool = ({ applicationName, connectTimeout, max, pooler, urls, wanted }: Opening) => {
  const { look, reset, ...hosts } = poolHosts(urls, wanted)
  const pool = new Pg.Pool({
    ...hosts,
    max,
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
