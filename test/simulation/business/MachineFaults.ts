/** Steps that disturb machines and the database: crashes, suspensions, wrong clocks, held locks and retention. */
import { Effect } from "effect"
import { accountTables } from "./VirtualAccountSteps.ts"
import { escrowTables } from "./EscrowSteps.ts"
import { paymentsOf, type ScenarioContext, type StepAction, purposeOf, type Step } from "./ScenarioContext.ts"

const SECOND = 1000

const drawInstance = (scenario: ScenarioContext, step: Step) => {
  const { instances } = scenario.world
  return instances.length === 0 ? undefined : scenario.env.chance.pick(instances, `${purposeOf(step)} which`)
}

/** Kills an instance after a drawn number of fiber steps and starts another one later. */
export const crashMachine: StepAction = (scenario, step) =>
  Effect.sync(() => {
    const { env, world } = scenario
    const purpose = purposeOf(step)
    const one = drawInstance(scenario, step)
    if (one === undefined) return
    scenario.isDisturbed = true
    env.count("fault: crash")
    one.machine.afterSteps(env.chance.pick([1, 2, 3, 5, 8, 13, 30, 100, 300], `${purpose} steps`), () =>
      world.kill(one)
    )
    env.time.after(env.chance.between(1, 90, `${purpose} downtime`) * SECOND, () => world.start())
  })

/** Suspends an instance, for longer than its leases or just for seconds. */
export const suspendMachine: StepAction = (scenario, step) =>
  Effect.sync(() => {
    const { env } = scenario
    const purpose = purposeOf(step)
    const one = drawInstance(scenario, step)
    if (one === undefined) return
    scenario.isDisturbed = true
    env.hasSuspended = true
    env.count("fault: sleep")
    const seconds = env.chance.pick([3, 15, 25, 62, 130, 700], `${purpose} seconds`)
    env.log(`${one.machine.name} falls asleep for ${seconds} s`)
    one.machine.afterSteps(env.chance.pick([1, 5, 20, 100], `${purpose} steps`), () => {
      one.machine.suspendedUntil = env.time.now + seconds * SECOND
      env.time.after(seconds * SECOND, () => env.log(`${one.machine.name} wakes up`))
    })
  })

/** Shifts a machine's clock; the database's clock stays right. */
export const setWrongClock: StepAction = (scenario, step) =>
  Effect.sync(() => {
    const { env } = scenario
    const one = drawInstance(scenario, step)
    if (one === undefined) return
    env.count("fault: wrong clock")
    const skews = env.focus.skews ?? [-3600, -65, -5, 4, 45, 90, 3600]
    one.machine.skew = env.chance.pick(skews, `${purposeOf(step)} skew`) * SECOND
    env.log(`the clock of ${one.machine.name} is ${one.machine.skew / SECOND} s off`)
  })

/** Rows that can be locked, by kind: there are far more payments than accounts. */
const rowsOf = (scenario: ScenarioContext): ReadonlyArray<ReadonlyArray<string>> => {
  const { escrows, virtualAccounts } = scenario.world.database.open({ ...escrowTables, ...accountTables })
  const kinds = [
    paymentsOf(scenario).map(({ payment_id }) => payment_id),
    [...escrows.keys()],
    [...virtualAccounts.keys()]
  ]
  return kinds.filter((rows) => rows.length > 0)
}

/** Holds a row lock for 1 to 40 seconds. */
export const lockRow: StepAction = (scenario, step) =>
  Effect.sync(() => {
    const { env } = scenario
    const purpose = purposeOf(step)
    const kinds = rowsOf(scenario)
    if (kinds.length === 0) return
    const row = env.chance.pick(env.chance.pick(kinds, `${purpose} kind`), `${purpose} which`)
    const seconds = env.chance.pick([1, 4, 9, 40], `${purpose} seconds`)
    env.count("fault: held lock")
    env.log(`${row} is locked for ${seconds} s`)
    env.locks.set(row, env.time.now + seconds * SECOND)
  })

export const runRetention: StepAction = (scenario) => Effect.sync(() => scenario.world.want("retention"))
