/** Registration of the callback address by the APIs of Adyen, Circle and Coinbase, and the API user of MTN's sandbox. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Redacted } from "effect"
import { adyen } from "../../../src/providers/adyen/AdyenAdapter.ts"
import { webhookEvents as adyenEvents } from "../../../src/providers/adyen/AdyenManagement.ts"
import { circle } from "../../../src/providers/circle/CircleAdapter.ts"
import { coinbase } from "../../../src/providers/coinbase/CoinbaseAdapter.ts"
import { webhookEvents as coinbaseEvents } from "../../../src/providers/coinbase/CoinbaseWebhooks.ts"
import { mtnMomo } from "../../../src/providers/mtnMomo/MtnMomoAdapter.ts"
import type { ProviderCall } from "../../../src/providers/client/ProviderHttp.ts"
import type { RegisteredCallbacks } from "../../../src/providers/port/Provider.ts"
import { adyenFake } from "../../fakes/AdyenFake.ts"
import { circleFake } from "../../fakes/CircleFake.ts"
import { coinbaseFake } from "../../fakes/CoinbaseFake.ts"
import { mtnMomoFake } from "../../fakes/MtnMomoFake.ts"
import { againstFake } from "../support/AgainstFake.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { keptBy, publishedContract, unpublished } from "../support/PublishedContract.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"

const shownIn = ({ credentials }: RegisteredCallbacks) =>
  Object.fromEntries(Object.entries(credentials).map(([name, value]) => [name, Redacted.value(value)]))

const without =
  (...names: ReadonlyArray<string>) =>
  (taken: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(taken).filter(([name]) => !names.includes(name)))

const writes = (calls: ReadonlyArray<ProviderCall>) =>
  calls.flatMap(({ method, operation }) => (method === "GET" ? [] : [operation]))

const bodiesOf = (calls: ReadonlyArray<ProviderCall>, wanted: string) =>
  calls.flatMap(({ body = "", operation }) => (operation === wanted ? [JSON.parse(body) as unknown] : []))

describe("a webhook of Adyen", () => {
  const secret = adyenFake.credentials["webhook_secret"]

  it.scopedLive("is made once for the merchant account, with its events and a key", () =>
    Effect.gen(function* () {
      const fake = yield* againstFake(adyen, adyenFake, { credentials: without("webhook_secret") })
      const planned = Either.getOrThrow(yield* fake.provider.register!("none", true))
      expect([planned.changed, planned.message, writes(fake.calls)]).toEqual([
        false,
        expect.stringContaining("would be registered"),
        []
      ])
      const first = Either.getOrThrow(yield* fake.provider.register!("none"))
      expect([first.changed, shownIn(first)]).toEqual([true, { webhook_secret: secret }])
      expect(bodiesOf(fake.calls, "create webhook")).toEqual([
        {
          url: `${fake.mailbox.url}/callbacks/adyen`,
          type: "standard",
          active: true,
          communicationFormat: "json",
          description: "Corridor",
          encryptionProtocol: "HTTP",
          additionalSettings: { includeEventCodes: adyenEvents }
        }
      ])
      const again = Either.getOrThrow(yield* fake.provider.register!("stored"))
      expect(again).toEqual({
        message: expect.stringMatching(/^Registered before, as S2-1\.$/),
        changed: false,
        credentials: {}
      })
      expect(writes(fake.calls)).toEqual(["create webhook", "make webhook key"])
      const lost = Either.getOrThrow(yield* fake.provider.register!("none"))
      expect(shownIn(lost), "a lost key is made anew").toEqual({ webhook_secret: secret })
      expect(writes(fake.calls).slice(2)).toEqual(["make webhook key"])
      expect(fake.calls[0]?.headers).toMatchObject({ "x-api-key": adyenFake.credentials["management_api_key"] })
    })
  )

  it.effect("gets the events that it lacks, and is looked for on every page", () =>
    Effect.gen(function* () {
      const ours = {
        id: "S2-9",
        url: "https://pay.example.com/callbacks",
        type: "standard",
        active: true,
        communicationFormat: "json",
        additionalSettings: { includeEventCodes: ["REPORT_AVAILABLE", ...adyenEvents.slice(1)] }
      }
      const others = { ...ours, id: "S2-1", active: false }
      const { calls, http } = scripted(({ method, path }) => {
        if (method !== "GET") return replyOf(200, ours)
        const data = path.includes("pageNumber=2")
          ? [ours]
          : [others, { ...ours, id: "S2-2", type: "report-notification" }]
        return replyOf(200, { itemsTotal: 3, pagesTotal: 2, data })
      })
      const provider = connected(adyen, http, adyenFake.credentials)
      const said = Either.getOrThrow(yield* provider.register!("setting"))
      expect(said).toEqual({
        message: "Registered before, as S2-9. Added AUTHORISATION.",
        changed: true,
        credentials: {}
      })
      expect(bodiesOf(calls, "change webhook")).toEqual([
        { additionalSettings: { includeEventCodes: ["REPORT_AVAILABLE", ...adyenEvents.slice(1), "AUTHORISATION"] } }
      ])
    })
  )

  it.effect.each([401, 403])("is not made without the role (HTTP %s)", (status) =>
    Effect.gen(function* () {
      const { http } = scripted(() => replyOf(status, {}))
      const said = yield* connected(adyen, http, adyenFake.credentials).register!("none")
      expect(said).toEqual(Either.left(expect.stringContaining("Management API - Webhooks read and write")))
    })
  )

  it.effect("leaves a webhook of the company account alone", () =>
    Effect.gen(function* () {
      const { calls, http } = scripted(() => replyOf(200, { itemsTotal: 0, pagesTotal: 0 }))
      const said = yield* connected(adyen, http, adyenFake.credentials).register!("setting")
      expect(said).toEqual(Either.left(expect.stringMatching(/ADYEN_WEBHOOK_SECRET is set.*company account/)))
      expect(writes(calls)).toEqual([])
    })
  )
})

const CIRCLE = "circle.openapi.json"

describe(`a subscription of Circle's${unpublished(CIRCLE)}`, () => {
  it.scopedLive("is made once, and is confirmed by who answers at the address", () =>
    Effect.gen(function* () {
      const fake = yield* againstFake(circle, circleFake)
      const answering = Effect.gen(function* () {
        while (fake.callbacks.length === 0) yield* Effect.sleep("10 millis")
        yield* fake.provider.callback(fake.callbacks[0]!)
      })
      const [first] = yield* Effect.all([fake.provider.register!("none"), answering], { concurrency: 2 })
      expect(Either.getOrThrow(first)).toEqual({
        message: expect.stringMatching(/^Registered as [0-9a-f-]{36}\. It is confirmed\.$/),
        changed: true,
        credentials: {}
      })
      expect(Either.getOrThrow(yield* fake.provider.register!("none"))).toMatchObject({
        message: expect.stringMatching(/^Registered before, as \S+ It is confirmed\.$/),
        changed: false
      })
      expect(writes(fake.calls)).toEqual(["create subscription"])
      const about = <A extends { readonly path: string }>(one: A) => one.path.startsWith("/v1/notifications")
      if (unpublished(CIRCLE) === "") {
        keptBy(publishedContract(CIRCLE), {
          calls: fake.calls.filter(about),
          exchanged: fake.exchanged.filter(({ call }) => about(call))
        })
      }
    })
  )

  const subscription = (status: string, topic = "sandbox_platform-notifications-topic") => ({
    id: "b8627ae8-732b-4d25-b947-1df8f4007a29",
    endpoint: "https://pay.example.com/callbacks",
    subscriptionDetails: [{ url: `arn:aws:sns:us-east-1:908968368384:${topic}:token`, status }]
  })

  it.effect("that was deleted is made anew, and a limit is reported", () =>
    Effect.gen(function* () {
      const { http } = scripted(({ method }) =>
        method === "GET" ? replyOf(200, { data: [subscription("deleted")] }) : replyOf(429, {})
      )
      const said = yield* connected(circle, http, circleFake.credentials).register!("none")
      expect(said).toEqual(Either.left(expect.stringMatching(/HTTP 429\. Circle keeps 1 subscription in live mode/)))
    })
  )

  it.effect("of another topic is reported, since its callbacks would be refused", () =>
    Effect.gen(function* () {
      const { http } = scripted(() => replyOf(200, { data: [subscription("confirmed", "another-topic")] }))
      const said = Either.getOrThrow(yield* connected(circle, http, circleFake.credentials).register!("none"))
      expect(said.message).toContain(
        "It comes from arn:aws:sns:us-east-1:908968368384:another-topic, which is not accepted: set CIRCLE_SNS_TOPIC_ARN"
      )
    })
  )
})

const COINBASE = "coinbase-cdp.openapi.json"

describe(`a subscription of Coinbase's${unpublished(COINBASE)}`, () => {
  const secret = coinbaseFake.credentials["webhook_secret"]

  it.scopedLive("is made once, and its secret can be read again", () =>
    Effect.gen(function* () {
      const fake = yield* againstFake(coinbase, coinbaseFake, { credentials: without("webhook_secret") })
      for (const known of ["none", "none", "stored"] as const) {
        expect(shownIn(Either.getOrThrow(yield* fake.provider.register!(known)))).toEqual({ webhook_secret: secret })
      }
      expect(writes(fake.calls)).toEqual(["create webhook"])
      expect(bodiesOf(fake.calls, "create webhook")).toEqual([
        {
          description: "Corridor",
          eventTypes: coinbaseEvents,
          isEnabled: true,
          target: { url: `${fake.mailbox.url}/callbacks/coinbase` }
        }
      ])
      // The published document that is cut out here has the creation alone.
      const isCreation = ({ operation }: ProviderCall) => operation === "create webhook"
      if (unpublished(COINBASE) === "") {
        keptBy(publishedContract(COINBASE), {
          calls: fake.calls.filter(isCreation),
          exchanged: fake.exchanged.filter(({ call }) => isCreation(call))
        })
      }
    })
  )

  it.scopedLive("gets the events that it lacks", () =>
    Effect.gen(function* () {
      const fake = yield* againstFake(coinbase, coinbaseFake)
      yield* fake.provider.register!("none")
      const [made] = fake.exchanged.filter(({ call }) => call.operation === "create webhook")
      const { subscriptionId } = made!.reply.json as { readonly subscriptionId: string }
      const some = {
        eventTypes: ["onramp.transaction.created"],
        isEnabled: true,
        target: { url: targetOf(made!.call) }
      }
      const { http } = scripted(({ method }) => {
        const one = { subscriptionId, ...some, secret, createdAt: "2026-01-01T00:00:00Z" }
        return replyOf(200, method === "GET" ? { ...one, subscriptions: [one] } : one)
      })
      const about = { callbackUrl: some.target.url }
      const said = Either.getOrThrow(
        yield* connected(coinbase, http, coinbaseFake.credentials, about).register!("setting")
      )
      expect(said).toMatchObject({
        changed: true,
        message: expect.stringContaining(`Added ${coinbaseEvents.join(", ")}`)
      })
    })
  )
})

const targetOf = ({ body = "" }: ProviderCall): string =>
  (JSON.parse(body) as { readonly target: { readonly url: string } }).target.url

describe("an API user of MTN's sandbox", () => {
  const user = "3c1f7a9e-52d4-4b8a-9e61-7d0c5b2a8f43"
  const inSandbox = { api_user: user, target_environment: "sandbox" }

  it.scopedLive("is made once with its callback host and key, and opens both products", () =>
    Effect.gen(function* () {
      const fake = yield* againstFake(mtnMomo, mtnMomoFake, {
        credentials: (taken) => ({ ...without("api_key")(taken), ...inSandbox })
      })
      expect(yield* fake.provider.test!).toEqual(
        Either.left(expect.stringContaining("corridor providers setup mtn_momo"))
      )
      expect(fake.calls).toEqual([])
      const planned = Either.getOrThrow(yield* fake.provider.register!("none", true))
      expect([planned.message, writes(fake.calls)]).toEqual([expect.stringContaining("would be made"), []])

      const first = Either.getOrThrow(yield* fake.provider.register!("none"))
      expect(first).toMatchObject({ changed: true, message: expect.stringContaining("callback host 127.0.0.1") })
      expect(bodiesOf(fake.calls, "create API user")).toEqual([{ providerCallbackHost: "127.0.0.1" }])
      const keyed = fake.connectedWith({ api_key: shownIn(first)["api_key"]! })
      expect(Either.isRight(yield* keyed.test!)).toBe(true)
      expect(Either.getOrThrow(yield* keyed.register!("stored"))).toMatchObject({ changed: false, credentials: {} })
      expect(writes(fake.calls).filter((operation) => operation.startsWith("create"))).toEqual([
        "create API user",
        "create API key"
      ])
    })
  )

  it.scopedLive("of another host, or without the key that is set, is not taken", () =>
    Effect.gen(function* () {
      const fake = yield* againstFake(mtnMomo, mtnMomoFake, { credentials: (taken) => ({ ...taken, ...inSandbox }) })
      expect(yield* fake.provider.register!("setting")).toEqual(Either.left(expect.stringContaining("has no API user")))
      const elsewhere = fake.connectedWith(
        { api_user: mtnMomoFake.credentials["api_user"]! },
        { callbackUrl: "https://pay.example.com/callbacks/mtn_momo" }
      )
      expect(yield* elsewhere.register!("setting")).toEqual(
        Either.left(expect.stringContaining("and not to pay.example.com"))
      )
      expect(yield* fake.connectedWith({ api_user: "our-user" }).register!("none")).toMatchObject({ _tag: "Left" })
      expect(writes(fake.calls)).toEqual([])
    })
  )

  it.effect("is made by the partner portal for production", () =>
    Effect.sync(() => {
      const { http } = scripted(() => replyOf(500))
      expect(connected(mtnMomo, http, mtnMomoFake.credentials).register).toBeUndefined()
    })
  )
})
