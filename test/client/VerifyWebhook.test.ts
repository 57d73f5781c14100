/** Webhooks that a receiver accepts, and those that it refuses. */
import { expect, it } from "@effect/vitest"
import { Duration, Effect, TestClock } from "effect"
import { vi } from "vitest"
import { verifyWebhookEffect } from "../../src/client/EffectClient.ts"
import { verifyWebhook, type WebhookDelivery, WebhookRefused } from "../../src/client/VerifyWebhook.ts"
import { serviceSignature, standardSignature } from "../../src/domain/Digest.ts"

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`
const secret = secretOf(1)
const former = secretOf(2)

const body = JSON.stringify({
  event_id: "e",
  event_type: "payment.completed",
  org_id: "o",
  created_at: "",
  data: { a: "é" }
})

const START = 1_800_000_000

const headersOf = (secrets: ReadonlyArray<string>, signed = body, timestamp = String(START)) => ({
  "Webhook-Id": "e",
  "Webhook-Timestamp": timestamp,
  "Webhook-Signature": standardSignature(secrets, { id: "e", timestamp, body: signed }),
  "X-Service-Signature": serviceSignature(secrets.at(-1)!, signed)
})

const verdict = (delivery: Partial<WebhookDelivery>, at = START) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at * 1000)
    const whole = { body, secret, headers: headersOf([secret]), ...delivery }
    const result = yield* Effect.either(verifyWebhookEffect(whole))
    return result._tag === "Right" ? result.right.event_id : result.left.message
  })

it.effect("believes what carries both signatures, as bytes and from either kind of headers", () =>
  Effect.gen(function* () {
    expect(yield* verdict({})).toBe("e")
    expect(yield* verdict({ body: new TextEncoder().encode(body) })).toBe("e")
    expect(yield* verdict({ headers: new Headers(headersOf([secret])) })).toBe("e")
    expect(yield* verdict({ secret: [former, secret] })).toBe("e")
  })
)

it.effect("believes either secret while one takes the place of the other", () =>
  Effect.gen(function* () {
    const headers = headersOf([secret, former])
    expect(yield* verdict({ headers })).toBe("e")
    expect(yield* verdict({ headers, secret: former })).toBe("e")
    expect(yield* verdict({ headers, secret: secretOf(3) })).toContain("webhook-signature")
  })
)

it.effect("refuses another body, another secret and a signature that is missing or broken", () =>
  Effect.gen(function* () {
    expect(yield* verdict({ body: `${body} ` })).toContain("webhook-signature")
    expect(yield* verdict({ secret: former })).toContain("webhook-signature")
    expect(yield* verdict({ secret: "" })).toContain("webhook-signature")
    expect(yield* verdict({ headers: {} })).toContain("webhook-signature")
    const headers = headersOf([secret])
    expect(yield* verdict({ headers: { ...headers, "Webhook-Id": "f" } })).toContain("webhook-signature")
    expect(yield* verdict({ headers: { ...headers, "X-Service-Signature": "00" } })).toContain("X-Service-Signature")
    expect(yield* verdict({ headers: { ...headers, "X-Service-Signature": "zz" } })).toContain("X-Service-Signature")
  })
)

it.effect("refuses what is sent again later, however well it is signed", () =>
  Effect.gen(function* () {
    const window = Duration.toSeconds("5 minutes")
    expect(yield* verdict({}, START + window)).toBe("e")
    expect(yield* verdict({}, START + window + 1)).toContain("too old")
    expect(yield* verdict({}, START - window - 1)).toContain("future")
    expect(yield* verdict({ tolerance: 600 }, START + window + 1)).toBe("e")
    expect(yield* verdict({ headers: headersOf([secret], body, "soon") })).toContain("no time")
  })
)

it.effect("believes the service's own signature alone where it is asked to", () =>
  Effect.gen(function* () {
    const headers = { "x-service-signature": serviceSignature(secret, body) }
    expect(yield* verdict({ headers, only: "service" })).toBe("e")
    expect(yield* verdict({ headers })).toContain("webhook-signature")
    expect(yield* verdict({ headers, only: "service", body: "{}" })).toContain("X-Service-Signature")
  })
)

it("rejects a promise with what it refuses", async () => {
  await expect(verifyWebhook({ body, secret, headers: {} })).rejects.toBeInstanceOf(WebhookRefused)
  const cutOff = { ...headersOf([secret]), "Webhook-Signature": "v1,abcde" }
  await expect(verifyWebhook({ body, secret, headers: cutOff })).rejects.toBeInstanceOf(WebhookRefused)
  const badSecret = verifyWebhook({ body, secret: "whsec_abcde", headers: headersOf([secret]) })
  await expect(badSecret).rejects.toBeInstanceOf(WebhookRefused)
})

it.each(["v1,A", "v1,AAAAA", "v1,AA=", "v1,====", "v1,é"])("refuses what is no base64: %s", async (signature) => {
  const headers = { ...headersOf([secret]), "Webhook-Signature": signature }
  await expect(verifyWebhook({ body, secret, headers })).rejects.toBeInstanceOf(WebhookRefused)
})

it("reads the body once for each secret, however many signatures a stranger sends", async () => {
  const spies = (["sign", "verify"] as const).map((name) => vi.spyOn(crypto.subtle, name))
  const headers = { ...headersOf([secret]), "Webhook-Signature": Array(500).fill("v1,AAAA").join(" ") }
  await expect(verifyWebhook({ body, secret: [secret, former], headers })).rejects.toBeInstanceOf(WebhookRefused)
  expect(spies.flatMap(({ mock }) => mock.calls)).toHaveLength(2)
  for (const spy of spies) spy.mockRestore()
})
