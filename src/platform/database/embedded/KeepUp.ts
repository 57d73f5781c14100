/** Brings the embedded PostgreSQL back when it dies under a process that uses it, in the same place and not for ever. */
import { Deferred, Duration, Effect, Option, Ref, Schedule } from "effect"
import { embeddedHealthyAfter, embeddedReadiness } from "../../../domain/policies/EmbeddedDatabase.ts"
import { monotonicMillis } from "../../fibers/Monotonic.ts"
import { trouble } from "../../observability/Trouble.ts"
import { ELSEWHERE, EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { poll } from "./Poll.ts"
import { isPostmaster } from "./PostmasterPid.ts"
import { logTail, type Server } from "./Server.ts"
import { abandon, type Joined, look, type Start } from "./Start.ts"

export type Restarts = Schedule.Schedule<unknown>

const wordsOf = ({ folder }: Start, from: number): Effect.Effect<string, EmbeddedPostgresError> =>
  Effect.map(logTail(folder, from), (tail) => `The end of its log, ${folder.logFile}:\n${tail || "(nothing)"}`)

const tooSlow = (start: Start): Effect.Effect<never, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const launched = yield* Ref.getAndSet(start.server, Option.none<Server>())
    const words = yield* wordsOf(start, Option.match(launched, { onNone: () => 0, onSome: (one) => one.logStart }))
    return yield* new EmbeddedPostgresError({
      message:
        `The embedded PostgreSQL in ${start.folder.cluster} is not ready after 30 seconds ` +
        `(${yield* Ref.get(start.problem)}). ${words}\n` +
        `It may be recovering from a crash: it goes on, and the next start joins it. Or ${ELSEWHERE}.`
    })
  })

/** Joins the server of the folder, which is started where there is none. */
export const join = (start: Start): Effect.Effect<Joined, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    yield* Ref.set(start.server, Option.none())
    const joined = yield* poll(look(start), embeddedReadiness).pipe(Effect.onError(() => abandon(start)))
    return Option.isSome(joined) ? joined.value : yield* tooSlow(start)
  })

/** A crash of one of its own processes it mends itself; then only the connections are gone. */
const tellOfLoss = (start: Start, lost: Joined): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    if (yield* isPostmaster(lost.pid, start.folder.cluster)) {
      return yield* Effect.logWarning("The embedded PostgreSQL has closed its connections: joining it again")
    }
    const words = yield* wordsOf(start, 0)
    yield* trouble("database_restarted", `The embedded PostgreSQL has died and is started again. ${words}`, {})
  })

/** Ends only with the reason why it cannot be brought back. */
export const keepUp = (start: Start, first: Joined, restarts: Restarts): Effect.Effect<never, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const backOff = yield* Schedule.driver(restarts)
    const pause = (error: EmbeddedPostgresError) => Effect.mapError(backOff.next(undefined), () => error)

    const again: Effect.Effect<Joined, EmbeddedPostgresError> = Effect.catchAll(join(start), (error) =>
      Effect.logWarning(error.message).pipe(Effect.zipRight(pause(error)), Effect.zipRight(again))
    )

    const watch = (joined: Joined): Effect.Effect<never, EmbeddedPostgresError> =>
      Effect.gen(function* () {
        const since = yield* monotonicMillis
        yield* Deferred.await(joined.presence.lost)
        yield* tellOfLoss(start, joined)
        const served = (yield* monotonicMillis) - since
        if (served >= Duration.toMillis(embeddedHealthyAfter)) yield* backOff.reset
        else yield* Effect.flatMap(keepsDying(start), pause)
        return yield* Effect.flatMap(again, watch)
      })

    return yield* watch(first)
  })

const keepsDying = (start: Start): Effect.Effect<EmbeddedPostgresError, EmbeddedPostgresError> =>
  Effect.map(
    wordsOf(start, 0),
    (words) =>
      new EmbeddedPostgresError({
        message:
          `The embedded PostgreSQL in ${start.folder.cluster} keeps dying. ${words}\n` +
          `Mend what it names, or ${ELSEWHERE}.`
      })
  )
