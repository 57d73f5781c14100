/** A process that cannot be started for a while, because the machine has no more of them, is started later. */
import cluster, { type Worker } from "node:cluster"
import { EventEmitter } from "node:events"
import { Effect, Fiber } from "effect"
import { afterEach, expect, it, vi } from "vitest"
import { supervised } from "../../src/app/Supervisor.ts"
import { until } from "../payments/support/RealServer.ts"
import { testSettings } from "../support/TestSettings.ts"

afterEach(() => vi.restoreAllMocks())

class Started extends EventEmitter {
  dead = false
  readonly process = {
    kill: () => {
      this.dead = true
      setImmediate(() => this.emit("exit", 0, null))
    }
  }
  isDead() {
    return this.dead
  }
}

const settings = testSettings({ DATABASE_URL: "postgresql://nobody@127.0.0.1:1/nothing", CORRIDOR_WORKERS: "3" })

it("whether Node throws for it or tells of it", async () => {
  const places: Array<string> = []
  vi.spyOn(cluster, "fork").mockImplementation((variables) => {
    const place = String(variables?.["CORRIDOR_WORKER"])
    const before = places.filter((one) => one === place).length
    places.push(place)
    if (place === "2" && before === 0) throw new Error("spawn ENOMEM")
    const worker = new Started()
    if (place === "3" && before === 0) {
      worker.dead = true
      setImmediate(() => worker.emit("error", new Error("spawn EAGAIN")))
    } else {
      setImmediate(() => worker.emit("listening"))
    }
    return worker as unknown as Worker
  })
  const fiber = Effect.runFork(Effect.provide(supervised, settings))
  await until("both are there", async () => (places.length >= 5 ? true : undefined), 15_000)
  await Effect.runPromise(Fiber.interrupt(fiber))
  expect(places.toSorted()).toEqual(["1", "2", "2", "3", "3"])
})
