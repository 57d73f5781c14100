/** Workers rest until their queue has something due, and poll where due times are not read. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { type QueueName, WorkQueues, workThrough } from "../../../src/platform/database/WorkQueues.ts"

/** A worker that notes when it looks, and finds nothing. */
const idleWorker = Effect.gen(function* () {
  const queues = WorkQueues.make()
  const looks: Array<number> = []
  const look = Effect.clockWith((clock) =>
    Effect.map(clock.currentTimeMillis, (now) => {
      looks.push(now)
      return { foundAny: false }
    })
  )
  const announced: Array<readonly [QueueName, number]> = []
  yield* queues.attach((queue, inMillis) => announced.push([queue, inMillis]))
  const start = Effect.forkScoped(Effect.provideService(workThrough("enquiries", look), WorkQueues, queues))
  return { announced, looks, queues, start }
})

const nothing = { queue: "enquiries", is_due: false, wait: null } as const

describe("WorkQueues", () => {
  it.scoped("let a worker poll where due times are not read", () =>
    Effect.gen(function* () {
      const { looks, start } = yield* idleWorker
      yield* start
      yield* TestClock.adjust("1 second")
      expect(looks).toEqual([0, 250, 500, 750, 1000])
    })
  )

  it.scoped("let it rest while they are read, and poll again after", () =>
    Effect.gen(function* () {
      const { looks, queues, start } = yield* idleWorker
      yield* queues.read([nothing])
      yield* start
      for (let n = 0; n < 12; n++) {
        yield* TestClock.adjust("5 seconds")
        yield* queues.read([nothing])
      }
      expect(looks).toEqual([0])
      yield* queues.unread
      yield* TestClock.adjust("1 second")
      expect(looks.length).toBeGreaterThanOrEqual(4)
    })
  )

  it.scoped("let it poll when the readings end without an error", () =>
    Effect.gen(function* () {
      const { looks, queues, start } = yield* idleWorker
      yield* queues.read([nothing])
      yield* start
      yield* TestClock.adjust("15 seconds")
      expect(looks.length).toBeGreaterThanOrEqual(10)
      expect(looks[1]).toBeGreaterThanOrEqual(12_000)
    })
  )

  it.scoped("wake it at the time that was read, and once more for rows that were locked", () =>
    Effect.gen(function* () {
      const { looks, queues, start } = yield* idleWorker
      yield* queues.read([{ ...nothing, wait: 1300 }])
      yield* start
      yield* TestClock.adjust("10 seconds")
      expect(looks).toEqual([0, 1300, 1550])
    })
  )

  it.scoped("wake it for every announced time, and at once for what is due", () =>
    Effect.gen(function* () {
      const { looks, queues, start } = yield* idleWorker
      yield* queues.read([nothing])
      yield* start
      yield* TestClock.adjust("100 millis")
      yield* queues.announce("enquiries", 900)
      yield* queues.announce("enquiries", 400)
      yield* queues.announce("enquiries")
      yield* TestClock.adjust("1 millis")
      expect(looks).toEqual([0, 100])
      yield* TestClock.adjust("8 seconds")
      expect(looks).toEqual([0, 100, 350, 500, 750, 1000, 1250])
    })
  )

  it.scoped("keep what is announced while it works", () =>
    Effect.gen(function* () {
      const { announced, looks, queues, start } = yield* idleWorker
      yield* queues.read([nothing])
      yield* queues.announce("enquiries")
      expect(announced, "no worker rests here, so others are woken").toEqual([["enquiries", 0]])
      yield* start
      yield* TestClock.adjust("1 millis")
      expect(looks).toEqual([0, 0])
      yield* queues.announce("enquiries")
      expect(announced, "a worker of this process takes it").toHaveLength(1)
    })
  )

  it.scoped("wake no other instance for later rows where a worker rested lately", () =>
    Effect.gen(function* () {
      const { announced, queues } = yield* idleWorker
      yield* queues.announce("enquiries", 1000)
      expect(announced.splice(0), "no worker of this process takes it").toEqual([["enquiries", 1000]])
      // A worker without room for more waits for a while only.
      yield* Effect.zipRight(Effect.forkScoped(queues.rest("enquiries", 250)), TestClock.adjust("250 millis"))
      yield* queues.announce("enquiries", 1000)
      expect(announced.splice(0)).toEqual([["enquiries", 1000]])
      const rest = yield* Effect.forkScoped(queues.rest("enquiries"))
      yield* Effect.zipRight(TestClock.adjust("250 millis"), Fiber.join(rest))
      // Keeps this worker busy from now on.
      for (const later of [0, 50, 1000]) yield* queues.announce("enquiries", later)
      expect(announced.splice(0)).toEqual([
        ["enquiries", 0],
        ["enquiries", 50]
      ])
      yield* TestClock.adjust("1 second")
      yield* queues.announce("enquiries", 1000)
      expect(announced, "it is still busy").toEqual([["enquiries", 1000]])
    })
  )

  it.scoped("count as rested where something was due each time", () =>
    Effect.gen(function* () {
      const { announced, queues } = yield* idleWorker
      yield* queues.announceHere("enquiries", 0)
      expect(yield* queues.rest("enquiries")).toBe(true)
      yield* queues.announce("enquiries", 1000)
      expect(announced, "this worker is free again by then").toEqual([])
      yield* TestClock.adjust("1 second")
      yield* queues.announce("enquiries", 1000)
      expect(announced).toEqual([["enquiries", 1000]])
    })
  )

  it.scoped("look once for a row that is due shortly after a planned look", () =>
    Effect.gen(function* () {
      const { looks, queues, start } = yield* idleWorker
      yield* queues.read([nothing])
      yield* start
      yield* TestClock.adjust("1 millis")
      yield* queues.announce("enquiries", 1000)
      for (const later of [1000, 1015, 1049]) yield* queues.announceHere("enquiries", later)
      yield* queues.announceHere("enquiries", 1051)
      yield* TestClock.adjust("3 seconds")
      expect(looks, "with the look after each that finds locked rows").toEqual([0, 1001, 1052, 1302])
    })
  )

  it.scoped("announce only to other instances what this one knows already", () =>
    Effect.gen(function* () {
      const { announced, looks, queues, start } = yield* idleWorker
      yield* queues.read([nothing])
      yield* start
      yield* TestClock.adjust("1 millis")
      yield* queues.announceElsewhere("enquiries")
      yield* TestClock.adjust("5 seconds")
      expect(announced, "also while a worker rests here").toEqual([["enquiries", 0]])
      expect(looks).toEqual([0])
    })
  )

  it.scoped("leave a worker that found something to look again soon", () =>
    Effect.gen(function* () {
      const queues = WorkQueues.make()
      yield* queues.read([nothing])
      let looks = 0
      const look = Effect.sync(() => ({ foundAny: (looks += 1) < 3 }))
      yield* Effect.forkScoped(Effect.provideService(workThrough("enquiries", look), WorkQueues, queues))
      yield* TestClock.adjust("10 seconds")
      expect(looks).toBe(3)
    })
  )
})
