/** A locked rate is spent by its first use, and what locks gain against the live rate is bounded. */
import { SqlClient } from "@effect/sql"
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { people } from "../../support/TestCredentials.ts"
import { post, send } from "../../support/Send.ts"
import { act, setThreshold } from "../support/ActionCalls.ts"
import { initiate, jsonOf, type Lock, lookUp, recordOf, untilStatus } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { byPhone } from "../support/Requests.ts"

const USED = /^org_rate_id: was used already/

/** Shillings into dollars, at the rate that it names. */
const dollars = (lock: Pick<Lock, "org_rate_id">, amount: number, target_amount: number, phone?: string) => ({
  ...byPhone(phone),
  amount,
  target_amount,
  target_currency: "USD",
  org_rate_id: lock.org_rate_id
})

const setRates = (...all: ReadonlyArray<readonly [from: string, to: string, rate: string]>) =>
  Effect.flatMap(RateStore, (store) =>
    store.set(all.map(([from_currency, to_currency, rate]) => ({ from_currency, to_currency, rate })))
  )

const market = setRates(["KES", "USD", "0.0078"], ["USD", "KES", "128.2"])

const database = Effect.map(Effect.serviceOption(SqlClient.SqlClient), Option.getOrThrow)

const usesOf = Effect.flatMap(
  database,
  (sql) =>
    sql<{ readonly org_rate_id: string; readonly used_by: string }>`select org_rate_id, used_by from rate_lock_uses`
)

onDatabasePaymentServer(
  "A locked rate",
  () => ({ variables: { RATE_LOCK_MAX: "1000" } }),
  (it) => {
    it.effect("is spent by its first payment, and refused for a second as used", () =>
      Effect.gen(function* () {
        yield* market
        const lock = yield* lookUp("KES", "USD")
        const first = yield* initiate(dollars(lock, 2000, 15.6))
        expect(first.status, first.text).toBe(200)
        const second = yield* initiate(dollars(lock, 2000, 15.6))
        expect([second.status, second.body["code"]]).toEqual([400, "RATE_MISMATCH"])
        expect(second.body["message"]).toMatch(USED)
        expect(second.body).not.toHaveProperty("payment_id")
        expect(yield* usesOf).toContainEqual({ org_rate_id: lock.org_rate_id, used_by: first.payment_id })
        yield* untilStatus(first.payment_id, "completed")
      })
    )

    it.effect("has exactly one winner among payments that use it at once", () =>
      Effect.gen(function* () {
        yield* market
        for (let round = 0; round < 5; round++) {
          const lock = yield* lookUp("KES", "USD", 2000)
          const all = yield* Effect.replicateEffect(initiate(dollars(lock, 2000, lock.target_amount)), 12).pipe(
            Effect.withConcurrency("unbounded")
          )
          const answers = all.map(({ body, status }) => (status === 200 ? "taken" : String(body["message"])))
          expect(answers.filter((answer) => answer === "taken")).toHaveLength(1)
          expect(answers.filter((answer) => USED.test(answer))).toHaveLength(11)
        }
      })
    )

    it.effect("is replayed with its Idempotency-Key: that is the first use, also while it runs", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        yield* market
        const lock = yield* lookUp("KES", "USD", 2000)
        const keyed = (key: string) =>
          post(
            "/v1/payments-init/initiate",
            { ...acme.key, "idempotency-key": key },
            dollars(lock, 2000, lock.target_amount)
          )
        const atOnce = yield* Effect.replicateEffect(keyed("one"), 6).pipe(Effect.withConcurrency("unbounded"))
        for (const { status, text } of atOnce) {
          expect(text).not.toContain("RATE_MISMATCH")
          expect([200, 409]).toContain(status)
        }
        const again = yield* keyed("one")
        expect(again.status, again.text).toBe(200)
        const other = yield* keyed("two")
        expect([other.status, jsonOf(other)["code"]]).toEqual([400, "RATE_MISMATCH"])
      })
    )

    it.effect("is given back by a payment that no provider took, and by no other", () =>
      Effect.gen(function* () {
        yield* market
        const lock = yield* lookUp("KES", "USD", 2000)
        const declined = yield* initiate(dollars(lock, 2000, lock.target_amount, "+254700000001"))
        expect(declined.status, declined.text).toBe(502)
        const later = yield* initiate(dollars(lock, 2000, lock.target_amount, "+254700000004"))
        expect(later.status, later.text).toBe(200)
        yield* untilStatus(later.payment_id, "failed")
        const third = yield* initiate(dollars(lock, 2000, lock.target_amount))
        expect(third.body["message"]).toMatch(USED)
      })
    )

    it.effect("is spent by a payment that waits for its review, and given back when that is rejected", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        yield* market
        const lock = yield* lookUp("KES", "USD", 2000)
        yield* setThreshold(acme.org_id, "1000")
        const body = dollars(lock, 2000, lock.target_amount)
        const held = yield* Effect.ensuring(initiate(body), setThreshold(acme.org_id, null))
        expect(held.response).toMatchObject({ status: "initiated", next_action: "wait" })
        expect((yield* initiate(body)).body["message"]).toMatch(USED)
        const rejected = yield* act(held.payment_id, { action: "reject" }, acme.token("staff"))
        expect(rejected.response).toMatchObject({ status: "rejected" })
        expect((yield* initiate(body)).status).toBe(200)
      })
    )

    it.effect("is looked at, and not spent, by a route preview", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        yield* market
        const lock = yield* lookUp("KES", "USD", 2000)
        const body = dollars(lock, 2000, lock.target_amount)
        const preview = post("/v1/payments-init/route-preview", { ...acme.key }, body)
        expect((yield* preview).status).toBe(200)
        expect((yield* preview).status).toBe(200)
        expect((yield* initiate(body)).status).toBe(200)
        const after = yield* preview
        expect([after.status, jsonOf(after)["code"]]).toEqual([400, "RATE_MISMATCH"])
      })
    )

    it.effect("that was made with an amount is for that amount; without one it is for RATE_LOCK_MAX at most", () =>
      Effect.gen(function* () {
        yield* market
        const lock = yield* lookUp("KES", "USD", 2000)
        const more = yield* initiate(dollars(lock, 3000, 23.4))
        expect([more.status, more.body["code"], more.body["message"]]).toEqual([
          400,
          "RATE_MISMATCH",
          expect.stringMatching(/^org_rate_id: .*\b2000\.00 KES\b.*\b3000\.00 KES\b/)
        ])
        const any = yield* lookUp("KES", "USD")
        // 1,000.03 USD worth.
        const tooMuch = yield* initiate(dollars(any, 128_209, 1000.03))
        expect([tooMuch.status, tooMuch.body["message"]]).toEqual([
          400,
          expect.stringMatching(/^org_rate_id: .*\b1000 USD\b/)
        ])
        const large = yield* lookUp("KES", "USD", 300_000)
        expect((yield* initiate(dollars(large, 300_000, large.target_amount))).status).toBe(200)
        expect((yield* initiate(dollars(any, 128_205, 1000))).status).toBe(200)
        expect((yield* initiate(dollars(lock, 2000, lock.target_amount))).status).toBe(200)
      })
    )
  }
)

