/** Callback addresses that are registered at the provider, whose secret is kept encrypted and used from then on. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Layer, Option, Redacted } from "effect"
import { StoresMemory } from "../../../src/app/Stores.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { AuditLog, AuditStore } from "../../../src/platform/audit/AuditLog.ts"
import { registerCallbacks } from "../../../src/providers/accounts/ProviderSetup.ts"
import { SecretStore, Secrets } from "../../../src/platform/secrets/Secrets.ts"
import { PlatformAccounts } from "../../../src/providers/accounts/PlatformAccounts.ts"
import { ProviderAccounts, registeredSecret } from "../../../src/providers/accounts/ProviderAccounts.ts"
import { thirdParties } from "../../../src/providers/accounts/ThirdParties.ts"
import { paypal } from "../../../src/providers/paypal/PaypalAdapter.ts"
import { webhookEvents as paypalEvents } from "../../../src/providers/paypal/PaypalWebhooks.ts"
import { signatureOf } from "../../../src/providers/stripe/StripeCallbacks.ts"
import { stripe } from "../../../src/providers/stripe/StripeAdapter.ts"
import { webhookEvents } from "../../../src/providers/stripe/StripeManagement.ts"
import { allFakes } from "../../fakes/AllFakes.ts"
import { startFake } from "../../fakes/FakeServer.ts"
import { paypalFake } from "../../fakes/PaypalFake.ts"
import { stripeFake } from "../../fakes/StripeFake.ts"
import { testSettings, TestVault, type Variables } from "../../support/TestSettings.ts"
import { againstFake } from "../support/AgainstFake.ts"
import { callbackRequest } from "../support/CallbackFixtures.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { connected } from "../support/ConnectedAdapter.ts"

const { webhook_secret: _secret, ...withoutSecret } = stripeFake.credentials
const { webhook_id: webhookId, ...withoutId } = paypalFake.credentials

const shownIn = ({ credentials }: { readonly credentials: Readonly<Record<string, Redacted.Redacted>> }) =>
  Object.fromEntries(Object.entries(credentials).map(([name, value]) => [name, Redacted.value(value)]))

describe("a webhook of Stripe", () => {
  it.scopedLive("is made once, with the events that are read here, and its secret is shown once", () =>
    Effect.gen(function* () {
      const fake = yield* againstFake(stripe, stripeFake, { credentials: () => withoutSecret })
      const first = Either.getOrThrow(yield* fake.provider.register!("none"))
      expect(shownIn(first)).toEqual({ webhook_secret: stripeFake.credentials["webhook_secret"] })
      const made = new URLSearchParams(fake.calls.find(({ operation }) => operation === "create webhook")!.body)
      expect(made.get("url")).toBe(`${fake.mailbox.url}/callbacks/stripe`)
      expect(made.get("api_version")).toBe("2023-08-16")
      expect([...made].flatMap(([name, value]) => (name.startsWith("enabled_events") ? [value] : []))).toEqual(
        webhookEvents
      )
      const again = Either.getOrThrow(yield* fake.provider.register!("stored"))
      expect([again.credentials, again.message]).toEqual([
        {},
        expect.stringMatching(/^Registered before, as we_\w+\.$/)
      ])
      expect(fake.calls.filter(({ operation }) => operation === "create webhook")).toHaveLength(1)
      expect(yield* fake.provider.register!("none"), "its secret is lost").toMatchObject({ _tag: "Left" })
    })
  )

  it.scopedLive("gets the events that it lacks", () =>
    Effect.gen(function* () {
      const fake = yield* againstFake(stripe, stripeFake, {})
      const form = new URLSearchParams({
        url: `${fake.mailbox.url}/callbacks/stripe`,
        "enabled_events[0]": "payout.paid",
        "enabled_events[1]": webhookEvents[0]!
      })
      const headers = { authorization: `Bearer ${stripeFake.credentials["secret_key"]}` }
      yield* fake.http.call({ operation: "", method: "POST", path: "/v1/webhook_endpoints", headers, body: `${form}` })
      const { message } = Either.getOrThrow(yield* fake.provider.register!("setting"))
      expect(message).toContain(`Added ${webhookEvents.slice(1).join(", ")}.`)
      const { message: again } = Either.getOrThrow(yield* fake.provider.register!("setting"))
      expect(again).not.toContain("Added")
    })
  )

  it.scopedLive("is not made beside a secret that would not be its own", () =>
    Effect.gen(function* () {
      const fake = yield* againstFake(stripe, stripeFake, {})
      const said = yield* fake.provider.register!("setting")
      expect(said).toEqual(Either.left(expect.stringContaining("STRIPE_WEBHOOK_SECRET is set")))
      expect(fake.calls.map(({ operation }) => operation)).toEqual(["list webhooks"])
    })
  )

  it.effect("is not made without the right to", () =>
    Effect.gen(function* () {
      const { http } = scripted(() => replyOf(403, {}))
      const said = yield* connected(stripe, http, withoutSecret).register!("none")
      expect(said).toEqual(Either.left(expect.stringContaining("write access to Webhook Endpoints")))
    })
  )
})

describe("a webhook of PayPal", () => {
  it.scopedLive("is made once, and its id can always be read again", () =>
    Effect.gen(function* () {
      const fake = yield* againstFake(paypal, paypalFake, { credentials: () => withoutId })
      for (const known of ["none", "none", "stored"] as const) {
        expect(shownIn(Either.getOrThrow(yield* fake.provider.register!(known)))).toEqual({ webhook_id: webhookId })
      }
      const made = fake.calls.filter(({ operation }) => operation === "create webhook")
      expect(made.map(({ body }) => JSON.parse(body!) as unknown)).toEqual([
        { url: `${fake.mailbox.url}/callbacks/paypal`, event_types: paypalEvents.map((name) => ({ name })) }
      ])
    })
  )

  it.scopedLive("is not another one than the setting names", () =>
    Effect.gen(function* () {
      const fake = yield* againstFake(paypal, paypalFake, {})
      expect(yield* fake.provider.register!("setting")).toMatchObject({ _tag: "Left" })
      yield* fake.connectedWith({}).register!("none")
      const said = Either.getOrThrow(yield* fake.provider.register!("setting"))
      expect(said).toEqual({ message: `Registered before, as ${webhookId}.`, changed: false, credentials: {} })
    })
  )
})

const services = (variables: Variables) =>
  ProviderAccounts.layer.pipe(
    Layer.provide(PlatformAccounts.layer),
    Layer.provideMerge(Layer.merge(Secrets.layer, AuditLog.layer)),
    Layer.provide(TestVault),
    Layer.provide(Ids.layer),
    Layer.provide(testSettings(variables))
  )

describe("the platform's callback address", () => {
  it.scopedLive("is registered, and callbacks by its secret are believed after the next start", () =>
    Effect.gen(function* () {
      const fake = yield* startFake(stripeFake, { callbackUrl: "http://127.0.0.1:9/" })
      const variables = { STRIPE_BASE_URL: fake.url, STRIPE_SECRET_KEY: fake.credentials["secret_key"]! }
      const secret = fake.credentials["webhook_secret"]!
      const started = <A, E, R>(use: Effect.Effect<A, E, R | ProviderAccounts>, about: Variables = {}) =>
        use.pipe(Effect.provide(services({ ...variables, ...about })), Effect.scoped)
      const body = JSON.stringify({ id: "evt_1", type: "ping", data: { object: {} } })
      const time = `${Math.trunc(Date.now() / 1000)}`
      const request = callbackRequest(body, { "stripe-signature": `t=${time},v1=${signatureOf(secret, time, body)}` })
      const called = Effect.gen(function* () {
        const { platform } = yield* ProviderAccounts
        return yield* Effect.either((yield* platform("stripe"))!.callback(request))
      })
      const permit = operatorPermit("platform", "tester", Option.none())
      const registering = (dryRun: boolean) => registerCallbacks(permit, "stripe", dryRun)
      const registered = registering(false)

      expect(yield* started(called)).toMatchObject({ _tag: "Left", left: { _tag: "NoProof" } })
      expect(yield* started(registering(true))).toEqual(
        Option.some(Either.right(expect.stringContaining("would be registered")))
      )
      expect(yield* started(called), "a dry run changes nothing").toMatchObject({ _tag: "Left" })
      expect(yield* started(registered)).toEqual(Option.some(Either.right(expect.stringContaining("Restart"))))
      expect(yield* started(called)).toEqual(Either.right({ events: [] }))
      expect(yield* started(registered)).toEqual(Option.some(Either.right(expect.stringContaining("before"))))
      // The setting counts before what is stored.
      const others = { STRIPE_WEBHOOK_SECRET: "whsec_of_another" }
      expect(yield* started(called, others)).toMatchObject({ _tag: "Left" })

      const kept = Option.getOrThrow(yield* Effect.flatMap(SecretStore, ({ find }) => find(registeredSecret("stripe"))))
      expect(kept).not.toContain(secret)
      const entries = yield* Effect.flatMap(AuditStore, ({ list }) =>
        list(Option.none(), {}, { after: Option.none(), take: 10 })
      )
      expect(entries).toMatchObject([
        {
          action: "provider.callbacks_registered",
          actor_name: "tester",
          subject_type: "provider",
          subject_id: "stripe",
          detail: { stored: ["webhook_secret"], callback_url: expect.stringMatching(/\/callbacks\/stripe$/) }
        }
      ])
      expect(JSON.stringify(entries)).not.toContain(secret)
    }).pipe(Effect.provide(StoresMemory.pipe(Layer.provide(testSettings()))))
  )
})

describe("what each third party needs", () => {
  it.each(thirdParties.map((party) => [party.name, party] as const))("is said of %s", (_, { fields, setup }) => {
    expect(setup.keys.length).toBeGreaterThan(0)
    for (const words of [...setup.keys, setup.callbacks?.at ?? "at"]) expect(words).toMatch(/\w/)
    const { alsoSecret, secret } = setup.callbacks ?? {}
    for (const field of [secret, alsoSecret?.field, alsoSecret?.neededWith]) {
      if (field !== undefined) expect(fields).toHaveProperty(field)
    }
  })

  it.each(allFakes.map(({ fake }) => [fake.name, fake] as const))("is registered at %s if it says so", (name, fake) => {
    const party = thirdParties.find((one) => one.name === name)!
    const { http } = scripted(() => replyOf(500))
    const sandbox = name === "mtn_momo" ? { target_environment: "sandbox" } : {}
    const credentials = Object.entries({ ...fake.credentials, ...sandbox }).map(([field, value]) => [
      field,
      Redacted.make(value)
    ])
    const { register } = party.connect({
      configId: null,
      mode: "sandbox",
      credentials: Object.fromEntries(credentials) as Record<string, Redacted.Redacted>,
      baseUrl: party.baseUrls.sandbox,
      callbackUrl: "https://pay.example.com/callbacks",
      rawCards: false,
      http
    })
    expect(register !== undefined).toBe(party.setup.registers !== undefined)
  })
})
