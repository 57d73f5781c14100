/** Decisions that an operator can take about money in suspense, by its sign and by the kind of payment. */
import { expect, it } from "vitest"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { Money } from "../../../src/domain/Money.ts"
import { openAttempt } from "../../../src/payments/store/Change.ts"
import { allocateToOrganization } from "../../../src/payments/settlement/Allocations.ts"
import {
  accountsFor,
  itemsWithOptions,
  optionsFor,
  type OptionContext
} from "../../../src/payments/settlement/ResolutionOptions.ts"
import { unallocatedSums } from "../../../src/payments/store/UnallocatedMoney.ts"
import type { Attempt, Payment, StoredOperatorItem } from "../../../src/payments/store/Payment.ts"
import type { PaymentHistory } from "../../../src/payments/store/PaymentStore.ts"
import { idFrom } from "../../support/AnyId.ts"
import { movement, onRamp, openBooks, payout, report, shillings, tether } from "../support/SettlementRules.ts"

type Opened = ReturnType<typeof openBooks>

const attempt = (payment: Payment, id: string, about: Partial<Attempt> = {}): Attempt => ({
  ...openAttempt(payment, {
    attempt_id: idFrom(id),
    leg: "payment",
    provider: "stripe",
    config_id: null,
    account: null,
    own_account: false,
    started_at: new Date(0),
    enquire_in: null
  }),
  outcome: "accepted",
  ...about
})

const historyOf = (
  opened: Opened,
  attempts: ReadonlyArray<Attempt> = [attempt(opened.payment(), "payment")]
): PaymentHistory => ({
  ...opened.books(),
  attempts,
  statusChanges: [],
  callbacks: [],
  items: []
})

interface Having {
  readonly has?: Money
  /** Null: no floor, as in a sandbox. */
  readonly floor?: Money | null
  readonly owes?: Money
  readonly canRefund?: boolean
  readonly fee?: Money
}

const around = ({ canRefund = true, fee, floor, has = shillings(0), owes }: Having): OptionContext => ({
  balanceOf: (account) => {
    const currency = LedgerAccount.stored(account).endsWith("USDT") ? tether(0).currency : shillings(0).currency
    const zero = Money.zero(currency)
    if (account.startsWith("receivable/")) return { balance: owes?.negate() ?? zero, floor: null }
    return { balance: has.currency === currency ? has : zero, floor: floor === undefined ? zero : floor }
  },
  canRefund: () => canRefund,
  feeOf: () => fee ?? null
})

const decided = (opened: Opened, having: Having = {}, history: PaymentHistory = historyOf(opened)) =>
  unallocatedSums(opened.payment(), history).flatMap((sum) =>
    optionsFor(opened.payment(), history, sum, around(having))
  )

const says = (...given: Parameters<typeof decided>) =>
  decided(...given).map(({ action, outcome, says: words }) => `${outcome ?? action}: ${words}`)

/** Decisions with what they change: `completed 650.00 KES → 600.00 KES, owes 0.00 KES`. */
const changes = (...given: Parameters<typeof decided>) =>
  decided(...given).map(({ action, balance, outcome }) => {
    const { after, before, owes } = balance!
    return `${outcome ?? action} ${before.toString()} → ${after.toString()}, owes ${owes.toString()}`
  })

const paid = (...also: ReadonlyArray<ReturnType<typeof movement>>): Opened => {
  const opened = openBooks(1500)
  opened.record(report("completed", movement("collection", "c1", shillings(1500))))
  for (const one of also) opened.record(report("completed", one))
  return opened
}

it("lets the organisation bear what was taken back, or says that it was returned to us", () => {
  const charged = paid(movement("reversal", "x1", shillings(50)))
  expect(says(charged, { has: shillings(650) })).toEqual([
    "completed: The organisation bears it: 650.00 → 600.00 KES",
    "failed: The provider has returned it to us"
  ])
  const [bears, returned] = decided(charged, { has: shillings(650) })
  expect(bears!.balance).toEqual({
    account: LedgerAccount.settlement(charged.payment().org_id, shillings(0).currency),
    before: shillings(650),
    after: shillings(600),
    owes: shillings(0)
  })
  expect(returned!.balance).toMatchObject({ before: shillings(650), after: shillings(650) })
})

it("makes it a debt where the organisation has too little, and says what it then owes", () => {
  const charged = paid(movement("reversal", "x1", shillings(50)))
  expect(changes(charged)[0]).toBe("completed 0.00 KES → 0.00 KES, owes 50.00 KES")
  expect(says(charged)[0]).toContain("it owes 50.00 KES")
  expect(changes(charged, { has: shillings(30) })[0]).toBe("completed 30.00 KES → 0.00 KES, owes 20.00 KES")
  expect(decided(charged, { owes: shillings(10) })[0]!.balance).toMatchObject({ owes: shillings(60) })
  // Within its credit limit, or in a sandbox without one, it owes on its balance.
  for (const floor of [shillings(-100), null])
    expect(changes(charged, { floor })[0]).toBe("completed 0.00 KES → -50.00 KES, owes 0.00 KES")
})

