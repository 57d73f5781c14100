/**
 * Which of several hosts a new connection goes to: the primary with the highest timeline, or a replica. Every connection
 * is asked what it has reached before it is used.
 */
import { Duration } from "effect"
import Pg from "pg"
import { connectTimeout, hostPatience, hostTimeout } from "../../domain/policies/Database.ts"
import { type Fence, readServer, type Server } from "./Timeline.ts"

/** A server that the fence admits. */
export interface Wanted {
  readonly kind: "primary" | "replica"
  readonly fence: Fence
}

interface Host {
  readonly host: string
  readonly port: number
}

const hostOf = (connectionString: string): Host => {
  const { host, port } = new Pg.Client({ connectionString })
  return { host, port }
}

const check = ({ fence, kind }: Wanted, server: Server): void =>
  kind === "primary" ? fence.admit(server) : fence.admitReplica(server)

/** On a connection of its own, since a connection of the pool can be used for one host only. */
const looked = async (connectionString: string): Promise<Host & Server> => {
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

/** Those of the hosts that answer. */
export const lookAtHosts = async (urls: ReadonlyArray<string>): Promise<ReadonlyArray<Host & Server>> => {
  const all = await Promise.allSettled(urls.map(looked))
  return all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
}

/** The admitted host with the highest timeline among those that answer soon after the first one. */
const best = (urls: ReadonlyArray<string>, wanted: Wanted): Promise<Host> =>
  new Promise((resolve, reject) => {
    let found: (Host & Server) | undefined
    let failure: unknown
    let left = urls.length
    let timer: NodeJS.Timeout | undefined
    const decide = () => (found === undefined ? reject(failure) : resolve(found))
    const answered = (host: Host & Server): void => {
      check(wanted, host)
      if (found === undefined || (host.timeline ?? 0) > (found.timeline ?? 0)) found = host
      timer ??= setTimeout(decide, Duration.toMillis(hostPatience))
    }
    for (const url of urls) {
      void looked(url)
        .then(answered)
        .catch((error: unknown) => (failure ??= error))
        .finally(() => {
          left -= 1
          if (left > 0) return
          clearTimeout(timer)
          decide()
        })
    }
  })

type Connected = (error: Error | null | undefined) => void

/** What a pool is made with, so that its connections go where they should. */
export const poolHosts = (urls: ReadonlyArray<string>, wanted: Wanted) => {
  const only = urls.length === 1 ? hostOf(urls[0]!) : undefined
  let found: Promise<Host> | undefined
  /** How often the primary had changed when it was found. */
  let foundAfter = 0

  /** Everybody who needs a connection at the same time waits for one look. */
  const find = (): Promise<Host> => {
    if (only !== undefined) return Promise.resolve(only)
    const changes = wanted.fence.primary.changes()
    if (found === undefined || foundAfter !== changes) {
      foundAfter = changes
      const looking = best(urls, wanted)
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
        forget()
        throw error
      }
    },
    /** Shows every host to the fence, on fresh connections: an address may lead elsewhere by now. */
    look: async (): Promise<void> => {
      const one = async (url: string) => check(wanted, await looked(url))
      await Promise.allSettled(urls.map(one))
    },
    /** A connection has ended: the next one looks again where to go. */
    forget
  }
}
