/** Callbacks that prove nothing are limited by address; a provider's own are taken whatever else comes from there. */
import { once } from "node:events"
import { connect } from "node:net"
import { expect } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { unverifiedCallbacksPerMinute } from "../../../src/domain/policies/ServerPolicies.ts"
import { callBack as kybCallBack, CALLBACK, SECRET, started } from "../../people/kyb/KybFixtures.ts"
import { callBack } from "../../payments/support/PaymentCalls.ts"
import { onPaymentServer } from "../../payments/support/PaymentServer.ts"
import { PROOF, scripted } from "../../payments/support/ScriptedProvider.ts"
import { type Answer, send } from "../../support/Send.ts"
import { TestServer } from "../../support/TestServer.ts"

/** Many at once, since the limit gives way a little with every second that passes. */
const expectLimited = <E, R>(ask: Effect.Effect<Answer, E, R>) =>
  Effect.gen(function* () {
    const answers = yield* Effect.replicateEffect(ask, 3 * unverifiedCallbacksPerMinute, { concurrency: 30 })
    const refused = answers.filter(({ status }) => status === 429)
    const unproved = answers.filter(({ status }) => status === 401)
    expect(refused.length + unproved.length).toBe(answers.length)
    expect(unproved.length).toBeGreaterThanOrEqual(unverifiedCallbacksPerMinute)
    expect(refused.length).toBeGreaterThan(0)
    const [answer] = refused
    expect(JSON.parse(answer!.text)).toEqual({ status: "error", message: expect.stringContaining("without proof") })
    expect(Number(answer!.headers["retry-after"])).toBeGreaterThanOrEqual(1)
  })

/** The first line of the answer within a second; the body never ends, so only an answer that does not wait for it comes. */
const unfinishedCallback = (port: number, address: string) =>
  Effect.acquireUseRelease(
    Effect.sync(() => connect(port, "127.0.0.1")),
    (socket) => {
      socket.write(
        `POST /callbacks/stripe HTTP/1.1\r\nhost: a\r\nx-forwarded-for: ${address}\r\ncontent-length: 9999\r\n\r\n{`
      )
      return Effect.promise(() => once(socket, "data")).pipe(
        Effect.map(([line]) => String(line)),
        Effect.timeoutTo({ duration: "1 second", onTimeout: () => "nothing yet", onSuccess: (line) => line })
      )
    },
    (socket) => Effect.sync(() => socket.destroy())
  )

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

  it.effect("are refused before their bodies are read from an address that goes on and on", () =>
    Effect.gen(function* () {
      const headers = { "x-proof": "forged", "x-forwarded-for": "203.0.113.9" }
      const forged = callBack("stripe", words, { headers })
      // The limit gives way a little with every second, so the forger goes on until the end of the test.
      const burst = Effect.replicateEffect(forged, 100, { concurrency: 50, discard: true })
      const forger = yield* Effect.fork(Effect.forever(burst))
      const { port } = yield* TestServer
      const refused = yield* unfinishedCallback(port, "203.0.113.9").pipe(
        Effect.repeat({ until: (line) => line.startsWith("HTTP/1.1 429 ") }),
        Effect.timeout("60 seconds")
      )
      yield* Fiber.interrupt(forger)
      expect(refused).toMatch(/^HTTP\/1\.1 429 /)
      const proved = yield* callBack("stripe", words, {
        headers: { ...PROOF, "x-forwarded-for": "203.0.113.10" }
      })
      expect(proved.status, "another address").toBeLessThan(300)
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
