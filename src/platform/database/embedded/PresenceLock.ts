/**
 * Each process that uses the embedded PostgreSQL holds a shared lock on a connection of its own. The process that can take
 * the lock alone is the last one, and none can join while it stops the server.
 */
import { Data, Deferred, Effect, Schedule } from "effect"
import {
  embeddedClosingConnections,
  embeddedFastShutdown,
  embeddedImmediateShutdown
} from "../../../domain/policies/DatabasePolicies.ts"
import { Client } from "pg"
import { codeOf, reason } from "./HostSystem.ts"
import { isAlive, isPostmaster } from "./DataFolder.ts"

/** Looks again on a schedule until there is an answer; the schedule's end gives the last look's undefined. */
export const poll = <A, E, R>(look: Effect.Effect<A | undefined, E, R>, schedule: Schedule.Schedule<unknown>) =>
  Effect.repeat(
    look,
    Schedule.identity<A | undefined>().pipe(
      Schedule.zipLeft(schedule),
      Schedule.untilInput((found) => found !== undefined)
    )
  )

export class ConnectionFailed extends Data.TaggedError("ConnectionFailed")<{
  readonly message: string
  readonly code: string | undefined
}> {}

export interface Presence {
  readonly client: Client
  /** Done when the connection has ended. */
  readonly lost: Deferred.Deferred<void>
}

export const DATABASE = "corridor"
const NAME = "corridor presence"
const PRESENCE_LOCK = 7_301_001
const CREATION_LOCK = 7_301_002

/** Connections of other processes, and those of them that wait for the presence lock. */
const OTHERS = `
  select count(*)::int as others,
    count(*) filter (where application_name = '${NAME}' and wait_event = 'advisory')::int as waiting
  from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`

const failed = (cause: unknown) => new ConnectionFailed({ message: reason(cause), code: codeOf(cause) })

const query = (client: Client, text: string, values: ReadonlyArray<unknown> = []) =>
  Effect.tryPromise({
    try: async () => (await client.query<Record<string, unknown>>(text, [...values])).rows[0] ?? {},
    catch: failed
  })

const closeConnection = (client: Client): Effect.Effect<void> =>
  Effect.promise(() => client.end()).pipe(
    Effect.timeout("1 second"),
    Effect.catchTag("TimeoutException", () => Effect.logDebug("a connection did not close in time"))
  )

/** Connects to the maintenance database, so that `corridor` itself can be dropped and copied. */
export const connect = (port: number, password: string): Effect.Effect<Presence, ConnectionFailed> =>
  Effect.flatMap(Deferred.make<void>(), (lost) => {
    const client = new Client({
      host: "127.0.0.1",
      port,
      user: "postgres",
      password,
      database: "postgres",
      application_name: NAME,
      lock_timeout: 20_000,
      connectionTimeoutMillis: 5000
    })
    // Without a listener the end of the server would end the process; the next query on the client tells of it.
    client.on("error", () => undefined)
    client.once("end", () => Deferred.unsafeDone(lost, Effect.void))
    return Effect.tryPromise({ try: () => client.connect(), catch: failed }).pipe(
      Effect.as({ client, lost }),
      Effect.onError(() => closeConnection(client))
    )
  })

const ensureDatabase = Effect.fnUntraced(function* (client: Client) {
  const exists = query(client, "select exists(select from pg_database where datname = $1) as exists", [DATABASE])
  if ((yield* exists)["exists"] === true) return
  yield* query(client, "select pg_advisory_lock($1)", [CREATION_LOCK])
  if ((yield* exists)["exists"] !== true) yield* query(client, `create database ${DATABASE}`)
  yield* query(client, "select pg_advisory_unlock($1)", [CREATION_LOCK])
})

/** Waits here while the last user of the server is stopping it, and fails when it has. */
export const enter = (port: number, password: string): Effect.Effect<Presence, ConnectionFailed> =>
  Effect.flatMap(connect(port, password), (presence) =>
    query(presence.client, "select pg_advisory_lock_shared($1)", [PRESENCE_LOCK]).pipe(
      Effect.zipRight(ensureDatabase(presence.client)),
      Effect.as(presence),
      Effect.onError(() => closeConnection(presence.client))
    )
  )

/** Whether this process is the last user. If so, no other can join until this connection is closed. */
const isLast = Effect.fnUntraced(function* (client: Client) {
  yield* query(client, "select pg_advisory_unlock_shared($1)", [PRESENCE_LOCK])
  const lock = yield* query(client, "select pg_try_advisory_lock($1) as alone", [PRESENCE_LOCK])
  if (lock["alone"] !== true) return false
  const look = Effect.map(query(client, OTHERS), ({ others, waiting }) =>
    others === 0 ? true : waiting === 0 ? undefined : false
  )
  return (yield* poll(look, embeddedClosingConnections)) ?? false
})

const signal = (pid: number, name: NodeJS.Signals): Effect.Effect<void> =>
  Effect.try(() => process.kill(pid, name)).pipe(
    Effect.asVoid,
    Effect.catchAll((error) =>
      Effect.when(Effect.logWarning(`PostgreSQL (process ${pid}) cannot be stopped: ${error.message}`), () =>
        isAlive(pid)
      )
    )
  )

/** Stops the server: a fast shutdown, then an immediate one. */
export const stop = Effect.fnUntraced(function* (pid: number, cluster: string) {
  const gone = Effect.map(isPostmaster(pid, cluster), (there) => (there ? undefined : true))
  yield* signal(pid, "SIGINT")
  if (yield* poll(gone, embeddedFastShutdown)) return
  yield* Effect.logWarning("The embedded PostgreSQL does not stop: asking it to stop at once.")
  yield* signal(pid, "SIGQUIT")
  if (yield* poll(gone, embeddedImmediateShutdown)) return
  yield* Effect.logWarning(`The embedded PostgreSQL (process ${pid}) is still running; the next start joins it.`)
})

/** Closes `client`, and stops the server if no other process uses it. */
export const stopIfLast = (pid: number, cluster: string, client: Client): Effect.Effect<void, ConnectionFailed> =>
  isLast(client).pipe(
    Effect.flatMap((last) => Effect.when(stop(pid, cluster), () => last)),
    Effect.ensuring(closeConnection(client)),
    Effect.asVoid
  )
