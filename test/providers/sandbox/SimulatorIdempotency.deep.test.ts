import { openTables } from "../../../src/platform/database/MemoryDatabase.ts"
import { simulatorTables } from "../../../src/providers/sandbox/SimulatorMemory.ts"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { SimulatorStore } from "../../../src/providers/sandbox/SimulatorStore.ts"
import { bank, card, newOrder, phone, simulatorNamed, SimulatorsOnMemory } from "./SimulatorOrders.ts"
import { onBothSimulatorStores } from "./SimulatorStores.ts"

/** Schedules every step of a simulator at its memory. */
const inTurns = (scheduler: fc.Scheduler) =>
  Layer.effect(
    SimulatorStore,
    Effect.map(SimulatorStore, (store) => {
      const turn = (step: string) => Effect.promise(() => scheduler.schedule(Promise.resolve(), step))
      const between = <A, E>(step: string, effect: Effect.Effect<A, E>) =>
        turn(`before ${step}`).pipe(Effect.zipRight(effect), Effect.zipLeft(turn(`after ${step}`)))
      return SimulatorStore.of({
        ...store,
        open: (payment, timers) => between("open", store.open(payment, timers)),
        find: (reference) => between("find", store.find(reference))
      })
    })
  )

const details = fc.constantFrom<Partial<PaymentOrder>[]>(
  card("4111111111111111"),
  card("4000000000000002"),
  card("4000000000003220"),
  phone("+254712345678"),
  phone("+254712340002"),
  phone("+254712340006"),
  phone("+254712340008"),
  bank("0123456789"),
  bank("0123450009")
)

describe("two orders of one reference", () => {
  it("make one payment and one set of timers, and get one answer, however they interleave", () =>
    fc.assert(
      fc.asyncProperty(fc.scheduler(), details, details, async (scheduler, first, second) => {
        const scenario = Effect.gen(function* () {
          const tables = yield* openTables(simulatorTables)
          const order = yield* newOrder(first)
          const simulator = yield* simulatorNamed("fiat").pipe(Effect.provide(inTurns(scheduler)))
          // A second order may even say something else: the reference alone decides.
          const orders = [order, { ...order, card: null, mobileMoney: null, bank: null, ...second }]
          const answers = yield* Effect.forEach(orders, simulator.initiate, { concurrency: "unbounded" })
          const timers = tables.simulatorTimers.size
          expect(answers[0]).toEqual(answers[1])
          expect(tables.simulatorPayments.size).toBe(1)
          const [kept] = tables.simulatorPayments.values()
          const expected = { repeats_callbacks: 3, reorders_callbacks: 2, declines: 0, redirects: 0, asks_password: 0 }
          expect(timers).toBe((expected as Readonly<Record<string, number>>)[kept!.behaviour] ?? 1)
        })
        const done = Effect.runPromise(Effect.provide(scenario, SimulatorsOnMemory))
        await scheduler.waitFor(done)
      }),
      { numRuns: 200 }
    ))
})

onBothSimulatorStores("A simulator", (it) => {
  it.effect("answers twenty orders of one reference alike", () =>
    Effect.gen(function* () {
      const simulator = yield* simulatorNamed("fiat")
      const order = yield* newOrder(bank("0123456789"))
      const differently = (n: number) => (n % 2 === 0 ? order : { ...order, ...bank("0123450001") })
      const outcomes = yield* Effect.all(
        Array.from({ length: 20 }, (_, n) => simulator.initiate(differently(n))),
        { concurrency: "unbounded" }
      )
      for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0])
    })
  )
})
