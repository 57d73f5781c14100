/** Statements outside of transactions, which are run without a span and a scope: nothing else about them is different. */
import { expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Context, Deferred, Effect, Fiber, FiberId, FiberStatus, Layer, Redacted, Tracer } from "effect"
import { connectTimeout } from "../../../src/domain/policies/DatabasePolicies.ts"
import { DatabaseServer } from "../../../src/platform/database/DatabaseServer.ts"
import { withUntracedStatements, openPool } from "../../../src/platform/database/Connections.ts"
import { failureOf, sqlStateOf } from "../../../src/platform/database/DatabaseFailure.ts"
import { makeFence } from "../../../src/platform/database/PrimaryFence.ts"
import { eventually } from "../../payments/support/PaymentCalls.ts"
import { EmptyDatabase, TestDatabaseServer } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { breakOff } from "./BreakConnection.ts"

const Database = EmptyDatabase.pipe(Layer.provideMerge(testSettings({ DATABASE_POOL: "3" })))

const withSql = <A, E, R>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, use)

const untraced = Effect.withTracerEnabled(false)

layer(Database, { excludeTestServices: true })("A statement outside of transactions", (it) => {
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

  it.effect("gives the same rows once it is prepared, whatever its columns are called", () =>
    withSql((sql) => {
      const odd = sql`select ${1}::int as "a""b", null as nothing, 'x' as "c\\d", 2 as "${sql.literal("${e}`\n")}",
        3 as "constructor", 4 as "1", '{"f": [1]}'::jsonb as f, '\\x00ff'::bytea as g, 5 as twice, 6 as twice`
      const rows = [
        {
          'a"b': 1,
          nothing: null,
          "c\\d": "x",
          "${e}`\n": 2,
          constructor: 3,
          "1": 4,
          f: { f: [1] },
          g: Buffer.from([0, 255]),
          twice: 6
        }
      ]
      const none = sql`select from generate_series(1, ${2}::int)`
      const thrice = Effect.gen(function* () {
        for (let run = 0; run < 3; run++) {
          expect(yield* odd).toEqual(rows)
          expect(yield* none).toEqual([{}, {}])
          expect(yield* sql`select ${"x"} as a where false`).toEqual([])
          expect(sqlStateOf(yield* Effect.flip(sql`select 1 / (${run}::int - ${run}::int) as a`))).toBe("22012")
        }
      })
      return Effect.zipRight(thrice, sql.withTransaction(Effect.asVoid(odd).pipe(Effect.zipRight(odd)))).pipe(
        Effect.map((inside) => expect(inside).toEqual(rows))
      )
    }).pipe(untraced)
  )

  it.effect("sends the same values once it is prepared", () =>
    withSql((sql) =>
      Effect.gen(function* () {
        const at = new Date("2026-03-02T09:15:01.120Z")
        const values = [null, "ü", 1.5, true, Buffer.from([0, 255]), at, ["a", null, 'b"'], { c: [1] }]
        const types = ["text", "text", "float8", "bool", "bytea", "timestamptz", "text[]", "jsonb"]
        const text = `select ${types.map((type, n) => `$${n + 1}::${type} as v${n}`).join(", ")}`
        const expected = [Object.fromEntries(values.map((value, n) => [`v${n}`, value]))]
        for (let run = 0; run < 4; run++) expect(yield* sql.unsafe(text, values)).toEqual(expected)
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

  it.effect("is cancelled on the server when its caller is interrupted", () =>
    withSql((sql) =>
      Effect.gen(function* () {
        const asleep = Effect.map(
          sql`select count(*)::int as n from pg_stat_activity
            where datname = current_database() and state = 'active' and query like 'select pg_sleep%'`,
          ([row]) => row?.["n"]
        )
        const fiber = yield* Effect.fork(sql`select pg_sleep(${60})`)
        yield* eventually(asleep, (n) => n === 1)
        yield* Fiber.interrupt(fiber)
        expect(yield* eventually(asleep, (n) => n === 0)).toBe(0)
      })
    ).pipe(untraced)
  )

  it.effect("takes no connection if its caller was interrupted while waiting", () =>
    withSql((sql) =>
      Effect.gen(function* () {
        const all = Effect.forEach([0.2, 0.2, 0.2], (seconds) => sql`select pg_sleep(${seconds})`, { concurrency: 3 })
        const taken = yield* Effect.fork(all)
        yield* eventually(Fiber.status(taken), FiberStatus.isSuspended)
        const late = yield* Effect.fork(sql`select pg_sleep(${60})`)
        yield* eventually(Fiber.status(late), FiberStatus.isSuspended)
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

type Query = (text: string | { readonly text: string }, ...rest: ReadonlyArray<unknown>) => unknown

/** A pool that can be looked into. What it sends to cancel may be held back. */
const opened = (max: number) =>
  Effect.gen(function* () {
    const { url } = yield* DatabaseServer
    const opening = {
      wanted: { kind: "primary", fence: makeFence() },
      pooler: "none",
      connectTimeout,
      applicationName: "corridor"
    } as const
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => openPool({ ...opening, urls: [Redacted.value(url)], max }).pool),
      (open) => Effect.sync(() => void open.end())
    )
    pool.on("error", () => undefined)
    const answers: Array<unknown> = []
    const cancels: Array<() => unknown> = []
    pool.on("connect", (client) => {
      const query = client.query.bind(client) as Query
      const noting: Query = (text, ...rest) => {
        const done = rest.at(-1)
        const answered = (...given: ReadonlyArray<unknown>) => {
          if (typeof done === "function") done(...given)
          answers.push(text)
        }
        const send = () => query(text, ...rest.slice(0, -1), answered)
        return typeof text === "string" && text.includes("pg_cancel_backend") ? cancels.push(send) : send()
      }
      client.query = noting as typeof client.query
    })
    const context = yield* Layer.build(PgClient.layerFromPool({ acquire: Effect.succeed(pool) }))
    return { answers, cancels, pool, sql: withUntracedStatements(Context.get(context, SqlClient.SqlClient), pool) }
  })

layer(TestDatabaseServer, { excludeTestServices: true })("The connection of such a statement", (it) => {
  it.scoped.each([true, false])("may have carried it out when it breaks, for whatever reason (traced: %s)", (traced) =>
    Effect.gen(function* () {
      const { pool, sql } = yield* opened(2)
      const broken = Effect.fnUntraced(function* (text: string, code: string) {
        pool.once("acquire", (client) => setImmediate(() => breakOff(client, code)))
        const error = yield* Effect.flip(sql.unsafe(text))
        expect(pool.totalCount).toBe(0)
        return failureOf(error)?._tag
      })
      for (const code of ["ECONNRESET", "EHOSTUNREACH", "ENETDOWN", "ERR_SSL_BAD_RECORD_TYPE"]) {
        expect([code, yield* broken("create temporary table t as select pg_sleep(0.1)", code)]).toEqual([
          code,
          "MaybeWritten"
        ])
        expect([code, yield* broken("select pg_sleep(0.1)", code)]).toEqual([code, "NotWritten"])
      }
      expect(yield* sql`select 1 as one`).toEqual([{ one: 1 }])
    }).pipe(Effect.withTracerEnabled(traced))
  )

  it.scoped("is not cancelled after it was answered", () =>
    Effect.gen(function* () {
      const { cancels, pool, sql } = yield* opened(2)
      const fiber = yield* Effect.fork(sql`select pg_sleep(0.05)`)
      pool.once("release", () => fiber.unsafeInterruptAsFork(FiberId.none))
      yield* Fiber.await(fiber)
      expect(cancels).toEqual([])
      expect(pool.idleCount).toBe(1)
    }).pipe(untraced)
  )

  it.scoped("is given back by its answer while there is none to cancel over", () =>
    Effect.gen(function* () {
      const { cancels, pool, sql } = yield* opened(1)
      const taken = yield* Deferred.make<void>()
      pool.once("acquire", () => Deferred.unsafeDone(taken, Effect.void))
      const fiber = yield* Effect.fork(sql`select pg_sleep(0.05)`)
      yield* Deferred.await(taken)
      yield* Fiber.interrupt(fiber)
      expect(cancels).toEqual([])
      expect(yield* sql`select 1 as one`).toEqual([{ one: 1 }])
    }).pipe(untraced)
  )

  it.scoped("is not reused while a statement is being cancelled", () =>
    Effect.gen(function* () {
      const { answers, cancels, pool, sql } = yield* opened(3)
      const lock = "select pg_advisory_xact_lock(29)"
      let releases = 0
      pool.on("release", () => void (releases += 1))
      const locked = yield* Deferred.make<void>()
      const unlock = yield* Deferred.make<void>()
      const holding = Effect.zipRight(Deferred.succeed(locked, undefined), Deferred.await(unlock))
      const holder = yield* Effect.fork(sql.withTransaction(Effect.zipRight(sql.unsafe(lock), holding)))
      yield* Deferred.await(locked)
      const taken = yield* Deferred.make<void>()
      pool.once("acquire", () => Deferred.unsafeDone(taken, Effect.void))
      const fiber = yield* Effect.fork(sql.unsafe(lock))
      yield* Deferred.await(taken)
      const leaving = yield* Effect.fork(Fiber.interrupt(fiber))
      yield* eventually(
        Effect.sync(() => cancels.length),
        (n) => n === 1
      )
      yield* Deferred.succeed(unlock, undefined)
      yield* Fiber.join(holder)
      const locks = Effect.sync(() => answers.filter((text) => text === lock).length)
      yield* eventually(locks, (n) => n === 2)
      expect(releases).toBe(1)
      cancels[0]!()
      yield* Fiber.join(leaving)
      expect([releases, pool.idleCount]).toEqual([3, 3])
    }).pipe(untraced)
  )
})
