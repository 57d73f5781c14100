/** A pool of connections to PostgreSQL, each with its limits, directly or through a pooler. */
import { Duration } from "effect"
import Pg from "pg"
import type { Settings } from "../config/Settings.ts"
import { connectionLimits, watchConnections } from "./Connections.ts"
import { poolHosts, type Wanted } from "./Hosts.ts"
import { prepareRepeated } from "./PreparedStatements.ts"

type Pooler = Settings["Type"]["databasePooler"]

interface Opening {
  readonly urls: ReadonlyArray<string>
  readonly wanted: Wanted
  readonly max: number
  readonly pooler: Pooler
  readonly connectTimeout: Duration.Duration
  readonly applicationName: string
}

const { idle_in_transaction_session_timeout, lock_timeout, statement_timeout, ...ownLimits } = connectionLimits

/** What the server is to hold every session to. A pooler takes no such words with a connection: see `limitRole`. */
const serverLimits = { idle_in_transaction_session_timeout, lock_timeout, statement_timeout }

/**
 * A row that is looked up costs no more than its neighbour, as on any disk of today: with the server's own guess, made for
 * turning ones, small tables are read whole, by plans that live on while the tables grow. `options` of the URL come first.
 */
export const planning = { options: "-c random_page_cost=1.1" }

/** `look` shows every host to the fence once. */
export const openPool = ({ applicationName, connectTimeout, max, pooler, urls, wanted }: Opening) => {
  const { forget, look, ...hosts } = poolHosts(urls, wanted)
  const pool = new Pg.Pool({
    ...hosts,
    max,
    connectionTimeoutMillis: Duration.toMillis(connectTimeout),
    application_name: applicationName,
    ...ownLimits,
    ...(pooler === "none" ? { ...serverLimits, ...planning } : {})
  })
  pool.on("remove", forget)
  wanted.fence.keep(pool)
  watchConnections(pool)
  if (pooler === "none") prepareRepeated(pool)
  // The number that a pooler gives out is no process of the server's: cancelling by it might stop somebody else.
  else pool.on("connect", (client) => Object.assign(client, { processID: undefined }))
  return { pool, look }
}

/** Any number will do, as long as every instance takes the same. */
const LOCK = 7_402_118_614

/**
 * Behind a pooler the limits stand with the role, for this database: sessions that begin afterwards have them. In a
 * transaction, since nothing else stays with one session there.
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
