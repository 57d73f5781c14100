/** What a person's word on money in suspense comes to, for the books and for the payment. Pure. */
import type { Entry } from "../../domain/Ledger.ts"
import type { Money } from "../../domain/Money.ts"
import { isSettled } from "../../domain/PaymentStatus.ts"
import { difference } from "../../domain/Received.ts"
import { laidToRest } from "../record/PaymentCommand.ts"
import { partsAfter, statusAfter } from "../record/RefundDecision.ts"
import type { Attempt, Payment, Refund } from "../store/Payment.ts"
import { suspenseSettled } from "../store/PaymentPostings.ts"
import type { Story } from "../store/PaymentStore.ts"
import { rampGivenUp } from "../record/RampPostings.ts"
import { goneTwice, isRiddle, unmatchedAfter, withFound, withStrayedSettled } from "../record/Unmatched.ts"
import { moverOf, underpaid, type Waiting, waitingItems, type WaitingItem } from "./SuspenseItems.ts"
import { type Change, suspenseMoney } from "../store/Change.ts"

/** What an operator says about a payment that no machine can settle. */
export interface Verdict {
  /** Of money in suspense: the organisation keeps what came, or pays for what went; failed: the provider has it back. */
  readonly outcome: "completed" | "failed"
  /** How the operator knows. */
  readonly reason: string
  /** Which open item of the payment it is about; needed where several wait that one word cannot settle. */
  readonly item?: string | undefined
}

export type Settled = Pick<Change, "status" | "patch" | "cause"> &
  Partial<Pick<Change, "attempt" | "entries" | "suspense">>

/** Each goes where the operator says that it belongs: to the organisation, or back to the provider that moved it. */
const entriesOf = (
  payment: Payment,
  story: Story,
  items: ReadonlyArray<WaitingItem>,
  kept: boolean
): ReadonlyArray<Entry> =>
  items.flatMap(({ attempt, held, suspense }) => [
    ...(held === null ? [] : [rampGivenUp(payment, held, kept)]),
    ...(suspense.length === 0
      ? []
      : [suspenseSettled(payment, attempt, suspense, kept, (money) => moverOf(payment, story, attempt, money))])
  ])

/** What had gone although it was given up: who bears it, or that its provider has it back. */
const strayedSettled = (
  payment: Payment,
  { attempts }: Story,
  items: ReadonlyArray<WaitingItem>,
  isBack: boolean
): Payment =>
  items.reduce((now, { attempt, suspense }) => {
    const returns = attempts.filter(({ leg, of_attempt }) => leg === "return" && of_attempt === attempt.attempt_id)
    const lacking = suspense.filter(({ isNegative }) => isNegative)
    return withStrayedSettled(now, returns, lacking, isBack)
  }, payment)

/** What waits, and who moved it. */
const movedIn = (payment: Payment, story: Story, items: ReadonlyArray<WaitingItem>) =>
  items.flatMap(({ attempt, held, suspense }) =>
    [...(held === null ? [] : [held]), ...suspense].map((money) => ({
      attempt: moverOf(payment, story, attempt, money),
      money
    }))
  )

/**
 * A part of which money strayed is what a person finds: gone where the organisation bears what went, or where what came
 * back went out again by hand.
 */
const partsGone = (
  { refunds }: Payment,
  items: ReadonlyArray<WaitingItem>,
  { outcome }: Verdict
): ReadonlyArray<Refund> =>
  refunds.filter(({ refund_id, state }) => {
    const [money] = items.find(({ attempt }) => attempt.attempt_id === refund_id)?.suspense ?? []
    return state === "failed" && money !== undefined && money.isNegative === (outcome === "completed")
  })

/**
 * What a ramp held may have come to be another item's: nobody is kept waiting for money that is not there. What its
 * provider has named, and the books know nothing of, is a question of its own.
 */
const isEmpty = (payment: Payment, { attempts }: Story, { attempt, held, suspense }: WaitingItem): boolean =>
  isSettled(payment.status) &&
  !isRiddle(payment, attempt) &&
  held === null &&
  suspense.length === 0 &&
  !attempts.some(
    ({ leg, of_attempt, outcome }) =>
      leg === "return" && of_attempt === attempt.attempt_id && (outcome === null || outcome === "unknown")
  )

interface Twice {
  readonly attempt: Attempt
  readonly money: Money
}

/** What a refund gave back and a dispute took besides is nowhere in the books until somebody bears it. */
const twiceIn = (payment: Payment, items: ReadonlyArray<WaitingItem>): ReadonlyArray<Twice> =>
  items.map(({ attempt }) => ({ attempt, money: goneTwice(payment, attempt) })).filter(({ money }) => money.isPositive)

/** A person has said who bears it, or that its provider has it back, which it may still say. */
const twiceSettled = (payment: Payment, twice: ReadonlyArray<Twice>, isBack: boolean): Payment =>
  twice.reduce((now, { attempt, money }) => {
    const less = [money.negate()]
    return { ...now, ...unmatchedAfter(now, attempt, { taken: less, ...(isBack ? { given: less } : {}) }) }
  }, payment)

/** One sum with what waits of its attempt, so that it is rounded once. */
const withBorne = (items: ReadonlyArray<WaitingItem>, borne: ReadonlyArray<Twice>): ReadonlyArray<WaitingItem> =>
  items.map((one) => {
    const mine = borne.filter(({ attempt }) => attempt === one.attempt).map(({ money }) => money)
    return { ...one, suspense: difference(mine, one.suspense) }
  })

export const verdictOn = (payment: Payment, story: Story, waiting: Waiting, verdict: Verdict, settled_at: Date) => {
  const items = waitingItems(story, waiting).filter(
    (one) => verdict.item === undefined || verdict.item === one.item.item_id || isEmpty(payment, story, one)
  )
  const again = verdict.outcome === "failed" ? { again: true as const } : {}
  const gone = partsGone(payment, items, verdict).map((part): Refund => ({
    ...part,
    ...again,
    state: "completed",
    settled_at
  }))
  const refunds = partsAfter(payment, gone)
  const found = verdict.outcome === "completed" ? [] : movedIn(payment, story, items)
  const isBack = verdict.outcome === "failed"
  const twice = twiceIn(payment, items)
  const borne = isBack ? [] : twice
  const judged = twiceSettled(strayedSettled(payment, story, items, isBack), twice, isBack)
  const settled: Settled = {
    status: statusAfter(payment, refunds),
    patch: {
      ...(gone.length === 0 ? {} : { refunds }),
      ...(judged.unmatched === payment.unmatched ? {} : { unmatched: judged.unmatched }),
      ...withFound(judged, found, story.attempts, waiting.there)
    },
    cause: "suspense settled",
    suspense: borne.map(({ attempt, money }) => suspenseMoney(attempt, money.negate(), `borne ${payment.version}`)),
    entries: entriesOf(payment, story, withBorne(items, borne), verdict.outcome === "completed")
  }
  return { gone, items, settled }
}

/** Less came than was asked for, and nobody waits for the rest any more. */
export const givenUp = (
  payment: Payment,
  story: Story,
  attempt: Attempt,
  { by, items, waiting }: { readonly items: ReadonlyArray<WaitingItem>; readonly waiting: Waiting; readonly by: string }
): Settled => ({
  status: "failed",
  patch: {
    ...underpaid(payment, attempt),
    ...withFound(payment, movedIn(payment, story, items), story.attempts, waiting.there)
  },
  cause: `given up by ${by}`,
  attempt: laidToRest(attempt),
  entries: entriesOf(payment, story, items, false)
})
