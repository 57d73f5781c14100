import { createHmac } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { coinbase } from "../../../src/providers/coinbase/CoinbaseAdapter.ts"
import { coinbaseFake } from "../../fakes/CoinbaseFake.ts"
import type { CallbackRequest } from "../../../src/providers/port/Callback.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { NOW } from "../support/CryptoOrders.ts"
import { amount } from "../support/TestOrders.ts"

const secret = "whsec_abc"
const transferId = "transfer_af2937b0-9846-4fe7-bfe9-ccc22d935114"
const destinationId = "depositDestination_cf4958d2-b068-6bf9-da01-eee44f157336"
const reference = "0f8fad5b-d9cb-469f-a165-70867728950e"

const atCoinbase = (webhook_secret?: string) => {
  const { webhook_secret: _own, ...others } = coinbaseFake.credentials
  const credentials = { ...others, ...(webhook_secret === undefined ? {} : { webhook_secret }) }
  return connected(coinbase, { call: () => Effect.never }, credentials as Record<string, string>)
}

const event = (status: string, about: object = {}) => ({
  eventID: "a1b2c3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d",
  eventType: `payments.transfers.${status}`,
  timestamp: "2026-03-01T10:00:00Z",
  data: {
    transferId,
    status,
    source: { accountId: "account_af2937b0-9846-4fe7-bfe9-ccc22d935114", asset: "usdc" },
    sourceAmount: "103.50",
    sourceAsset: "usdc",
    target: { address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", network: "base", asset: "usdc" },
    targetAmount: "100.00",
    targetAsset: "usdc",
    metadata: { reference },
    ...about
  }
})

interface Signing {
  readonly t?: number
  readonly h?: string
  readonly key?: string
  readonly versions?: ReadonlyArray<"v0" | "v1">
}

const headers = { "content-type": "application/json", "x-event-id": "e1", "x-event-type": "t1" }

/** Signed after the guide's own words, apart from what the adapter and the fake do. */
const signed = (about: unknown, how: Signing = {}): CallbackRequest => {
  const { h = "content-type x-event-id x-event-type", key = secret, t = NOW / 1000, versions = ["v0", "v1"] } = how
  const body = typeof about === "string" ? about : JSON.stringify(about)
  const hmac = (text: string) => createHmac("sha256", key).update(text).digest("hex")
  const values = h.split(" ").map((name) => (headers as Record<string, string>)[name] ?? "")
  const made = { v0: hmac(`${t}.${body}`), v1: hmac(`${t}.${h}.${values.join(".")}.${body}`) }
  const parts = [`t=${t}`, `h=${h}`, ...versions.map((version) => `${version}=${made[version]}`)]
  return {
    method: "POST",
    path: "/v1/callbacks/coinbase",
    query: {},
    authority: "corridor.example",
    headers: { ...headers, "x-hook0-signature": parts.join(",") },
    body: Buffer.from(body)
  }
}

const atNow = TestClock.setTime(NOW)

describe("a callback of Coinbase", () => {
  it.effect.each([["v0", "v1"], ["v1"], ["v0"]] as const)("that is signed is a report (%s)", (versions) =>
    Effect.gen(function* () {
      yield* atNow
      const { events } = yield* atCoinbase(secret).callback(signed(event("completed"), { versions }))
      expect(events).toHaveLength(1)
      expect(events[0]).toMatchObject({
        _tag: "VerifiedReport",
        key: "a1b2c3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d",
        attempt: { reference, providerPaymentId: transferId },
        report: { state: "completed", movements: [{ amount: amount("100", "USDC") }], fee: amount("3.5", "USDC") }
      })
    })
  )

  const good = signed(event("completed"))
  const refused: ReadonlyArray<readonly [string, CallbackRequest, RegExp]> = [
    ["another body", { ...good, body: Buffer.from(JSON.stringify(event("failed"))) }, /does not fit/],
    ["another header", { ...good, headers: { ...good.headers, "x-event-type": "t2" } }, /does not fit/],
    ["another secret", signed(event("completed"), { key: "other" }), /does not fit/],
    ["a secret of nothing", signed(event("completed"), { key: "" }), /does not fit/],
    [
      "another time",
      {
        ...good,
        headers: {
          ...good.headers,
          "x-hook0-signature": good.headers["x-hook0-signature"]!.replace(/^t=\d+/, `t=${NOW / 1000 + 1}`)
        }
      },
      /does not fit/
    ],
    ["an age of six minutes", signed(event("completed"), { t: NOW / 1000 - 360 }), /five minutes/],
    ["a time to come", signed(event("completed"), { t: NOW / 1000 + 360 }), /five minutes/],
    ["no signature", { ...good, headers }, /missing/],
    ["an empty signature", { ...good, headers: { ...headers, "x-hook0-signature": "" } }, /when it was made/],
    ["no version that we know", signed(event("completed"), { versions: [] }), /does not fit/],
    [
      "names of headers that are none",
      signed(event("completed"), { h: "content-type {}", versions: ["v1"] }),
      /does not fit/
    ]
  ]
  it.effect.each(refused)("with %s proves nothing and is refused", ([, request, message]) =>
    Effect.gen(function* () {
      yield* atNow
      const refusal = yield* Effect.flip(atCoinbase(secret).callback(request))
      expect(refusal).toMatchObject({ _tag: "NoProof", message: expect.stringMatching(message) })
    })
  )

  it.effect("cannot be checked without the secret, and the setting is named", () =>
    Effect.gen(function* () {
      yield* atNow
      const refusal = yield* Effect.flip(atCoinbase().callback(good))
      expect(refusal.message).toContain("COINBASE_WEBHOOK_SECRET")
    })
  )

  const deposit = {
    source: { address: "0xabc1234567890abcdef1234567890abcdef123456", network: "base", asset: "usdc" },
    details: { depositDestination: { id: destinationId } }
  }
  const others: ReadonlyArray<readonly [string, unknown, object | undefined]> = [
    ["a transfer under way", event("processing"), { _tag: "VerifiedReport", report: { state: "processing" } }],
    ["a quote", event("quoted"), { _tag: "VerifiedReport", report: { state: "processing" } }],
    [
      "a transfer that failed",
      event("failed", { failureReason: "No." }),
      { _tag: "VerifiedReport", report: { state: "failed", reason: "No." } }
    ],
    [
      "a transfer that expired",
      { ...event("quoted"), eventType: "payments.transfers.expired" },
      { _tag: "VerifiedReport", report: { state: "failed", providerCode: "expired" } }
    ],
    [
      "a transfer without metadata",
      event("completed", { metadata: undefined }),
      { _tag: "VerifiedReport", attempt: { reference: null, providerPaymentId: transferId } }
    ],
    [
      "a status of tomorrow",
      event("resting"),
      { _tag: "VerifiedReport", report: { state: "processing", providerStatus: "resting" } }
    ],
    [
      "money that came to an address",
      event("completed", deposit),
      { _tag: "Hint", attempt: { reference, providerPaymentId: destinationId } }
    ],
    ["money that came otherwise", event("completed", { source: deposit.source }), undefined],
    ["an onramp", { eventID: "e", eventType: "onramp.transaction.success", data: {} }, undefined],
    ["a transfer without an id", event("completed", { transferId: undefined }), undefined],
    ["nothing that we know", { hello: "world" }, undefined],
    ["no JSON", "hello", undefined]
  ]
  it.effect.each(others)("about %s", ([, about, expected]) =>
    Effect.gen(function* () {
      yield* atNow
      const { events } = yield* atCoinbase(secret).callback(signed(about))
      expect(events).toHaveLength(expected === undefined ? 0 : 1)
      if (expected !== undefined) expect(events[0]).toMatchObject(expected)
    })
  )
})
