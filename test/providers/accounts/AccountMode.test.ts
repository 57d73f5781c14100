/** Test mode and live mode are kept apart: in settings, in credentials of configurations, in answers and in callbacks. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Logger, Option, Redacted, Layer } from "effect"
import type { ThirdPartyName } from "../../../src/domain/Corridor.ts"
import type { Mode } from "../../../src/platform/config/Settings.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { Secrets } from "../../../src/platform/secrets/Secrets.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { answersInMode, callbacksInMode } from "../../../src/providers/accounts/AccountMode.ts"
import { encryptCredentials } from "../../../src/providers/accounts/AccountCredentials.ts"
import { PlatformAccounts } from "../../../src/providers/accounts/PlatformAccounts.ts"
import { ProviderAccounts } from "../../../src/providers/accounts/ProviderAccounts.ts"
import { ProviderAccountStore } from "../../../src/providers/accounts/ProviderAccountStore.ts"
import { ProviderSettings } from "../../../src/providers/accounts/ProviderSettings.ts"
import { type AnyThirdParty, thirdPartyNamed } from "../../../src/providers/accounts/ThirdParties.ts"
import { itemSignature } from "../../../src/providers/adyen/AdyenCallbacks.ts"
import { signatureOf } from "../../../src/providers/paystack/PaystackCallbacks.ts"
import { ok, rawServer } from "../client/RawServer.ts"
import { attemptAt } from "../sandbox/SimulatorOrders.ts"
import { newOrder } from "../stripe/StripeTestOrders.ts"
import { callbackRequest } from "../support/CallbackFixtures.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { storesOn } from "../../support/OnBothStores.ts"
import { testSettings, TestVault, type Variables } from "../../support/TestSettings.ts"

const live: Variables = {
  CORRIDOR_MODE: "live",
  CORRIDOR_MASTER_KEY: "ab".repeat(32),
  KYB_WEBHOOK_SECRET: "a secret of the test"
}

const complaintAbout = (variables: Variables) =>
  Effect.map(Effect.either(Effect.provide(ProviderSettings, testSettings(variables))), (loaded) =>
    Either.isLeft(loaded) ? loaded.left.message : "nothing"
  )

/** All that a party needs, of no mode. */
const needed = ({ fields }: AnyThirdParty): Variables =>
  Object.fromEntries(
    Object.values(fields)
      .filter(({ optional }) => optional !== true)
      .map(({ env }) => [env, "of-no-mode"])
  )

const marked: ReadonlyArray<readonly [ThirdPartyName, setting: string, ofTest: string, ofLive: string | null]> = [
  ["stripe", "STRIPE_SECRET_KEY", "sk_test_51H", "sk_live_51H"],
  ["stripe", "STRIPE_SECRET_KEY", "rk_test_51H", "rk_live_51H"],
  ["stripe", "STRIPE_SECRET_KEY_PREVIOUS", "sk_test_51H", "sk_live_51H"],
  [
    "adyen",
    "ADYEN_BASE_URL",
    "https://checkout-test.adyen.com/v71",
    "https://ab12-Acme-checkout-live.adyenpayments.com/v71"
  ],
  [
    "adyen",
    "ADYEN_TRANSFERS_BASE_URL",
    "https://balanceplatform-api-test.adyen.com/btl/v4",
    "https://balanceplatform-api-live.adyen.com/btl/v4"
  ],
  ["paypal", "PAYPAL_BASE_URL", "https://api-m.sandbox.paypal.com", "https://api-m.paypal.com"],
  ["paypal", "PAYPAL_BASE_URL", "https://api.sandbox.paypal.com", "https://api.paypal.com"],
  ["paystack", "PAYSTACK_SECRET_KEY", "sk_test_0123", "sk_live_0123"],
  ["flutterwave", "FLUTTERWAVE_SECRET_KEY", "FLWSECK_TEST-0123-X", "FLWSECK-0123-X"],
  ["mpesa", "MPESA_BASE_URL", "https://sandbox.safaricom.co.ke", "https://api.safaricom.co.ke"],
  ["mtn_momo", "MTN_MOMO_BASE_URL", "https://sandbox.momodeveloper.mtn.com", "https://proxy.momoapi.mtn.com"],
  ["mtn_momo", "MTN_MOMO_TARGET_ENVIRONMENT", "sandbox", null],
  ["pawapay", "PAWAPAY_BASE_URL", "https://api.sandbox.pawapay.io", "https://api.pawapay.io"],
  ["circle", "CIRCLE_BASE_URL", "https://api-sandbox.circle.com", "https://api.circle.com"],
  ["circle", "CIRCLE_API_KEY", "TEST_API_KEY:a:b", "LIVE_API_KEY:a:b"],
  [
    "circle",
    "CIRCLE_SNS_TOPIC_ARN",
    "arn:aws:sns:us-west-2:1:sandbox_platform-notifications-topic",
    "arn:aws:sns:us-west-2:1:prod_platform-notifications-topic"
  ]
]

