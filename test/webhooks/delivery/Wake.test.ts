/** The worker that has nothing to do: it polls where no due times are read, and looks at once for an event. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { afterCommit, Transactor } from "../../../src/platform/database/Transactor.ts"
import { deliveryWorker } from "../../../src/webhooks/delivery/DeliveryWorker.ts"
import { WorkQueues } from "../../../src/platform/database/WorkQueues.ts"
import { WebhookClient } from "../../../src/webhooks/delivery/WebhookClient.ts"
import { DeliveryQueueStore } from "../../../src/webhooks/delivery/DeliveryQueueStore.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testSettings, TestVault } from "../../support/TestSettings.ts"

const nothingDue = () => {
  let looks = 0
  const store = Layer.succeed(DeliveryQueueStore, {
    due: () =>
      Effect.sync(() => {
        looks += 1
        return { organizations: [], next: null }
      }),
    claim: () => Effect.succeed({ deliveries: [], next: new Map() }),
    finish: () => Effect.succeed({ disabled: [], dead: new Set() }),
    release: () => Effect.void
  } as unknown as DeliveryQueueStore["Type"])
  const means = Layer.mergeAll(
    store,
    Layer.succeed(WebhookClient, {} as WebhookClient["Type"]),
    TestVault,
    testSettings()
  )
  return { looks: () => looks, means }
}

describe("An idle worker", () => {
  it.effect("looks four times a second, and at once when an event is announced", () =>
    Effect.gen(function* () {
      const { looks, means } = nothingDue()
      const queues = WorkQueues.make()
      const wake = queues.announce("webhooks")
      const worker = Effect.provideService(deliveryWorker, WorkQueues, queues)
      yield* Effect.fork(Effect.provide(worker, means))
      yield* TestClock.adjust("100 millis")
      expect(looks()).toBe(1)
      yield* wake
      yield* TestClock.adjust("1 millis")
      expect(looks()).toBe(2)
      for (let n = 0; n < 50; n++) {
        yield* wake
        yield* TestClock.adjust("1 millis")
      }
      expect(looks(), "not for each of many events").toBeLessThanOrEqual(5)
      expect(looks()).toBeGreaterThanOrEqual(3)
      const before = looks()
      yield* TestClock.adjust("1 seconds")
      expect(looks() - before).toBeLessThanOrEqual(5)
    })
  )

  it.effect("comes at once also when it has just looked of its own accord", () =>
    Effect.gen(function* () {
      const { looks, means } = nothingDue()
      const queues = WorkQueues.make()
      const wake = queues.announce("webhooks")
      const worker = Effect.provideService(deliveryWorker, WorkQueues, queues)
      yield* Effect.fork(Effect.provide(worker, means))
      yield* TestClock.adjust("251 millis")
      expect(looks()).toBe(2)
      yield* wake
      yield* TestClock.adjust("1 millis")
      expect(looks()).toBe(3)
    })
  )
})

describe("A worker that ends", () => {
  it.scoped("wakes other instances for the deliveries that it gives back", () =>
    Effect.gen(function* () {
      const queues = WorkQueues.make()
      const order: Array<string> = []
      yield* queues.attach((queue) => order.push(`announced ${queue}`))
      const delivery = { delivery_id: "d", org_id: "o", webhook_id: "w", lease_token: "t", attempt: 1, failing: false }
      const store = Layer.succeed(DeliveryQueueStore, {
        due: () => Effect.sync(() => ({ organizations: order.length === 0 ? ["o"] : [], next: null })),
        claim: () =>
          Effect.sync(() => ({
            deliveries: order.length === 0 && order.push("claimed") > 0 ? [delivery] : [],
            next: new Map()
          })),
        finish: () => Effect.succeed({ disabled: [], dead: [] }),
        release: (held: ReadonlyArray<unknown>) => Effect.sync(() => void order.push(`released ${held.length}`))
      } as unknown as DeliveryQueueStore["Type"])
      const client = Layer.succeed(WebhookClient, { post: () => Effect.never } as unknown as WebhookClient["Type"])
      const vault = Layer.succeed(Vault, { decrypt: () => Effect.never } as unknown as Vault["Type"])
      const worker = yield* deliveryWorker.pipe(
        Effect.provideService(WorkQueues, queues),
        Effect.provide(Layer.mergeAll(store, client, vault, testSettings())),
        // Of its own: its end waits for the clock.
        Effect.forkDaemon
      )
      yield* TestClock.adjust("100 millis")
      expect(order).toEqual(["claimed"])
      const ending = yield* Effect.fork(Fiber.interrupt(worker))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(ending)
      expect(order).toEqual(["claimed", "released 1", "announced webhooks"])
    })
  )
})

describe("The bell", () => {
  it.live("wakes once the transaction is committed, and not for one that was rolled back", () =>
    Effect.gen(function* () {
      const { atomically } = yield* Transactor
      let wakes = 0
      const wake = afterCommit(() => {
        wakes += 1
      })
      yield* atomically(
        Effect.zipRight(
          atomically(wake),
          Effect.sync(() => expect(wakes).toBe(0))
        )
      )
      expect(wakes).toBe(1)
      yield* Effect.exit(atomically(Effect.zipRight(wake, Effect.fail("no"))))
      expect(wakes).toBe(1)
      yield* wake
      expect(wakes).toBe(2)
    }).pipe(
      Effect.provide(Transactor.layer.pipe(Layer.provide(TestDatabase), Layer.provide(testSettings()))),
      Effect.scoped
    )
  )
})
