/** Verifies that a delivery comes from the service and is not a replay. */
import { Clock, Data, Duration, Effect } from "effect"
import type { Event } from "../contract/api/WebhookLogApi.ts"
import { webhookReplayWindow } from "../domain/policies/ClientPolicies.ts"
import type { Wire } from "./WireTypes.ts"

export class WebhookRefused extends Data.TaggedError("WebhookRefused")<{ readonly message: string }> {}

export type WebhookEvent = Wire<typeof Event.Type>

type HeaderValue = string | ReadonlyArray<string> | undefined

export interface WebhookDelivery {
  /** Raw bytes of the body, before JSON.parse. */
  readonly body: string | Uint8Array
  /** As Node or `fetch` provide them. */
  readonly headers: Readonly<Record<string, HeaderValue>> | { readonly get: (name: string) => string | null }
  /** The endpoint's `secret_key`; both during a rotation. */
  readonly secret: string | ReadonlyArray<string>
  /** Maximum distance from the current time, 5 minutes by default. */
  readonly window?: Duration.DurationInput
  /**
   * `service` checks `X-Service-Signature` alone, for proxies that drop the Standard Webhooks headers. That signature
   * has no time: detect replays by `event_id`.
   */
  readonly only?: "service"
}

const headerOf = ({ headers }: WebhookDelivery, name: string): string => {
  const get = (headers as { readonly get?: unknown }).get
  if (typeof get === "function") return (headers as Headers).get(name) ?? ""
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  return typeof value === "string" ? value : (value?.[0] ?? "")
}

const encoder = new TextEncoder()

const PREFIX = "whsec_"

const bytesOfBase64 = (text: string): Uint8Array => {
  const shape = /^[A-Za-z0-9+/]+={0,2}$/
  return shape.test(text) ? Uint8Array.from(atob(text), (character) => character.charCodeAt(0)) : new Uint8Array()
}

const bytesOfHex = (text: string): Uint8Array =>
  /^([0-9a-f]{2})+$/i.test(text)
    ? Uint8Array.from(text.match(/../g)!, (byte) => Number.parseInt(byte, 16))
    : new Uint8Array()

/** Compares in constant time. */
const signs = (secret: Uint8Array, signature: Uint8Array, message: Uint8Array) =>
  Effect.promise(async () => {
    if (secret.length === 0 || signature.length === 0) return false
    const algorithm = { name: "HMAC", hash: "SHA-256" }
    const key = await crypto.subtle.importKey("raw", Uint8Array.from(secret), algorithm, false, ["verify"])
    return crypto.subtle.verify("HMAC", key, Uint8Array.from(signature), Uint8Array.from(message))
  })

const anySigns = (secrets: ReadonlyArray<Uint8Array>, signatures: ReadonlyArray<Uint8Array>, message: Uint8Array) =>
  Effect.exists(
    secrets.flatMap((secret) => signatures.map((signature) => [secret, signature] as const)),
    ([secret, signature]) => signs(secret, signature, message)
  )

const joined = (head: string, body: Uint8Array): Uint8Array => {
  const start = encoder.encode(head)
  const whole = new Uint8Array(start.length + body.length)
  whole.set(start)
  whole.set(body, start.length)
  return whole
}

const refuse = (message: string) => new WebhookRefused({ message })

const inTime = Effect.fnUntraced(function* (timestamp: string, window: Duration.DurationInput) {
  if (!/^\d{1,12}$/.test(timestamp)) return yield* refuse("webhook-timestamp is missing or no time.")
  const away = Math.abs((yield* Clock.currentTimeMillis) - Number(timestamp) * 1000)
  if (away > Duration.toMillis(window)) {
    return yield* refuse("The delivery is too old, or from the future: it may be one that somebody sends again.")
  }
})

/** Returns the verified event. All deliveries of an event have the same `event_id`. */
export const verifyWebhookEffect = Effect.fnUntraced(function* (delivery: WebhookDelivery) {
  const { only, secret, window = webhookReplayWindow } = delivery
  const secrets = typeof secret === "string" ? [secret] : secret
  const body = typeof delivery.body === "string" ? encoder.encode(delivery.body) : delivery.body
  const standard = headerOf(delivery, "webhook-signature")
    .split(" ")
    .flatMap((part) => (part.startsWith("v1,") ? [bytesOfBase64(part.slice(3))] : []))
  if (only !== "service") {
    const timestamp = headerOf(delivery, "webhook-timestamp")
    const keys = secrets.map((text) => bytesOfBase64(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text))
    const message = joined(`${headerOf(delivery, "webhook-id")}.${timestamp}.`, body)
    if (!(yield* anySigns(keys, standard, message))) return yield* refuse("webhook-signature does not sign this body.")
    yield* inTime(timestamp, window)
  }
  // During a rotation, which shows in several signatures, this header is still signed with the old secret.
  if (only === "service" || standard.length === 1) {
    const signature = bytesOfHex(headerOf(delivery, "x-service-signature"))
    const keys = secrets.map((text) => encoder.encode(text))
    if (!(yield* anySigns(keys, [signature], body))) {
      return yield* refuse("X-Service-Signature does not sign this body.")
    }
  }
  return yield* Effect.try({
    try: () => JSON.parse(new TextDecoder().decode(body)) as WebhookEvent,
    catch: () => refuse("The body is no JSON.")
  })
})

/** Rejects with a `WebhookRefused`. */
export const verifyWebhook = async (delivery: WebhookDelivery): Promise<WebhookEvent> => {
  const verified = await Effect.runPromise(Effect.either(verifyWebhookEffect(delivery)))
  if (verified._tag === "Left") throw verified.left
  return verified.right
}
