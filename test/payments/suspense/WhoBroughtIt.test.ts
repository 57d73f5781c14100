/** Money in suspense goes back as a refund of what brought it: of a payment, never of a refund or of what was paid out. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { openAttempt } from "../../../src/payments/dispatch/Dispatch.ts"
import { contextOf } from "../../../src/payments/route/AttemptContext.ts"
import type { Attempt, Payment } from "../../../src/payments/store/Payment.ts"
import { returnOf } from "../../../src/payments/suspense/SuspenseItems.ts"
import { idFrom } from "../../support/AnyId.ts"
import { blankPayment } from "../support/NewPayment.ts"
import { onRamp, shillings } from "../support/PureBooks.ts"

const at = new Date(0)

const made = (about: Partial<Payment>): Payment => ({
  ...blankPayment,
  payment_id: idFrom("payment"),
  transaction_id: idFrom("transaction"),
  org_id: idFrom("org"),
  user_id: idFrom("user"),
  created_at: at,
  updated_at: at,
  ...about
})

const attempted = (
  payment: Payment,
  attempt_id: string,
  leg: Attempt["leg"],
  { provider = "stripe", ...about }: Partial<Attempt> = {}
): Attempt => ({
  ...openAttempt(payment, {
    attempt_id: idFrom(attempt_id),
    leg,
    provider,
    config_id: null,
    account: null,
    own: false,
    started_at: at,
    enquire_in: null
  }),
  outcome: "accepted",
  provider_payment_id: `${provider}'s ${attempt_id}`,
  ...about
})

/** As it waits because of an attempt. */
const waitingFor = (payment: Payment, attempts: ReadonlyArray<Attempt>, attempt: Attempt, money: Money | null) => {
  const item = {
    item_id: "item",
    org_id: payment.org_id,
    kind: "suspense" as const,
    payment_id: payment.payment_id,
    attempt_id: attempt.attempt_id,
    detail: "",
    opened_at: at,
    closed_at: null,
    closed_by: null
  }
  return returnOf(
    payment,
    { history: [], attempts, callbacks: [], items: [item] },
    {
      held: money === null ? payment.amount : null,
      suspense: money === null ? [] : [{ about: attempt.attempt_id, money }],
      there: []
    }
  )
}

describe("what goes back", () => {
  const payin = made({ status: "completed", provider: "stripe" })
  const [paid, refund] = [attempted(payin, "paid", "payment"), attempted(payin, "refund", "refund")]

  it("of a refund that came back is a part of the payment", () => {
    const going = Either.getOrThrow(waitingFor(payin, [paid, refund], refund, shillings(500)))
    expect([going.about.attempt, going.taker]).toEqual([refund, paid])
  })

  it("is looked up with the payment that it is a part of", () => {
    const going = attempted(payin, "return", "return", { of_attempt: refund.attempt_id, received: { KES: "500.00" } })
    expect(contextOf(payin, going, [paid, refund, going]).broughtBy).toMatchObject({
      reference: paid.attempt_id,
      providerPaymentId: "stripe's paid"
    })
  })

  it("of a ramp is looked up with what its first leg had collected", () => {
    const ramp = made({ ...onRamp, status: "failed", provider: "stripe", payout_id: "settled" })
    const collected = attempted(ramp, "collected", "collection")
    const settled = attempted(ramp, "settled", "settlement", { provider: "circle", outcome: "declined" })
    const { taker } = Either.getOrThrow(waitingFor(ramp, [collected, settled], settled, null))
    expect(taker).toEqual(collected)
    const going = attempted(ramp, "return", "return", { of_attempt: settled.attempt_id, received: { KES: "1500.00" } })
    expect(contextOf(ramp, going, [collected, settled, going]).broughtBy).toMatchObject({
      reference: collected.attempt_id,
      flow: "inbound"
    })
  })

  it("is nothing that came back of what was settled, which whoever collected never had", () => {
    const ramp = made({ ...onRamp, status: "failed", provider: "stripe", payout_id: "settled" })
    const collected = attempted(ramp, "collected", "collection")
    const settled = attempted(ramp, "settled", "settlement", { provider: "circle", outcome: "declined" })
    const tether = new Money({ currency: "USDT", minor: 11_600_000n })
    expect(waitingFor(ramp, [collected, settled], settled, tether)).toEqual(
      Either.left(expect.stringContaining("had paid out"))
    )
  })

  it("is nothing that came back of a payout", () => {
    const payout = made({ status: "completed", direction: "outbound", provider: "stripe" })
    const sent = attempted(payout, "sent", "payment")
    const came = new Money({ currency: CurrencyCode.make("KES"), minor: 50_000n })
    expect(waitingFor(payout, [sent], sent, came)).toEqual(Either.left(expect.stringContaining("had paid out")))
  })
})
