/** The end of the embedded PostgreSQL: a fast shutdown by whoever leaves last, and an immediate one if that hangs. */
import { Effect } from "effect"
import type { Client } from "pg"
import { embeddedFastShutdown, embeddedImmediateShutdown } from "../../../domain/policies/EmbeddedDatabase.ts"
import { pollUntil } from "./Poll.ts"
import { isAlive, isPostmaster } from "./PostmasterPid.ts"
import { closeConnection, type ConnectionFailed, isLast } from "./Presence.ts"

const signal = (pid: number, name: NodeJS.Signals): Effect.Effect<void> =>
  Effect.try(() => process.kill(pid, name)).pipe(
    Effect.asVoid,
    Effect.catchAll((error) =>
      Effect.when(Effect.logWarning(`PostgreSQL (process ${pid}) cannot be stopped: ${error.message}`), () =>
        isAlive(pid)
      )
    )
  )

const isGone = (pid: number, cluster: string, patience: typeof embeddedFastShutdown): Effect.Effect<boolean> =>
  pollUntil(
    Effect.map(isPostmaster(pid, cluster), (there) => !there),
    patience
  )

export const stop = (pid: number, cluster: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* signal(pid, "SIGINT")
    if (yield* isGone(pid, cluster, embeddedFastShutdown)) return
    yield* Effect.logWarning("The embedded PostgreSQL does not stop: asking it to stop at once.")
    yield* signal(pid, "SIGQUIT")
    if (yield* isGone(pid, cluster, embeddedImmediateShutdown)) return
    yield* Effect.logWarning(`The embedded PostgreSQL (process ${pid}) is still running; the next start joins it.`)
  })

/** Stops the server if nobody else uses it, and in any case gives up `client`'s place in it. */
export const stopIfLast = (pid: number, cluster: string, client: Client): Effect.Effect<void, ConnectionFailed> =>
  isLast(client).pipe(
    Effect.flatMap((last) => Effect.when(stop(pid, cluster), () => last)),
    Effect.ensuring(closeConnection(client)),
    Effect.asVoid
  )