it("lets the organisation keep what came besides, or gives it back where the provider refunds", () => {
  const over = paid(movement("collection", "c2", shillings(100)))
  expect(changes(over, { has: shillings(650) })).toEqual([
    "completed 650.00 KES → 750.00 KES, owes 0.00 KES",
    "give_back 650.00 KES → 650.00 KES, owes 0.00 KES",
    "failed 650.00 KES → 650.00 KES, owes 0.00 KES"
  ])
  expect(says(over, { canRefund: false }).map((one) => one.split(":")[0])).toEqual(["completed", "failed"])
})

it("pays what the organisation owes from what it keeps", () => {
  const over = paid(movement("collection", "c2", shillings(100)))
  expect(decided(over, { owes: shillings(30) })[0]!.balance).toMatchObject({
    before: shillings(0),
    after: shillings(70),
    owes: shillings(0)
  })
  expect(changes(over, { owes: shillings(130) })[0]).toBe("completed 0.00 KES → 0.00 KES, owes 30.00 KES")
})

const underpaid = () => {
  const opened = openBooks(1500)
  opened.record(report("completed", movement("collection", "c1", shillings(700))))
  return opened
}

it("accepts an underpayment with its own fee, or lets the payment fail", () => {
  expect(says(underpaid(), { fee: shillings(10) })).toEqual([
    "completed: Accept 700.00 KES as the whole payment (fee 10.00 KES): 0.00 → 690.00 KES",
    "give_back: Return it to the payer through stripe: the payment fails",
    "failed: The provider has returned it: the payment fails"
  ])
  expect(changes(underpaid())[0]).toBe("completed 0.00 KES → 700.00 KES, owes 0.00 KES")
})

it("does not offer to accept what does not cover its fee, or is another currency", () => {
  const refused = ["give_back", "failed"]
  expect(says(underpaid(), { fee: shillings(700) }).map((one) => one.split(":")[0])).toEqual(refused)
  const other = openBooks(1500)
  other.record(report("completed", movement("collection", "c1", tether(20_000_000))))
  const [pending, history] = [{ ...other.payment(), status: "pending" as const }, historyOf(other)]
  const [sum] = unallocatedSums(pending, history)
  expect(optionsFor(pending, history, sum!, around({})).map((one) => one.outcome ?? one.action)).toEqual(refused)
})

it("gives nothing back that no payer sent, and that came back of a payout", () => {
  const opened = openBooks(1500, { ...payout, payout_id: "payment" })
  opened.record(report("completed", movement("disbursement", "d1", shillings(1500))))
  opened.record(report("completed", movement("reinstatement", "r1", shillings(100))))
  expect(changes(opened)).toEqual([
    "completed 0.00 KES → 100.00 KES, owes 0.00 KES",
    "failed 0.00 KES → 0.00 KES, owes 0.00 KES"
  ])
})

/** Collected, and refused by its payout provider. */
const stranded = () => {
  const opened = openBooks(1500, onRamp)
  opened.record(report("completed", movement("collection", "c1", shillings(1500))))
  opened.record(report("failed"), "settlement")
  const legs = [
    attempt(opened.payment(), "payment", { leg: "collection" }),
    attempt(opened.payment(), "settlement", { leg: "settlement", provider: "circle", outcome: "declined" })
  ]
  return { opened, history: () => historyOf(opened, legs) }
}

it("offers for what a failed ramp holds what it offers for money that came", () => {
  const { opened, history } = stranded()
  expect(opened.waiting()).toEqual(["ramp 1500.00 KES"])
  expect(changes(opened, {}, history())).toEqual([
    "completed 0.00 KES → 1500.00 KES, owes 0.00 KES",
    "give_back 0.00 KES → 0.00 KES, owes 0.00 KES",
    "failed 0.00 KES → 0.00 KES, owes 0.00 KES"
  ])
})

it("completes a ramp whose payout provider has paid after all, unless its money was given away", () => {
  const { opened, history } = stranded()
  opened.record(report("completed", movement("disbursement", "d1", onRamp.target!)), "settlement")
  const late = history()
  const gone = unallocatedSums(opened.payment(), late).find(({ money }) => money.isNegative)!
  const settled = (of: PaymentHistory) => optionsFor(opened.payment(), of, gone, around({})).map((one) => one.says)
  expect(settled(late)).toEqual(["It was settled: the payment becomes completed", "The provider has returned it to us"])
  const waiting = { money: shillings(1500), from: "ramp", movements: late.movements } as const
  const kept = allocateToOrganization(opened.payment(), late.attempts[0]!, waiting, {
    ...{ allocation_id: "a1", note: "kept", by: "amina", at: new Date(0) }
  })
  expect(settled({ ...late, allocations: [kept] })).toEqual([
    expect.stringContaining("The organisation bears it"),
    "The provider has returned it to us"
  ])
})

