/** One run: a stage, business on it, faults by the seed, and in the end, when all is healed, the audit. */
import { Effect } from "effect"
import { Chance } from "../simulation/world/Chance.ts"
import { audit } from "./audit/Audit.ts"
import { type CallContext, probeInstance } from "./business/ApiCalls.ts"
import { type CallerLoad, runCallers, probeOrder } from "./business/Operations.ts"
import { RequestLog } from "./business/RequestLog.ts"
import { createFixtures } from "./business/Fixtures.ts"
import { injectFaults, type FaultLimits, type InjectedFault, type Probe } from "./faults/InjectFaults.ts"
import type { FaultKind } from "./faults/Fault.ts"
import { countsOf, recoveries, type Result } from "./Report.ts"
import { restartStopped, type SettleLimits, waitUntilSettled } from "./WaitUntilSettled.ts"
import { startEnvironment, type EnvironmentOptions } from "./environment/Stage.ts"

export interface RunOptions extends EnvironmentOptions, FaultLimits {
  readonly seed: number
  readonly kinds: ReadonlyArray<FaultKind>
  readonly crowd: CallerLoad
  readonly patience: SettleLimits
  readonly tell: (line: string) => void
}

/** After the last fault callers go on for a while, so that its end is seen. */
const AFTERWARDS = "1 second"

export const run = (options: RunOptions) =>
  Effect.gen(function* () {
    const { crowd, kinds, patience, seed, tell } = options
    const chance = new Chance(seed)
    const stage = yield* startEnvironment(options)
    tell(`${stage.instances.length} instances are up; their logs are in ${stage.folder}`)
    const organisations = yield* createFixtures(stage)
    const skipped = new Map(
      kinds.flatMap(({ missing, name }) => {
        const reason = missing?.(stage)
        return reason === undefined ? [] : [[name, reason] as const]
      })
    )
    const notebook = new RequestLog()
    const happened: Array<InjectedFault> = []
    const asking: CallContext = { instances: stage.instances, notebook, chance }
    const possible = kinds.filter(({ name }) => !skipped.has(name))
    let isOver = false
    const began = performance.now()
    const business = yield* Effect.fork(Effect.promise(() => runCallers(asking, organisations, crowd, () => isOver)))
    const probe: Probe = (instance, name) => {
      const order = probeOrder(notebook, organisations[0]!, name.replaceAll(" ", "-"))
      return probeInstance(asking, instance, order)
    }
    yield* injectFaults({ stage, chance, happened, probe, tell }, possible, options)
    yield* restartStopped(stage)
    yield* Effect.sleep(AFTERWARDS)
    isOver = true
    yield* business.await
    tell("all is healed; what is under way comes to its end")
    const calm = performance.now()
    const read = yield* waitUntilSettled(stage, organisations, asking, patience, tell)
    const settledAfter = performance.now() - calm
    const violations = yield* audit(stage, organisations, notebook, read)
    const result: Result = {
      seed,
      seconds: Math.round((calm - began) / 1000),
      instances: stage.instances.length,
      operations: Object.fromEntries(notebook.kinds()),
      answers: Object.fromEntries(notebook.answers),
      deliveries: organisations.reduce(
        (sum, { endpoints }) => sum + endpoints.reduce((own, { receiver }) => own + receiver.arrived(), 0),
        0
      ),
      payments: countsOf(read.payments.map(({ status }) => status)),
      operatorItems: countsOf(read.items.flatMap(({ closed_at, kind }) => (closed_at === null ? [kind] : []))),
      faults: recoveries(kinds, skipped, happened),
      settledAfterSeconds: Math.round(settledAfter / 1000),
      violations
    }
    return result
  })
