/** The worker of the simulators while due times are read, so that it rests. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { dueTimesPoll } from "../../../src/domain/policies/ServerPolicies.ts"
import { WorkQueues } from "../../../src/platform/database/WorkQueues.ts"
import { simulatorWorker } from "../../../src/providers/sandbox/SimulatorWorker.ts"
import { newOrder, phone, simulatorNamed, SimulatorsOnMemory } from "./SimulatorOrders.ts"

describe("A worker of the simulators that rests", () => {
  it.effect("delivers what stood behind a slow callback of the same payment as soon as that is taken", () =>
    Effect.gen(function* () {
      const queues = WorkQueues.make()
      const readings = Effect.forever(
        Effect.zipRight(queues.read([{ queue: "simulator", is_due: true, wait: null }]), Effect.sleep(dueTimesPoll))
      )
      const times: Array<number> = []
      const deliver = () =>
        Effect.clockWith((clock) =>
          Effect.flatMap(clock.currentTimeMillis, (now) => {
            times.push(now)
            return times.length === 1 ? Effect.sleep("2 seconds") : Effect.void
          })
        )
      yield* Effect.gen(function* () {
        yield* Effect.forkScoped(readings)
        yield* Effect.forkScoped(simulatorWorker(deliver))
        yield* TestClock.adjust("10 millis")
        const simulator = yield* simulatorNamed("fiat")
        yield* simulator.initiate(yield* newOrder(phone("+254712340008")))
        yield* TestClock.adjust("4800 millis")
        expect(times[0]).toBe(1010)
        // The first is taken at 3010. A poll would find the others within 250 ms, the next reading is at 5000.
        expect(times.length, `delivered at ${times.join(", ")}`).toBe(3)
      }).pipe(Effect.provideService(WorkQueues, queues))
    }).pipe(Effect.scoped, Effect.provide(SimulatorsOnMemory))
  )
})
