import { LosslessNumber } from "lossless-json"
import { expect, it } from "vitest"
import { eventSummary } from "../../../src/console/state/Display.ts"

const payment_id = "0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88"
const amount = new LosslessNumber("150000.00")

it.each([
  [{ payment_id, client_reference: "order-1", amount, currency: "KES" }, "order-1, 150,000.00 KES"],
  [{ payment_id, client_reference: null, amount, currency: "KES" }, "0199c2a5…9f88, 150,000.00 KES"],
  [{ account_id: payment_id, status: "frozen", reason: null }, "0199c2a5…9f88"],
  [{ amount }, ""],
  [null, ""]
])("%j", (data, gist) => expect(eventSummary(data)).toBe(gist))
