import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Logger, LogLevel, Metric, TestClock } from "effect"
import { Workers } from "../../../src/platform/fibers/Workers.ts"

const restarts = Metric.map(
  Metric.tagged(
    Metric.counter("corridor_operator_alerts_total", {
      description: "Conditions that an operator should look at, by kind.",
      incremental: true
    }),
    "kind",
    "worker_restarted"
  ),
  ({ count }) => count
)

/** A worker that fails at once for as long as its database is away. */
const onDatabase = () => {
  const database = { isAway: false, starts: 0 }
  const worker = Effect.suspend(() => {
    database.starts += 1
    const look = Effect.suspend(() => (database.isAway ? Effect.die("no database") : Effect.sleep("1 seconds")))
    return Effect.forever(look)
  })
  return { database, worker }
}

const quietly = Logger.withMinimumLogLevel(LogLevel.None)

const supervised = <A, E, R>(body: Effect.Effect<A, E, R>) => body.pipe(Effect.provide(Workers.layer), quietly)

describe("Workers", () => {
  it.scoped("are started again within a second of the end of every outage, the sixth as the first", () =>
    Effect.gen(function* () {
      const { database, worker } = onDatabase()
      const workers = yield* Workers
      yield* workers.start("test", worker)
      yield* TestClock.adjust("10 seconds")
      for (const outage of Array.from({ length: 6 }, (_, at) => at + 1)) {
        database.isAway = true
        yield* TestClock.adjust(Duration.seconds(20))
        database.isAway = false
        const before = database.starts
        yield* TestClock.adjust("1 seconds")
        expect(database.starts, `after outage ${outage}`).toBe(before + 1)
        yield* TestClock.adjust("10 seconds")
        expect(database.starts, "runs on").toBe(before + 1)
      }
    }).pipe(supervised)
  )

  it.scoped("are down while they keep failing, and up again once they run", () =>
    Effect.gen(function* () {
      const { database, worker } = onDatabase()
      const workers = yield* Workers
      yield* workers.start("fails", worker)
      yield* workers.start("runs", Effect.never)
      yield* TestClock.adjust("10 seconds")
      expect(yield* workers.down).toEqual([])
      database.isAway = true
      yield* TestClock.adjust("2 seconds")
      expect(yield* workers.down, "a moment is nothing").toEqual([])
      yield* TestClock.adjust("2 seconds")
      expect(yield* workers.down).toEqual(["fails"])
      yield* TestClock.adjust("10 minutes")
      expect(yield* workers.down).toEqual(["fails"])
      database.isAway = false
      yield* TestClock.adjust("4 seconds")
      expect(yield* workers.down).toEqual([])
    }).pipe(supervised)
  )

  it.scoped("make a noise once for each time that they go down, and are started again when they just end", () =>
    Effect.gen(function* () {
      const { database, worker } = onDatabase()
      const workers = yield* Workers
      yield* workers.start("test", worker)
      const before = yield* Metric.value(restarts)
      for (const times of [1, 2]) {
        database.isAway = true
        yield* TestClock.adjust("1 minutes")
        database.isAway = false
        yield* TestClock.adjust("1 minutes")
        expect((yield* Metric.value(restarts)) - before).toBe(times)
      }
      let ends = 0
      yield* workers.start(
        "ends",
        Effect.delay(
          Effect.sync(() => (ends += 1)),
          "1 minutes"
        )
      )
      yield* TestClock.adjust("3 minutes")
      expect(ends).toBe(2)
      expect((yield* Metric.value(restarts)) - before).toBe(4)
    }).pipe(supervised)
  )
})
