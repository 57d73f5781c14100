/**
 * Which of several hosts a new connection goes to: the primary, wherever it is now, or a replica. Every connection is
 * asked what it has reached before anybody uses it.
 */
import { Duration } from "effect"
import Pg from "pg"
import { hostTimeout } from "../../domain/policies/Database.ts"

/** What is looked for. `any`: there is one address, and whoever gave it knows what stands there. */
export type Wanted = "primary" | "replica" | "any"

export class WrongHost extends Error {
  override readonly name = "WrongHost"
}

interface Host {
  readonly host: string
  readonly port: number
}

const IN_RECOVERY = "select pg_is_in_recovery() as replica"

const hostOf = (connectionString: string): Host => {
  const { host, port } = new Pg.Client({ connectionString })
  return { host, port }
}

const isReplica = async (client: Pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ replica: boolean }>(IN_RECOVERY)
  return rows[0]?.replica === true
}

const check = (wanted: "primary" | "replica", replica: boolean): void => {
  if (replica === (wanted === "replica")) return
  throw new WrongHost(replica ? "It is a replica, which takes no writes" : "It is no replica")
}

/** On a connection of its own, since that of whoever asks can be used for one host only. */
const looked = async (connectionString: string, wanted: "primary" | "replica"): Promise<Host> => {
  const timeout = Duration.toMillis(hostTimeout)
  const client = new Pg.Client({ connectionString, connectionTimeoutMillis: timeout, query_timeout: timeout })
  client.on("error", () => undefined)
  try {
    await client.connect()
    check(wanted, await isReplica(client))
    return { host: client.host, port: client.port }
  } finally {
    void client.end().catch(() => undefined)
  }
}

const reasonOf = (error: unknown): unknown => (error instanceof AggregateError ? error.errors[0] : error)

type Connected = (error: Error | null | undefined) => void

/** What a pool is made with, so that its connections go where they should. */
export const poolHosts = (urls: ReadonlyArray<string>, wanted: Wanted) => {
  const only = urls.length === 1 ? hostOf(urls[0]!) : undefined
  let found: Promise<Host> | undefined

  /** Everybody who needs a connection at the same time waits for one look. */
  const find = (): Promise<Host> => {
    if (only !== undefined) return Promise.resolve(only)
    if (found === undefined) {
      const looking = Promise.any(urls.map((url) => looked(url, wanted === "replica" ? wanted : "primary")))
      found = looking
      looking.catch(() => forget())
    }
    return found
  }

  const forget = (): void => {
    found = undefined
  }

  /** A pool connects by a callback, and a client once. */
  class RoutedClient extends Pg.Client {
    constructor(config?: Pg.ClientConfig) {
      super(config)
      if (only !== undefined) return
      const connect = this.connect.bind(this) as (connected: Connected) => void
      const routed = (connected: Connected): void => {
        const connectTo = ({ host, port }: Host) => {
          this.host = host
          this.port = port
          connect((error) => {
            if (error instanceof Error) forget()
            connected(error)
          })
        }
        find().then(connectTo, (error: unknown) => connected(reasonOf(error) as Error))
      }
      this.connect = routed as typeof this.connect
    }
  }

  return {
    Client: RoutedClient,
    connectionString: urls[0]!,
    /** Called with every connection before it is used. */
    onConnect: async (client: Pg.ClientBase): Promise<void> => {
      if (wanted === "any") return
      try {
        check(wanted, await isReplica(client))
      } catch (error) {
        forget()
        throw error
      }
    },
    /** A connection has ended: the next one looks again where to go. */
    forget
  }
}
