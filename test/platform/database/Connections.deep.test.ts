import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import Pg from "pg"
import { startProxy } from "../../chaos/environment/Proxy.ts"
import { DatabaseLive } from "../../../src/platform/database/Database.ts"
import { watchConnections, withoutLimits } from "../../../src/platform/database/Connections.ts"
import { DatabaseServer } from "../../../src/platform/database/DatabaseServer.ts"
import { failureOf } from "../../../src/platform/database/DatabaseFailure.ts"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { eventually } from "../../payments/support/PaymentCalls.ts"
import { failureTag } from "../../support/FailureTag.ts"
import { makeSilentProxy } from "../../support/SilentProxy.ts"
import { TestDatabase, TestDatabaseServer } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { breakOff } from "./BreakConnection.ts"

const onDatabase = { excludeTestServices: true, timeout: "60 seconds" } as const

layer(Transactor.layer.pipe(Layer.provideMerge(TestDatabase), Layer.provide(testSettings())), onDatabase)(
  "Every connection",
  (it) => {
    const limits = Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.forEach(["lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"], (name) =>
        Effect.map(sql.unsafe<Record<string, string>>(`show ${name}`), ([row]) => row?.[name])
      )
    )

    it.effect("has limits for locks, statements and idle transactions, which long work lifts", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        expect(yield* limits).toEqual(["5s", "10s", "4s"])
        expect(yield* sql.withTransaction(Effect.zipRight(sql.unsafe(withoutLimits), limits))).toEqual(["0", "0", "0"])
        expect(yield* limits).toEqual(["5s", "10s", "4s"])
      })
    )

    it.effect("distinguishes a locked row from a wrong statement", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table held (id integer primary key)`
        yield* sql`insert into held values (1)`
        const taken = yield* Deferred.make<void>()
        const done = yield* Deferred.make<void>()
        const holder = yield* Effect.fork(
          sql.withTransaction(
            sql`select from held for update`.pipe(
              Effect.zipRight(Deferred.succeed(taken, undefined)),
              Effect.zipRight(Deferred.await(done))
            )
          )
        )
        yield* Deferred.await(taken)
        const waiting = sql.withTransaction(
          Effect.zipRight(sql`set local lock_timeout = 50`, sql`update held set id = 2 where id = 1`)
        )
        expect(failureTag(yield* Effect.exit(waiting))).toBe("Busy")
        const slow = sql.withTransaction(
          Effect.zipRight(sql`set local statement_timeout = 50`, sql`select pg_sleep(5)`)
        )
        expect(failureTag(yield* Effect.exit(slow))).toBe("Busy")
        expect(failureTag(yield* Effect.exit(sql`insert into held values (1)`))).toBe(undefined)
        yield* Deferred.succeed(done, undefined)
        yield* Fiber.join(holder)
      })
    )

    it.effect.each(["53100", "53200", "53400"])(
      "distinguishes a database that lacks room from a statement that is wrong (%s)",
      (state) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const short = sql.unsafe(`do $$ begin raise exception 'no room' using errcode = '${state}'; end $$`)
          expect(failureTag(yield* Effect.exit(short))).toBe("Busy")
        })
    )

    it.effect("is taken from an idle transaction, which has written nothing", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { atomically } = yield* Transactor
        yield* sql`create table paused (id integer primary key)`
        yield* sql`insert into paused values (1)`
        const taken = yield* Deferred.make<void>()
        const resume = yield* Deferred.make<void>()
        const pausing = yield* Effect.fork(
          Effect.exit(
            atomically(
              Effect.gen(function* () {
                yield* sql`update paused set id = 2`
                yield* Deferred.succeed(taken, undefined)
                yield* Deferred.await(resume)
                yield* sql`update paused set id = 3`
              }).pipe(Effect.orDie)
            )
          )
        )
        yield* Deferred.await(taken)
        // Gets the row before the lock timeout.
        yield* sql`update paused set id = id + 10`
        yield* Deferred.succeed(resume, undefined)
        const exit = yield* Fiber.join(pausing)
        expect(failureTag(exit)).toBe("NotWritten")
        expect(yield* sql`select id from paused`).toEqual([{ id: 11 }])
      })
    )
  }
)

/** A pool over a proxy, less patient than the service's own. */
const impatientPool = Effect.gen(function* () {
  const { url } = yield* DatabaseServer
  const proxy = yield* makeSilentProxy(Redacted.value(url))
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() => new Pg.Pool({ connectionString: proxy.url, max: 2, query_timeout: 500 })),
    (open) => Effect.promise(() => open.end())
  )
  pool.on("error", () => undefined)
  watchConnections(pool)
  return { pool, proxy }
})

/** Queries with a callback, like the service's own client. */
const ask = (on: Pg.Pool | Pg.PoolClient, text: string) =>
  Effect.async<ReadonlyArray<unknown>, Error>((resume) =>
    on.query(text, [], (error: Error | undefined, result) =>
      resume(error ? Effect.fail(error) : Effect.succeed(result.rows))
    )
  )

layer(TestDatabaseServer, onDatabase)("A connection that goes silent", (it) => {
  it.scoped("is closed at its maximum age and replaced", () =>
    Effect.gen(function* () {
      const { pool, proxy } = yield* impatientPool
      expect(yield* ask(pool, "select 1 as one")).toEqual([{ one: 1 }])
      proxy.silence(1)
      const lost = yield* Effect.flip(ask(pool, "select 1 as one"))
      expect([lost.name, failureOf(lost)?._tag]).toEqual(["ConnectionLost", "NotWritten"])
      expect(yield* ask(pool, "select 2 as two")).toEqual([{ two: 2 }])
      expect([pool.totalCount, proxy.speaking()]).toEqual([1, 1])
    })
  )

  it.scoped("may have run its last statement, unless that was before a commit", () =>
    Effect.gen(function* () {
      const { pool, proxy } = yield* impatientPool
      const lastWords = Effect.fnUntraced(function* (...texts: ReadonlyArray<string>) {
        const client = yield* Effect.promise(() => pool.connect())
        for (const text of texts.slice(0, -1)) yield* ask(client, text)
        proxy.silence(1)
        const lost = yield* Effect.flip(ask(client, texts.at(-1)!))
        client.release()
        return failureOf(lost)?._tag
      })
      const write = "create temporary table words (id integer)"
      expect(yield* lastWords(write)).toBe("MaybeWritten")
      expect(yield* lastWords("BEGIN", write)).toBe("NotWritten")
      expect(yield* lastWords("BEGIN", write, "ROLLBACK")).toBe("NotWritten")
      expect(yield* lastWords("BEGIN", write, "COMMIT")).toBe("MaybeWritten")
      expect(yield* lastWords("BEGIN", write, "COMMIT", write)).toBe("MaybeWritten")
      expect(pool.totalCount).toBe(0)
    })
  )

  it.scoped("is not reused after a caller stopped waiting", () =>
    Effect.gen(function* () {
      const { pool, proxy } = yield* impatientPool
      const client = yield* Effect.promise(() => pool.connect())
      proxy.silence(1)
      const unheard = yield* Effect.fork(Effect.exit(ask(client, "select 1")))
      yield* Effect.yieldNow()
      client.release()
      expect(pool.idleCount).toBe(0)
      expect(yield* ask(pool, "select 2 as two")).toEqual([{ two: 2 }])
      expect(Exit.isFailure(yield* Fiber.join(unheard))).toBe(true)
    })
  )

  it.scoped("has no limits until an unlimited transaction ends", () =>
    Effect.gen(function* () {
      const { pool } = yield* impatientPool
      const client = yield* Effect.promise(() => pool.connect())
      for (const text of ["BEGIN", withoutLimits]) yield* ask(client, text)
      expect(yield* ask(client, "select 1 as slept from pg_sleep(0.8)")).toEqual([{ slept: 1 }])
      yield* ask(client, "COMMIT")
      expect(failureOf(yield* Effect.flip(ask(client, "select pg_sleep(30)")))?._tag).toBe("NotWritten")
      client.release()
      expect(pool.totalCount).toBe(0)
    })
  )
})

layer(TestDatabaseServer, onDatabase)("A connection that breaks", (it) => {
  it.scoped("may have committed, whatever the network error is", () =>
    Effect.gen(function* () {
      const { pool } = yield* impatientPool
      for (const code of ["ECONNRESET", "EHOSTUNREACH", "ENETDOWN"]) {
        const client = yield* Effect.promise(() => pool.connect())
        yield* ask(client, "BEGIN")
        const asking = yield* Effect.fork(Effect.exit(ask(client, "COMMIT")))
        yield* Effect.yieldNow()
        breakOff(client, code)
        const exit = yield* Fiber.join(asking)
        client.release()
        expect([code, failureTag(exit)]).toEqual([code, "MaybeWritten"])
      }
    })
  )
})

/** The service's own client, over a proxy that can cut every connection. */
const cuttable = Effect.gen(function* () {
  const { url } = yield* DatabaseServer
  const target = new URL(Redacted.value(url))
  const port = Number(target.port)
  const proxy = yield* startProxy(() => [port])
  target.port = String(proxy.port)
  const server = { url: Redacted.make(target.toString()), embedded: false, gone: Effect.never }
  const clientOf = (one: DatabaseServer["Type"]) =>
    Effect.map(
      Layer.build(DatabaseLive.pipe(Layer.provide(Layer.succeed(DatabaseServer, one)), Layer.provide(testSettings()))),
      (client) => Context.get(client, SqlClient.SqlClient)
    )
  const watcher = yield* clientOf({ ...server, url })
  return { proxy, sql: yield* clientOf(server), watcher }
})

layer(TestDatabaseServer, onDatabase)("A connection that is cut", (it) => {
  it.scoped("has written nothing if it only read", () =>
    Effect.gen(function* () {
      const { proxy, sql, watcher } = yield* cuttable
      const cutDuring = Effect.fnUntraced(function* (text: string) {
        const asking = yield* Effect.fork(Effect.exit(sql.unsafe(text)))
        const running = watcher`select from pg_stat_activity where state = 'active' and query = ${text}`
        yield* eventually(running, ({ length }) => length === 1)
        proxy.setMode("refuses")
        const exit = yield* Fiber.join(asking)
        proxy.setMode("open")
        return failureTag(exit)
      })
      expect(yield* cutDuring("select pg_sleep(20)")).toBe("NotWritten")
      expect(yield* cutDuring("create table sleeping as select 1 as one from pg_sleep(20)")).toBe("MaybeWritten")
    })
  )
})
