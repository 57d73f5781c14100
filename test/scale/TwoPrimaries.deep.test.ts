/**
 * The service with two primaries: a synchronous replica is promoted, the old primary stays up, and the address leads
 * to the new one.
 */
import { expect, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Option, Redacted } from "effect"
import { temporaryFolder } from "../bench/BenchCluster.ts"
import { connected } from "../chaos/environment/OneConnection.ts"
import { startProxy } from "../chaos/environment/Proxy.ts"
import { startReplicated } from "../chaos/environment/Replicated.ts"
import { StoresLive } from "../../src/app/Stores.ts"
import { startWorkers } from "../../src/app/BackgroundWorkers.ts"
import { LinkStore } from "../../src/hosted/links/LinkStore.ts"
import { DatabaseLive } from "../../src/platform/database/Database.ts"
import { DatabaseServer } from "../../src/platform/database/DatabaseServer.ts"
import { migrate } from "../../src/platform/database/Migrations.ts"
import { Primary } from "../../src/platform/database/PrimaryFence.ts"
import { eventually, get, jsonOf } from "../payments/support/PaymentCalls.ts"
import { linksOf, newLink } from "../hosted/links/LinkFixtures.ts"
import { byCard, byPhone } from "../payments/support/Requests.ts"
import { people } from "../support/TestCredentials.ts"
import { post, send } from "../support/Send.ts"
import { storesOn } from "../support/OnBothStores.ts"
import { onServer, testServer } from "../support/TestServer.ts"
import { testSettings } from "../support/TestSettings.ts"

interface Pair {
  readonly oldUrl: string
  readonly nextUrl: string
  /** Promotes the replica and moves the address. */
  readonly promote: Effect.Effect<void>
}

let pair: Pair

const on = (url: string, text: string) =>
  Effect.promise(() => connected(url, async (client) => (await client.query<Record<string, string>>(text)).rows))

const server = (url: string) => ({ url: Redacted.make(url), embedded: false, gone: Effect.never })

const migrated = (url: string) =>
  migrate.pipe(
    Effect.provide(DatabaseLive.pipe(Layer.provide(Layer.succeed(DatabaseServer, server(url))))),
    Effect.provide(testSettings()),
    Effect.orDie
  )

const Servers = Layer.scoped(
  DatabaseServer,
  Effect.gen(function* () {
    const { primary, replica } = yield* Effect.flatMap(temporaryFolder("primaries"), startReplicated)
    yield* migrated(primary.url)
    yield* on(primary.url, "alter system set synchronous_standby_names = '*'")
    yield* on(primary.url, "select pg_reload_conf()")
    let target = primary.port
    const proxy = yield* startProxy(() => [target])
    const promote = Effect.map(on(replica.url, "select pg_promote()"), () => void (target = replica.port))
    pair = { oldUrl: primary.url, nextUrl: replica.url, promote }
    return server(`postgres://postgres@127.0.0.1:${proxy.port}/postgres`)
  })
)

const stores = StoresLive.pipe(Layer.provideMerge(DatabaseLive), Layer.provideMerge(Servers))

const paymentsOn = (url: string) =>
  Effect.map(on(url, "select payment_id from payments"), (rows) => rows.map((row) => row["payment_id"]!))

