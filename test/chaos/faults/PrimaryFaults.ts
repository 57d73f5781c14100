/** Faults of the primary: killed, with or without its Patroni, and replaced. */
import { Effect } from "effect"
import { ChaosFailed } from "../ChaosFailed.ts"
import type { Node, Primary } from "../environment/Patroni.ts"
import type { FaultKind } from "./Fault.ts"

interface Death {
  readonly fault: string
  readonly how: (node: Node) => Effect.Effect<void>
  /** The old primary stays up beside the new one until the next fault. */
  readonly livesOn?: true
  /** The new primary is killed as soon as it commits. */
  readonly twice?: true
}

const dies = ({ fault, how, livesOn, twice }: Death): FaultKind => ({
  name: fault,
  lasts: [0, 0],
  staysAlone: true,
  missing: ({ postgres }) => (postgres.cluster === undefined ? "there is one PostgreSQL only" : undefined),
  make: ({ instances, postgres }) => {
    const { primary, promotions, whole } = postgres.cluster!
    let dead: Node | undefined
    const awaited = (until: (now: Primary) => boolean, message: string) =>
      Effect.repeat(Effect.delay(primary, "50 millis"), { until }).pipe(
        Effect.timeoutFail({ duration: "2 minutes", onTimeout: () => new ChaosFailed({ message }) })
      )
    /** Another node, or the same one restarted. */
    const next = ({ node, started }: Primary) =>
      awaited(
        (now) => now.node.name !== node.name || now.started !== started,
        `${node.name} was neither replaced nor restarted within two minutes`
      )
    const die = (before: Primary) =>
      Effect.gen(function* () {
        dead = before.node
        yield* how(before.node)
        const began = performance.now()
        const after = yield* next(before)
        const millis = Math.round(performance.now() - began)
        const last = yield* awaited(({ commits }) => commits, `${after.node.name} had no standby within two minutes`)
        const standbyMillis = Math.round(performance.now() - began) - millis
        promotions.push({ fault, millis, standbyMillis, inPlace: after.node.name === before.node.name })
        return last
      })
    return {
      affects: instances,
      // Ends when PostgreSQL commits again; recovery is measured from here.
      begin: Effect.gen(function* () {
        yield* whole
        const first = yield* primary
        const second = yield* die(first)
        if (twice) yield* die(second)
        if (livesOn && !(yield* first.node.takesWrites)) {
          return yield* new ChaosFailed({ message: `There were no two primaries: ${first.node.name} takes no writes` })
        }
      }),
      end: Effect.suspend(() => (livesOn ? Effect.void : (dead?.start ?? Effect.void)))
    }
  }
})

export const primaryKilled: FaultKind = dies({ fault: "primary killed (-9)", how: ({ killPostgres }) => killPostgres })

export const primaryKilledTwice: FaultKind = dies({
  fault: "primary killed, then the new one",
  how: ({ killPostgres }) => killPostgres,
  twice: true
})

export const primaryGone: FaultKind = dies({ fault: "primary and Patroni killed", how: ({ kill }) => kill })

export const patroniKilled: FaultKind = dies({
  fault: "Patroni alone killed",
  how: ({ killPatroni }) => killPatroni,
  livesOn: true
})
