/**
 * A process that cannot be started for a while, because the machine has no more of them, is started later; one that cannot
 * have a port is not.
 */
import cluster, { type Worker } from "node:cluster"
import { EventEmitter } from "node:events"
import { Effect, Fiber } from "effect"
import { afterEach, expect, it, vi } from "vitest"
import { CANNOT_LISTEN, runSupervised } from "../../src/app/Supervisor.ts"
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

const PORT = 3000
const METRICS_PORT = 9100

const settings = testSettings({
  DATABASE_URL: "postgresql://nobody@127.0.0.1:1/nothing",
  CORRIDOR_WORKERS: "3",
  PORT: String(PORT),
  METRICS_PORT: String(METRICS_PORT)
})

it("retries a process that cannot be started, whether Node throws or emits the error", async () => {
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
      setImmediate(() => worker.emit("listening", { port: PORT }))
    }
    return worker as unknown as Worker
  })
  const fiber = Effect.runFork(Effect.provide(runSupervised, settings))
  await until("both are there", async () => (places.length >= 5 ? true : undefined), 15_000)
  await Effect.runPromise(Fiber.interrupt(fiber))
  expect(places.toSorted()).toEqual(["1", "2", "2", "3", "3"])
})

type Does = (worker: Started) => void

/** Error of a supervisor whose first two processes always behave like this, and the processes that it had started. */
const endWith = async (first: Does, second: Does) => {
  const places: Array<string> = []
  vi.spyOn(cluster, "fork").mockImplementation((variables) => {
    const place = String(variables?.["CORRIDOR_WORKER"])
    places.push(place)
    const worker = new Started()
    const does = place === "1" ? first : place === "2" ? second : serves
    setImmediate(() => does(worker))
    return worker as unknown as Worker
  })
  const { message } = await Effect.runPromise(Effect.flip(Effect.provide(runSupervised, settings)))
  return { message, places }
}

const serves: Does = (worker) => worker.emit("listening", { port: PORT })

const dies: Does = (worker) => {
  worker.dead = true
  worker.emit("exit", 1, null)
}

it("fails if the first process listens on its metrics port alone", async () => {
  const { message, places } = await endWith((worker) => {
    worker.emit("listening", { port: METRICS_PORT })
    dies(worker)
  }, dies)
  expect(message).toContain("The first process ended (1)")
  expect(places).toEqual(["1"])
}, 15_000)

it("fails if another process cannot listen on its metrics port", async () => {
  const { message, places } = await endWith(serves, (worker) => {
    worker.emit("message", CANNOT_LISTEN)
    dies(worker)
  })
  expect(message).toContain("Process 2 cannot listen on its port")
  expect(places.filter((place) => place === "2")).toEqual(["2"])
}, 15_000)
