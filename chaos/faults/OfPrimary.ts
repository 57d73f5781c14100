/** What happens to the primary of several PostgreSQL: it dies, or only its Patroni does, and another one is promoted. */
import { Effect } from "effect"
import { ChaosFailed } from "../ChaosFailed.ts"
import type { Node } from "../stage/Patroni.ts"
import type { Kind } from "./Fault.ts"

interface Death {
  readonly fault: string
  readonly how: (node: Node) => Effect.Effect<void>
  /** The old primary goes on beside the new one, until the next fault begins. */
  readonly livesOn?: true
}

const dies = ({ fault, how, livesOn }: Death): Kind => ({
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
        if (livesOn && !(yield* node.takesWrites)) {
          return yield* new ChaosFailed({ message: `There were no two primaries: ${node.name} takes no writes` })
        }
      }),
      end: Effect.suspend(() => (livesOn ? Effect.void : (dead?.start ?? Effect.void)))
    }
  }
})

export const primaryKilled: Kind = dies({ fault: "primary killed (-9)", how: ({ killPostgres }) => killPostgres })

export const primaryGone: Kind = dies({ fault: "primary and Patroni killed", how: ({ kill }) => kill })

export const patroniKilled: Kind = dies({
  fault: "Patroni alone killed",
  how: ({ killPatroni }) => killPatroni,
  livesOn: true
})
