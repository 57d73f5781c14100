/** Two primaries at once, made by promoting a streaming replica while its primary stays up. */
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Fiber, Layer, Logger, Redacted } from "effect"
import { temporaryFolder } from "../../bench/BenchCluster.ts"
import { connected } from "../../chaos/environment/OneConnection.ts"
import { startProxy } from "../../chaos/environment/Proxy.ts"
import { startReplicated } from "../../chaos/environment/Replicated.ts"
import { primary, replication } from "../../../src/cli/doctor/DatabaseChecks.ts"
import { DatabaseLive } from "../../../src/platform/database/Database.ts"
import { DatabaseServer, warnOfReplication } from "../../../src/platform/database/DatabaseServer.ts"
import { makeFence, Primary } from "../../../src/platform/database/PrimaryFence.ts"
import { failureTag } from "../../support/FailureTag.ts"
import { testSettings } from "../../support/TestSettings.ts"

const TIMEOUT = 120_000

const on = (url: string, text: string) =>
  Effect.promise(() => connected(url, async (client) => (await client.query<Record<string, unknown>>(text)).rows))

const clientAt = (url: string) =>
  Layer.build(
    DatabaseLive.pipe(
      Layer.provide(Layer.succeed(DatabaseServer, { url: Redacted.make(url), embedded: false, gone: Effect.never })),
      Layer.provide(testSettings({ DATABASE_POOL: "4" }))
    )
  )

/** A pair behind one address, which leads to the first until `lead` says otherwise. */
const pairBehindProxy = Effect.gen(function* () {
  const { primary, replica } = yield* Effect.flatMap(temporaryFolder("timeline"), startReplicated)
  let target = primary.port
  const proxy = yield* startProxy(() => [target])
  yield* on(primary.url, "create table written (n integer, port text default current_setting('port'))")
  const address = (...ports: ReadonlyArray<number>) =>
    `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(",")}/postgres`
  return {
    old: primary,
    next: replica,
    url: address(proxy.port),
    both: address(primary.port, replica.port),
    lead: (to: { readonly port: number }) => Effect.sync(() => (target = to.port))
  }
})

const portOf = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ port: string }>`select current_setting('port') as port`, ([row]) => Number(row?.port))

const within = <A, E, R>(look: Effect.Effect<A, E, R>, is: (found: A) => boolean) =>
  Effect.repeat(Effect.delay(look, "50 millis"), { until: is }).pipe(
    Effect.timeoutFail({ duration: "20 seconds", onTimeout: () => "it did not come to that" })
  )

const promoted = ({ url }: { readonly url: string }) => on(url, "select pg_promote()")

describe("A process beside two primaries", () => {
  it.scopedLive(
    "leaves the old one once its address leads to the new one, with every pooled connection",
    () =>
      Effect.gen(function* () {
        const { lead, next, old, url } = yield* pairBehindProxy
        const context = yield* clientAt(url)
        const sql = Context.get(context, SqlClient.SqlClient)
        const { changes, server } = Context.get(context, Primary)
        const write = Effect.all([sql`insert into written values (1)`, Effect.sleep("20 millis")])
        // Never idle, so that no connection ends by itself.
        const busy = yield* Effect.fork(Effect.forever(Effect.exit(write)))
        const asleep = yield* Effect.fork(Effect.exit(sql`insert into written select 2 from pg_sleep(9)`))
        yield* within(on(old.url, "select from written"), (rows) => rows.length > 3)
        yield* promoted(next)
        yield* lead(next)
        yield* within(Effect.sync(changes), (count) => count === 1)
        const left = yield* on(old.url, "select count(*)::int as n from written")
        const cut = yield* Fiber.join(asleep)
        expect(failureTag(cut), "a write under way has an unknown result").toBe("MaybeWritten")
        yield* within(
          on(next.url, "select from written where port = current_setting('port')"),
          (rows) => rows.length > 3
        )
        expect(yield* on(old.url, "select count(*)::int as n from written")).toEqual(left)
        expect(yield* portOf(sql)).toBe(next.port)
        expect(server()?.timeline).toBe(2)
        yield* Fiber.interrupt(busy)
      }),
    TIMEOUT
  )

  it.scopedLive(
    "refuses the old one where its address leads back there",
    () =>
      Effect.gen(function* () {
        const { lead, next, old, url } = yield* pairBehindProxy
        const context = yield* clientAt(url)
        const sql = Context.get(context, SqlClient.SqlClient)
        yield* promoted(next)
        yield* lead(next)
        yield* within(Effect.sync(Context.get(context, Primary).changes), (count) => count === 1)
        expect(yield* portOf(sql)).toBe(next.port)
        yield* lead(old)
        yield* on(
          next.url,
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'corridor schema%'"
        )
        const refused = yield* within(Effect.exit(sql`insert into written values (3)`), Exit.isFailure)
        expect(failureTag(refused)).toBe("Busy")
        const reason = Exit.isFailure(refused) ? Cause.pretty(refused.cause, { renderErrorCause: true }) : ""
        expect(reason).toContain("It is an old primary, on timeline 1 instead of 2")
        expect(yield* on(old.url, "select from written where n = 3")).toEqual([])
        yield* lead(next)
        yield* sql`insert into written values (4)`
      }),
    TIMEOUT
  )

  it.scopedLive(
    "goes to the one with the higher timeline where both are named, and leaves the old one by itself",
    () =>
      Effect.gen(function* () {
        const { both, next, old } = yield* pairBehindProxy
        const before = Context.get(yield* clientAt(both), SqlClient.SqlClient)
        expect(yield* portOf(before)).toBe(old.port)
        yield* promoted(next)
        const after = Context.get(yield* clientAt(both), SqlClient.SqlClient)
        expect(yield* portOf(after)).toBe(next.port)
        // A statement that is under way when the old one is left fails, as it should.
        const port = Effect.orElseSucceed(portOf(before), () => old.port)
        yield* within(port, (now) => now === next.port)
      }),
    TIMEOUT
  )
})

