/** A service that lacks what it works with says so soon, does nothing by halves, and is itself again without anybody's help. */
import { randomUUID } from "node:crypto"
import { expect } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted, Schedule } from "effect"
import { Client } from "pg"
import { type Proxy, startProxy } from "../chaos/environment/Proxy.ts"
import { StoresLive } from "../../src/app/Stores.ts"
import { DatabaseLive } from "../../src/platform/database/Database.ts"
import { DatabaseServer } from "../../src/platform/database/DatabaseServer.ts"
import { byPhone } from "../payments/support/Requests.ts"
import { people } from "../support/TestCredentials.ts"
import { ownTime, timedByOwn } from "../support/OwnTime.ts"
import { post, send } from "../support/Send.ts"
import { TestDatabaseServer } from "../support/TestDatabase.ts"
import { onServer } from "../support/TestServer.ts"

interface Database {
  /** Past the proxy. */
  readonly url: string
  readonly proxy: Proxy
}

const connected = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ connectionString: url })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

const rowsOf = (client: Client, text: string) =>
  Effect.promise(async () => (await client.query<Record<string, number>>(text)).rows[0]!)

/** A server that reaches its database through a proxy. */
const behindProxy = (
  name: string,
  variables: Readonly<Record<string, string>>,
  tests: (it: Parameters<Parameters<typeof onServer>[3]>[0], database: () => Database) => void
) => {
  let database: Database | undefined
  const server = Layer.scoped(
    DatabaseServer,
    Effect.gen(function* () {
      const direct = yield* DatabaseServer
      const url = Redacted.value(direct.url)
      const { port } = new URL(url)
      const proxy = yield* startProxy(() => [Number(port)])
      database = { url, proxy }
      return { ...direct, url: Redacted.make(url.replace(`:${port}/`, `:${proxy.port}/`)) }
    })
  ).pipe(Layer.provide(TestDatabaseServer))
  const stores = StoresLive.pipe(Layer.provide(DatabaseLive), Layer.provide(server))
  onServer(name, "PostgreSQL", { stores, variables }, (it) => tests(it, () => database!))
}

const pay = Effect.flatMap(people, ({ acme }) => post("/v1/payments-init/initiate", { ...acme.key }, byPhone()))

const isReady = Effect.map(send("/readyz"), ({ status }) => status === 200)

const within = <A, E, R>(most: Duration.DurationInput, effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const took = ownTime()
    return Effect.retry(effect, {
      schedule: Schedule.spaced("50 millis"),
      while: () => took() < Duration.toMillis(most)
    })
  })

const becomes = (wanted: boolean, most: Duration.DurationInput) =>
  within(
    most,
    Effect.filterOrFail(isReady, (ready) => ready === wanted)
  )

const paysWithin = (most: Duration.DurationInput) =>
  within(
    most,
    Effect.filterOrFail(pay, ({ status }) => status === 200)
  )

const isPrompt = ([took, { status }]: readonly [number, { readonly status: number }]): boolean =>
  status === 503 && took < 1000

const CONNECTIONS = 3

behindProxy("A pool whose connections are all taken", { DATABASE_POOL: String(CONNECTIONS) }, (it, database) => {
  it.scoped("turns requests away within a second, and takes them again by itself", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      expect((yield* pay).status).toBe(200)
      const holder = yield* connected(database().url)
      yield* Effect.promise(() => holder.query("begin; lock table webhooks"))
      const readers = yield* Effect.fork(
        // Not a list: an organisation reads two of those at once, and would leave a connection free.
        Effect.replicateEffect(
          send(`/v1/public/webhooks/${randomUUID()}`, { headers: { ...acme.key } }),
          8 * CONNECTIONS,
          {
            concurrency: "unbounded"
          }
        )
      )
      const watcher = yield* connected(database().url)
      const waiting = `select count(*)::int as taken from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
      yield* within(
        "20 seconds",
        Effect.filterOrFail(rowsOf(watcher, waiting), ({ taken }) => taken === CONNECTIONS)
      )
      // Every five seconds some give up and others take their place: then there is hope for a while.
      const refused = yield* Effect.sleep("2600 millis").pipe(
        Effect.zipRight(Effect.replicateEffect(timedByOwn(pay), 5, { concurrency: "unbounded" })),
        Effect.repeat({ until: (all) => all.every(isPrompt), times: 3 })
      )
      for (const [took, { headers, status }] of refused) {
        expect([status, headers["retry-after"]]).toEqual([503, "3"])
        expect(took).toBeLessThan(1000)
      }
      yield* Effect.promise(() => holder.query("rollback"))
      yield* paysWithin("5 seconds")
      yield* readers
      expect(yield* isReady).toBe(true)
    })
  )
})

/** Rows that one statement writes of a payment are there together, or not at all. */
const halves = `select
  (select count(*)::int from payments p where not exists (select from attempts a where a.payment_id = p.payment_id))
    + (select count(*)::int from payments p where not exists (select from payment_history h where h.payment_id = p.payment_id))
    + (select count(*)::int from attempts a where not exists (select from payments p where p.payment_id = a.payment_id))
  as halves, (select count(*)::int from payments) as payments`

behindProxy("A database that is gone", {}, (it, database) => {
  it.scoped(
    "takes readiness with it within three seconds, brings it back within five, and leaves nothing half done",
    () =>
      Effect.gen(function* () {
        expect((yield* pay).status).toBe(200)
        const { proxy, url } = database()
        const watcher = yield* connected(url)
        const asking = yield* Effect.fork(Effect.replicateEffect(timedByOwn(pay), 40, { concurrency: "unbounded" }))
        yield* Effect.repeat(rowsOf(watcher, halves), { until: ({ payments }) => payments! > 1 })
        proxy.setMode("refuses")
        yield* becomes(false, "3 seconds")
        const cut = yield* asking
        expect(cut.filter(([, { status }]) => ![200, 500, 503].includes(status))).toEqual([])
        const [took, late] = yield* timedByOwn(pay)
        expect([late.status, late.headers["retry-after"]]).toEqual([503, "3"])
        expect(took).toBeLessThan(1000)
        proxy.setMode("open")
        yield* becomes(true, "5 seconds")
        yield* paysWithin("5 seconds")
        const found = yield* rowsOf(watcher, halves)
        expect(found["halves"]).toBe(0)
        const answered = cut.filter(([, { status }]) => status === 200).length
        expect(found["payments"]).toBeGreaterThanOrEqual(answered + 2)
      })
  )
})
