import { expect, it } from "vitest"
import { takesPayments } from "../../../src/console/state/Display.ts"

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
