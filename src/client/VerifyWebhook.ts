/** Verifies that a delivery comes from the service and is not a replay. */
import { webhookToleranceSeconds } from "../domain/policies/ClientPolicies.ts"
import type { WebhookEvent } from "./WireTypes.ts"

/** Rejects a delivery. The tag is for programs on Effect. */
export class WebhookRefused extends Error {
  readonly _tag = "WebhookRefused"
  override readonly name = "WebhookRefused"
}

type HeaderValue = string | ReadonlyArray<string> | undefined

export interface WebhookDelivery {
  /** Raw bytes of the body, before JSON.parse. */
  readonly body: string | Uint8Array
  /** Headers as Node or `fetch` provide them. */
  readonly headers: Readonly<Record<string, HeaderValue>> | { readonly get: (name: string) => string | null }
  /** The endpoint's `secret_key`; both during a rotation. */
  readonly secret: string | ReadonlyArray<string>
  /** Maximum distance from the current time in seconds, 300 by default. */
  readonly tolerance?: number
  /** Current time in milliseconds since 1970, for tests of receivers. */
  readonly now?: number
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

/** Decodes base64; empty for text that `atob` rejects. */
const bytesOfBase64 = (text: string): Uint8Array => {
  const shape = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/
  return shape.test(text) ? Uint8Array.from(atob(text), (character) => character.charCodeAt(0)) : new Uint8Array()
}

const bytesOfHex = (text: string): Uint8Array =>
  /^([0-9a-f]{2})+$/i.test(text)
    ? Uint8Array.from(text.match(/../g)!, (byte) => Number.parseInt(byte, 16))
    : new Uint8Array()

/** Compares in constant time. */
const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.reduce((differing, byte, at) => differing | (byte ^ other[at]!), 0) === 0

/** Computes one digest for each secret: anyone may send a long body with very many signatures. */
const anySigns = async (
  secrets: ReadonlyArray<Uint8Array>,
  signatures: ReadonlyArray<Uint8Array>,
  message: Uint8Array
): Promise<boolean> => {
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  for (const secret of secrets.filter(({ length }) => length > 0)) {
    const key = await crypto.subtle.importKey("raw", Uint8Array.from(secret), algorithm, false, ["sign"])
    const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, Uint8Array.from(message)))
    if (signatures.some((one) => isSame(digest, one))) return true
  }
  return false
}

const joined = (head: string, body: Uint8Array): Uint8Array => {
  const start = encoder.encode(head)
  const whole = new Uint8Array(start.length + body.length)
  whole.set(start)
  whole.set(body, start.length)
  return whole
}

const checkTime = (timestamp: string, tolerance: number, now: number): void => {
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookRefused("webhook-timestamp is missing or no time.")
  if (Math.abs(now - Number(timestamp) * 1000) > tolerance * 1000)
    throw new WebhookRefused("The delivery is too old, or from the future: it may be a replay.")
}

/** Returns the verified event, or rejects with a `WebhookRefused`. All deliveries of an event have the same `event_id`. */
export const verifyWebhook = async (delivery: WebhookDelivery): Promise<WebhookEvent> => {
  const { now = Date.now(), only, secret, tolerance = webhookToleranceSeconds } = delivery
  const secrets = typeof secret === "string" ? [secret] : secret
  const body = typeof delivery.body === "string" ? encoder.encode(delivery.body) : delivery.body
  const standard = headerOf(delivery, "webhook-signature")
    .split(" ")
    .flatMap((part) => (part.startsWith("v1,") ? [bytesOfBase64(part.slice(3))] : []))
  if (only !== "service") {
    const timestamp = headerOf(delivery, "webhook-timestamp")
    const keys = secrets.map((text) => bytesOfBase64(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text))
    const message = joined(`${headerOf(delivery, "webhook-id")}.${timestamp}.`, body)
    if (!(await anySigns(keys, standard, message)))
      throw new WebhookRefused("webhook-signature does not sign this body.")
    checkTime(timestamp, tolerance, now)
  }
  // Two signatures during a rotation: this header is then still signed with the old secret.
  if (only === "service" || standard.length === 1) {
    const signature = bytesOfHex(headerOf(delivery, "x-service-signature"))
    const keys = secrets.map((text) => encoder.encode(text))
    if (!(await anySigns(keys, [signature], body)))
      throw new WebhookRefused("X-Service-Signature does not sign this body.")
  }
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent
  } catch {
    throw new WebhookRefused("The body is no JSON.")
  }
}
