/** An idle server: how many statements it sends, and what wakes its workers. */
import Pg from "pg"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schedule, type Scope } from "effect"
import { SqlClient } from "@effect/sql"
import { inject } from "vitest"
import { startWorkers } from "../../src/app/BackgroundWorkers.ts"
import { dueTimes, dueTimesSql } from "../../src/app/DueTimes.ts"
import { DatabaseLive } from "../../src/platform/database/Database.ts"
import { WorkQueues } from "../../src/platform/database/WorkQueues.ts"
import { isOfTests, within } from "../support/OwnDatabase.ts"
import { TestDatabaseServer } from "../support/TestDatabase.ts"
import { testSettings } from "../support/TestSettings.ts"
import { onDatabaseServer } from "../support/TestServer.ts"

/** Texts of the service's statements, from all of its connections. */
const sent: Array<string> = []
type Query = (this: Pg.Client, config: unknown, ...rest: ReadonlyArray<unknown>) => unknown
const prototype = Pg.Client.prototype as unknown as { query: Query }
const query = prototype.query
prototype.query = function (config, ...rest) {
  const text = typeof config === "string" ? config : ((config as { readonly text?: string } | undefined)?.text ?? "")
  if (!isOfTests(this)) sent.push(text)
  return query.call(this, config, ...rest)
}

const readings = () => sent.filter((text) => text.includes("'ramp_payouts'")).length

const waitFor = (isTrue: () => boolean) =>
  Effect.sync(isTrue).pipe(
    Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: (is) => is }),
    Effect.timeout("60 seconds")
  )

onDatabaseServer("An idle server", (it) => {
  it.scoped(
    "sends one statement every five seconds",
    () =>
      Effect.gen(function* () {
        yield* startWorkers
        /** Statements that are sent until the second reading from now. */
        const untilSecondReading = Effect.gen(function* () {
          const [before, read] = [sent.length, readings()]
          yield* waitFor(() => readings() >= read + 2)
          // Every three seconds a new connection looks for another primary; not with the embedded PostgreSQL.
          return sent.slice(before).filter((text) => !text.includes("pg_is_in_recovery()"))
        })
        yield* untilSecondReading
        // Workers that start on a busy machine may have something left to do.
        const during = yield* Effect.repeat(untilSecondReading, { until: (texts) => texts.length <= 4, times: 2 })
        expect(during.length, during.join("\n\n")).toBeLessThanOrEqual(4)
      }),
    90_000
  )
})

/** Two instances on one database, each with its own queues. */
class Here extends Context.Tag("test/Here")<Here, Context.Tag.Service<typeof WorkQueues>>() {}
class Elsewhere extends Context.Tag("test/Elsewhere")<Elsewhere, Context.Tag.Service<typeof WorkQueues>>() {}

const instance = <I>(tag: Context.Tag<I, Context.Tag.Service<typeof WorkQueues>>, hasWorkers: boolean) =>
  Layer.scoped(
    tag,
    Effect.gen(function* () {
      const queues = WorkQueues.make()
      const given = Layer.succeed(WorkQueues, queues)
      const built = yield* Layer.build(
        dueTimesSql.pipe(Layer.provideMerge(Layer.fresh(DatabaseLive)), Layer.provideMerge(given))
      )
      if (hasWorkers) yield* Effect.forkScoped(Effect.provide(dueTimes, built))
      return queues
    })
  )

const Instances = Layer.mergeAll(instance(Here, true), instance(Elsewhere, false), DatabaseLive).pipe(
  Layer.provideMerge(TestDatabaseServer),
  Layer.provide(testSettings())
)

/** Waits for a wake-up that is neither the end of a poll nor the second look. */
const due = (queue: "webhooks" | "account_details") =>
  Effect.flatMap(Here, ({ rest }) => Effect.repeat(rest(queue), { until: (isDue) => isDue }))

const listener = "select pid from pg_stat_activity where application_name = 'corridor listens' and datname = $1"

const backends = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [{ name }] = (yield* sql`select current_database() as name`) as unknown as readonly [{ readonly name: string }]
  return yield* Effect.promise(() =>
    within(inject("clusterUrl"), (client) => client.query<{ pid: number }>(listener, [name]))
  ).pipe(Effect.map(({ rows }) => rows.map(({ pid }) => pid)))
})

const resting = (queue: Parameters<typeof due>[0]): Effect.Effect<() => boolean, unknown, Here | Scope.Scope> =>
  Effect.gen(function* () {
    const before = readings()
    yield* waitFor(() => readings() > before)
    // Announcements of an earlier test may arrive twice.
    yield* Effect.flatMap(Here, ({ rest }) => Effect.repeat(rest(queue, 0), { while: (wasDue) => wasDue }))
    let isDue = false
    yield* Effect.forkScoped(Effect.map(due(queue), () => (isDue = true)))
    yield* Effect.yieldNow()
    expect(isDue, "nothing is due").toBe(false)
    return () => isDue
  })

layer(Instances, { excludeTestServices: true, timeout: "60 seconds" })("A resting instance", (it) => {
  it.scoped(
    "is woken by what another instance announces",
    () =>
      Effect.gen(function* () {
        const isDue = yield* resting("webhooks")
        yield* Effect.flatMap(Elsewhere, ({ announce }) => announce("webhooks"))
        // No row is due, so no reading can wake it.
        yield* waitFor(isDue)
      }),
    60_000
  )

  it.scoped(
    "is woken by an instance of a later version, which has more queues",
    () =>
      Effect.gen(function* () {
        const isDue = yield* resting("webhooks")
        const sql = yield* SqlClient.SqlClient
        yield* sql`select pg_notify('corridor_due', '{"from":0,"due":[["more",0],["webhooks",0]]}')`
        yield* waitFor(isDue)
      }),
    60_000
  )

  it.scoped(
    "is woken by what another instance gives back when it ends",
    () =>
      Effect.gen(function* () {
        const isDue = yield* resting("webhooks")
        const ending = Layer.scopedDiscard(
          Effect.flatMap(WorkQueues, ({ announce }) => Effect.addFinalizer(() => announce("webhooks")))
        ).pipe(
          Layer.provide(Layer.fresh(DatabaseLive)),
          Layer.provide(Layer.sync(WorkQueues, WorkQueues.make)),
          Layer.provide(testSettings())
        )
        yield* Effect.scoped(Layer.build(ending))
        yield* waitFor(isDue)
      }),
    60_000
  )

  it.scoped(
    "listens again after the end of its backend, and finds what it missed",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const isDue = yield* resting("account_details")
        const [backend] = yield* backends
        // Not announced: the next reading finds it.
        yield* sql`insert into incoming_transfer_lists (provider, listed_until, due_at) values ('stripe', now(), now())`
        yield* sql`select pg_terminate_backend(${backend!})`
        yield* waitFor(isDue)
        expect(yield* backends).not.toContain(backend)
        const isReceived = yield* resting("webhooks")
        yield* Effect.flatMap(Elsewhere, ({ announce }) => announce("webhooks"))
        yield* waitFor(isReceived)
      }),
    60_000
  )
})
