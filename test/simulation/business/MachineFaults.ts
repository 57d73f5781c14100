/**
 * What befalls the machines and their database: they die between any two effects, fall asleep past their leases and have
 * wrong clocks, rows are locked by others, and what is old is forgotten.
 */
import { Effect } from "effect"
import { accountTables } from "./VirtualAccounts.ts"
import { escrowTables } from "./Escrows.ts"
import { paymentsOf, type ScenarioContext, type StepAction, purposeOf, type Step } from "./ScenarioContext.ts"

const SECOND = 1000

const drawInstance = (scene: ScenarioContext, step: Step) => {
  const { instances } = scene.world
  return instances.length === 0 ? undefined : scene.outside.chance.pick(instances, `${purposeOf(step)} which`)
}

/** At a moment when it may be in the middle of anything, and back a while later. */
export const crashMachine: StepAction = (scene, step) =>
  Effect.sync(() => {
    const { outside, world } = scene
    const purpose = purposeOf(step)
    const one = drawInstance(scene, step)
    if (one === undefined) return
    scene.isDisturbed = true
    outside.count("fault: crash")
    one.machine.dieAfter(outside.chance.pick([1, 2, 3, 5, 8, 13, 30, 100, 300], `${purpose} steps`), () =>
      world.kill(one)
    )
    outside.time.after(outside.chance.between(1, 90, `${purpose} downtime`) * SECOND, () => world.start())
  })

/** Longer than any lease, or just as long as somebody else's patience. */
export const suspendMachine: StepAction = (scene, step) =>
  Effect.sync(() => {
    const { outside } = scene
    const purpose = purposeOf(step)
    const one = drawInstance(scene, step)
    if (one === undefined) return
    scene.isDisturbed = true
    outside.hasSlept = true
    outside.count("fault: sleep")
    const seconds = outside.chance.pick([3, 15, 25, 62, 130, 700], `${purpose} seconds`)
    outside.tell(`${one.machine.name} falls asleep for ${seconds} s`)
    one.machine.dieAfter(outside.chance.pick([1, 5, 20, 100], `${purpose} steps`), () => {
      one.machine.sleepsUntil = outside.time.now + seconds * SECOND
      outside.time.after(seconds * SECOND, () => outside.tell(`${one.machine.name} wakes up`))
    })
  })

/** Somebody, or NTP, sets the clock of a machine; that of the database stays right. */
export const setWrongClock: StepAction = (scene, step) =>
  Effect.sync(() => {
    const { outside } = scene
    const one = drawInstance(scene, step)
    if (one === undefined) return
    outside.count("fault: wrong clock")
    const skews = outside.focus.skews ?? [-3600, -65, -5, 4, 45, 90, 3600]
    one.machine.skew = outside.chance.pick(skews, `${purposeOf(step)} skew`) * SECOND
    outside.tell(`the clock of ${one.machine.name} is ${one.machine.skew / SECOND} s off`)
  })

/** What somebody may have locked, by kind: there are far more payments than accounts. */
const rowsOf = (scene: ScenarioContext): ReadonlyArray<ReadonlyArray<string>> => {
  const { escrows, virtualAccounts } = scene.world.database.open({ ...escrowTables, ...accountTables })
  const kinds = [
    paymentsOf(scene).map(({ payment_id }) => payment_id),
    [...escrows.keys()],
    [...virtualAccounts.keys()]
  ]
  return kinds.filter((rows) => rows.length > 0)
}

/** Somebody else has a row, for longer than anybody waits or for a moment. */
export const lockRow: StepAction = (scene, step) =>
  Effect.sync(() => {
    const { outside } = scene
    const purpose = purposeOf(step)
    const kinds = rowsOf(scene)
    if (kinds.length === 0) return
    const row = outside.chance.pick(outside.chance.pick(kinds, `${purpose} kind`), `${purpose} which`)
    const seconds = outside.chance.pick([1, 4, 9, 40], `${purpose} seconds`)
    outside.count("fault: held lock")
    outside.tell(`${row} is locked for ${seconds} s`)
    outside.locks.set(row, outside.time.now + seconds * SECOND)
  })

/** Whatever is old enough is forgotten, in the middle of everything. */
export const runRetention: StepAction = (scene) => Effect.sync(() => scene.world.want("retention"))