describe("the settings", () => {
  for (const [name, setting, ofTest, ofLive] of marked) {
    it.effect(`${setting} ${ofTest} is for a sandbox, and ${ofLive} for live mode`, () =>
      Effect.gen(function* () {
        const party = thirdPartyNamed(name)!
        const inLive = yield* complaintAbout({ ...live, ...needed(party), [setting]: ofTest })
        expect(inLive).toContain(`${setting} is not valid: is of ${party.title}'s test mode, and CORRIDOR_MODE is live`)
        expect(inLive).not.toContain(ofTest)
        expect(yield* complaintAbout({ ...needed(party), [setting]: ofTest })).toBe("nothing")
        if (ofLive === null) return
        expect(yield* complaintAbout({ ...live, ...needed(party), [setting]: ofLive })).toBe("nothing")
        expect(yield* complaintAbout({ ...needed(party), [setting]: ofLive })).toContain(
          `${setting} is not valid: is of ${party.title}'s live mode, and CORRIDOR_MODE is sandbox`
        )
      })
    )
  }

  it.effect("take an address of no vendor in either mode", () =>
    Effect.gen(function* () {
      const elsewhere = { ...needed(thirdPartyNamed("paypal")!), PAYPAL_BASE_URL: "https://127.0.0.1:8443/fake" }
      expect(yield* complaintAbout({ ...live, ...elsewhere })).toBe("nothing")
      expect(yield* complaintAbout(elsewhere)).toBe("nothing")
    })
  )
})

const noted = () => {
  const alerts: Array<unknown> = []
  const layer = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ annotations }) => {
      for (const [name, value] of annotations) if (name === "operator_alert") alerts.push(value)
    })
  )
  return { alerts, layer }
}

const partyAt = (name: ThirdPartyName, mode: Mode, credentials: Readonly<Record<string, string>>, body: unknown) => {
  const party = thirdPartyNamed(name)!
  const { http } = scripted(() => replyOf(200, body))
  return callbacksInMode(
    party,
    mode,
    party.connect({
      configId: null,
      mode,
      baseUrl: party.baseUrls[mode],
      callbackUrl: "https://pay.example.com/callbacks",
      rawCards: false,
      credentials: Object.fromEntries(Object.entries(credentials).map(([key, value]) => [key, Redacted.make(value)])),
      http: answersInMode(party, mode, http)
    })
  )
}

const intent = (livemode: boolean) => ({
  id: "pi_1",
  object: "payment_intent",
  amount: 12300,
  amount_received: 12300,
  currency: "eur",
  latest_charge: "ch_1",
  metadata: {},
  status: "succeeded",
  livemode
})

describe("an answer", () => {
  for (const [mode, said] of [
    ["live", false],
    ["sandbox", true]
  ] as const) {
    it.effect(`of Stripe that says livemode ${said} completes nothing in ${mode} mode, and alerts`, () => {
      const { layer, alerts } = noted()
      return Effect.gen(function* () {
        const credentials = { secret_key: "sk_of_no_mode" }
        const wrong = partyAt("stripe", mode, credentials, intent(said))
        const right = partyAt("stripe", mode, credentials, intent(!said))
        const attempt = attemptAt("a", { providerPaymentId: "pi_1" })
        expect(yield* wrong.initiate(newOrder({}))).toMatchObject({ _tag: "Unknown" })
        expect(yield* wrong.enquire(attempt)).toMatchObject({ _tag: "Unknown" })
        expect(alerts).toEqual(["other_mode", "other_mode"])
        expect(yield* right.enquire(attempt)).toMatchObject({ _tag: "Report", state: "completed" })
        expect(alerts).toHaveLength(2)
      }).pipe(Effect.provide(layer))
    })
  }

  it.effect("of Paystack is judged by its domain, also in a list", () =>
    Effect.gen(function* () {
      const paid = { id: 1, status: "success", reference: "r", amount: 1000, currency: "NGN" }
      const attempt = attemptAt("r", {})
      const verified = (domain: string) =>
        partyAt("paystack", "live", { secret_key: "sk_live_1" }, { status: true, data: { ...paid, domain } })
      expect(yield* verified("test").enquire(attempt)).toMatchObject({ _tag: "Unknown" })
      expect(yield* verified("live").enquire(attempt)).toMatchObject({ _tag: "Report", state: "completed" })
      const listed = (domain: string) =>
        partyAt(
          "paystack",
          "live",
          { secret_key: "sk_live_1" },
          {
            status: true,
            data: [{ id: 7, status: "processed", domain, amount: 1000, currency: "NGN", merchant_note: "r" }]
          }
        )
      const refund = attemptAt("r", { leg: "refund" })
      expect(yield* listed("test").enquire(refund)).toMatchObject({ _tag: "Unknown" })
      expect(yield* listed("live").enquire(refund)).toMatchObject({ _tag: "Report", state: "completed" })
    })
  )
})

