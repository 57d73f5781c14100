/** Statements outside of transactions, which are run without a span and a scope: nothing else about them is different. */
import { expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Fiber, Layer, Schedule, Tracer } from "effect"
import { sqlStateOf } from "../../../src/platform/database/Setback.ts"
import { EmptyDatabase } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/TestSettings.ts"

const Database = EmptyDatabase.pipe(Layer.provideMerge(testSettings({ DATABASE_POOL: "3" })))

const withSql = <A, E, R>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, use)

const untraced = Effect.withTracerEnabled(false)

layer(Database, { excludeTestServices: true })("A statement alone", (it) => {
  it.effect("gives its rows, and those of each where one text holds several", () =>
    withSql((sql) =>
      Effect.gen(function* () {
        expect(yield* sql`select ${1}::int as a, ${"x"} as b`).toEqual([{ a: 1, b: "x" }])
        expect(yield* sql`select a from ${sql.literal("(values (1), (2))")} as v (a)`).toEqual([{ a: 1 }, { a: 2 }])
        expect(yield* sql.unsafe("select $1::int as a", [3])).toEqual([{ a: 3 }])
        expect(yield* sql.unsafe("select 1 as a; select 2 as b")).toEqual([[{ a: 1 }], [{ b: 2 }]])
      })
    ).pipe(untraced)
  )

  it.effect("may be a part of another", () =>
    withSql((sql) => {
      const part = sql`select ${2}::int as a`
      return Effect.map(sql`select a + ${1} as b from (${part}) p`, (rows) => expect(rows).toEqual([{ b: 3 }]))
    }).pipe(untraced)
  )

  it.effect("is refused with the state that the server gives", () =>
    withSql((sql) =>
      Effect.map(Effect.flip(sql`select 1 / ${0}`), (error) => expect(sqlStateOf(error)).toBe("22012"))
    ).pipe(untraced)
  )

  it.effect("gives its connection back, however it ends", () =>
    withSql((sql) =>
      Effect.forEach(
        Array.from({ length: 20 }, (_, n) => n),
        (n) => Effect.exit(sql`select 1 / ${n % 2}`),
        { concurrency: 20 }
      )
    ).pipe(
      Effect.map((exits) => expect(exits.filter(({ _tag }) => _tag === "Success")).toHaveLength(10)),
      untraced
    )
  )

  it.effect("is over for the server too when nobody waits for it any longer", () =>
    withSql((sql) =>
      Effect.gen(function* () {
        const asleep = Effect.map(
          sql`select count(*)::int as n from pg_stat_activity
            where datname = current_database() and state = 'active' and query like 'select pg_sleep%'`,
          ([row]) => row?.["n"]
        )
        const until = (n: number) =>
          Effect.repeat(asleep, { until: (seen) => seen === n, schedule: Schedule.spaced("10 millis"), times: 1000 })
        const fiber = yield* Effect.fork(sql`select pg_sleep(${60})`)
        yield* until(1)
        yield* Fiber.interrupt(fiber)
        yield* until(0)
        expect(yield* asleep).toBe(0)
      })
    ).pipe(untraced)
  )

  it.effect("that nobody waits for any longer takes no connection when its turn comes", () =>
    withSql((sql) =>
      Effect.gen(function* () {
        const all = Effect.forEach([0.2, 0.2, 0.2], (seconds) => sql`select pg_sleep(${seconds})`, { concurrency: 3 })
        const taken = yield* Effect.fork(all)
        yield* Effect.sleep("50 millis")
        const late = yield* Effect.fork(sql`select pg_sleep(${60})`)
        yield* Effect.sleep("50 millis")
        yield* Fiber.interrupt(late)
        expect(yield* Fiber.join(taken)).toHaveLength(3)
        expect(yield* all).toHaveLength(3)
      })
    ).pipe(untraced)
  )

  it.effect("goes over the connection of the transaction that it is in", () =>
    withSql((sql) => {
      const mine = sql`select pg_backend_pid() as pid, pg_current_xact_id()::text as xid`
      return Effect.map(sql.withTransaction(Effect.all([mine, mine])), ([first, second]) =>
        expect(first).toEqual(second)
      )
    }).pipe(untraced)
  )

  it.effect("is a span where there is a trace", () =>
    withSql((sql) =>
      Effect.gen(function* () {
        const names: Array<string> = []
        const native = yield* Effect.tracer
        const noting = Tracer.make({
          span: (name, ...rest) => {
            names.push(name)
            return native.span(name, ...rest)
          },
          context: (f, fiber) => native.context(f, fiber)
        })
        yield* sql`select 1`.pipe(Effect.withTracer(noting), Effect.withTracerEnabled(true))
        yield* sql`select 1`.pipe(Effect.withTracer(noting), untraced)
        expect(names).toEqual(["sql.execute"])
      })
    )
  )
})
