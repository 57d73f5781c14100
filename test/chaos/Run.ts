/** One run: a stage, business on it, faults by the seed, and in the end, when all is healed, the audit. */
import { Effect } from "effect"
import { Chance } from "../simulation/world/Chance.ts"
import { audit } from "./audit/Audit.ts"
import { type Asking, askUntilAnswered } from "./business/Ask.ts"
import { type Crowd, work } from "./business/Callers.ts"
import { Notebook } from "./business/Notebook.ts"
import { probeOrder } from "./business/Operations.ts"
import { settle } from "./business/Society.ts"
import { disturb, type Extent, type Happened, type Probe } from "./faults/Disturb.ts"
import type { Kind } from "./faults/Fault.ts"
import { countsOf, recoveries, type Result } from "./Report.ts"
import { healed, type Patience, settleDown } from "./Settling.ts"
import { openStage, type StageOptions } from "./stage/Stage.ts"

export interface RunOptions extends StageOptions, Extent {
  readonly seed: number
  readonly kinds: ReadonlyArray<Kind>
  readonly crowd: Crowd
  readonly patience: Patience
  readonly tell: (line: string) => void
}

/** After the last fault callers go on for a while, so that its end is seen. */
const AFTERWARDS = "1 second"

export const run = (options: RunOptions) =>
  Effect.gen(function* () {
    const { crowd, kinds, patience, seed, tell } = options
    const chance = new Chance(seed)
    const stage = yield* openStage(options)
    tell(`${stage.instances.length} instances are up; their logs are in ${stage.folder}`)
    const organisations = yield* settle(stage)
    const skipped = new Map(
      kinds.flatMap(({ missing, name }) => {
        const reason = missing?.(stage)
        return reason === undefined ? [] : [[name, reason] as const]
      })
    )
    const notebook = new Notebook()
    const happened: Array<Happened> = []
    const asking: Asking = { instances: stage.instances, notebook, chance }
    const possible = kinds.filter(({ name }) => !skipped.has(name))
    let isOver = false
    const began = performance.now()
    const business = yield* Effect.fork(Effect.promise(() => work(asking, organisations, crowd, () => isOver)))
    const probe: Probe = (instance, name) => {
      const order = probeOrder(notebook, organisations[0]!, name.replaceAll(" ", "-"))
      return askUntilAnswered(asking, instance, order)
    }
    yield* disturb({ stage, chance, happened, probe, tell }, possible, options)
    yield* healed(stage)
    yield* Effect.sleep(AFTERWARDS)
    isOver = true
    yield* business.await
    tell("all is healed; what is under way comes to its end")
    const calm = performance.now()
    const read = yield* settleDown(stage, organisations, asking, patience, tell)
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
