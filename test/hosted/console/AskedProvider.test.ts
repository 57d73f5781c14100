import { expect, it } from "vitest"
import { askedProvider } from "../../../src/console/state/Display.ts"

it.each([
  ["completed", "fiat", null, "FIAT"],
  ["initiated", null, null, "None yet"],
  ["failed", null, { provider: "fiat" }, "FIAT"],
  ["failed", null, { provider: null }, "None"],
  ["rejected", null, null, "None"]
] as const)("a payment that is %s, with %s and a failure %j: %s", (status, provider, failure, shown) =>
  expect(askedProvider({ status, provider, failure }, (name: string) => name.toUpperCase()).name).toBe(shown)
)
