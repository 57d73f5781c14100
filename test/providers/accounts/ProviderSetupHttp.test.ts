/** Set-up of providers over HTTP: who sees it, what is set, and the test of the platform's account. */
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { providerNames } from "../../../src/domain/Corridor.ts"
import { startFake } from "../../fakes/FakeServer.ts"
import { stripeFake } from "../../fakes/StripeFake.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { testServer } from "../../support/TestServer.ts"

/** Stripe's fake knows the key; Paystack's address has no server. */
const server = Layer.unwrapScoped(
  Effect.map(startFake(stripeFake, { callbackUrl: "http://127.0.0.1:9/", pace: Duration.millis(5) }), (fake) =>
    testServer("memory", {
      variables: {
        STRIPE_BASE_URL: fake.url,
        STRIPE_SECRET_KEY: String(stripeFake.credentials["secret_key"]),
        PAYSTACK_BASE_URL: "http://127.0.0.1:9",
        PAYSTACK_SECRET_KEY: "sk_test_of_the_platform"
      }
    })
  )
)

const list = (credential: Credential) => send("/v1/payments/providers", { headers: { ...credential } })
const test = (credential: Credential, provider: string) =>
  send(`/v1/payments/providers/${provider}/test`, { method: "POST", headers: { ...credential } })

layer(server, { excludeTestServices: true, timeout: "60 seconds" })("The set-up of providers", (it) => {
  it.effect("names every provider's settings and their state to platform admins, and no value", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const answer = yield* list(admin)
      expect(answer.status, answer.text).toBe(200)
      const { data } = bodyOf(answer) as {
        readonly data: ReadonlyArray<{ readonly provider: string; readonly is_set: boolean }>
      }
      expect(providerNames).toEqual(expect.arrayContaining(data.map(({ provider }) => provider)))
      expect(data.filter(({ is_set }) => is_set).map(({ provider }) => provider)).toEqual(["stripe", "paystack"])
      expect(data.find(({ provider }) => provider === "stripe")).toMatchObject({
        settings: expect.arrayContaining([
          expect.objectContaining({ name: "STRIPE_SECRET_KEY", state: "set" }),
          expect.objectContaining({ name: "STRIPE_WEBHOOK_SECRET", state: expect.not.stringMatching("^set$") })
        ]),
        callback_url: expect.stringMatching(/\/callbacks\/stripe$/)
      })
      expect(answer.text).not.toContain(String(stripeFake.credentials["secret_key"]))
      expect(answer.text).not.toContain("sk_test_of_the_platform")
      for (const credential of [acme.token("member"), acme.token("org-admin"), acme.key]) {
        expect((yield* list(credential)).status).toBe(403)
      }
    })
  )

  it.effect("tests the platform's account for platform admins; a failed test is an answer", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const passed = yield* test(admin, "stripe")
      expect([passed.status, bodyOf(passed)]).toMatchObject([
        200,
        { data: { provider: "stripe", account: "platform", passed: true, mode: "test", name: "Corridor acct_1Fake" } }
      ])
      const failed = yield* test(admin, "paystack")
      expect([failed.status, bodyOf(failed)]).toMatchObject([
        200,
        { data: { provider: "paystack", passed: false, message: expect.stringMatching(/./) } }
      ])
      expect(failed.text).not.toContain("sk_test_of_the_platform")
      for (const credential of [acme.token("member"), acme.token("org-admin"), acme.key]) {
        expect((yield* test(credential, "stripe")).status).toBe(403)
      }
      const unknown = yield* test(admin, "nobody")
      expect([unknown.status, bodyOf(unknown)]).toMatchObject([404, { message: "There is no such provider." }])
      const unset = yield* test(admin, "adyen")
      expect([unset.status, bodyOf(unset)]).toMatchObject([409, { message: expect.stringContaining("not set") }])
    })
  )
})
