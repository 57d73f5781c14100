/** Tests that both measured servers answer alike and write the same rows. */
import type { AddressInfo } from "node:net"
import { expect } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import type { PaymentId } from "../../src/domain/Ids.ts"
import { Pool } from "pg"
import { startCompletion } from "./fastify/Completion.ts"
import { fastifyServer } from "./fastify/Server.ts"
import { halfOfPeak, median } from "./Medians.ts"
import type { Measurement } from "./Rounds.ts"
import { verify } from "./BenchVerification.ts"
import { INITIATE_PATH, initiation, LIST_PATH, RATE_PATH, recordPath } from "./Workload.ts"
import { StoresLive } from "../../src/app/Stores.ts"
import { startWorkers } from "../../src/app/BackgroundWorkers.ts"
import { DatabaseServer } from "../../src/platform/database/DatabaseServer.ts"
import { eventually } from "../payments/support/PaymentCalls.ts"
import { people } from "../support/TestCredentials.ts"
import { bodyOf, post, send } from "../support/Send.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { onServer, TestServer } from "../support/TestServer.ts"

let databaseUrl = ""
const Database = Layer.tap(TestDatabase, (context) =>
  Effect.sync(() => {
    databaseUrl = Redacted.value(Context.get(context, DatabaseServer).url)
  })
)
const stores = StoresLive.pipe(Layer.provide(Database))

const onDatabase = Effect.acquireRelease(
  Effect.sync(() => new Pool({ connectionString: databaseUrl, max: 4 })),
  (pool) => Effect.promise(() => pool.end())
)

const handWritten = (pool: Pool) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = fastifyServer(pool, "any key")
        await server.listen({ port: 0, host: "127.0.0.1" })
        return server
      }),
      (server) => Effect.promise(() => server.close())
    ),
    (server) => (server.server.address() as AddressInfo).port
  )

const completing = (pool: Pool) =>
  Effect.acquireRelease(
    Effect.sync(() => startCompletion(pool)),
    (stop) => Effect.promise(stop)
  )

/** Hides ids, times and traces. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, "(id)")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, "(time)")
      .replaceAll(/fiat_[0-9a-f]{24}/g, "(provider's id)")
      // Only traced requests have one.
      .replaceAll(/"traceparent":"[^"]*"/g, '"traceparent":null')
  )

const cursorHidden = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/"last_evaluated_key":"[\w=-]+"/g, '"last_evaluated_key":"(cursor)"'))

const rowsOf = (pool: Pool, paymentId: PaymentId) =>
  Effect.promise(async () => {
    const { rows } = await pool.query<{ readonly events: ReadonlyArray<string> }>(
      `select to_jsonb(p) - 'last_change' as payment,
        (select jsonb_agg(to_jsonb(a)) from attempts a where a.payment_id = p.payment_id) as attempts,
        (select jsonb_agg(to_jsonb(h) order by h.version) from payment_history h where h.payment_id = p.payment_id) as history,
        (select jsonb_agg(to_jsonb(c)) from provider_callbacks c where c.payment_id = p.payment_id) as callbacks,
        (select jsonb_agg(to_jsonb(m)) from movements m where m.payment_id = p.payment_id) as movements,
        (select jsonb_agg(to_jsonb(l) order by l.account) from ledger_postings l
          where l.payment_id = p.payment_id) as postings,
        (select jsonb_agg(to_jsonb(r)) from rail_payments r join attempts a on a.attempt_id = r.reference
          where a.payment_id = p.payment_id) as rail,
        array(select event_payload(e) from events e where e.payment_id = p.payment_id
          order by e.created_at, e.event_type) as events
      from payments p where p.payment_id = $1`,
      [paymentId]
    )
    return comparable(rows.map(({ events, ...row }) => ({ ...row, events: events.map((text) => JSON.parse(text)) })))
  })

interface Initiated {
  readonly response: { readonly payment_id: PaymentId; readonly transaction_id: string }
}

/** Initiates a payment and waits for its completion. */
const lifeOf = (port: number, pool: Pool) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const headers = { ...acme.key, "content-type": "application/json" }
    const request = { method: "POST", headers, port, body: JSON.stringify(initiation("order-1")) }
    const answer = yield* send(INITIATE_PATH, request)
    const { payment_id, transaction_id } = (bodyOf(answer) as Initiated).response
    const record = Effect.map(send(recordPath(transaction_id), { headers: { ...acme.key }, port }), bodyOf)
    const early = yield* record
    const completed = yield* eventually(record, (seen) => (seen as { readonly status: string }).status === "completed")
    return {
      status: answer.status,
      answer: comparable(bodyOf(answer)),
      early: comparable(early),
      completed: comparable(completed),
      rows: yield* rowsOf(pool, payment_id)
    }
  })

