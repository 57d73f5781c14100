import { LosslessNumber } from "lossless-json"
import { expect, it } from "vitest"
import { byDaysChanged } from "../../../src/console/pages/overview/BalanceOrder.ts"

const series = (days: Readonly<Record<string, ReadonlyArray<string>>>) =>
  Object.entries(days).map(([currency, all]) => ({ currency, balances: all.map((text) => new LosslessNumber(text)) }))

const still = ["1.00", "1.00", "1.00"]
const once = ["1.00", "1.00", "2.00"]
const twice = ["1.00", "2.00", "1.00"]

it.each([
  [{ GHS: still, KES: twice, USD: once }, "USD", "KES USD GHS"],
  [{ GHS: once, KES: once, USD: once }, "USD", "USD GHS KES"],
  [{ GHS: once, KES: once }, undefined, "GHS KES"],
  [{ EUR: ["0.00"], KES: ["5.00"] }, "KES", "KES EUR"]
] as const)("the balances %j of an organisation in %s: %s", (days, own, shown) =>
  expect(
    byDaysChanged(series(days), own)
      .map(({ currency }) => currency)
      .join(" ")
  ).toBe(shown)
)
