import { createHmac } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { deliveryHeaders, headersToKeep, shownHeaders } from "../../../src/webhooks/delivery/DeliveryAttempt.ts"
import { formatSecret } from "../../../src/webhooks/WebhookSecrets.ts"

const secret = formatSecret(Buffer.alloc(32, 7))
const older = formatSecret(Buffer.alloc(32, 9))
const delivery = {
  event_id: "018f4b8e-0000-7000-8000-000000000001",
  event_type: "payment.completed",
  payload: '{"amount":1500.00,"note":"Grüße \\u2603 ☃"}',
  attempt: 3,
  test: false
}
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(Buffer.from(text, "utf8"))
const standard = (headers: Readonly<Record<string, string>>, key: string, body = delivery.payload) =>
  new Webhook(key).verify(body, { ...headers })

describe("the headers of a delivery", () => {
  it("sign the raw body under the whole text of the secret", () => {
    const headers = deliveryHeaders(delivery, { current: secret, previous: null }, Date.now())
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Corridor-Webhooks/1.0",
      "x-service-signature": hmac(secret, delivery.payload).digest("hex"),
      "x-service-event-id": delivery.event_id,
      "x-service-event-type": "payment.completed",
      "x-service-attempt": "3",
      "webhook-id": delivery.event_id
    })
    expect(headers).not.toHaveProperty("x-service-test")
    expect(deliveryHeaders({ ...delivery, test: true }, { current: secret, previous: null }, 0)["x-service-test"]).toBe(
      "true"
    )
  })

  it("sign id, time and body the way Standard Webhooks does", () => {
    const now = Date.now()
    const headers = deliveryHeaders(delivery, { current: secret, previous: null }, now)
    const text = `${delivery.event_id}.${Math.floor(now / 1000)}.${delivery.payload}`
    const key = Buffer.from(secret.slice("whsec_".length), "base64")
    expect(headers["webhook-signature"]).toBe(`v1,${hmac(key, text).digest("base64")}`)
    expect(standard(headers, secret)).toMatchObject({ amount: 1500 })
    expect(() => standard(headers, older)).toThrow(/signature/i)
    expect(() => standard(headers, secret, `${delivery.payload} `)).toThrow(/signature/i)
  })

  it("serve both secrets after a rotation, and the old one alone where there is room for one", () => {
    const headers = deliveryHeaders(delivery, { current: secret, previous: older }, Date.now())
    expect(headers["x-service-signature"]).toBe(hmac(older, delivery.payload).digest("hex"))
    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2)
    standard(headers, secret)
    standard(headers, older)
  })

  it("verify for every body and every secret", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 24, maxLength: 64 }), fc.json(), (bytes, body) => {
        const current = formatSecret(bytes)
        const headers = deliveryHeaders({ ...delivery, payload: body }, { current, previous: null }, Date.now())
        expect(headers["x-service-signature"]).toBe(hmac(current, body).digest("hex"))
        expect(standard(headers, current, body)).toEqual(JSON.parse(body))
      }),
      { numRuns: 50 }
    )
  })

  it("are shown again from what is kept of them, to the letter", () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(formatSecret)
    const hex = (length: number) =>
      fc.uint8Array({ minLength: length, maxLength: length }).map((id) => Buffer.from(id).toString("hex"))
    const traceparent = fc.tuple(hex(16), hex(8)).map(([trace, span]) => `00-${trace}-${span}-01`)
    fc.assert(
      fc.property(
        fc.record({ current: bytes, previous: fc.option(bytes) }),
        fc.integer({ min: 0, max: 4_102_444_800_000 }),
        fc.option(traceparent, { nil: undefined }),
        fc.boolean(),
        (secrets, now, parent, test) => {
          const headers = deliveryHeaders({ ...delivery, test }, secrets, now, parent)
          const { payload: _payload, ...event } = { ...delivery, test }
          expect(shownHeaders(event, headersToKeep(headers))).toEqual(headers)
        }
      ),
      { numRuns: 50 }
    )
  })

  it("are not shown for an attempt that nothing is kept of", () =>
    expect(shownHeaders(delivery, { signed_at: null, signatures: null, traceparent: null })).toBeNull())
})
