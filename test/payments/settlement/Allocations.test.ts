import { describe, expect, it } from "vitest"
import { AttemptId } from "../../../src/domain/Ids.ts"
import type { RecordedMovement } from "../../../src/domain/Movement.ts"
import { allocateToOrganization } from "../../../src/payments/settlement/Allocations.ts"
import type { Payment, Refund } from "../../../src/payments/store/Payment.ts"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import { blankPayment } from "../support/NewPayment.ts"

const attempt_id = AttemptId.make("019a0000-0000-7000-8000-000000000001")
const refund_id = AttemptId.make("019a0000-0000-7000-8000-000000000002")
const shillings = (text: string) => moneyOf(text, "KES" as never)
const dollars = (text: string) => moneyOf(text, "USD" as never)
const at = new Date(0)

/** 3,000 of 10,000 shillings, at a rate of the moment that is worse than the payment's own. */
const part: Refund = {
  ...{
    refund_id,
    amount: shillings("3000"),
    target: dollars("25"),
    rate: { basis: "live", value: "0.00833333333333" }
  },
  ...{ state: "completed", reason: null, created_at: at, settled_at: at }
}

const given: RecordedMovement = {
  ...{ provider: "stripe", account: null, kind: "refund", movement_id: "re_1", attempt_id, refund_id },
  ...{ amount: shillings("3000"), state: "settled", is_total: false, source: "callback", heard_at: at }
}

const payinWith = (...refunds: ReadonlyArray<Refund>) =>
  ({
    ...blankPayment,
    ...{ org_id: "019a0000-0000-7000-8000-000000000003", direction: "inbound", status: "completed" },
    ...{ amount: shillings("10000"), target: dollars("78"), taken_by: attempt_id, refunds }
  }) as unknown as Payment

/** Sum that the organisation bears of the first refund. */
const borne = (...refunds: readonly [Refund, ...ReadonlyArray<Refund>]) => {
  const [{ amount }] = refunds
  return allocateToOrganization(
    payinWith(...refunds),
    { account: null, attempt_id, own_account: false },
    { money: amount.negate(), from: "clearing", movements: [{ ...given, amount }] },
    { allocation_id: "", note: "", by: null, at }
  ).accountAmount.toString()
}

describe("what an organisation bears", () => {
  it("costs the payment's own rate, whatever a refund of the same amount cost", () => {
    expect(borne(part)).toBe("-23.40 USD")
  })

  it("costs what the refund costs that was given up and went nevertheless", () => {
    expect(borne({ ...part, state: "failed" })).toBe("-25.00 USD")
  })

  it("comes to the payment with the other parts, which bear the rounding that it had counted on", () => {
    const rate = { basis: "original", value: "0.0078" } as const
    const late: Refund = { ...part, rate, amount: shillings("3333"), target: dollars("26"), state: "failed" }
    const other = { ...late, refund_id: AttemptId.make("019a0000-0000-7000-8000-000000000004") }
    // 52.00, and one cent since the first part failed.
    const rest: Refund = { ...other, amount: shillings("6667"), target: dollars("52.01"), state: "completed" }
    expect(borne(late, rest)).toBe("-25.99 USD")
    expect(borne(late)).toBe("-26.00 USD")
    // More than was paid has gone: the organisation bears it in full.
    expect(borne(late, { ...rest, amount: shillings("10000"), target: dollars("78") })).toBe("-26.00 USD")
  })
})
