/** Trials of a rule on many payments: in steps, and two at a time, so that other requests do not wait. */
import { SqlClient } from "@effect/sql"
import { expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { StoresLive } from "../../../src/app/Stores.ts"
import { RuleStore } from "../../../src/payments/rules/RuleStore.ts"
import { people } from "../../support/TestCredentials.ts"
import { watchLoop } from "../../support/EventLoop.ts"
import { bodyOf, post } from "../../support/Send.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { onServer } from "../../support/TestServer.ts"
import { initiate } from "../support/PaymentCalls.ts"
import { byPhone } from "../support/Requests.ts"

const PAYMENTS = 20_000

/** Pages that are read at once, and most of them. */
let reading = 0
let most = 0

const counting = Layer.effect(
  RuleStore,
  Effect.map(RuleStore, (store) => ({
    ...store,
    past: (...asked: Parameters<typeof store.past>) =>
      Effect.suspend(() => {
        reading += 1
        most = Math.max(most, reading)
        return Effect.ensuring(
          store.past(...asked),
          Effect.sync(() => (reading -= 1))
        )
      })
  }))
)

const stores = counting.pipe(Layer.provideMerge(StoresLive.pipe(Layer.provideMerge(TestDatabase))))

/** Makes so many payments like one that the API made. */
const manyPayments = Effect.gen(function* () {
  const { acme } = yield* people
  const context = yield* Effect.context<never>()
  const sql = Context.unsafeGet(context as unknown as Context.Context<SqlClient.SqlClient>, SqlClient.SqlClient)
  const { payment_id } = yield* initiate(byPhone())
  yield* sql`insert into payments (payment_id, transaction_id, org_id, user_id, status, direction, payment_method, country,
      amount, currency, target_amount, target_currency, payer_details, mobile_money_details, provider, created_at, updated_at)
    select gen_random_uuid(), gen_random_uuid(), org_id, user_id, 'completed', direction, payment_method, country, amount,
      currency, target_amount, target_currency, payer_details, mobile_money_details, provider,
      created_at - n * interval '1 second', updated_at
    from payments, generate_series(1, ${PAYMENTS}) n where payment_id = ${payment_id}`
  return { path: `/v1/organizations/${acme.org_id}/rules/try`, headers: { ...acme.token("org-admin") } }
})

const terms = { subject: "payer", max_count: PAYMENTS, window_seconds: 2_592_000, action: "hold" }

onServer("A rule tried on 20,000 payments", "PostgreSQL", { stores }, (it) => {
  it.effect("leaves the event loop and the database to others", () =>
    Effect.gen(function* () {
      const { headers, path } = yield* manyPayments
      const blocked: Array<number> = []
      // Garbage is collected in this process too: the best of three is the server's own.
      while (blocked.length < 3) {
        const stop = watchLoop()
        const answer = yield* post(path, headers, terms)
        blocked.push(stop())
        expect(bodyOf(answer)).toMatchObject({ data: { payments: PAYMENTS + 1, is_complete: true, hits: 1 } })
      }
      expect(Math.min(...blocked)).toBeLessThan(100)
      const answers = yield* Effect.replicateEffect(post(path, headers, terms), 6, { concurrency: "unbounded" })
      expect(answers.map(({ status }) => status)).toEqual(Array<number>(6).fill(200))
      expect(most).toBeLessThanOrEqual(2)
    })
  )
})
