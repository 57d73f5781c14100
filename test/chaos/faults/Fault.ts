/** A fault: affected instances, begin and end. */
import { Duration, Effect, Schedule } from "effect"
import type { Chance } from "../../simulation/world/Chance.ts"
import type { ChaosFailed } from "../ChaosFailed.ts"
import type { Instance } from "../environment/ServerInstance.ts"
import type { Environment } from "../environment/Environment.ts"

export interface Fault {
  readonly affects: ReadonlyArray<Instance>
  readonly begin: Effect.Effect<void, ChaosFailed>
  readonly end: Effect.Effect<void, ChaosFailed>
}

export interface FaultKind {
  readonly name: string
  /** Duration in milliseconds. */
  readonly lasts: readonly [least: number, most: number]
  /** No other fault overlaps it. */
  readonly staysAlone?: true
  /** Reason why it is impossible here; undefined: possible. */
  readonly missing?: (env: Environment) => string | undefined
  readonly make: (env: Environment, chance: Chance, purpose: string) => Fault
}

/** Retries: another fault may have stopped the database. */
export const untilDone = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  effect.pipe(
    Effect.sandbox,
    Effect.retry(Schedule.spaced("200 millis").pipe(Schedule.upTo(Duration.minutes(2)))),
    Effect.orDie
  )
