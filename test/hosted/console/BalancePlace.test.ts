import { expect, it } from "vitest"
import { pageOfAccount } from "../../../src/console/pages/overview/BalanceOrder.ts"

it.each([
  ["virtual/a1/KES", "accounts/a1"],
  ["escrow/e1/KES", "escrow/e1"],
  ["ramp/p1/USDC", "payments/p1"],
  ["clearing/p1/t1/KES", "payments/p1"],
  ["settlement/o1/KES", undefined],
  ["receivable/o1/KES", undefined],
  ["own/o1/c1/KES", undefined]
])("%s is at %s", (account, path) => expect(pageOfAccount(account)?.path).toBe(path))
