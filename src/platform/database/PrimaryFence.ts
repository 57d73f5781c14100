/**
 * Keeps a process with one primary. Each promotion gives PostgreSQL a higher timeline, and an old primary that still
 * runs keeps its own. Once a higher timeline is seen:
 *
 * 1. connections on a lower one are closed at once, and a statement under way there has an unknown result;
 * 2. new connections to a lower one are refused, and so are those to another cluster;
 * 3. a replica is read from only while it follows the highest timeline.
 */
import { setTimeout } from "node:timers/promises"
import { Context, Duration } from "effect"
import {
  connectTimeout,
  hostPatience,
  hostTimeout,
  mostCommitsWaiting
} from "../../domain/policies/DatabasePolicies.ts"
import { sqlStateOf } from "./DatabaseFailure.ts"
import Pg from "pg"

/** The server behind a connection. Null: the server does not tell. */
export interface Server {
  readonly replica: boolean
  /** Of a replica the one that it follows. */
  readonly timeline: number | null
  /** The cluster's system identifier: the same for a primary and all of its replicas. */
  readonly system: string | null
  /** Commits of this role that wait for a synchronous standby, as a share of all connections of the server. */
  readonly waiting: number
}

export class WrongHost extends Error {
  override readonly name = "WrongHost"
}

/**
 * Only roles with pg_read_all_stats see the timeline that a replica streams from. Others see that of its last restart
 * point, minutes after a promotion.
 */
const SERVER = `select pg_is_in_recovery() as replica,
  case when pg_is_in_recovery() then greatest(
      (select received_tli from pg_stat_wal_receiver), (select min_recovery_end_timeline from pg_control_recovery()))
    else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline,
  (select system_identifier::text from pg_control_system()) as system,
  (select count(*) from pg_stat_activity where wait_event = 'SyncRep')
    / current_setting('max_connections')::float8 as waiting`

/** Without the functions that a managed PostgreSQL may lack or forbid. */
const SERVER_UNFENCED = "select pg_is_in_recovery() as replica, null as timeline, null as system, 0 as waiting"

/** Permission denied, not supported, no such function. */
const unavailable = new Set(["42501", "0A000", "42883"])

export const readServer = async (client: Pg.ClientBase, timeoutMillis: number): Promise<Server> => {
  const ask = async (text: string): Promise<Server> => {
    const { rows } = await client.query<Server>({ text, query_timeout: timeoutMillis } as Pg.QueryConfig)
    return rows[0]!
  }
  try {
    return await ask(SERVER)
  } catch (error) {
    if (!unavailable.has(sqlStateOf(error) ?? "")) throw error
    return ask(SERVER_UNFENCED)
  }
}

