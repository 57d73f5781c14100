/** Actions against callbacks and against each other, on PostgreSQL: one of them wins, and the books stay right. */
import { SqlClient } from "@effect/sql"
import { expect } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { people } from "../../support/TestCredentials.ts"
import { attemptsOf, callBack, eventually, initiate, recordOf } from "../support/PaymentCalls.ts"
import { onPaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { openItems } from "../support/RealServer.ts"
import { byBank, byCard } from "../support/Requests.ts"
import { accepts } from "../support/ScriptedProvider.ts"
import { act, actable, setThreshold } from "../support/ActionCalls.ts"

const ROUNDS = 5

const stripe = actable("stripe")

const begunAt = (provider: Pick<typeof stripe, "on">) => (outcome: ReturnType<typeof accepts>) =>
  Effect.gen(function* () {
    yield* serveCountry("FR", ["stripe"])
    provider.on("race", outcome)
    const { payment_id } = yield* initiate({ ...byCard(), country: "FR", description: "race" })
    const [attempt] = yield* attemptsOf(payment_id)
    return { id: payment_id, reference: String(attempt?.["attempt_id"]) }
  })

const atOnce = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(effects, { concurrency: "unbounded" })

const rounds = <A, E, R>(round: (n: number) => Effect.Effect<A, E, R>) => Effect.forEach(Arr.range(1, ROUNDS), round)

/** Every history is a chain of moves that the table has, and ends where its payment is; no refunds exceed their payment. */
const booksAreRight = Effect.gen(function* () {
  const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
  const broken = yield* sql`
    select payment_id from (
      select h.payment_id, h.from_status, h.to_status, p.status,
        lag(h.to_status) over w as before, lead(h.version) over w is null as is_last
      from payment_history h join payments p using (payment_id) window w as (partition by h.payment_id order by h.version)
    ) moves
    where from_status is distinct from before or (is_last and to_status <> status) or (from_status is not null and not exists (
      select 1 from payment_transitions t where t.from_status = moves.from_status and t.to_status = moves.to_status))`
  expect(broken).toEqual([])
  const overdrawn = yield* sql`
    select p.payment_id from payments p cross join lateral jsonb_to_recordset(p.refunds) as r (
      state text, amount numeric, target numeric)
    where r.state <> 'failed' group by p.payment_id having sum(r.amount) > p.amount or sum(r.target) > p.target_amount`
  expect(overdrawn).toEqual([])
  const alone = yield* sql`
    select 1 from attempts a full join (
      select (r ->> 'refund_id')::uuid as refund_id from payments, jsonb_array_elements(refunds) as r
    ) r on r.refund_id = a.attempt_id
    where (a.leg = 'refund' or r.refund_id is not null) and (a.leg is distinct from 'refund' or r.refund_id is null)`
  expect(alone).toEqual([])
})

onPaymentServer("Racing actions", "PostgreSQL", { providers: [stripe] }, (it) => {
  const begun = begunAt(stripe)

  it.effect("refunds never give back more than was paid", () =>
    Effect.gen(function* () {
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* rounds(() =>
        Effect.gen(function* () {
          const { id } = yield* begun(accepts({ state: "completed" }))
          const answers = yield* atOnce(Arr.replicate(act(id, { action: "refund", amount: 700 }), 5))
          expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
          expect(answers.filter(({ status }) => status === 409)).toHaveLength(3)
          const rest = yield* atOnce(Arr.replicate(act(id, { action: "refund" }), 3))
          expect(rest.filter(({ status }) => status === 200)).toHaveLength(1)
          expect(yield* recordOf(id)).toMatchObject({ status: "refunded" })
        })
      )
      yield* booksAreRight
    })
  )

  it.effect("of concurrent partial refunds, those answered with “try again” have changed nothing", () =>
    Effect.gen(function* () {
      stripe.will({ refund: accepts({ state: "completed" }) })
      const { id } = yield* begun(accepts({ state: "completed" }))
      const answers = yield* atOnce(Arr.makeBy(20, (n) => act(id, { action: "refund", amount: 1 + (n % 5) })))
      const done = answers.filter(({ status }) => status === 200)
      expect(answers.filter(({ status }) => status !== 503)).toHaveLength(done.length)
      expect((yield* recordOf(id))["refunds"]).toHaveLength(done.length)
      yield* booksAreRight
    })
  )

  it.effect("a cancellation and a completion end in one of the two, and money that came is seen", () =>
    Effect.gen(function* () {
      const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
      stripe.will({ cancel: "canceled" })
      yield* rounds(() =>
        Effect.gen(function* () {
          const { id, reference } = yield* begun(accepts({ state: "pending", nextAction: "redirect" }))
          const paid = callBack("stripe", { key: `paid ${id}`, reference, state: "completed" })
          const [cancel] = yield* Effect.all([act(id, { action: "cancel" }), paid], { concurrency: "unbounded" })
          const { status } = yield* recordOf(id)
          const items =
            yield* sql`select 1 from ${sql.literal(openItems)} o where payment_id = ${id} and kind = 'suspense'`
          expect([status, cancel.status, items.length]).toEqual(
            cancel.status === 200 ? ["canceled", 200, 1] : ["completed", 409, 0]
          )
        })
      )
      yield* booksAreRight
    })
  )

  it.effect("of a review, a rejection and a cancellation of one held payment, one is done", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const reviewer = acme.token("staff")
      yield* serveCountry("BE", ["stripe"], "bank_transfer")
      stripe.on("held", accepts({ state: "pending", nextAction: "wait" }))
      stripe.will({ cancel: "refused" })
      yield* rounds(() =>
        Effect.gen(function* () {
          yield* setThreshold(acme.org_id, "1000")
          const { payment_id } = yield* initiate({ ...byBank(), country: "BE", description: "held" })
          yield* setThreshold(acme.org_id, null)
          const answers = yield* atOnce([
            act(payment_id, { action: "review" }, reviewer),
            act(payment_id, { action: "reject" }, reviewer),
            act(payment_id, { action: "cancel" })
          ])
          const done = answers.findIndex(({ status }) => status === 200)
          expect(answers.map(({ status }) => status).filter((status) => status !== 409)).toEqual([200])
          expect(yield* recordOf(payment_id)).toMatchObject({ status: ["pending", "rejected", "canceled"][done] })
          expect(stripe.timesAsked(payment_id)).toBe(done === 0 ? 1 : 0)
        })
      )
      yield* booksAreRight
    })
  )

  it.effect("passwords, right and wrong, and a failure end in a failed or an honest payment", () =>
    Effect.gen(function* () {
      const waiting = accepts({ state: "pending", nextAction: "collect_otp" })
      yield* rounds((n) =>
        Effect.gen(function* () {
          stripe.will({ otp: n % 2 === 0 ? "accepted" : "wrong" })
          const { id, reference } = yield* begun(waiting)
          const failed = callBack("stripe", { key: `expired ${id}`, reference, state: "failed" })
          const tries = Arr.replicate(act(id, { action: "submit_otp", otp: "1" }), 6)
          const [answers] = yield* Effect.all([atOnce(tries), failed], { concurrency: "unbounded" })
          const expected = n % 2 === 0 ? [200, 409] : [400, 409]
          for (const { status } of answers) expect(expected).toContain(status)
          yield* eventually(recordOf(id), (record) => record["status"] === "failed")
        })
      )
      yield* booksAreRight
      const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
      expect(yield* sql`select 1 from payments where otp_failures > 5`).toEqual([])
    })
  )
})

