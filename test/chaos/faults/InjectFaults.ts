/** Injects the scheduled faults and records their times. */
import { Effect } from "effect"
import type { Chance } from "../../simulation/world/Chance.ts"
import type { Instance } from "../environment/ServerInstance.ts"
import type { Environment } from "../environment/Environment.ts"
import type { FaultKind } from "./Fault.ts"
import { nthFault, type Planned } from "./Schedule.ts"

export interface InjectedFault extends Planned {
  readonly isAlone: boolean
  /** Begin and end of the repair. */
  lifted: number | undefined
  ended: number | undefined
  /** Time when every affected instance has answered a payment. */
  recovered: number | undefined
}

/** Calls an instance until it answers a payment; the name is its key. */
export type Probe = (instance: Instance, name: string) => Promise<boolean>

interface Injection {
  readonly env: Environment
  readonly chance: Chance
  readonly injected: Array<InjectedFault>
  readonly probe: Probe
  readonly log: (line: string) => void
}

const injectFault = ({ chance, injected, probe, env, log }: Injection, planned: Planned, isAlone: boolean) =>
  Effect.gen(function* () {
    const name = `fault ${planned.number}`
    const fault = planned.kind.make(env, chance, name)
    const noted: InjectedFault = { ...planned, isAlone, lifted: undefined, ended: undefined, recovered: undefined }
    log(`${planned.kind.name}, ${planned.lasts} ms`)
    injected.push(noted)
    const end = Effect.zipRight(
      Effect.sync(() => (noted.lifted = performance.now())),
      Effect.orDie(fault.end)
    )
    // The fault ends however the run ends.
    yield* fault.begin.pipe(Effect.zipRight(Effect.sleep(planned.lasts)), Effect.ensuring(end))
    noted.ended = performance.now()
    const answered = yield* Effect.promise(() =>
      Promise.all(fault.affects.map((one) => probe(one, `${name} ${one.name}`)))
    )
    if (answered.every(Boolean)) noted.recovered = performance.now()
  })

export interface FaultLimits {
  /** No fault begins after this many seconds. */
  readonly seconds: number
  /** Maximum number of faults. */
  readonly faults: number
}

/** One after the other, each after recovery; some overlap. */
export const injectFaults = (
  disturbing: Injection,
  kinds: ReadonlyArray<FaultKind>,
  { faults, seconds }: FaultLimits
) =>
  Effect.gen(function* () {
    const deadline = performance.now() + seconds * 1000
    const nth = (number: number) => nthFault(kinds, disturbing.chance, number)
    for (let number = 0; number < faults && performance.now() < deadline; number++) {
      const one = nth(number)
      yield* Effect.sleep(one.after)
      if (!one.overlaps || number + 1 >= faults) yield* injectFault(disturbing, one, true)
      else {
        number += 1
        const other = injectFault(disturbing, nth(number), false)
        yield* Effect.all([injectFault(disturbing, one, false), Effect.delay(other, one.lasts / 2)], {
          concurrency: "unbounded",
          discard: true
        })
      }
    }
  })
