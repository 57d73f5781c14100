/** A key whose first request was cut off by a crash answers with the payment as it is, and says no more than is known. */
import { randomUUID } from "node:crypto"
import { expect } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { act, actable, setThreshold } from "../../payments/support/ActionCalls.ts"
import { eventually, type Json, jsonOf } from "../../payments/support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../../payments/support/PaymentServer.ts"
import { byCard, byPhone, onRampIn } from "../../payments/support/Requests.ts"
import { accepts } from "../../payments/support/ScriptedProvider.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import { newBeneficiary } from "../../treasury/accounts/AccountFixtures.ts"
import { disburse, fund, newAccount, newEscrow } from "../../treasury/escrow/EscrowFixtures.ts"
import { age, loseAnswer } from "./AgeKeys.ts"
import { rateOf } from "../../payments/support/RampCalls.ts"

const make = () => {
  const stripe = actable("stripe")
  return { providers: [stripe], stripe }
}

const sendWith = (key: string, path: string, body: object, credential?: Credential) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const answer = yield* post(path, { ...(credential ?? acme.key), "idempotency-key": key }, body)
    return { ...answer, response: jsonOf(answer)["response"] as Json }
  })

onDatabasePaymentServer("A key of a request that was cut off", make, (it, { stripe }) => {
  /** Answer to the key `after` so long without a report of the provider, and the answer to the first request. */
  const cutOff = (key: string, path: string, body: object, after = Duration.seconds(41)) =>
    Effect.gen(function* () {
      const answers = yield* Deferred.make<void>()
      stripe.otherwise(Effect.as(Deferred.await(answers), accepts({ state: "pending", nextAction: "bank_transfer" })))
      const before = stripe.orders.length
      const first = yield* Effect.fork(sendWith(key, path, body))
      yield* eventually(
        Effect.sync(() => stripe.orders.length),
        (asked) => asked > before
      )
      yield* age(key, after)
      const again = yield* sendWith(key, path, body)
      yield* Deferred.succeed(answers, undefined)
      return { again, replayed: again.response, answered: (yield* Fiber.join(first)).response }
    })

  it.effect("is still running while it may be", () =>
    Effect.gen(function* () {
      yield* serveCountry("AT", ["stripe"])
      const path = "/v1/payments-init/initiate"
      const { again } = yield* cutOff("running", path, { ...byCard(), country: "AT" }, Duration.zero)
      expect(again).toMatchObject({ status: 409 })
    })
  )

  it.effect("says that the outcome of a payment is not known yet", () =>
    Effect.gen(function* () {
      yield* serveCountry("FR", ["stripe"])
      const request = { ...byCard(), country: "FR" }
      const { again, answered, replayed } = yield* cutOff("payin", "/v1/payments-init/initiate", request)
      expect(again).toMatchObject({ status: 200, headers: { "idempotent-replayed": "true" } })
      expect(replayed).toMatchObject({
        success: true,
        payment_id: answered["payment_id"],
        status: "initiated",
        next_action: "check_status",
        redirect_url: null,
        provider: null,
        message: "The provider has not said yet what became of the payment; it is being looked up."
      })
    })
  )

  it.effect("answers a ramp as unknown, without payment instructions", () =>
    Effect.gen(function* () {
      yield* serveCountry("FI", ["stripe"], "bank_transfer")
      yield* serveCountry("FI", ["stripe"], "crypto", "outbound")
      const { answered, replayed } = yield* cutOff(
        "ramp",
        "/v1/payments-init/ramp",
        onRampIn("FI", yield* rateOf("KES", "USDT"))
      )
      const { expires_at, payment_id, transaction_id } = answered
      expect(replayed).toMatchObject({
        success: true,
        payment_id,
        transaction_id,
        direction: "on_ramp",
        status: "initiated",
        fiat_currency: "KES",
        crypto_network: "POLYGON",
        provider: null,
        expires_at,
        next_action: "check_status",
        payment_instructions: {},
        message: "The provider has not said yet what became of the ramp; it is being looked up."
      })
      expect(Object.keys(replayed["payment_instructions"] as Json)).toEqual([])
      expect(answered).toMatchObject({ status: "pending", next_action: "make_transfer" })
    })
  )

  const sendAndLose = (path: string, body: object, credential?: Credential) =>
    Effect.gen(function* () {
      const key = randomUUID()
      const first = yield* sendWith(key, path, body, credential)
      expect(first.status, first.text).toBe(200)
      yield* loseAnswer(key)
      return { first, again: yield* sendWith(key, path, body, credential) }
    })

  /** All of them wait for a review, and so stay as they were when they were answered. */
  const held = Effect.gen(function* () {
    const { acme } = yield* people
    const beneficiary_id = yield* newBeneficiary(acme.key)
    const account_id = yield* newAccount(5000)
    const whole = [{ name: "Builder", split_type: "percentage", split_value: 100 }]
    const escrow = yield* newEscrow(5000, {
      parties: [{ name: "Builder" }],
      milestones: [{ label: "All", sequence: 1, expected_disbursement: 5000, parties: whole }]
    })
    yield* fund(acme.key, escrow, 5000)
    yield* disburse(acme.key, escrow, 0)
    const party = escrow.parties[0]!.party_id
    const asked = [
      ["/v1/payments-init/initiate", byPhone()],
      ["/v1/payments-init/ramp", onRampIn("KE", yield* rateOf("KES", "USDT"))],
      [`/v1/virtual-accounts/${account_id}/withdraw`, { beneficiary_id, amount: 2000 }],
      [`/v1/virtual-accounts/escrow/${escrow.escrow_id}/parties/${party}/payout`, { beneficiary_id }]
    ] as const
    yield* setThreshold(acme.org_id, "1000")
    return yield* Effect.forEach(asked, ([path, body]) =>
      Effect.map(sendAndLose(path, body), (both) => [path, both] as const)
    ).pipe(Effect.ensuring(setThreshold(acme.org_id, null)))
  })

  it.effect("answers in the shape of its own route, whatever that has made", () =>
    Effect.gen(function* () {
      for (const [path, { again, first }] of yield* held) {
        expect(again, path).toMatchObject({ status: 200, headers: { "idempotent-replayed": "true" } })
        expect(again.text, path).toBe(first.text)
      }
    })
  )

  it.effect("answers as an action does, whatever that is done to", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      for (const [path, { first }] of yield* held) {
        const { data, response } = jsonOf(first) as { readonly data?: Json; readonly response?: Json }
        const id = String(response?.["payment_id"] ?? data?.["payment_id"] ?? data?.["reference"])
        const action = `/v1/payments-init/${id}/action`
        const rejected = yield* sendAndLose(action, { action: "reject" }, acme.token("staff"))
        expect(rejected.again.headers, path).toMatchObject({ "idempotent-replayed": "true" })
        expect(rejected.again.text, path).toBe(rejected.first.text)
      }
    })
  )

  it.effect("is not what a payment that waits for a review is", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      yield* serveCountry("DE", ["stripe"])
      yield* setThreshold(acme.org_id, "1000")
      const held = yield* Effect.ensuring(
        sendWith("held", "/v1/payments-init/initiate", { ...byCard(), country: "DE" }),
        setThreshold(acme.org_id, null)
      )
      const waits = { status: "initiated", next_action: "wait", message: "The payment waits for a review." }
      expect(held.response).toMatchObject(waits)
      const id = String(held.response["payment_id"])
      expect((yield* act(id, { action: "reject" }, acme.token("staff"))).response).toMatchObject({ status: "rejected" })
    })
  )
})