/**
 * Order at the provider is unknown, so the provider's funds are not compared here: the same money went back once, or
 * twice.
 */
const { funds: _funds, ...withoutFunds } = actable("stripe")

onPaymentServer("Racing returns", "PostgreSQL", { providers: [withoutFunds] }, (it) => {
  const begun = begunAt(withoutFunds)

  it.effect("a refund and the provider's return end in one refunded payment", () =>
    Effect.gen(function* () {
      withoutFunds.will({ refund: accepts({ state: "completed" }) })
      const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
      yield* rounds(() =>
        Effect.gen(function* () {
          const { id, reference } = yield* begun(accepts({ state: "completed" }))
          const returned = callBack("stripe", { key: `returned ${id}`, reference, state: "returned" })
          const [refund] = yield* Effect.all([act(id, { action: "refund" }), returned], { concurrency: "unbounded" })
          expect(yield* recordOf(id)).toMatchObject({ status: "refunded" })
          const ends = yield* sql`select 1 from payment_history where payment_id = ${id} and to_status = 'refunded'`
          expect(ends).toHaveLength(1)
          const parts = yield* sql<{ state: string }>`select r ->> 'state' as state
            from payments, jsonb_array_elements(refunds) as r where payment_id = ${id}`
          expect(parts).toEqual(refund.status === 200 ? [{ state: "completed" }] : [])
        })
      )
      yield* booksAreRight
    })
  )
})
