/** Idempotency keys of every action: done once, answered the same, for any caller of the organisation. */
import { randomUUID } from "node:crypto"
import { expect } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { act, actable, setThreshold } from "../../payments/support/ActionCalls.ts"
import { eventually, initiate, recordOf } from "../../payments/support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../../payments/support/PaymentServer.ts"
import { byCard, byPhone } from "../../payments/support/Requests.ts"
import { accepts, declines } from "../../payments/support/ScriptedProvider.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { send } from "../../support/Send.ts"
import { age } from "./AgeKeys.ts"

const make = () => {
  const stripe = actable("stripe")
  return { providers: [stripe], stripe }
}

const REPLAYED = { "idempotent-replayed": "true" }

onDatabasePaymentServer("The key of an action", make, (it, { stripe }) => {
  const paid = Effect.gen(function* () {
    yield* serveCountry("FR", ["stripe"])
    stripe.otherwise(accepts({ state: "completed" }))
    const { payment_id, response } = yield* initiate({ ...byCard(), country: "FR" })
    expect(response).toMatchObject({ status: "completed" })
    return payment_id
  })

  const asked = Effect.gen(function* () {
    yield* serveCountry("BE", ["stripe"])
    stripe.otherwise(accepts({ state: "pending", nextAction: "collect_otp" }))
    const { payment_id, response } = yield* initiate({ ...byCard(), country: "BE" })
    expect(response).toMatchObject({ next_action: "collect_otp" })
    return payment_id
  })

  const held = Effect.gen(function* () {
    const { acme } = yield* people
    yield* setThreshold(acme.org_id, "1000")
    const { payment_id, response } = yield* Effect.ensuring(initiate(byPhone()), setThreshold(acme.org_id, null))
    expect(response).toMatchObject({ status: "initiated", next_action: "wait" })
    return payment_id
  })

  const keyed = (id: string, body: object, credential?: Credential) => {
    const key = randomUUID()
    const again = act(id, body, credential, { "idempotency-key": key })
    return Effect.map(again, (first) => ({ key, first, again }))
  }

  /** The same answer, and nothing else happened: what is counted before and after stays as it is. */
  const expectReplay = (id: string, body: object, status: number, credential?: Credential) =>
    Effect.gen(function* () {
      const { again, first } = yield* keyed(id, body, credential)
      expect(first).toMatchObject({ status })
      const before = yield* recordOf(id)
      const second = yield* again
      expect(second).toMatchObject({ status, body: first.body, headers: REPLAYED })
      expect(yield* recordOf(id)).toEqual(before)
      return first
    })

  it.effect("replays a refund that was declined as declined, also when the first request is long over", () =>
    Effect.gen(function* () {
      const id = yield* paid
      stripe.will({ refund: declines("the card is closed") })
      const before = stripe.refunds.length
      const { again, first, key } = yield* keyed(id, { action: "refund", amount: 100 })
      expect(first).toMatchObject({ status: 409, body: { code: "INVALID_STATE" } })
      expect(yield* again).toMatchObject({ status: 409, body: first.body, headers: REPLAYED })
      yield* age(key, "41 seconds")
      expect(yield* again).toMatchObject({ status: 409, body: first.body, headers: REPLAYED })
      expect(stripe.refunds.length).toBe(before + 1)
    })
  )

  it.effect("is kept for a caller who hung up before the answer", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const id = yield* paid
      const answers = yield* Deferred.make<void>()
      stripe.will({ refund: Effect.as(Deferred.await(answers), declines("the card is closed")) })
      const before = stripe.refunds.length
      const headers = { ...acme.key, "content-type": "application/json", "idempotency-key": randomUUID() }
      const body = JSON.stringify({ action: "refund", amount: 100 })
      const ask = send(`/v1/payments-init/${id}/action`, { method: "POST", headers, body })
      const waiting = yield* Effect.fork(ask)
      yield* eventually(
        Effect.sync(() => stripe.refunds.length),
        (asked) => asked > before
      )
      yield* Fiber.interrupt(waiting)
      yield* Deferred.succeed(answers, undefined)
      const again = yield* eventually(ask, ({ headers }) => headers["idempotent-replayed"] === "true")
      expect(again.status).toBe(409)
      expect(again.text).toContain("the card is closed")
      expect(stripe.refunds.length).toBe(before + 1)
    })
  )

  it.effect("does not keep a refusal before anything was written", () =>
    Effect.gen(function* () {
      const id = yield* paid
      stripe.will({ refund: accepts({ state: "completed" }) })
      const key = { "idempotency-key": randomUUID() }
      expect(yield* act(id, { action: "cancel" }, undefined, key)).toMatchObject({ status: 409 })
      expect(yield* act(id, { action: "refund" }, undefined, key)).toMatchObject({ status: 200 })
    })
  )

  it.effect("belongs to the payment's organisation when a platform admin without one sends it", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const id = yield* paid
      stripe.will({ refund: accepts({ state: "completed" }) })
      const before = stripe.refunds.length
      const key = { "idempotency-key": randomUUID() }
      const first = yield* act(id, { action: "refund", amount: 100 }, admin, key)
      expect(first).toMatchObject({ status: 200 })
      for (const who of [admin, acme.key]) {
        const again = yield* act(id, { action: "refund", amount: 100 }, who, key)
        expect(again).toMatchObject({ status: 200, body: first.body, headers: REPLAYED })
      }
      expect(stripe.refunds.length).toBe(before + 1)
      const other = yield* act(id, { action: "refund", amount: 99 }, admin, key)
      expect(other).toMatchObject({ status: 409, body: { code: "IDEMPOTENCY_CONFLICT" } })
    })
  )

  it.effect("counts a wrong password once", () =>
    Effect.gen(function* () {
      const id = yield* asked
      stripe.will({ otp: "wrong" })
      const before = stripe.passwords.length
      const key = { "idempotency-key": randomUUID() }
      for (let n = 0; n < 6; n++) {
        const answer = yield* act(id, { action: "submit_otp", otp: "000000" }, undefined, key)
        expect(answer).toMatchObject({ status: 400, body: { code: "OTP_INVALID" } })
        expect(answer.headers["idempotent-replayed"]).toBe(n === 0 ? undefined : "true")
        expect(answer.body["message"]).toContain("4 more attempts")
      }
      expect(stripe.passwords.length).toBe(before + 1)
      expect(yield* recordOf(id)).toMatchObject({ status: "pending" })
    })
  )

  it.effect("lets one of several at once through to the provider", () =>
    Effect.gen(function* () {
      const id = yield* asked
      stripe.will({ otp: "wrong" })
      const before = stripe.passwords.length
      const key = { "idempotency-key": randomUUID() }
      const answers = yield* Effect.all(
        Array.from({ length: 5 }, () => act(id, { action: "submit_otp", otp: "000000" }, undefined, key)),
        { concurrency: "unbounded" }
      )
      expect(stripe.passwords.length).toBe(before + 1)
      expect(answers.map(({ status }) => status).filter((status) => status !== 409)).toContain(400)
    })
  )

  it.effect("replays every other action", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const staff = acme.token("staff")
      const waiting = yield* asked
      stripe.will({ resend: true, otp: "accepted", cancel: "canceled" })
      yield* expectReplay(waiting, { action: "resend_otp" }, 200)
      yield* expectReplay(waiting, { action: "submit_otp", otp: "123456" }, 200)
      yield* expectReplay(yield* asked, { action: "cancel" }, 200)
      yield* expectReplay(yield* held, { action: "reject", reason: "no" }, 200, staff)
      const reviewed = yield* expectReplay(yield* held, { action: "review" }, 200, staff)
      expect(reviewed.response).toMatchObject({ status: "processing" })
    })
  )

  it.effect("replays a review that every provider declined", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      yield* setThreshold(acme.org_id, "1000")
      const { payment_id } = yield* Effect.ensuring(initiate(byPhone("+254712340001")), setThreshold(acme.org_id, null))
      yield* expectReplay(payment_id, { action: "review" }, 502, acme.token("staff"))
    })
  )

  it.effect("answers only callers with access", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const id = yield* held
      const key = { "idempotency-key": randomUUID() }
      expect(yield* act(id, { action: "review" }, acme.token("staff"), key)).toMatchObject({ status: 200 })
      const member = yield* act(id, { action: "review" }, acme.token("member"), key)
      expect(member).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } })
    })
  )
})