interface Observer {
  /** After the primary has changed and `closed` connections to the one before were closed. */
  readonly changed?: (from: number, to: number, closed: number) => void
  /** Once for each lower timeline on which a server still takes writes. */
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

/** One for the pools of a primary and its replicas. */
export const makeFence = ({ changed, twoPrimaries }: Observer = {}) => {
  /** The timelines of open connections. */
  const open = new Map<Pg.ClientBase, number>()
  const inUse = new WeakSet<Pg.ClientBase>()
  const reported = new Set<number>()
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

  const checkSystem = (server: Server): void => {
    if (server.system === null || system === null || server.system === system) return
    throw new WrongHost(
      `It is another PostgreSQL cluster (system identifier ${server.system} instead of ${system}): restart to work with it`
    )
  }

  /** Throws where the server is not the primary that this process may work with. */
  const admit = (server: Server): void => {
    if (server.replica) throw new WrongHost("It is a replica, which takes no writes")
    checkSystem(server)
    system ??= server.system
    if (server.timeline === null) return
    if (highest !== null && server.timeline < highest) {
      if (!reported.has(server.timeline)) twoPrimaries?.(server.timeline, highest)
      reported.add(server.timeline)
      throw new WrongHost(`It is an old primary, on timeline ${server.timeline} instead of ${highest}`)
    }
    if (highest === null || server.timeline > highest) rise(server.timeline)
  }

  const admitReplica = (server: Server): void => {
    if (!server.replica) throw new WrongHost("It is no replica")
    checkSystem(server)
    if (highest === null || server.timeline === null || server.timeline >= highest) return
    throw new WrongHost(`It follows an old primary, on timeline ${server.timeline} instead of ${highest}`)
  }

  /** Connections that a pool has just made. Sessions that wait for a standby outlive their connections on the server. */
  const keepConnection = (client: Pg.ClientBase, server: Server): void => {
    if (server.waiting >= mostCommitsWaiting) {
      throw new WrongHost("Too many of its connections wait for a synchronous standby")
    }
    if (server.timeline !== null) open.set(client, server.timeline)
  }

  return {
    admit,
    admitReplica,
    keepConnection,
    keep: (pool: Pg.Pool): void => {
      pool.on("acquire", (client) => inUse.add(client))
      pool.on("release", (_error, client) => inUse.delete(client))
      pool.on("remove", (client) => open.delete(client))
    },
    primary: { server: () => (highest === null ? undefined : { timeline: highest, system }), changes: () => changes }
  }
}

export type Fence = ReturnType<typeof makeFence>

/** Kind of server that a pool connects to, if the fence admits it. */
export interface Wanted {
  readonly kind: "primary" | "replica"
  readonly fence: Fence
}

interface Host {
  readonly host: string
  readonly port: number
}

const check = ({ fence, kind }: Wanted, server: Server): void =>
  kind === "primary" ? fence.admit(server) : fence.admitReplica(server)

/** On a connection of its own, since a connection of the pool can be used for one host only. */
const readHost = async (connectionString: string): Promise<Host & Server> => {
  const timeout = Duration.toMillis(hostTimeout)
  const client = new Pg.Client({
    connectionString,
    connectionTimeoutMillis: timeout,
    application_name: "corridor look"
  })
  client.on("error", () => undefined)
  try {
    await client.connect()
    const server = await readServer(client, timeout)
    return { host: client.host, port: client.port, ...server }
  } finally {
    void client.end().catch(() => undefined)
  }
}

/** Hosts that answer. */
export const lookAtHosts = async (urls: ReadonlyArray<string>): Promise<ReadonlyArray<Host & Server>> => {
  const all = await Promise.allSettled(urls.map(readHost))
  return all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
}

/** The admitted host with the highest timeline among those that answer soon after the first one. */
const best = async (urls: ReadonlyArray<string>, wanted: Wanted): Promise<Host> => {
  const admitted: Array<Host & Server> = []
  const looks = urls.map(async (url) => {
    const host = await readHost(url)
    check(wanted, host)
    admitted.push(host)
  })
  await Promise.any(looks).catch(({ errors }: AggregateError) => Promise.reject(errors[0]))
  await Promise.race([
    Promise.allSettled(looks),
    setTimeout(Duration.toMillis(hostPatience), undefined, { ref: false })
  ])
  return admitted.reduce((found, host) => ((host.timeline ?? 0) > (found.timeline ?? 0) ? host : found))
}

type Connected = (error: Error | null | undefined) => void

/** Pool options that route its connections to the right host. */
export const poolHosts = (urls: ReadonlyArray<string>, wanted: Wanted) => {
  let found: Promise<Host> | undefined
  /** How often the primary had changed when the host was found. */
  let foundAfter = 0

  /** Concurrent connects share one look-up. */
  const find = (): Promise<Host> => {
    const changes = wanted.fence.primary.changes()
    if (found === undefined || foundAfter !== changes) {
      foundAfter = changes
      found = best(urls, wanted)
      found.catch(reset)
    }
    return found
  }

  const reset = (): void => {
    found = undefined
  }

  /** A pool connects by a callback, and a client once. */
  class RoutedClient extends Pg.Client {
    constructor(config?: Pg.ClientConfig) {
      super(config)
      if (urls.length === 1) return
      const connect = this.connect.bind(this) as (connected: Connected) => void
      const routed = (connected: Connected): void => {
        const connectTo = ({ host, port }: Host) => {
          this.host = host
          this.port = port
          connect((error) => {
            if (error instanceof Error) reset()
            connected(error)
          })
        }
        find().then(connectTo, (error: unknown) => connected(error as Error))
      }
      this.connect = routed as typeof this.connect
    }
  }

  return {
    Client: RoutedClient,
    connectionString: urls[0]!,
    /** Called with every connection before it is used. */
    onConnect: async (client: Pg.ClientBase): Promise<void> => {
      try {
        const server = await readServer(client, Duration.toMillis(connectTimeout))
        check(wanted, server)
        wanted.fence.keepConnection(client, server)
      } catch (error) {
        reset()
        throw error
      }
    },
    /** Shows every host to the fence, on fresh connections: an address may lead elsewhere by now. */
    look: async (): Promise<void> => {
      await Promise.allSettled(urls.map(async (url) => check(wanted, await readHost(url))))
    },
    /** Makes the next connection look for its host again, after one has ended. */
    reset
  }
}
