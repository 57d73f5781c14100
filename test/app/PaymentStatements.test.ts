/** Counts the statements of one payin, from its request until its webhooks are delivered. */
import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import pg from "pg"
import { afterAll, beforeAll } from "vitest"
import { startWorkers } from "../../src/app/BackgroundWorkers.ts"
import { INITIATE_PATH, initiation } from "../bench/Workload.ts"
import { eventually } from "../payments/support/PaymentCalls.ts"
import { people } from "../support/TestCredentials.ts"
import { isOfTests } from "../support/OwnDatabase.ts"
import { bodyOf, post, send } from "../support/Send.ts"
import { onDatabaseServer } from "../support/TestServer.ts"

const FINISH = /^with held as/

/** Statements that a payin may send, by a part of their text. */
const statementsOfPayin: ReadonlyArray<readonly [name: string, text: RegExp, times: number]> = [
  ["key with versions", /from api_keys k/, 1],
  ["create", /insert into payments \(/, 1],
  ["order at the simulator", /insert into rail_payments/, 1],
  ["record and complete", /update payments p set status/, 2],
  [
    "find its attempt",
    /from attempts a join payments p on p\.payment_id = a\.payment_id\s+where a\.attempt_id = any/,
    1
  ],
  ["callback sent", /^delete from rail_timers/, 1]
]

/** Each of the four events may be claimed and finished by itself. A worker that was woken looks a second time. */
const statementsOfDelivery: ReadonlyArray<readonly [name: string, text: RegExp, most: number]> = [
  ["claim", /^with recursive asked as materialized/, 8],
  ["finish", FINISH, 4]
]

/** Walks of queues, and workers that look for something to do: they run without a payment, too. */
const walks: ReadonlyArray<RegExp> = [
  /^with due as \(\s*select t\.timer_id/,
  /^with recursive (walk|capacity|owners)/,
  /card_waits|kyb|spent_tokens|figures|escrow_payouts|details_tries|release_at|fx_|rate_/,
  // To other instances, while no worker of this one is free: every 100 ms at most.
  /pg_notify/,
  // Retention, partitions and the look for another primary, at the start of the workers.
  /^delete from|table_months|pg_is_in_recovery|^(BEGIN|COMMIT)$/
]

const asSent = pg.Client.prototype.query as (...given: ReadonlyArray<unknown>) => unknown
const sent: Array<string> = []

/** Deliveries whose results were sent. A statement that is still to come would be counted for the next payin. */
let finished = 0

const valuesOf = ([config, values]: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  ((config as { readonly values?: unknown } | undefined)?.values ?? values ?? []) as ReadonlyArray<unknown>

const textOf = (given: unknown): string =>
  typeof given === "string" ? given : ((given as { readonly text?: string } | undefined)?.text ?? "")

beforeAll(() => {
  pg.Client.prototype.query = function (this: pg.Client, ...given: ReadonlyArray<unknown>) {
    if (isOfTests(this)) return asSent.apply(this, [...given])
    const text = textOf(given[0]).trim()
    sent.push(text)
    if (FINISH.test(text)) finished += (JSON.parse(String(valuesOf(given)[0])) as ReadonlyArray<unknown>).length
    return asSent.apply(this, [...given])
  } as typeof pg.Client.prototype.query
})

afterAll(() => {
  pg.Client.prototype.query = asSent as typeof pg.Client.prototype.query
})

const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const received: Array<string> = []
    const server = createServer((request, response) => {
      request.setEncoding("utf8").on("data", (text: string) => received.push(text))
      request.on("end", () => response.end())
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    return { server, received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

onDatabaseServer("A plain payin", (it) => {
  it.scoped("sends no statement that it does not need", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { received, url } = yield* receiver
      const endpoint = { endpoint_url: url, events: ["*"] }
      expect((yield* post("/v1/public/webhooks", { ...acme.key }, endpoint)).status).toBe(201)
      yield* startWorkers
      const pay = (reference: string) => post(INITIATE_PATH, { ...acme.key }, initiation(reference))
      const delivered = (count: number) =>
        eventually(
          Effect.sync(() => Math.min(received.length, finished)),
          (events) => events === count
        )
      // The first payin reads its organisation, fees and routes; later ones have them.
      expect((yield* pay("first")).status).toBe(200)
      yield* delivered(4)
      const known = [...statementsOfPayin, ...statementsOfDelivery].map(([, text]) => text)
      let paid = 1
      const paying = Effect.gen(function* () {
        sent.length = 0
        paid += 1
        expect(bodyOf(yield* pay(`payin ${paid}`))).toMatchObject({ response: { status: "processing" } })
        yield* delivered(4 * paid)
        const own = [...sent]
        return { own, others: own.filter((one) => ![...known, ...walks].some((text) => text.test(one))) }
      })
      // Workers that have just started send statements of their own, beside the first payins.
      const { others, own } = yield* Effect.repeat(paying, { until: (one) => one.others.length === 0, times: 4 })
      expect(others).toEqual([])
      const count = (text: RegExp) => own.filter((one) => text.test(one)).length
      const expected = statementsOfPayin.map(([name, , times]) => [name, times])
      expect(statementsOfPayin.map(([name, text]) => [name, count(text)])).toEqual(expected)
      for (const [name, text, most] of statementsOfDelivery) {
        expect(count(text), name).toBeGreaterThan(0)
        expect(count(text), name).toBeLessThanOrEqual(most)
      }
    })
  )

  it.scoped("wakes no worker of webhooks where the organisation has no endpoint", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      yield* startWorkers
      const paid = Effect.gen(function* () {
        const { response } = bodyOf(yield* post(INITIATE_PATH, { ...globex.key }, initiation(`${sent.length}`))) as {
          readonly response: { readonly transaction_id: string }
        }
        const record = send(`/v1/payments/transaction/${response.transaction_id}`, { headers: { ...globex.key } })
        yield* eventually(record, ({ text }) => text.includes('"completed"'))
      })
      // The worker looks when it starts, and once more.
      yield* paid
      sent.length = 0
      yield* paid
      expect(sent.filter((text) => /webhook_queue/.test(text) && !/card_waits/.test(text))).toEqual([])
    })
  )
})
