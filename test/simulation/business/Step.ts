/** One thing that somebody does in a run. A run is a list of them, each of which may be left out. */
import type { Effect } from "effect"
import type { Scene } from "./Scene.ts"

export interface Step {
  readonly number: number
  readonly kind: string
  /** Milliseconds after the beginning. */
  readonly at: number
  /** Which of the organisations. */
  readonly by: number
}

/** What a step does; what else it needs it draws by its number. */
export type Act = (scene: Scene, step: Step) => Effect.Effect<void>

export const purposeOf = ({ kind, number }: Step): string => `${kind} ${number}`
