/**
 * Databases in the run's cluster. Copying the template is slow: a returned database is emptied, renamed and lent
 * again, unless its schema, statistics or size have changed.
 */
import { Client, type ClientConfig, escapeLiteral, Pool } from "pg"
import { inject } from "vitest"
import { databaseName, TEMPLATE, urlOfDatabase } from "./TestCluster.ts"

/** Connections of tests, not of the service. */
const own = new WeakSet<Client>()

export const isOfTests = (client: Client): boolean => own.has(client)

export const within = async <A>(url: string, use: (client: Client) => Promise<A>): Promise<A> => {
  const client = new Client({ connectionString: url })
  own.add(client)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** A pool of one lasting connection. */
export const ownPool = (config: ClientConfig): Pool =>
  new Pool({ ...config, max: 1, idleTimeoutMillis: 0 }).on("connect", (client) => own.add(client as Client))

const onCluster = (statement: string) => within(inject("clusterUrl"), (client) => client.query(statement))

const urlOf = (name: string) => urlOfDatabase(inject("clusterUrl"), name)

const CATALOGUES = ["pg_class", "pg_attribute", "pg_constraint", "pg_index", "pg_proc", "pg_trigger", "pg_type"]

/** Changes after any DDL or ANALYZE. */
const LOOK = `select concat_ws('|', ${[
  ...CATALOGUES.map((name) => `(select concat(count(*), '/', max(xmin::text::bigint)) from ${name})`),
  "(select count(*) from pg_statistic)",
  "(select count(*) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where datname = current_database())"
].join(", ")}) as look, pg_database_size(current_database())::float8 as size`

const TABLES =
  "select oid::regclass::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'"

const ALONE =
  "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"

const EVERY_TRIGGER_OFF = "set session_replication_role = replica"

interface Seen {
  readonly look: string
  readonly size: number
}

interface Pristine extends Seen {
  /** Empties every table and restores the migrations' rows. */
  readonly anew: string
}

const see = async (client: Client): Promise<Seen> => (await client.query<Seen>(LOOK)).rows[0]!

const putBack = (table: string, rows: string) =>
  `insert into ${table} select * from json_populate_recordset(null::${table}, ${escapeLiteral(rows)})`

const describe = (name: string): Promise<Pristine> =>
  within(urlOf(name), async (client) => {
    const tables = (await client.query<{ name: string }>(TABLES)).rows.map((table) => table.name)
    const rows = await client.query<Record<string, string | null>>(
      `select ${tables.map((table) => `(select json_agg(t)::text from ${table} t) as "${table}"`).join(", ")}`
    )
    const seeds = Object.entries(rows.rows[0]!).flatMap(([table, of]) => (of === null ? [] : [putBack(table, of)]))
    const anew = [EVERY_TRIGGER_OFF, ...tables.map((table) => `delete from ${table}`), ...seeds].join(";")
    return { ...(await see(client)), anew }
  })

/** Kept for the process: modules may be loaded anew for each file. */
interface Lent {
  pristine?: Promise<Pristine>
  readonly spare: Array<Promise<string | undefined>>
}

const lent: Lent = ((globalThis as { corridorDatabases?: Lent }).corridorDatabases ??= { spare: [] })

const GROWTH_IN_BYTES = 8 * 1024 * 1024

const create = async (options: string) => {
  const name = databaseName("test")
  await onCluster(`create database ${name} ${options}`)
  return name
}

export const dropDatabase = (name: string) => onCluster(`drop database ${name} with (force)`)

const isEmptied = async (name: string): Promise<boolean> => {
  const { anew, look, size } = await lent.pristine!
  return within(urlOf(name), async (client) => {
    await client.query(ALONE)
    const now = await see(client)
    if (now.look !== look || now.size > size + GROWTH_IN_BYTES) return false
    await client.query(anew)
    return true
  })
}

/** A new name, unknown to earlier users. */
const again = async (name: string): Promise<string | undefined> => {
  if (!(await isEmptied(name))) {
    await dropDatabase(name)
    return undefined
  }
  const next = databaseName("test")
  await onCluster(`alter database ${name} rename to ${next}`)
  return next
}

/** A migrated database with the migrations' rows only. */
export const lendDatabase = async (): Promise<string> => {
  const spare = await lent.spare.pop()
  if (spare !== undefined) return spare
  const name = await create(`template ${TEMPLATE}`)
  await (lent.pristine ??= describe(name))
  return name
}

/** Not awaited; the next borrower waits. */
export const returnDatabase = (name: string): void => {
  lent.spare.push(again(name).catch(() => undefined))
}

/** Without tables. */
export const createEmptyDatabase = (): Promise<string> => create("")
