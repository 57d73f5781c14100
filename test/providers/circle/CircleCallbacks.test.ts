import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Logger, TestClock } from "effect"
import { circle } from "../../../src/providers/circle/CircleAdapter.ts"
import { confirmationOf } from "../../fakes/CircleFake.ts"
import { fakeSigner } from "../../fakes/CircleFakeBodies.ts"
import { isCirclesTopic, type SnsMessage } from "../../../src/providers/circle/CircleSignatures.ts"
import { type ProviderCall, NeverSent } from "../../../src/providers/client/ProviderHttp.ts"
import type { CallbackRequest } from "../../../src/providers/port/Callback.ts"
import { callbackRequest } from "../support/CallbackFixtures.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { NOW } from "../support/CryptoOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { joined } from "./CircleTestOrders.ts"

const id = "a84a37b7-309d-4ac3-badc-af7999b078c2"
const topic = "arn:aws:sns:us-west-2:908968368384:sandbox_platform-notifications-topic"
const { certificate, certificatePath, sign } = fakeSigner()
const amazon = "https://sns.us-west-2.amazonaws.com"

const paidIntent = {
  clientId: "eb941173-3261-462d-b5ed-b9cf51720122",
  notificationType: "paymentIntents",
  version: 1,
  paymentIntent: {
    id,
    amountPaid: { amount: "9.00", currency: "USD" },
    timeline: [{ status: "complete", context: "underpaid", time: "2026-03-01T09:59:00Z" }]
  }
}

const requestOf = (message: object): CallbackRequest =>
  callbackRequest(JSON.stringify(message), { "x-amz-sns-message-type": "Notification" })

const unsigned = (message: unknown, about: Partial<SnsMessage> = {}) => ({
  Type: "Notification",
  MessageId: "17ad2b1a-53ae-5e6f-9b1c-7d3a0c3f1d11",
  TopicArn: topic,
  Message: typeof message === "string" ? message : JSON.stringify(message),
  Timestamp: new Date(NOW).toISOString(),
  SignatureVersion: "1",
  SigningCertURL: `${amazon}${certificatePath}`,
  ...about
})

const notification = (message: unknown, about: Partial<SnsMessage> = {}) => sign(unsigned(message, about))

/** Amazon, as far as it is needed. `baseUrl` is Circle's own. */
const atAmazon = (certificateOr: (call: ProviderCall) => string | undefined = () => certificate, own?: string) => {
  const { calls, http } = scripted((call) => {
    const text = certificateOr(call)
    return text === undefined ? new NeverSent({ reason: "out of reach" }) : replyOf(200, text)
  })
  const credentials = { api_key: "k", ...(own === undefined ? {} : { sns_topic_arn: own }) }
  return { calls, provider: connected(circle, http, credentials) }
}

const atNow = TestClock.setTime(NOW)
const quiet = Effect.provide(Layer.mergeAll(Logger.remove(Logger.defaultLogger)))

