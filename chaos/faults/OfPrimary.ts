/** What happens to the primary of several PostgreSQL: it dies, and another one is promoted. */
import { Effect } from "effect"
import { ChaosFailed } from "../ChaosFailed.ts"
import type { Node } from "../stage/Patroni.ts"
import type { Kind } from "./Fault.ts"

const dies = (fault: string, how: (node: Node) => Effect.Effect<void>): Kind => ({
  name: fault,
  lasts: [0, 0],
  staysAlone: true,
  missing: ({ postgres }) => (postgres.cluster === undefined ? "there is one PostgreSQL only" : undefined),
  make: ({ instances, postgres }) => {
    const { primary, promotions, whole } = postgres.cluster!
    let dead: Node | undefined
    const another = ({ name }: Node) =>
      Effect.repeat(Effect.delay(primary, "50 millis"), { until: (now) => now.name !== name }).pipe(
        Effect.timeoutFail({
          duration: "1 minute",
          onTimeout: () => new ChaosFailed({ message: `Nobody took the place of ${name} within a minute` })
        })
      )
    return {
      affects: instances,
      // It is over, for whoever measures, when another one takes writes.
      begin: Effect.gen(function* () {
        yield* whole
        const node = yield* primary
        dead = node
        yield* how(node)
        const began = performance.now()
        yield* another(node)
        promotions.push({ fault, millis: Math.round(performance.now() - began) })
      }),
      end: Effect.suspend(() => dead?.start ?? Effect.void)
    }
  }
})

export const primaryKilled: Kind = dies("primary killed (-9)", ({ killPostgres }) => killPostgres)

export const primaryGone: Kind = dies("primary and Patroni killed", ({ kill }) => kill)
