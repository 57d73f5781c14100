import { expect, it } from "vitest"
import { detailText } from "../../../src/console/state/Display.ts"

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
