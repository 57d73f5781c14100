import { describe, expect, it, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Deferred, Effect, Fiber, Layer, Logger, Schedule, TestClock } from "effect"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { SimulatorStore } from "../../../src/providers/sandbox/SimulatorStore.ts"
import { simulatorStoreSql } from "../../../src/providers/sandbox/SimulatorSql.ts"
import { simulatorStoreMemory } from "../../../src/providers/sandbox/SimulatorMemory.ts"
import { DeliveryFailed, simulatorWorker } from "../../../src/providers/sandbox/SimulatorWorker.ts"
import { testSettings, TestVault } from "../../support/TestSettings.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { card, listening, newOrder, phone, simulatorNamed, SimulatorsOnMemory } from "./SimulatorOrders.ts"

const GOOD = card("4111111111111111")

const quiet = Logger.remove(Logger.defaultLogger)

const initiated = (details = GOOD) =>
  Effect.gen(function* () {
    const simulator = yield* simulatorNamed("fiat")
    const order = yield* newOrder(details)
    yield* simulator.initiate(order)
    return order.reference
  })

describe("SimulatorWorker", () => {
  it.effect("delivers a completion after a second, once", () =>
    Effect.gen(function* () {
      const { received, states } = yield* listening
      yield* TestClock.adjust("130 millis")
      yield* initiated()
      yield* TestClock.adjust("999 millis")
      expect(states()).toEqual([])
      yield* TestClock.adjust("1 millis")
      expect(received.map(({ at, event }) => [at, event.report?.state])).toEqual([[1130, "completed"]])
      yield* TestClock.adjust("12 seconds")
      expect(received).toHaveLength(1)
    }).pipe(Effect.scoped, Effect.provide(SimulatorsOnMemory))
  )

  it.effect("claims callbacks that follow each other at once, and sends each when it is due", () =>
    Effect.gen(function* () {
      const store = yield* SimulatorStore
      const claims: Array<ReadonlyArray<string>> = []
      const counted = SimulatorStore.of({
        ...store,
        claim: (asked) =>
          Effect.tap(store.claim(asked), ({ timers }) =>
            Effect.sync(() => {
              if (timers.length > 0) claims.push(timers.map(({ reference }) => reference))
            })
          )
      })
      const references: Array<string> = []
      for (const _ of [1, 2, 3]) {
        references.push(yield* initiated())
        yield* TestClock.adjust("60 millis")
      }
      yield* TestClock.adjust("700 millis")
      const { received } = yield* Effect.provideService(listening, SimulatorStore, counted)
      yield* TestClock.adjust("10 seconds")
      expect(claims).toEqual([references])
      expect(received.map(({ at, event }) => [at, event.attempt.reference])).toEqual(
        references.map((reference, i) => [1000 + 60 * i, reference])
      )
      const left = yield* store.claim({ token: references[0]!, limit: 64, leaseMillis: 1, aheadMillis: 60_000 })
      expect(left.timers).toEqual([])
    }).pipe(Effect.scoped, Effect.provide(SimulatorsOnMemory))
  )

  it.effect("frees what it was claiming when it is stopped", () =>
    Effect.gen(function* () {
      const store = yield* SimulatorStore
      const reference = yield* initiated()
      const [asked, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = SimulatorStore.of({
        ...store,
        claim: (claim) =>
          Effect.zipRight(Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(go)), store.claim(claim))
      })
      yield* TestClock.adjust("1 second")
      const delivered: Array<unknown> = []
      const worker = yield* Effect.fork(
        Effect.provideService(
          simulatorWorker((provider) => Effect.sync(() => delivered.push(provider))),
          SimulatorStore,
          slow
        )
      )
      yield* Deferred.await(asked)
      const stopped = yield* Effect.fork(Fiber.interrupt(worker))
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(stopped)
      const left = yield* store.claim({ token: reference, limit: 64, leaseMillis: 1 })
      expect(left.timers.length + delivered.length).toBe(1)
    }).pipe(Effect.scoped, Effect.provide(SimulatorsOnMemory))
  )

  it.effect("delivers more than a batch without a pause between", () =>
    Effect.gen(function* () {
      yield* Effect.replicateEffect(initiated(), 150)
      yield* TestClock.adjust("1 second")
      const { received } = yield* listening
      yield* TestClock.adjust("1 millis")
      expect(new Set(received.map(({ event }) => event.attempt.reference)).size).toBe(150)
      expect(received).toHaveLength(150)
    }).pipe(Effect.scoped, Effect.provide(SimulatorsOnMemory))
  )

  it.effect("delivers again, as the same event, five seconds after the receiver did not take it", () =>
    Effect.gen(function* () {
      const bodies: Array<string> = []
      const deliver = (_: unknown, { body }: { readonly body: Buffer }) => {
        bodies.push(body.toString())
        if (bodies.length === 1) return new DeliveryFailed({ message: "no" })
        return bodies.length === 2 ? Effect.die("a bug") : bodies.length === 3 ? Effect.never : Effect.void
      }
      yield* Effect.forkScoped(simulatorWorker(deliver))
      yield* initiated()
      yield* TestClock.adjust("1 second")
      expect(bodies).toHaveLength(1)
      yield* TestClock.adjust("4900 millis")
      expect(bodies).toHaveLength(1)
      yield* TestClock.adjust("100 millis")
      expect(bodies).toHaveLength(2)
      yield* TestClock.adjust("5 seconds")
      expect(bodies).toHaveLength(3)
      // The third delivery is given up after five seconds, and the back-off begins.
      yield* TestClock.adjust("10 seconds")
      expect(bodies).toHaveLength(4)
      yield* TestClock.adjust("15 seconds")
      expect(bodies).toHaveLength(4)
      expect(new Set(bodies).size).toBe(1)
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(SimulatorsOnMemory, quiet)))
  )

  it.effect("keeps the others going while one receiver hangs", () =>
    Effect.gen(function* () {
      const stuck = yield* initiated()
      const others = yield* Effect.replicateEffect(initiated(), 20)
      const seen: Array<string> = []
      yield* Effect.forkScoped(
        simulatorWorker((_, { body }) => {
          const { reference } = JSON.parse(body.toString()) as { readonly reference: string }
          return reference === stuck ? Effect.never : Effect.sync(() => seen.push(reference))
        })
      )
      yield* TestClock.adjust("1100 millis")
      expect(seen.toSorted()).toEqual(others.toSorted())
      const later = yield* initiated()
      yield* TestClock.adjust("1500 millis")
      expect(seen.at(-1), "nor those that come after them").toBe(later)
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(SimulatorsOnMemory, quiet)))
  )

  it.effect("cuts a batch short before its lease ends, and takes up what is left after the back-off", () =>
    Effect.gen(function* () {
      yield* initiated(phone("+254712340008"))
      yield* TestClock.adjust("3 seconds")
      const starts: Array<number> = []
      const slow = Effect.zipRight(
        Effect.clockWith((clock) => Effect.map(clock.currentTimeMillis, (now) => starts.push(now - 3000))),
        Effect.sleep("4 seconds")
      )
      yield* Effect.forkScoped(simulatorWorker(() => slow))
      yield* TestClock.adjust("18 seconds")
      expect(starts.slice(0, 2)).toEqual([0, 4000])
      expect(starts).toHaveLength(4)
      expect(starts[2]).toBeGreaterThanOrEqual(10_000)
      expect(starts[2]).toBeLessThanOrEqual(10_250)
      expect(starts[3]! - starts[2]!).toBe(4000)
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(SimulatorsOnMemory, quiet)))
  )

  it.effect("holds back what stands behind a callback that was not taken", () =>
    Effect.gen(function* () {
      yield* initiated(phone("+254712340009"))
      yield* TestClock.adjust("3 seconds")
      const states: Array<string> = []
      yield* Effect.forkScoped(
        simulatorWorker((_, { body }) => {
          states.push((JSON.parse(body.toString()) as { readonly state: string }).state)
          return states.length === 1 ? new DeliveryFailed({ message: "no" }) : Effect.void
        })
      )
      yield* TestClock.adjust("4900 millis")
      expect(states).toEqual(["completed"])
      yield* TestClock.adjust("500 millis")
      expect(states).toEqual(["completed", "completed", "processing"])
    }).pipe(Effect.scoped, Effect.provide(Layer.merge(SimulatorsOnMemory, quiet)))
  )

  it.effect("frees what it had claimed when it is stopped", () =>
    Effect.gen(function* () {
      yield* initiated()
      const reached = yield* Deferred.make<void>()
      const hanging = yield* Effect.fork(
        simulatorWorker(() => Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never))
      )
      yield* TestClock.adjust("1 second")
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(hanging)
      const { states } = yield* listening
      yield* TestClock.adjust("50 millis")
      expect(states()).toEqual(["completed"])
    }).pipe(Effect.scoped, Effect.provide(SimulatorsOnMemory))
  )

  it.effect("delivers what another process wrote and did not live to deliver", () =>
    Effect.gen(function* () {
      const database = yield* MemoryDatabase
      const process = Layer.mergeAll(simulatorStoreMemory, TestVault, Ids.layer, testSettings()).pipe(
        Layer.provide(Layer.succeed(MemoryDatabase, database))
      )
      const reference = yield* initiated().pipe(Effect.provide(process))
      // Claims the timer and dies with it, so that its lease is not given back.
      yield* TestClock.adjust("1 second")
      yield* Effect.flatMap(SimulatorStore, (store) =>
        store.claim({ token: reference, limit: 64, leaseMillis: 10_000 })
      ).pipe(Effect.provide(process))
      const { received } = yield* Effect.provide(listening, process)
      yield* TestClock.adjust("9999 millis")
      expect(received).toEqual([])
      yield* TestClock.adjust("1 millis")
      expect(received.map(({ event }) => event.attempt.reference)).toEqual([reference])
    }).pipe(Effect.scoped, Effect.provide(MemoryDatabase.layer))
  )
})

