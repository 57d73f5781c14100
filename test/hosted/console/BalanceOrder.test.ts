/** Order of currencies on the overview, and the page of a ledger account. */
import { describe, expect, it } from "vitest"
import { byDaysChanged, byPaymentCount, pageOfAccount } from "../../../src/console/pages/overview/BalanceOrder.ts"
import { LosslessNumber } from "lossless-json"

describe("by number of payments", () => {
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
})

describe("by days with changes", () => {
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
})

describe("page of an account", () => {
  it.each([
    ["virtual/a1/KES", "accounts/a1"],
    ["escrow/e1/KES", "escrow/e1"],
    ["ramp/p1/USDC", "payments/p1"],
    ["clearing/p1/t1/KES", "payments/p1"],
    ["settlement/o1/KES", undefined],
    ["receivable/o1/KES", undefined],
    ["own/o1/c1/KES", undefined]
  ])("%s is at %s", (account, path) => expect(pageOfAccount(account)?.path).toBe(path))
})