const paystackCallback = (key: string, domain: string, about: object = {}) => {
  const data = { ...about, id: 1, domain, status: "success", reference: "r", amount: 1000, currency: "NGN" }
  const body = JSON.stringify({ event: "charge.success", data })
  return callbackRequest(body, { "x-paystack-signature": signatureOf(key, body) })
}

const ADYEN_KEY = "AB".repeat(32)

const adyenCallback = (said: string) => {
  const item = {
    pspReference: "8515131751004933",
    originalReference: null,
    merchantAccountCode: "Acme",
    merchantReference: "r",
    amount: { currency: "EUR", value: "1000" },
    eventCode: "AUTHORISATION",
    success: "true"
  }
  const NotificationRequestItem = {
    ...item,
    amount: { currency: "EUR", value: 1000 },
    additionalData: { hmacSignature: itemSignature(item, ADYEN_KEY) }
  }
  return callbackRequest(JSON.stringify({ live: said, notificationItems: [{ NotificationRequestItem }] }))
}

describe("a callback with its proof", () => {
  it.effect("of the other mode is acknowledged, says nothing and alerts", () => {
    const { layer, alerts } = noted()
    return Effect.gen(function* () {
      const paystack = partyAt("paystack", "live", { secret_key: "sk_live_1" }, {})
      expect((yield* paystack.callback(paystackCallback("sk_live_1", "live"))).events).toHaveLength(1)
      expect(alerts).toEqual([])
      expect((yield* paystack.callback(paystackCallback("sk_live_1", "test"))).events).toEqual([])
      const dedicated = { channel: "dedicated_nuban", customer: { customer_code: "CUS_1" } }
      const arrived = yield* paystack.callback(paystackCallback("sk_live_1", "live", dedicated))
      expect(arrived).toMatchObject({ events: [], transfers: [{ providerReference: "CUS_1" }] })
      const ofTest = yield* paystack.callback(paystackCallback("sk_live_1", "test", dedicated))
      expect(ofTest).toEqual({ events: [], transfers: [] })
      const adyen = partyAt("adyen", "live", { api_key: "k", merchant_account: "Acme", webhook_secret: ADYEN_KEY }, {})
      expect((yield* adyen.callback(adyenCallback("true"))).events).toHaveLength(1)
      const taken = yield* adyen.callback(adyenCallback("false"))
      expect(taken).toMatchObject({ events: [], reply: { status: 200, body: "[accepted]" } })
      expect(alerts).toEqual(["other_mode", "other_mode", "other_mode"])
      expect((yield* Effect.flip(paystack.callback(paystackCallback("sk_other", "test"))))._tag).toBe("NoProof")
      expect(alerts, "without a proof anybody may have sent it").toHaveLength(3)
    }).pipe(Effect.provide(layer))
  })
})

const services = (variables: Variables) =>
  ProviderAccounts.layer.pipe(
    Layer.provide(PlatformAccounts.layer),
    Layer.provide(Secrets.layer),
    Layer.provideMerge(storesOn("memory")),
    Layer.provideMerge(TestVault),
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(testSettings(variables))
  )

describe("accounts", () => {
  const own = (secret_key: string) =>
    Effect.gen(function* () {
      const store = yield* ProviderAccountStore
      const config_id = yield* nextId
      const sealed = yield* encryptCredentials(yield* Vault, config_id, { secret_key: Redacted.make(secret_key) })
      Option.getOrThrow(yield* store.put({ config_id, provider: "paystack", sealed, tested: true }))
      return yield* (yield* ProviderAccounts).ofConfig("paystack", config_id)
    })

  it.scoped("of configurations that hold test keys are off in live mode, and those with live keys in a sandbox", () =>
    Effect.gen(function* () {
      const inLive = services(live)
      expect(yield* Effect.provide(own("sk_test_1"), inLive)).toBeUndefined()
      expect((yield* Effect.provide(own("sk_live_1"), inLive))?.name).toBe("paystack")
      expect(yield* Effect.provide(own("sk_live_1"), services({}))).toBeUndefined()
    })
  )

  it.scopedLive("of the platform do not believe what is of the other mode", () =>
    Effect.gen(function* () {
      const server = yield* rawServer((socket) => socket.write(ok(JSON.stringify(intent(true)))))
      const variables = {
        STRIPE_SECRET_KEY: "sk_test_1",
        STRIPE_BASE_URL: server.url,
        PAYSTACK_SECRET_KEY: "sk_test_1"
      }
      yield* Effect.gen(function* () {
        const { platform } = yield* ProviderAccounts
        const attempt = attemptAt(yield* nextId, { providerPaymentId: "pi_1" })
        expect(yield* (yield* platform("stripe"))!.enquire(attempt)).toMatchObject({ _tag: "Unknown" })
        expect(server.requests).toHaveLength(1)
        const paystack = (yield* platform("paystack"))!
        expect((yield* paystack.callback(paystackCallback("sk_test_1", "live"))).events).toEqual([])
        expect((yield* paystack.callback(paystackCallback("sk_test_1", "test"))).events).toHaveLength(1)
      }).pipe(Effect.provide(services(variables)))
    })
  )
})
