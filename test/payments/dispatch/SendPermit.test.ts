/** Misuse that does not compile: an order without a permit to send it, and a proof without a check. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Option } from "effect"
import { AttemptId, OrgId, PaymentId } from "../../../src/domain/Ids.ts"
import type { Dispatch } from "../../../src/payments/dispatch/Dispatch.ts"
import { openAttempt, type NewAttempt } from "../../../src/payments/store/Change.ts"
import { FirstSendPermit, type SendPermit, type SentAtOnce } from "../../../src/payments/route/CallProvider.ts"
import type { Chosen } from "../../../src/payments/route/PaymentRouter.ts"
import type { Payment } from "../../../src/payments/store/Payment.ts"
import { Check, Proof } from "../../../src/providers/port/Callback.ts"
import { ResendPermit } from "../../../src/providers/port/ResendPermit.ts"

const id = "01900000-0000-7000-8000-000000000001"
const attempt: SentAtOnce = {
  attempt_id: AttemptId.make(id),
  leg: "payment",
  provider: "stripe",
  config_id: null,
  account: null,
  own_account: false,
  started_at: new Date(0),
  enquire_in: 45
}
const payment = { payment_id: PaymentId.make(id), org_id: OrgId.make(id) } as Payment

/** Only the compiler reads it. */
const neverCalled = (ask: Dispatch["Type"]["ask"], chosen: Omit<Chosen, "sendPermit">, unsent: NewAttempt) => {
  const order = {} as Parameters<typeof ask>[1]
  void ask(payment, order, { ...chosen, sendPermit: FirstSendPermit.made(attempt) })
  // @ts-expect-error Nothing is sent without a permit.
  void ask(payment, order, chosen)
  // @ts-expect-error Nor with none.
  void ask(payment, order, { ...chosen, sendPermit: undefined })
  // @ts-expect-error A permit is not written down.
  const written: SendPermit = { isAbsent: true }
  // @ts-expect-error Nor made anywhere else.
  const made = new FirstSendPermit()
  // @ts-expect-error Nor is a permit to send again.
  const again = new ResendPermit(true)
  // @ts-expect-error What others are to send is claimed by them first.
  const early = FirstSendPermit.made(unsent)
  // @ts-expect-error What was sent already was not made just now.
  const late = FirstSendPermit.made(openAttempt(payment, attempt))
  // @ts-expect-error That something holds is no proof.
  const believed = Proof.from(true, "")
  // @ts-expect-error A check is not written down.
  const checked: Check<"account"> = { holds: true }
  // @ts-expect-error Nor made without checking anything.
  const unchecked = new Check(true)
  // @ts-expect-error Nor is a proof.
  const proved = new Proof()
  return [written, made, again, early, late, believed, checked, unchecked, proved]
}

describe("leave to send for the first time", () => {
  it("is for the instance that made the attempt, or claimed it first", () => {
    expect(neverCalled).toBeTypeOf("function")
    const claimed = openAttempt(payment, attempt)
    expect(Option.isSome(FirstSendPermit.claimed(claimed))).toBe(true)
    expect(Option.isSome(FirstSendPermit.claimed({ ...claimed, sends: 2 }))).toBe(false)
    expect(Option.isSome(FirstSendPermit.claimed({ ...claimed, outcome: "unknown" }))).toBe(false)
  })
})

describe("a check", () => {
  const holds = (check: Check) => Either.isRight(Proof.from(check, "it does not hold"))
  const [right, wrong] = [Check.same("secret", "secret"), Check.same("secret", "other")]

  it("holds where what was expected came, and is made to hold by nothing else", () => {
    expect([right, wrong, Check.failed, Check.same("", "")].map(holds)).toEqual([true, false, false, false])
    expect([right.where(true), right.where(false), wrong.where(true)].map(holds)).toEqual([true, false, false])
    expect([Check.any([wrong, right]), Check.any([wrong]), Check.any([])].map(holds)).toEqual([true, false, false])
    expect([Check.every([right, right]), Check.every([right, wrong]), Check.every([])].map(holds)).toEqual([
      true,
      false,
      false
    ])
  })
})