layer(testServer("PostgreSQL", { stores }), { excludeTestServices: true, timeout: "120 seconds" })(
  "The service beside two primaries",
  (it) => {
    it.scoped("answers 503, then 200; keeps acknowledged payments; writes nothing more to the old primary", () =>
      Effect.gen(function* () {
        const { nextUrl, oldUrl, promote } = pair
        const { changes } = yield* Primary
        const { acme } = yield* people
        yield* startWorkers
        const answers: Array<{ readonly status: number; readonly again: boolean }> = []
        const acknowledged: Array<string> = []
        const pay = Effect.gen(function* () {
          const headers = { ...acme.key, "idempotency-key": crypto.randomUUID() }
          for (;;) {
            const answer = yield* post("/v1/payments-init/initiate", headers, byPhone())
            answers.push({ status: answer.status, again: answer.headers["retry-after"] !== undefined })
            if (answer.status !== 200) {
              yield* Effect.sleep("100 millis")
              continue
            }
            const { payment_id } = jsonOf(answer)["response"] as { readonly payment_id: string }
            acknowledged.push(payment_id)
            const read = yield* get(`/payments/${payment_id}`)
            answers.push({ status: read.status, again: read.headers["retry-after"] !== undefined })
            return
          }
        })
        const callers = yield* Effect.fork(
          Effect.all(
            Array.from({ length: 4 }, () => Effect.forever(pay)),
            { concurrency: 4 }
          )
        )
        yield* eventually(
          Effect.sync(() => acknowledged.length),
          (count) => count > 10
        )
        yield* promote
        yield* eventually(Effect.sync(changes), (count) => count === 1)
        const left = yield* paymentsOn(oldUrl)
        const before = acknowledged.length
        yield* eventually(
          Effect.sync(() => acknowledged.length),
          (count) => count > before + 10
        )
        yield* Fiber.interrupt(callers)
        // A repeated key may still be running: 409, to be sent again.
        const isToBeSentAgain = ({ again, status }: (typeof answers)[number]) => again && [409, 503].includes(status)
        expect(answers.filter((one) => one.status !== 200 && !isToBeSentAgain(one))).toEqual([])
        expect((yield* paymentsOn(oldUrl)).length).toBe(left.length)
        const known = new Set(yield* paymentsOn(nextUrl))
        expect(acknowledged.filter((id) => !known.has(id))).toEqual([])
      })
    )
  }
)

/** Number of primary changes, one more at each read while `isRestless`. */
const seen = { changes: 0, isRestless: true }

const RestlessPrimary = Layer.succeed(Primary, {
  server: () => undefined,
  changes: () => (seen.isRestless ? seen.changes++ : seen.changes)
})

/** Changes the primary while a list's second batch is read. */
const ChangingLists = Layer.effect(
  LinkStore,
  Effect.map(LinkStore, (store) => ({
    ...store,
    list: (...asked: Parameters<typeof store.list>) =>
      Effect.tap(store.list(...asked), () => {
        if (Option.isSome(asked[1].after)) seen.changes += 1
      })
  }))
)

const restless = ChangingLists.pipe(Layer.provideMerge(storesOn("memory")), Layer.merge(RestlessPrimary))

onServer("A request during which the primary changes", "memory", { stores: restless }, (it) => {
  it.effect("is 503 if it failed, whatever the reason", () =>
    Effect.gen(function* () {
      seen.isRestless = true
      const unknown = yield* get("/payments/0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88")
      expect([unknown.status, unknown.headers["retry-after"]]).toEqual([503, "3"])
      const { acme } = yield* people
      const invalid = yield* post("/v1/payments-init/initiate", { ...acme.key }, {})
      expect(invalid.status).toBe(503)
      expect(invalid.text).toContain("whether it was is unknown")
    })
  )

  it.effect("is 503 if it only read: the data may be of two servers", () =>
    Effect.gen(function* () {
      seen.isRestless = true
      const me = yield* get("/users/me")
      expect([me.status, me.headers["retry-after"]]).toEqual([503, "3"])
      seen.isRestless = false
      expect((yield* get("/users/me")).status).toBe(200)
    })
  )

  it.effect("keeps its answer if it has written", () =>
    Effect.gen(function* () {
      seen.isRestless = true
      const { acme } = yield* people
      const paid = yield* post("/v1/payments-init/initiate", { ...acme.key }, byPhone())
      expect(paid.status, paid.text).toBe(200)
    })
  )

  it.effect("stores no refusal for its idempotency key", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const headers = { ...acme.key, "idempotency-key": crypto.randomUUID() }
      const pay = post("/v1/payments-init/initiate", headers, byCard("4000000000000002"))
      seen.isRestless = true
      expect((yield* pay).status).toBe(503)
      seen.isRestless = false
      const again = yield* pay
      expect([again.status, again.headers["idempotent-replayed"]]).toEqual([409, undefined])
      expect(again.headers["retry-after"]).toBeDefined()
    })
  )

  it.effect("breaks off a streamed list", () =>
    Effect.gen(function* () {
      seen.isRestless = false
      const { acme } = yield* people
      yield* Effect.all(Array.from({ length: 101 }, () => newLink(acme)))
      const cut = yield* Effect.exit(send(linksOf(acme.org_id), { headers: { ...acme.key } }))
      expect(Exit.isFailure(cut)).toBe(true)
    })
  )
})
