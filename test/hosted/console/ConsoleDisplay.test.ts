/** Texts that the console derives from answers of the API. */
import { LosslessNumber } from "lossless-json"
import { describe, expect, it } from "vitest"
import { askedProvider, detailText, eventSummary, takesPayments } from "../../../src/console/state/Display.ts"

describe("event summary", () => {
  const payment_id = "0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88"
  const amount = new LosslessNumber("150000.00")

  it.each([
    [{ payment_id, client_reference: "order-1", amount, currency: "KES" }, "order-1, 150,000.00 KES"],
    [{ payment_id, client_reference: null, amount, currency: "KES" }, "0199c2a5…9f88, 150,000.00 KES"],
    [{ account_id: payment_id, status: "frozen", reason: null }, "0199c2a5…9f88"],
    [{ amount }, ""],
    [null, ""]
  ])("%j", (data, gist) => expect(eventSummary(data)).toBe(gist))
})

describe("notes of the service", () => {
  const names = new Map([["fiat", "Built-in fiat rail"]])

  it.each([
    ["fiat has not said what became of it.", "Built-in fiat rail has not said what became of it."],
    ["60000.00 KES reach the threshold of 50000.00 KES.", "60,000.00 KES reach the threshold of 50,000.00 KES."],
    ["Of 1234567 UGX, 999.5 KES and 0.12345678 BTC", "Of 1,234,567 UGX, 999.5 KES and 0.12345678 BTC"],
    [
      "3 deliveries to http://127.0.0.1:9000/fiat failed for good.",
      "3 deliveries to http://127.0.0.1:9000/fiat failed for good."
    ]
  ])("%s", (detail, shown) => expect(detailText(detail, names)).toBe(shown))
})

describe("provider of a payment", () => {
  it.each([
    ["completed", "fiat", null, "FIAT"],
    ["initiated", null, null, "None yet"],
    ["failed", null, { provider: "fiat" }, "FIAT"],
    ["failed", null, { provider: null }, "None"],
    ["rejected", null, null, "None"]
  ] as const)("a payment that is %s, with %s and a failure %j: %s", (status, provider, failure, shown) =>
    expect(askedProvider({ status, provider, failure }, (name: string) => name.toUpperCase()).name).toBe(shown)
  )
})

describe("payment links", () => {
  const now = new Date("2026-03-01T12:00:00Z")
  const later = "2026-03-01T12:00:01.000Z"
  const over = "2026-03-01T12:00:00.000Z"

  it.each([
    ["active", "fixed", null, true],
    ["active", "open", later, true],
    ["paid", "fixed", null, false],
    ["paid", "open", null, true],
    ["paid", "open", later, true],
    ["paid", "open", over, false],
    ["expired", "open", over, false],
    ["canceled", "open", null, false]
  ] as const)("a link that is %s, %s, until %s: payable %s", (status, amount_type, expires_at, payable) =>
    expect(takesPayments({ status, amount_type, expires_at }, now)).toBe(payable)
  )
})
