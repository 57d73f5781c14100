/**
 * Tells other instances that a row of a queue is due, by NOTIFY, and listens to them on a connection of its own.
 *
 * - NOTIFY is a statement of its own after the commit: inside of payments' transactions it would make them commit one after
 *   the other. It does not wait for the disk.
 * - A listening connection whose backend is gone says nothing, so statements are sent over it at intervals.
 */
import { Context, Data, Deferred, Duration, Effect, Schema, type Scope } from "effect"
import type Pg from "pg"
import { announcementPause, dueTimesTimeout } from "../../domain/policies/ServerPolicies.ts"
import { queueNames, type QueueName, WorkQueues } from "./WorkQueues.ts"

const CHANNEL = "corridor_due"

/** An announcement need not survive a crash of the server. */
const NOTIFY = `select set_config('synchronous_commit', 'off', true), pg_notify('${CHANNEL}', $1)`

/** From which backend that listens (0: none), and milliseconds by queue. A later version may name other queues. */
const Announcement = Schema.parseJson(
  Schema.Struct({
    from: Schema.Number,
    due: Schema.Array(Schema.Tuple(Schema.String, Schema.Number))
  })
)
const isQueueName = Schema.is(Schema.Literal(...queueNames))
const decode = Schema.decodeUnknownOption(Announcement)
const encode = Schema.encodeSync(Announcement)

export class ListeningEnded extends Data.TaggedError("ListeningEnded")<{ readonly cause: unknown }> {}

/** An open connection that listens. */
export interface Listening {
  readonly read: (name: string, text: string) => Effect.Effect<ReadonlyArray<object>, ListeningEnded>
  /** Fails once the connection is lost. */
  readonly lost: Effect.Effect<never, ListeningEnded>
}

export class Announcements extends Context.Tag("corridor/Announcements")<
  Announcements,
  {
    /** False behind a transaction pooler, where LISTEN does not work. */
    readonly listens: boolean
    /** Connects, and calls `onAnnouncement` for each announcement of another instance. */
    readonly listen: (
      onAnnouncement: (queue: QueueName, inMillis: number) => void
    ) => Effect.Effect<Listening, ListeningEnded, Scope.Scope>
  }
>() {}

/** Sends the first announcement at once, and those of the next moment together. */
const makeNotifier = (pool: Pg.Pool, from: () => number) => {
  const due = new Map<QueueName, number>()
  let isPaused = false
  let underWay: Promise<unknown> = Promise.resolve()

  const send = (): void => {
    isPaused = due.size > 0 && !pool.ending
    if (!isPaused) return
    const text = encode({ from: from(), due: Array.from(due) })
    due.clear()
    // A missed announcement is found by the reading of due times.
    underWay = pool.query(NOTIFY, [text]).catch(() => undefined)
    setTimeout(send, Duration.toMillis(announcementPause)).unref()
  }

  return {
    notify: (queue: QueueName, inMillis: number): void => {
      due.set(queue, Math.min(due.get(queue) ?? Infinity, Math.max(0, Math.ceil(inMillis))))
      if (!isPaused) send()
    },
    sent: Effect.suspend(() => {
      send()
      return Effect.promise(() => underWay)
    })
  }
}

/** `openPool`: makes a pool of one connection to the same primary. */
export const makeAnnouncements = Effect.fnUntraced(function* (
  pool: Pg.Pool,
  openPool: () => Pg.Pool,
  listens: boolean
) {
  const queues = yield* WorkQueues
  /** Process id of the listening backend. */
  let backend = 0
  const notifier = makeNotifier(pool, () => backend)
  yield* Effect.addFinalizer(() => notifier.sent)
  yield* queues.attach(notifier.notify)

  const listen = Effect.fnUntraced(function* (onAnnouncement: (queue: QueueName, inMillis: number) => void) {
    const own = yield* Effect.acquireRelease(Effect.sync(openPool), (one) => Effect.promise(() => one.end()))
    const ended = yield* Deferred.make<never, ListeningEnded>()
    const end = (cause?: unknown): void => Deferred.unsafeDone(ended, new ListeningEnded({ cause }))
    own.on("error", end)
    const client = yield* Effect.acquireRelease(
      Effect.tryPromise({ try: () => own.connect(), catch: (cause) => new ListeningEnded({ cause }) }),
      (one) =>
        Effect.sync(() => {
          backend = 0
          one.release(true)
        })
    )
    client.on("error", end)
    client.on("end", () => end())
    const query = (config: Pg.QueryConfig) => {
      const limited = { ...config, query_timeout: Duration.toMillis(dueTimesTimeout) }
      return Effect.tryPromise({
        try: () => client.query<object>(limited),
        catch: (cause) => new ListeningEnded({ cause })
      })
    }
    if (listens) {
      client.on("notification", ({ payload }) => {
        const announcement = decode(payload)
        if (announcement._tag === "None" || announcement.value.from === backend) return
        for (const [queue, inMillis] of announcement.value.due) if (isQueueName(queue)) onAnnouncement(queue, inMillis)
      })
      yield* query({ text: `listen ${CHANNEL}` })
      backend = (client as unknown as { readonly processID: number | null }).processID ?? 0
    }
    return {
      // A pooler may not know the prepared statement.
      read: (name: string, text: string) => Effect.map(query(listens ? { name, text } : { text }), ({ rows }) => rows),
      lost: Deferred.await(ended)
    }
  })

  return { listens, listen }
})