const Database = Layer.mergeAll(TestDatabase, Ids.layer, TestVault).pipe(Layer.provideMerge(testSettings()))

const timersLeft = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ count: number }>`select count(*)::int as count from rail_timers`, (rows) => rows[0]!.count)
)

layer(Database, { excludeTestServices: true, timeout: "60 seconds" })("SimulatorWorker on PostgreSQL", (it) => {
  it.effect("delivers what one process wrote by two others, each callback once", () =>
    Effect.gen(function* () {
      const references = yield* Effect.replicateEffect(initiated(), 100).pipe(Effect.provide(simulatorStoreSql))
      expect(yield* timersLeft).toBe(100)
      const received: Array<string> = []
      const worker = simulatorWorker((_, { body }) =>
        Effect.sync(() => {
          received.push((JSON.parse(body.toString()) as { readonly reference: string }).reference)
        })
      ).pipe(Effect.provide(simulatorStoreSql))
      const workers = yield* Effect.fork(Effect.all([worker, worker], { concurrency: 2 }))
      yield* Effect.repeat(timersLeft, { until: (count) => count === 0, schedule: Schedule.spaced("20 millis") })
      yield* Fiber.interrupt(workers)
      expect(received.toSorted()).toEqual(references.toSorted())
    })
  )
})
