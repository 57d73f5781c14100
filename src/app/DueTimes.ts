/** Reads the due times of all queues for as long as the process runs, so that their workers can rest. */
import { Cause, Context, Effect, Layer } from "effect"
import { dueTimesRetry } from "../domain/policies/ServerPolicies.ts"
import type { ListeningEnded } from "../platform/database/Announcements.ts"
import { type DueTime, type QueueName, WorkQueues } from "../platform/database/WorkQueues.ts"

interface DueTimesListener {
  readonly read: (times: ReadonlyArray<DueTime>) => Effect.Effect<void>
  /** Another instance has announced a row. */
  readonly heard: (queue: QueueName, inMillis: number) => void
}

export class DueTimesStore extends Context.Tag("corridor/DueTimesStore")<
  DueTimesStore,
  {
    /** Reads the due times again and again, until the connection is lost. */
    readonly follow: (listener: DueTimesListener) => Effect.Effect<never, ListeningEnded>
  }
>() {}

/** Never read: workers on memory stores poll. */
export const dueTimesMemory = Layer.succeed(DueTimesStore, { follow: () => Effect.never })

/** Meanwhile workers poll. The next connection begins with a reading, which finds what was announced in between. */
export const dueTimes = Effect.gen(function* () {
  const { follow } = yield* DueTimesStore
  const queues = yield* WorkQueues
  const clock = yield* Effect.clock
  const heard = (queue: QueueName, inMillis: number) => queues.hear(queue, inMillis, clock)
  let isFollowed = true
  const read = (times: ReadonlyArray<DueTime>) => {
    isFollowed = true
    return queues.read(times)
  }
  return yield* Effect.catchAllCause(follow({ heard, read }), (cause) => {
    if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause)
    const message = "The connection that reads due times was lost; workers poll until there is another"
    const logged = isFollowed ? Effect.logWarning(message, cause) : Effect.void
    const pause = isFollowed ? Effect.void : Effect.sleep(dueTimesRetry)
    isFollowed = false
    return Effect.all([queues.unread, logged, pause], { discard: true })
  }).pipe(Effect.forever, Effect.ensuring(queues.unread))
})
