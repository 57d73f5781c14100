/** One run: environment, callers, faults by the seed, and the audit when all is at rest. */
import { Effect } from "effect"
import { Chance } from "../simulation/world/Chance.ts"
import { audit } from "./audit/Audit.ts"
import { type CallContext, probeInstance } from "./business/ApiCalls.ts"
import { type CallerLoad, runCallers, probeOrder } from "./business/CallerOperations.ts"
import { RequestLog } from "./business/RequestLog.ts"
import { createFixtures } from "./business/ChaosFixtures.ts"
import { injectFaults, type FaultLimits, type InjectedFault, type Probe } from "./faults/InjectFaults.ts"
import type { FaultKind } from "./faults/Fault.ts"
import { countsOf, recoveries, type Result } from "./ChaosReport.ts"
import { restartStopped, type SettleLimits, waitUntilSettled } from "./WaitUntilSettled.ts"
import { startEnvironment, type EnvironmentOptions } from "./environment/Environment.ts"

export interface RunOptions extends EnvironmentOptions, FaultLimits {
  readonly seed: number
  readonly kinds: ReadonlyArray<FaultKind>
  readonly load: CallerLoad
  readonly settleLimits: SettleLimits
  readonly log: (line: string) => void
}

/** Callers go on after the last fault. */
const AFTERWARDS = "1 second"

export const run = (options: RunOptions) =>
  Effect.gen(function* () {
    const { load, kinds, settleLimits, seed, log } = options
    const chance = new Chance(seed)
    const env = yield* startEnvironment(options)
    log(`${env.instances.length} instances are up; their logs are in ${env.folder}`)
    const organisations = yield* createFixtures(env)
    const skipped = new Map(
      kinds.flatMap(({ missing, name }) => {
        const reason = missing?.(env)
        return reason === undefined ? [] : [[name, reason] as const]
      })
    )
    const requestLog = new RequestLog()
    const injected: Array<InjectedFault> = []
    const context: CallContext = { instances: env.instances, requestLog, chance }
    const possible = kinds.filter(({ name }) => !skipped.has(name))
    let isOver = false
    const began = performance.now()
    const business = yield* Effect.fork(Effect.promise(() => runCallers(context, organisations, load, () => isOver)))
    const probe: Probe = (instance, name) => {
      const order = probeOrder(requestLog, organisations[0]!, name.replaceAll(" ", "-"))
      return probeInstance(context, instance, order)
    }
    yield* injectFaults({ env, chance, injected, probe, log }, possible, options)
    yield* restartStopped(env)
    yield* Effect.sleep(AFTERWARDS)
    isOver = true
    yield* business.await
    log("all is healed; what is under way comes to its end")
    const calm = performance.now()
    const read = yield* waitUntilSettled(env, organisations, context, settleLimits, log)
    const settledAfter = performance.now() - calm
    const violations = yield* audit(env, organisations, requestLog, read)
    const result: Result = {
      seed,
      seconds: Math.round((calm - began) / 1000),
      instances: env.instances.length,
      operations: Object.fromEntries(requestLog.kinds()),
      answers: Object.fromEntries(requestLog.answers),
      deliveries: organisations.reduce(
        (sum, { endpoints }) => sum + endpoints.reduce((own, { receiver }) => own + receiver.arrived(), 0),
        0
      ),
      payments: countsOf(read.payments.map(({ status }) => status)),
      operatorItems: countsOf(read.items.flatMap(({ closed_at, kind }) => (closed_at === null ? [kind] : []))),
      faults: recoveries(kinds, skipped, injected),
      settledAfterSeconds: Math.round(settledAfter / 1000),
      violations
    }
    return result
  })
