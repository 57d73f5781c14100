/** Callbacks that prove nothing are limited by address; a provider's own are taken whatever else comes from there. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { failedProofsPerMinute } from "../../../src/domain/policies/Server.ts"
import { callBack as kybCallBack, CALLBACK, SECRET, started } from "../../people/kyb/Callbacks.ts"
import { callBack } from "../../payments/support/Calls.ts"
import { onPaymentServer } from "../../payments/support/PaymentServer.ts"
import { scripted } from "../../payments/support/ScriptedProvider.ts"
import { type Answer, send } from "../../support/Send.ts"

/** Many at once, since the limit gives way a little with every second that passes. */
const expectLimited = <E, R>(ask: Effect.Effect<Answer, E, R>) =>
  Effect.gen(function* () {
    const answers = yield* Effect.replicateEffect(ask, 3 * failedProofsPerMinute, { concurrency: 30 })
    const refused = answers.filter(({ status }) => status === 429)
    const unproved = answers.filter(({ status }) => status === 401)
    expect(refused.length + unproved.length).toBe(answers.length)
    expect(unproved.length).toBeGreaterThanOrEqual(failedProofsPerMinute)
    expect(refused.length).toBeGreaterThan(0)
    const [answer] = refused
    expect(JSON.parse(answer!.text)).toEqual({ status: "error", message: expect.stringContaining("without proof") })
    expect(Number(answer!.headers["retry-after"])).toBeGreaterThanOrEqual(1)
  })

const variables = { KYB_WEBHOOK_SECRET: SECRET, TRUST_PROXY: "true", RATE_LIMIT_PER_MINUTE: "6000" }

onPaymentServer("Forged callbacks", "memory", { providers: [scripted("stripe")], variables }, (it) => {
  const words = { key: "forged", reference: null, state: "completed" }

  it.effect("of a provider are 429 from an address that sent too many; those with a proof never are", () =>
    Effect.gen(function* () {
      yield* expectLimited(callBack("stripe", words, { headers: { "x-proof": "forged" } }))
      expect((yield* callBack("stripe", words)).status, "the provider's own").toBe(202)
      const elsewhere = { "x-proof": "forged", "x-forwarded-for": "203.0.113.7" }
      expect((yield* callBack("stripe", words, { headers: elsewhere })).status, "another address").toBe(401)
    })
  )

  it.effect("of the KYB provider are too", () =>
    Effect.gen(function* () {
      const { kyb_customer_id: customer_id } = yield* started
      yield* expectLimited(send(CALLBACK, { method: "POST", headers: { "x-kyb-signature": "forged" }, body: "{}" }))
      expect((yield* kybCallBack({ customer_id, status: "approved" })).status).toBe(200)
    })
  )
})