describe("a callback of Circle", () => {
  const hint = { _tag: "Hint", attempt: { reference: null, providerPaymentId: id } }

  it.effect.each(["1", "2"])(
    "that is signed is a hint: all of Circle's customers share its topic (version %s)",
    (version) =>
      Effect.gen(function* () {
        yield* atNow
        const { calls, provider } = atAmazon()
        const { events } = yield* provider.callback(requestOf(notification(paidIntent, { SignatureVersion: version })))
        expect(events).toMatchObject([hint])
        expect(calls).toEqual([
          { operation: "read signing certificate", method: "GET", origin: amazon, path: certificatePath }
        ])
        // The same from the other region, with another id of its own.
        const other = notification(paidIntent, {
          MessageId: "other",
          TopicArn: topic.replace("us-west-2", "us-east-1"),
          Subject: "A subject is signed too"
        })
        const again = yield* provider.callback(requestOf(other))
        expect(again.events).toMatchObject([hint])
        expect(calls).toHaveLength(1)
      })
  )

  const good = notification(paidIntent)
  const another = JSON.stringify({ ...paidIntent, version: 2 })
  const refused: ReadonlyArray<readonly [string, object]> = [
    ["another message", { ...good, Message: another }],
    ["another signature", { ...good, Signature: Buffer.alloc(256).toString("base64") }],
    ["a subject that was not signed", { ...good, Subject: "Hello" }],
    ["another time", { ...good, Timestamp: new Date(NOW + 1000).toISOString() }],
    ["a version that there is not", { ...good, SignatureVersion: "3" }],
    [
      "a topic of somebody else's",
      notification(paidIntent, { TopicArn: topic.replace("908968368384", "123456789012") })
    ],
    ["the topic of the other environment", notification(paidIntent, { TopicArn: topic.replace("sandbox_", "prod_") })],
    [
      "a certificate from elsewhere",
      notification(paidIntent, { SigningCertURL: `https://evil.example${certificatePath}` })
    ],
    [
      "a certificate from nearly Amazon",
      notification(paidIntent, { SigningCertURL: `https://sns.us-west-2.amazonaws.com.evil.example${certificatePath}` })
    ],
    [
      "a certificate from Amazon's customers",
      notification(paidIntent, { SigningCertURL: `https://bucket.s3.us-west-2.amazonaws.com${certificatePath}` })
    ],
    [
      "a certificate in the clear",
      notification(paidIntent, { SigningCertURL: `http://sns.us-west-2.amazonaws.com${certificatePath}` })
    ],
    ["a certificate of another port", notification(paidIntent, { SigningCertURL: `${amazon}:8443${certificatePath}` })],
    [
      "a certificate of another user",
      notification(paidIntent, { SigningCertURL: `https://a@sns.us-west-2.amazonaws.com${certificatePath}` })
    ],
    [
      "a certificate that is no certificate's name",
      notification(paidIntent, { SigningCertURL: `${amazon}/?Action=x` })
    ],
    ["an age of two hours", notification(paidIntent, { Timestamp: new Date(NOW - 7_200_000).toISOString() })],
    ["a time to come", notification(paidIntent, { Timestamp: new Date(NOW + 3_600_000).toISOString() })],
    ["no time", notification(paidIntent, { Timestamp: "now" })],
    ["no envelope", paidIntent]
  ]
  it.effect.each(refused)("with %s proves nothing and is refused", ([, message]) =>
    Effect.gen(function* () {
      yield* atNow
      const { provider } = atAmazon()
      expect(yield* Effect.flip(provider.callback(requestOf(message)))).toMatchObject({ _tag: "NoProof" })
    })
  )

  it.effect("with a certificate that is over, or none, proves nothing", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2051-01-01T00:00:00Z"))
      const late = notification(paidIntent, { Timestamp: "2051-01-01T00:00:00Z" })
      expect(yield* Effect.flip(atAmazon().provider.callback(requestOf(late)))).toMatchObject({ _tag: "NoProof" })
      yield* atNow
      const { provider } = atAmazon(() => "hello")
      expect(yield* Effect.flip(provider.callback(requestOf(good)))).toMatchObject({ _tag: "NoProof" })
    })
  )

  it.effect("is a hint while its certificate is out of reach, and no flood makes us ask for it more often", () =>
    Effect.gen(function* () {
      yield* atNow
      const { calls, provider } = atAmazon(() => undefined)
      for (let times = 0; times < 3; times += 1) {
        expect((yield* provider.callback(requestOf(good))).events).toEqual([
          expect.objectContaining({ _tag: "Hint", attempt: { reference: null, providerPaymentId: id } })
        ])
      }
      expect(calls).toHaveLength(1)
      yield* TestClock.adjust("6 seconds")
      yield* provider.callback(requestOf(good))
      expect(calls).toHaveLength(2)
    }).pipe(quiet)
  )

  it("comes from a topic of Circle's, or from the one of the settings", () => {
    expect(isCirclesTopic(topic, "sandbox", undefined)).toBe(true)
    expect(isCirclesTopic(topic.replace("sandbox_", "prod_"), "live", undefined)).toBe(true)
    expect(isCirclesTopic(topic, "live", undefined)).toBe(false)
    expect(isCirclesTopic(`${topic}x`, "sandbox", undefined)).toBe(false)
    expect(isCirclesTopic(topic, "sandbox", "arn:aws:sns:eu-west-1:1:own")).toBe(false)
    expect(isCirclesTopic("arn:aws:sns:eu-west-1:1:own", "sandbox", "arn:aws:sns:eu-west-1:1:own")).toBe(true)
  })

  const transfer = (about: object) => ({
    notificationType: "transfers",
    transfer: { id, status: "complete", ...about }
  })
  const others: ReadonlyArray<readonly [string, unknown, object | undefined]> = [
    ["a transfer", transfer({ source: { type: "wallet" } }), hint],
    ["a transfer that failed", transfer({ status: "failed", errorCode: "insufficient_funds" }), hint],
    ["money that came from a chain", transfer({ source: { type: "blockchain" } }), undefined],
    [
      "one payment of an intent",
      { notificationType: "payments", payment: { id: "p", status: "paid", paymentIntentId: id } },
      hint
    ],
    ["a payment of no intent", { notificationType: "payments", payment: { id: "p", status: "paid" } }, undefined],
    [
      "an intent with an amount that cannot be read",
      { ...paidIntent, paymentIntent: { ...paidIntent.paymentIntent, amountPaid: { amount: "?", currency: "USD" } } },
      hint
    ],
    [
      "an intent in a state of tomorrow",
      { ...paidIntent, paymentIntent: { id, timeline: [{ status: "resting", time: "2026-03-01T09:59:00Z" }] } },
      hint
    ],
    ["wires", { notificationType: "wire", wire: { id } }, undefined],
    ["no JSON", "hello", undefined]
  ]
  it.effect.each(others)("about %s", ([, message, expected]) =>
    Effect.gen(function* () {
      yield* atNow
      const { events } = yield* atAmazon().provider.callback(requestOf(notification(message)))
      expect(events).toHaveLength(expected === undefined ? 0 : 1)
      if (expected !== undefined) expect(events[0]).toMatchObject(expected)
    }).pipe(quiet)
  )
})

