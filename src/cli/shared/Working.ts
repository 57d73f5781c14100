/** That a long command is still at it, and for how long: on standard error where a person watches, and nowhere else. */
import { Clock, Effect } from "effect"
import { Streams } from "./Streams.ts"

const WIPE = "\r\u001b[K"

/** What is done within a second needs no word. */
const PACE = "1 second"

export const working =
  (what: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.gen(function* () {
      const { err, watched } = yield* Streams
      if (!watched) return yield* work
      const start = yield* Clock.currentTimeMillis
      const draw = Effect.gen(function* () {
        yield* Effect.sleep(PACE)
        const seconds = Math.floor(((yield* Clock.currentTimeMillis) - start) / 1000)
        err(`${WIPE}${what}, ${seconds} s`)
      })
      return yield* Effect.scoped(
        Effect.zipRight(
          Effect.forkScoped(
            Effect.ensuring(
              Effect.forever(draw),
              Effect.sync(() => err(WIPE))
            )
          ),
          work
        )
      )
    })
