/**
 * Keeps a process with one primary. Each promotion gives PostgreSQL a higher timeline, and an old primary that still
 * runs keeps its own. Once a higher timeline is seen:
 *
 * 1. connections on a lower one are closed at once, and a statement under way there has an unknown result;
 * 2. new connections to a lower one are refused, and so are those to another cluster.
 */
import { Context } from "effect"
import type Pg from "pg"
import { sqlStateOf } from "./Setback.ts"

/** The server behind a connection. Null: a replica has no timeline of its own, or the server does not tell. */
export interface Server {
  readonly replica: boolean
  readonly timeline: number | null
  /** The cluster's system identifier: the same for a primary and all of its replicas. */
  readonly system: string | null
}

export class WrongHost extends Error {
  override readonly name = "WrongHost"
}

const SERVER = `select pg_is_in_recovery() as replica,
  case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline,
  (select system_identifier::text from pg_control_system()) as system`

/** Without the functions that a managed PostgreSQL may lack or forbid. */
const SERVER_UNFENCED = "select pg_is_in_recovery() as replica, null as timeline, null as system"

/** Permission denied, not supported, no such function. */
const notTold = new Set(["42501", "0A000", "42883"])

interface Row {
  readonly replica: boolean
  readonly timeline: string | null
  readonly system: string | null
}

export const readServer = async (client: Pg.ClientBase, timeoutMillis: number): Promise<Server> => {
  const ask = async (text: string): Promise<Server> => {
    const { rows } = await client.query<Row>({ text, query_timeout: timeoutMillis } as Pg.QueryConfig)
    const { replica, system, timeline } = rows[0]!
    return { replica, system, timeline: timeline === null ? null : Number.parseInt(timeline, 16) }
  }
  try {
    return await ask(SERVER)
  } catch (error) {
    if (!notTold.has(sqlStateOf(error) ?? "")) throw error
    return ask(SERVER_UNFENCED)
  }
}

interface Observer {
  /** The primary has changed, and so many connections to the one before were closed. */
  readonly changed?: (from: number, to: number, closed: number) => void
  /** A server on a lower timeline still takes writes. Called once for each timeline. */
  readonly twoPrimaries?: (lower: number, highest: number) => void
}

/** The primary that this process works with. */
export class Primary extends Context.Reference<Primary>()("corridor/Primary", {
  defaultValue: (): {
    readonly server: () => Pick<Server, "timeline" | "system"> | undefined
    /** How often it has changed: a request that saw a change has worked with two servers. */
    readonly changes: () => number
  } => ({ server: () => undefined, changes: () => 0 })
}) {}

interface Socketed {
  readonly connection: { readonly stream: { readonly destroy: (error: Error) => void } }
}

/** Of one pool. */
export const makeFence = ({ changed, twoPrimaries }: Observer = {}) => {
  /** The timelines of open connections. */
  const open = new Map<Pg.ClientBase, number>()
  const inUse = new WeakSet<Pg.ClientBase>()
  const told = new Set<number>()
  let system: string | null = null
  let highest: number | null = null
  let changes = 0

  const close = (client: Pg.ClientBase, timeline: number): void => {
    open.delete(client)
    const error = new Error(`The server on timeline ${timeline} is no longer the primary`)
    // A pool drops an idle connection within this call, so the next request cannot get it.
    if (!inUse.has(client)) client.emit("error", error)
    ;(client as unknown as Socketed).connection.stream.destroy(error)
  }

  const rise = (to: number): void => {
    const from = highest
    highest = to
    if (from === null) return
    changes += 1
    const lower = [...open].filter(([, timeline]) => timeline < to)
    for (const [client, timeline] of lower) close(client, timeline)
    changed?.(from, to, lower.length)
  }

  /** Throws where the server is not the primary that this process may work with. */
  const admit = (server: Server): void => {
    if (server.replica) throw new WrongHost("It is a replica, which takes no writes")
    if (server.system !== null && system !== null && server.system !== system) {
      throw new WrongHost(
        `It is another PostgreSQL cluster (system identifier ${server.system} instead of ${system}): restart to work with it`
      )
    }
    system ??= server.system
    if (server.timeline === null) return
    if (highest !== null && server.timeline < highest) {
      if (!told.has(server.timeline)) twoPrimaries?.(server.timeline, highest)
      told.add(server.timeline)
      throw new WrongHost(`It is an old primary, on timeline ${server.timeline} instead of ${highest}`)
    }
    if (highest === null || server.timeline > highest) rise(server.timeline)
  }

  return {
    admit,
    /** The same of a connection that the pool has just made. */
    admitConnection: (client: Pg.ClientBase, server: Server): void => {
      admit(server)
      if (server.timeline !== null) open.set(client, server.timeline)
    },
    keep: (pool: Pg.Pool): void => {
      pool.on("acquire", (client) => inUse.add(client))
      pool.on("release", (_error, client) => inUse.delete(client))
      pool.on("remove", (client) => open.delete(client))
    },
    primary: { server: () => (highest === null ? undefined : { timeline: highest, system }), changes: () => changes }
  }
}

export type Fence = ReturnType<typeof makeFence>
