/** A key whose first request was cut off by a crash answers with the payment as it is, and says no more than is known. */
import { expect } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { act, actable, setThreshold } from "../../payments/support/Acting.ts"
import { eventually, type Json, jsonOf } from "../../payments/support/Calls.ts"
import { onDatabasePaymentServer, serveCountry } from "../../payments/support/PaymentServer.ts"
import { byCard } from "../../payments/support/Requests.ts"
import { accepts } from "../../payments/support/ScriptedProvider.ts"
import { people } from "../../support/Credentials.ts"
import { post } from "../../support/Send.ts"
import { age } from "./Ageing.ts"
import { rateOf } from "../../payments/support/Ramping.ts"
import { onRampIn } from "../../payments/support/Requests.ts"

const make = () => {
  const stripe = actable("stripe")
  return { providers: [stripe], stripe }
}

const sendWith = (key: string, path: string, body: object) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const answer = yield* post(path, { ...acme.key, "idempotency-key": key }, body)
    return { ...answer, response: jsonOf(answer)["response"] as Json }
  })

onDatabasePaymentServer("A key of a request that was cut off", make, (it, { stripe }) => {
  /** What the key answers `after` so long without a word from the provider, and what the first request was told. */
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

  it.effect("says the same of a ramp, in the words of a ramp, and asks nobody to pay yet", () =>
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