it("has an item for each sum that waits, each with decisions of its own", () => {
  const opened = paid(movement("collection", "c2", shillings(100)))
  const other = attempt(opened.payment(), "other", { provider: "adyen", outcome: "declined" })
  const history = historyOf(opened, [attempt(opened.payment(), "payment"), other])
  const gone = {
    ...history.movements[0]!,
    attempt_id: other.attempt_id,
    provider: "adyen" as const,
    kind: "reversal" as const,
    movement_id: "x1",
    amount: shillings(20)
  }
  const items = itemsWithOptions(opened.payment(), { ...history, movements: [...history.movements, gone] }, around({}))
  expect(items.map(({ decisions, money }) => [money?.toString(), decisions.map(({ outcome }) => outcome)])).toEqual([
    ["100.00 KES", ["completed", null, "failed"]],
    ["-20.00 KES", ["completed", "failed"]]
  ])
  expect(new Set(items.map(({ item_id }) => item_id)).size).toBe(2)
})

it("asks of an unknown outcome what the provider did, and leaves closed items out", () => {
  const opened = openBooks(1500)
  const question: StoredOperatorItem = {
    item_id: "q1",
    org_id: opened.payment().org_id,
    payment_id: opened.payment().payment_id,
    attempt_id: idFrom("payment"),
    kind: "unknown_outcome",
    detail: "stripe does not say.",
    by_platform: false,
    opened_at: new Date(0),
    closed_at: null,
    closed_by: null
  }
  const closed = { ...question, item_id: "q2", closed_at: new Date(1), closed_by: "amina" }
  const items = itemsWithOptions(opened.payment(), { ...historyOf(opened), items: [question, closed] }, around({}))
  expect(items).toMatchObject([
    { item_id: "q1", kind: "unknown_outcome", decisions: [{ outcome: "completed" }, { outcome: "failed" }] }
  ])
  expect(itemsWithOptions(paid().payment(), historyOf(paid()), around({}))).toEqual([])
})

it("says of a question about money that has moved that it stands, or that all of it is booked as returned", () => {
  const opened = paid()
  const question: StoredOperatorItem = {
    item_id: "q1",
    org_id: opened.payment().org_id,
    payment_id: opened.payment().payment_id,
    // Item without an attempt, such as a transfer that is recorded for another payment.
    attempt_id: null,
    kind: "unknown_outcome",
    detail: "stripe names a transfer of another payment.",
    by_platform: false,
    opened_at: new Date(0),
    closed_at: null,
    closed_by: null
  }
  const [item] = itemsWithOptions(opened.payment(), { ...historyOf(opened), items: [question] }, around({}))
  expect(item!.decisions.map(({ outcome, says: words }) => `${outcome}: ${words}`)).toEqual([
    "completed: It stands as it is recorded: nothing changes",
    "failed: stripe has all of it back: 1500.00 KES are booked as returned"
  ])
  const mine = { ...question, attempt_id: idFrom("payment") }
  const [reported] = itemsWithOptions(opened.payment(), { ...historyOf(opened), items: [mine] }, around({}))
  expect(reported!.decisions.map(({ corrects, says }) => [says, corrects?.movement_id])[1]).toEqual([
    "Another amount of c1 is right, not 1500.00 KES",
    "c1"
  ])
})

it("lets the payout of a ramp be stopped until it is sent", () => {
  const opened = openBooks(1500, onRamp)
  opened.record(report("completed", movement("collection", "c1", shillings(1500))))
  const { payout_id } = opened.payment()
  const leg = (sends: number) =>
    attempt(opened.payment(), payout_id!, { leg: "settlement", provider: "circle", outcome: null, sends })
  const stops = (sends: number) => itemsWithOptions(opened.payment(), historyOf(opened, [leg(sends)]), around({}))
  expect(stops(0)).toMatchObject([{ item_id: null, kind: "unsent_payout", decisions: [{ outcome: "failed" }] }])
  expect(stops(1)).toEqual([])
})

it("reads the balances that its words depend on", () => {
  const charged = paid(movement("reversal", "x1", shillings(50)))
  const { org_id } = charged.payment()
  const { currency } = shillings(0)
  expect(accountsFor(charged.payment(), historyOf(charged))).toEqual([
    LedgerAccount.settlement(org_id, currency),
    LedgerAccount.receivable(org_id, currency)
  ])
})
