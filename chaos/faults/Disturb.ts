/** Carries out the schedule, and notes when each fault began and ended. */
import { Effect } from "effect"
import type { Chance } from "../../simulation/world/Chance.ts"
import type { Instance } from "../stage/Instance.ts"
import type { Stage } from "../stage/Stage.ts"
import type { Planned } from "./Schedule.ts"

export interface Happened extends Planned {
  readonly began: number
  ended: number | undefined
  /** When every instance that it affected has answered a payment again. */
  recovered: number | undefined
}

/** What may have been begun before a fault ended is told of a little later. */
const AFTERMATH_MILLIS = 16_000

/** Whether a statement that was under way since may have failed by a fault. */
export const isDisturbedSince = (happened: ReadonlyArray<Happened>, since: number): boolean =>
  happened.some(({ ended, kind }) => kind.disturbsDatabase && (ended === undefined || ended + AFTERMATH_MILLIS > since))

/** Asks an instance for a payment until it has answered; the name tells one probe from another. */
export type Probe = (instance: Instance, name: string) => Promise<boolean>

interface Disturbing {
  readonly stage: Stage
  readonly chance: Chance
  readonly happened: Array<Happened>
  readonly probe: Probe
  readonly tell: (line: string) => void
}

const happen = ({ chance, happened, probe, stage }: Disturbing, planned: Planned) =>
  Effect.gen(function* () {
    const name = `fault ${planned.number}`
    const fault = planned.kind.make(stage, chance, name)
    const noted: Happened = { ...planned, began: performance.now(), ended: undefined, recovered: undefined }
    happened.push(noted)
    // However the run ends, what was disturbed is set right.
    yield* fault.begin.pipe(
      Effect.zipRight(Effect.sleep(planned.lasts)),
      Effect.ensuring(Effect.orDie(fault.end)),
      Effect.zipRight(Effect.sync(() => (noted.ended = performance.now())))
    )
    const answered = yield* Effect.promise(() =>
      Promise.all(fault.affects.map((one) => probe(one, `${name} ${one.name}`)))
    )
    if (answered.every(Boolean)) noted.recovered = performance.now()
  })

/** Ends when the last of them is over. */
export const disturb = (disturbing: Disturbing, schedule: ReadonlyArray<Planned>) =>
  Effect.forEach(
    schedule,
    (planned) =>
      Effect.sleep(planned.at).pipe(
        Effect.tap(() => disturbing.tell(`${planned.kind.name}, ${planned.lasts} ms`)),
        Effect.zipRight(happen(disturbing, planned))
      ),
    { concurrency: "unbounded", discard: true }
  )