onServer("The benchmark's servers", "PostgreSQL", { stores }, (it) => {
  it.scoped("answer alike and write the same rows", () =>
    Effect.gen(function* () {
      const pool = yield* onDatabase
      const { port } = yield* TestServer
      const corridor = yield* Effect.scoped(Effect.zipRight(startWorkers, lifeOf(port, pool)))
      const fastifyPort = yield* handWritten(pool)
      const fastify = yield* Effect.scoped(Effect.zipRight(completing(pool), lifeOf(fastifyPort, pool)))
      expect(fastify.status).toBe(200)
      expect(fastify.answer).toEqual(corridor.answer)
      expect(fastify.early).toEqual(corridor.early)
      expect(fastify.completed).toEqual(corridor.completed)
      expect(fastify.rows).toEqual(corridor.rows)
      yield* eventually(verify("both", pool, { initiate: 2, rate: 0 }), (counts) => counts.payments === 2)
      const { acme } = yield* people
      for (const path of [LIST_PATH, "/v1/transactions?limit=1", "/v1/transactions"]) {
        const list = (at: number) => send(path, { headers: { ...acme.key }, port: at })
        const [one, other] = [yield* list(port), yield* list(fastifyPort)]
        expect([one.status, other.status]).toEqual([200, 200])
        expect(cursorHidden(bodyOf(other))).toEqual(cursorHidden(bodyOf(one)))
        expect(bodyOf(other)).toMatchObject({ meta: { has_more: path.endsWith("=1") } })
      }
    })
  )

  it.scoped("return and lock the same rates", () =>
    Effect.gen(function* () {
      const pool = yield* onDatabase
      const { port } = yield* TestServer
      const fastifyPort = yield* handWritten(pool)
      const { acme } = yield* people
      const pairs = [
        "fromCurrency=KES&toCurrency=NGN&amount=10",
        "fromCurrency=UGX&toCurrency=USD",
        "fromCurrency=USD&toCurrency=UGX&amount=0.10",
        "fromCurrency=GBP&toCurrency=ZAR&amount=99999.99",
        "fromCurrency=USD&toCurrency=JPY",
        "fromCurrency=USD&toCurrency=KES&amount=1.001",
        "fromCurrency=USD&toCurrency=KES&amount=0",
        "fromCurrency=usd&toCurrency=KES"
      ]
      const [path] = RATE_PATH.split("?")
      const statuses: Array<number> = []
      for (const spread of [0, 125]) {
        yield* Effect.promise(() => pool.query("update organizations set spread_bps = $1", [spread]))
        for (const asked of [RATE_PATH, ...pairs.map((pair) => `${path}?${pair}`)]) {
          const lookUp = (at: number) => send(asked, { headers: { ...acme.key }, port: at })
          const [one, other] = [yield* lookUp(port), yield* lookUp(fastifyPort)]
          expect(other.status, asked).toBe(one.status)
          if (one.status === 200) expect(comparable(bodyOf(other)), asked).toEqual(comparable(bodyOf(one)))
          statuses.push(one.status)
        }
      }
      expect(statuses.slice(0, 9)).toEqual([200, 200, 200, 200, 200, 404, 400, 400, 400])
      const { rows } = yield* Effect.promise(() =>
        pool.query<{ readonly times: number }>(`select count(*)::int as times from rate_locks
          group by org_id, from_currency, to_currency, rate, rate::text, expires_at - created_at`)
      )
      expect(rows.map(({ times }) => times)).toEqual(Array(10).fill(2))
    })
  )

  it.scoped("both refuse an invalid body and an unknown key", () =>
    Effect.gen(function* () {
      const pool = yield* onDatabase
      const port = yield* handWritten(pool)
      const { acme } = yield* people
      const body = JSON.stringify({ ...initiation("order-2"), amount: "1500" })
      const headers = { ...acme.key, "content-type": "application/json" }
      const wrong = { method: "POST", headers, body }
      expect((yield* send(INITIATE_PATH, wrong)).status).toBe(400)
      expect((yield* send(INITIATE_PATH, { ...wrong, port })).status).toBe(400)
      const stranger = { ...acme.key, "x-api-key": `${acme.api_key}x` }
      expect((yield* post(INITIATE_PATH, stranger, initiation("order-3"))).status).toBe(401)
      expect((yield* send(recordPath("-"), { headers: stranger, port })).status).toBe(400)
      expect((yield* send(LIST_PATH, { headers: stranger, port })).status).toBe(401)
      expect((yield* send(`${LIST_PATH}&status=completed`, { headers: { ...acme.key }, port })).status).toBe(400)
      expect((yield* send(RATE_PATH, { headers: stranger, port })).status).toBe(401)
      const unknown = recordPath("0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88")
      expect((yield* send(unknown, { headers: stranger, port })).status).toBe(401)
      expect((yield* send(unknown, { headers: { ...acme.key }, port })).status).toBe(404)
    })
  )

  it("computes the median of rounds", () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([4, 1, 9, 2])).toBe(3)
  })

  it("uses half of the slower server's peak as fixed rate", () => {
    const round = (server: string, requestsPerSecond: number) =>
      ({ server, endpoint: "record", pace: null, requestsPerSecond }) as Measurement
    const measured = [round("corridor", 900), round("fastify", 1603), round("corridor", 701), round("corridor", 805)]
    expect(halfOfPeak(measured, "record")).toBe(402)
  })
})