onDatabasePaymentServer(
  "Gains by locked rates",
  () => ({}),
  (it) => {
    const gained = Effect.flatMap(database, (sql) =>
      Effect.map(
        sql<{ readonly sum: string }>`select coalesce(sum(gain), 0)::text as sum from rate_lock_uses`,
        (rows) => Number(rows[0]!.sum)
      )
    )

    it.effect("add up to RATE_GAIN_MAX in 24 hours at most, however many payments come at once", () =>
      Effect.gen(function* () {
        const sql = yield* database
        yield* market
        // Counted by the process, which runs other files too.
        const alerts = Effect.map(send("/metrics"), ({ text }) =>
          Number(/^corridor_operator_alerts_total\{kind="rate_gain_limit"\} (\d+)$/m.exec(text)?.[1])
        )
        const before = yield* alerts
        const locks = yield* Effect.replicateEffect(lookUp("KES", "USD", 100_000), 24)
        // Within half a percent of what the rate is going to be, and just beyond.
        yield* setRates(["KES", "USD", "0.007035"])
        const [near, nearToo] = yield* Effect.replicateEffect(lookUp("KES", "USD", 1_000_000), 2)
        yield* setRates(["KES", "USD", "0.007036"])
        const beyond = yield* lookUp("KES", "USD", 2_000_000)
        yield* setRates(["KES", "USD", "0.007"])

        // 80 dollars each, which is 12 of them.
        const all = yield* Effect.forEach(locks, (lock) => initiate(dollars(lock, 100_000, 780)), {
          concurrency: "unbounded"
        })
        const taken = all.filter(({ status }) => status === 200)
        expect(taken).toHaveLength(12)
        for (const { body, status } of all.filter((one) => one.status !== 200)) {
          expect([status, body["code"]]).toEqual([400, "RATE_MISMATCH"])
          expect(body["message"]).toMatch(/^org_rate_id: .*\b0\.5 percent\b/)
        }
        expect(yield* gained).toBe(960)
        const refusedAgain = yield* initiate(dollars(beyond, 2_000_000, beyond.target_amount))
        expect(refusedAgain.body["code"]).toBe("RATE_MISMATCH")
        expect((yield* initiate(dollars(near!, 1_000_000, near!.target_amount))).status).toBe(200)
        expect(yield* gained).toBe(995)
        expect((yield* initiate(dollars(nearToo!, 1_000_000, nearToo!.target_amount))).status).toBe(200)

        // A day later there is room again.
        yield* sql`update rate_lock_uses set used_at = used_at - interval '24 hours'`
        expect((yield* initiate(dollars(beyond, 2_000_000, beyond.target_amount))).status).toBe(200)
        expect((yield* alerts) - before).toBe(13)
        for (const { payment_id } of taken) expect(yield* recordOf(payment_id)).toMatchObject({ target_amount: 780 })
      })
    )
  }
)