const checksOn = (url: string, standby: string) =>
  Effect.gen(function* () {
    yield* on(url, `alter system set synchronous_standby_names = '${standby}'`)
    yield* on(url, "select pg_reload_conf()")
    yield* within(on(url, "show synchronous_standby_names"), ([row]) => row?.["synchronous_standby_names"] === standby)
    return (yield* replication).map(({ message, status }) => `${status} ${message}`)
  })

describe("doctor on a replicated database", () => {
  it.scopedLive(
    "warns of asynchronous replication, and fails where two servers take writes",
    () =>
      Effect.gen(function* () {
        const { both, next, old } = yield* pairBehindProxy
        const server = { url: Redacted.make(both), embedded: false, gone: Effect.never }
        const context = Context.add(yield* clientAt(both), DatabaseServer, server)
        const warnings: Array<unknown> = []
        yield* Effect.gen(function* () {
          expect(yield* checksOn(old.url, "")).toEqual([expect.stringContaining("warn replication is asynchronous")])
          yield* warnOfReplication.pipe(
            Effect.provide(
              Logger.replace(
                Logger.defaultLogger,
                Logger.make(({ message }) => warnings.push(message))
              )
            )
          )
          expect(String(warnings)).toContain("replication is asynchronous")
          expect(yield* checksOn(old.url, "*")).toEqual(["ok synchronous, 1 standby"])
          expect(yield* primary).toEqual([])
          yield* promoted(next)
          expect((yield* primary).map(({ message, status }) => `${status} ${message}`)).toEqual([
            `fail two servers take writes, 127.0.0.1:${old.port} on timeline 1 and 127.0.0.1:${next.port} on timeline 2: stop the one with the lower timeline.`
          ])
        }).pipe(Effect.provide(context))
      }),
    TIMEOUT
  )
})

describe("makeFence", () => {
  const server = { replica: false, timeline: 3, system: "7", waiting: 0 }

  it("admits one cluster, on the highest timeline that it has seen", () => {
    const reported: Array<unknown> = []
    const fence = makeFence({
      changed: (...change) => reported.push(change),
      twoPrimaries: (...both) => reported.push(both)
    })
    fence.admit(server)
    fence.admit(server)
    expect(reported).toEqual([])
    expect(() => fence.admit({ ...server, system: "8", timeline: 4 })).toThrow("another PostgreSQL cluster")
    expect(() => fence.admit({ ...server, replica: true, timeline: null })).toThrow("replica")
    fence.admit({ ...server, timeline: 5 })
    for (const timeline of [3, 4, 3]) expect(() => fence.admit({ ...server, timeline })).toThrow("an old primary")
    expect(reported).toEqual([
      [3, 5, 0],
      [3, 5],
      [4, 5]
    ])
    expect([fence.primary.server(), fence.primary.changes()]).toEqual([{ timeline: 5, system: "7" }, 1])
  })

  it("admits replicas of that cluster which follow the highest timeline", () => {
    const fence = makeFence()
    const replica = { ...server, replica: true }
    fence.admitReplica(replica)
    fence.admit({ ...server, timeline: 4 })
    expect(() => fence.admitReplica(server)).toThrow("no replica")
    expect(() => fence.admitReplica(replica)).toThrow("It follows an old primary, on timeline 3 instead of 4")
    expect(() => fence.admitReplica({ ...replica, timeline: 4, system: "8" })).toThrow("another PostgreSQL cluster")
    fence.admitReplica({ ...replica, timeline: 4 })
  })

  it("admits servers that do not report their timeline", () => {
    const fence = makeFence()
    fence.admit({ ...server, timeline: null, system: null })
    expect(fence.primary.server()).toBeUndefined()
  })
})
