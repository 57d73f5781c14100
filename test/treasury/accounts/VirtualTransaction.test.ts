import { describe, expect, it } from "@effect/vitest"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { withPaymentState, type VirtualTransaction } from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import { idFrom } from "../../support/AnyId.ts"

const ID = idFrom("0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88")
const currency = CurrencyCode.make("KES")
const written = new Date("2026-03-02T09:00:00.016Z")

const transaction: VirtualTransaction = {
  transaction_id: ID,
  account_id: ID,
  org_id: ID,
  user_id: ID,
  type: "debit",
  status: "pending",
  amount: Money.zero(currency),
  fee: Money.zero(currency),
  currency,
  description: null,
  payment_rail: "bank_transfer",
  reference: ID,
  payment_id: ID,
  rate: null,
  created_at: written,
  updated_at: written
}

const updatedWith = (updated_at: Date) =>
  withPaymentState(transaction, { status: "completed", total_fees: null, updated_at }).updated_at

describe("a withdrawal", () => {
  it("last changed when its payment did", () => {
    const later = new Date("2026-03-02T09:00:01Z")
    expect(updatedWith(later)).toEqual(later)
  })

  it("never changed before it was there, although its payment is written first", () => {
    expect(updatedWith(new Date("2026-03-02T09:00:00.000Z"))).toEqual(written)
  })
})
