import { expect, it } from "vitest"
import { byPaymentCount } from "../../../src/console/pages/overview/BalanceOrder.ts"

const volume = ["EUR", "KES", "NGN", "USD"].map((currency) => ({ currency }))

it.each([
  [["KES", "EUR", "KES"], "KES EUR NGN USD"],
  [[], "EUR KES NGN USD"],
  [["GBP", "USD"], "USD EUR KES NGN"]
] as const)("payments in %j: %s", (used, shown) =>
  expect(
    byPaymentCount(volume, used)
      .map(({ currency }) => currency)
      .join(" ")
  ).toBe(shown)
)
