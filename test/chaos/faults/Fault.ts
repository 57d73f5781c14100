/** A fault: what it disturbs, how it begins, and how it is over. */
import { Duration, Effect, Schedule } from "effect"
import type { Chance } from "../../simulation/world/Chance.ts"
import type { ChaosFailed } from "../ChaosFailed.ts"
import type { Instance } from "../environment/Instance.ts"
import type { Environment } from "../environment/Environment.ts"

/** Who notices: requests that come to these instances. */
export interface Fault {
  readonly affects: ReadonlyArray<Instance>
  readonly begin: Effect.Effect<void, ChaosFailed>
  readonly end: Effect.Effect<void, ChaosFailed>
}

export interface FaultKind {
  readonly name: string
  /** How long it lasts, in milliseconds. */
  readonly lasts: readonly [least: number, most: number]
  /** No other begins while it lasts. */
  readonly staysAlone?: true
  /** Why it cannot be had on this stage; nothing where it can. */
  readonly missing?: (env: Environment) => string | undefined
  readonly make: (env: Environment, chance: Chance, purpose: string) => Fault
}

/** The database may be away at the same time, by another fault. */
export const untilDone = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  effect.pipe(
    Effect.sandbox,
    Effect.retry(Schedule.spaced("200 millis").pipe(Schedule.upTo(Duration.minutes(2)))),
    Effect.orDie
  )