describe("a subscription to Circle's callbacks", () => {
  const confirmation = (about: Partial<SnsMessage> = {}) =>
    notification("You have chosen to subscribe.", {
      Type: "SubscriptionConfirmation",
      SubscribeURL: `${amazon}/?Action=ConfirmSubscription&TopicArn=${topic}&Token=t`,
      Token: "t",
      ...about
    })

  it.effect("is confirmed at Amazon", () =>
    Effect.gen(function* () {
      yield* atNow
      const { calls, provider } = atAmazon()
      expect(yield* provider.callback(requestOf(confirmation()))).toEqual({ events: [] })
      expect(calls.at(-1)).toEqual({
        operation: "confirm subscription",
        method: "GET",
        origin: amazon,
        path: `/?Action=ConfirmSubscription&TopicArn=${topic}&Token=t`
      })
    }).pipe(quiet)
  )

  it.effect("is not confirmed elsewhere, nor for a topic of another account, nor without a signature", () =>
    Effect.gen(function* () {
      yield* atNow
      const elsewhere = atAmazon()
      yield* elsewhere.provider.callback(requestOf(confirmation({ SubscribeURL: "https://evil.example/?Token=t" })))
      const own = atAmazon()
      yield* own.provider.callback(requestOf(confirmation({ SubscribeURL: "https://fake.example/?Token=t" })))
      const others = atAmazon()
      yield* Effect.flip(others.provider.callback(requestOf(confirmation({ TopicArn: "arn:aws:sns:us-west-2:1:x" }))))
      const forged = atAmazon()
      yield* Effect.flip(forged.provider.callback(requestOf({ ...confirmation(), Token: "u" })))
      for (const { calls } of [elsewhere, own, others, forged]) {
        expect(calls.filter(({ operation }) => operation === "confirm subscription")).toEqual([])
      }
    }).pipe(quiet)
  )

  it.effect("that cannot be confirmed now is asked for again", () =>
    Effect.gen(function* () {
      yield* atNow
      const { provider } = atAmazon(({ path }) => (path === certificatePath ? certificate : undefined))
      expect(yield* provider.callback(requestOf(confirmation()))).toMatchObject({ events: [], reply: { status: 503 } })
      const nothing = atAmazon(() => undefined)
      expect(yield* nothing.provider.callback(requestOf(confirmation()))).toMatchObject({ reply: { status: 503 } })
    }).pipe(quiet)
  )

  it.scoped("is confirmed at the fake, where the fake stands for Circle", () =>
    Effect.gen(function* () {
      yield* atNow
      const { calls, exchanged, provider, url, world } = yield* joined
      const { body } = confirmationOf(world, "token-1")
      expect(yield* provider.callback({ ...requestOf({}), body: Buffer.from(body) })).toEqual({ events: [] })
      expect(exchanged.at(-1)?.reply).toMatchObject({ status: 200 })
      expect(calls.at(-1)).toMatchObject({ origin: url })
    }).pipe(quiet)
  )

  it.effect("whose end is reported is nothing of ours", () =>
    Effect.gen(function* () {
      yield* atNow
      const { calls, provider } = atAmazon()
      expect(yield* provider.callback(requestOf(confirmation({ Type: "UnsubscribeConfirmation" })))).toEqual({
        events: []
      })
      expect(calls).toHaveLength(1)
    })
  )
})
