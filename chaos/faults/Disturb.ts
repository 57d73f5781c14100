/** Carries out the schedule, and notes when each fault began and ended. */
import { Effect } from "effect"
import type { Chance } from "../../simulation/world/Chance.ts"
import type { Stage } from "../stage/Stage.ts"
import type { Planned } from "./Schedule.ts"

export interface Happened extends Planned {
  readonly affects: ReadonlyArray<string>
  readonly began: number
  ended: number | undefined
}

/** What may have been begun before a fault ended is told of a little later. */
const AFTERMATH_MILLIS = 16_000

/** Whether a statement that was under way since may have failed by a fault. */
export const isDisturbedSince = (happened: ReadonlyArray<Happened>, since: number): boolean =>
  happened.some(({ ended, kind }) => kind.disturbsDatabase && (ended === undefined || ended + AFTERMATH_MILLIS > since))

const happen = (stage: Stage, chance: Chance, planned: Planned, happened: Array<Happened>) =>
  Effect.gen(function* () {
    const fault = planned.kind.make(stage, chance, `fault ${planned.number}`)
    const noted: Happened = {
      ...planned,
      affects: fault.affects.map(({ name }) => name),
      began: performance.now(),
      ended: undefined
    }
    happened.push(noted)
    // However the run ends, what was disturbed is set right.
    yield* fault.begin.pipe(
      Effect.zipRight(Effect.sleep(planned.lasts)),
      Effect.ensuring(Effect.orDie(fault.end)),
      Effect.zipRight(Effect.sync(() => (noted.ended = performance.now())))
    )
  })

/** Ends when the last of them is over. */
export const disturb = (
  stage: Stage,
  chance: Chance,
  schedule: ReadonlyArray<Planned>,
  happened: Array<Happened>,
  tell: (line: string) => void
) =>
  Effect.forEach(
    schedule,
    (planned) =>
      Effect.sleep(planned.at).pipe(
        Effect.tap(() => tell(`${planned.kind.name}, ${planned.lasts} ms`)),
        Effect.zipRight(happen(stage, chance, planned, happened))
      ),
    { concurrency: "unbounded", discard: true }
  )
