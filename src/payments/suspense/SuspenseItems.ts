/** What of a payment's money waits for a person, item by item, and through which attempt it can go back. Pure. */
import { Either } from "effect"
import { Money } from "../../domain/Money.ts"
import { isSettled } from "../../domain/PaymentStatus.ts"
import { totalIn } from "../../domain/Received.ts"
import type { AtProvider, InSuspense } from "../../money/ledger/LedgerStore.ts"
import { type Attempt, kindOfAttempt, type Payment, type StoredOperatorItem } from "../store/Payment.ts"
import { isPursued } from "../record/PaymentChange.ts"
import { takerAmong } from "../record/Standing.ts"
import { goneTwice } from "../record/Unmatched.ts"
import type { Story } from "../store/PaymentStore.ts"
import { isRamp } from "../route/LegOrder.ts"
import type { PaymentPatch } from "../store/Change.ts"

/** Where a payment's money is that has no place. */
export interface Waiting {
  /** By a ramp that has ended, of what was collected for it. */
  readonly held: Money | null
  readonly suspense: ReadonlyArray<InSuspense>
  /** What providers have because of it, by the books. */
  readonly there: ReadonlyArray<AtProvider>
}

/** One item, with the money that it is about. */
export interface WaitingItem {
  readonly item: StoredOperatorItem
  /** The attempt that brought it. */
  readonly attempt: Attempt
  readonly held: Money | null
  readonly suspense: ReadonlyArray<Money>
}

export const openSuspense = ({ items }: Story): ReadonlyArray<StoredOperatorItem> =>
  items.filter(({ closed_at, kind }) => kind === "suspense" && closed_at === null)

/** Nobody knows what became of it, or it was refused and its provider has it after all. */
export const isUncertain = (attempt: Attempt, items: Story["items"]): boolean =>
  attempt.outcome === "unknown" ||
  isPursued(attempt) ||
  items.some(
    ({ attempt_id, closed_at, kind }) =>
      kind === "unknown_outcome" && closed_at === null && attempt_id === attempt.attempt_id
  )

/** What a ramp holds was collected by the one attempt that was not refused, whatever else came through others. */
const mayBeHeldFor = ({ outcome }: Attempt): boolean => outcome !== "declined"

/** What a ramp still holds is what the item of its settlement is about, or else its last one. */
export const waitingItems = (
  story: Story,
  { held, suspense }: Pick<Waiting, "held" | "suspense">
): ReadonlyArray<WaitingItem> => {
  const open = openSuspense(story).flatMap((item) => {
    const attempt = story.attempts.find(({ attempt_id }) => attempt_id === item.attempt_id)
    return attempt === undefined ? [] : [{ item, attempt }]
  })
  const holding =
    open.findLast(({ attempt }) => attempt.leg === "settlement") ??
    open.findLast(({ attempt }) => mayBeHeldFor(attempt))
  return open.map((one) => {
    const { attempt, item } = one
    return {
      item,
      attempt,
      held: one === holding ? held : null,
      suspense: suspense.filter(({ about }) => about === attempt.attempt_id).map(({ money }) => money)
    }
  })
}

/** What waits for a verdict on the payment itself: a review is another matter. */
export const openQuestions = ({ items }: Story): ReadonlyArray<StoredOperatorItem> =>
  items.filter(({ closed_at, kind }) => closed_at === null && (kind === "suspense" || kind === "unknown_outcome"))

export const listed = (items: ReadonlyArray<StoredOperatorItem>): string =>
  items.map(({ detail, item_id, kind }) => `${item_id} (${kind}): ${detail}`).join(" ")

/** What a verdict would mean for each item, where it has a meaning: one verdict fits those that are alike. */
const meaningsOf = (payment: Payment, story: Story, waiting: Waiting): ReadonlySet<string> => {
  const short = underpaidBy(payment, story)
  const ofMoney = waitingItems(story, waiting).flatMap(({ attempt, held, suspense }) => {
    if (attempt === short) return ["underpaid"]
    const all = [...(held === null ? [] : [held]), ...suspense]
    const twice = goneTwice(payment, attempt).isPositive ? ["went"] : []
    return [...all.map(({ isNegative }) => (isNegative ? "went" : "came")), ...twice]
  })
  const isUnknown = openQuestions(story).some(({ kind }) => kind === "unknown_outcome")
  return new Set([...ofMoney, ...(isUnknown ? ["unknown"] : [])])
}

/** Several things wait, and what settles one of them would be wrong for another. */
export const isAmbiguous = (payment: Payment, story: Story, waiting: Waiting): boolean =>
  openQuestions(story).length > 1 && meaningsOf(payment, story, waiting).size > 1

/** An attempt that brought less than was asked for, while its payment waits for the rest. */
export const underpaidBy = (payment: Payment, story: Story): Attempt | undefined =>
  payment.direction === "inbound" && !isSettled(payment.status)
    ? story.attempts.find(
        ({ attempt_id, leg, outcome, received }) =>
          leg === "payment" &&
          outcome === "accepted" &&
          Object.keys(received).length > 0 &&
          openSuspense(story).some((item) => item.attempt_id === attempt_id)
      )
    : undefined

/** What the payment would be if what has arrived were all that was asked for. */
const amountIn = (payment: Payment, { received }: Attempt): Money => totalIn(received, payment.amount.currency)

/** The payment waits no longer for the rest of its money. */
export const underpaid = (payment: Payment, attempt: Attempt): PaymentPatch => {
  const message = `Only ${amountIn(payment, attempt).toString()} of ${payment.amount.toString()} arrived.`
  return { next_action: null, failure: { code: "UNDERPAID", message, provider: attempt.provider } }
}

/** What a ramp could not settle was taken by its first leg. */
const takerOf = (payment: Payment, { attempts }: Story, attempt: Attempt): Attempt | undefined =>
  isRamp(payment) && attempt.leg === "settlement"
    ? attempts.find(({ leg, outcome }) => leg === "collection" && outcome === "accepted")
    : attempt

/** Whoever has moved money that waits because of an attempt: what a ramp collected is not its settler's. */
export const moverOf = (payment: Payment, story: Story, attempt: Attempt, { currency }: Money): Attempt =>
  (currency === payment.amount.currency ? takerOf(payment, story, attempt) : undefined) ?? attempt

export const byHand = ({ payment_id }: Payment): string =>
  `give it back at the provider, then run "corridor payments resolve ${payment_id} --as failed".`

/** It is nobody's who could be given it back: its own organisation had paid it. */
const paidOutBy = ({ payment_id }: Payment, { provider }: Attempt): string =>
  `It came back of what ${provider} had paid out, and nobody had sent it: settle it with "corridor payments resolve ${payment_id}".`

/** What goes back for an item, all of it in one sum, and who took it. */
export interface Return {
  readonly about: WaitingItem
  readonly taker: Attempt
  readonly money: Money
}

const sumOf = (payment: Payment, all: ReadonlyArray<Money>): Either.Either<Money, string> => {
  const [first, ...others] = all
  if (first === undefined) return Either.left("Nothing of this payment's money is in suspense.")
  if (all.some((money) => !money.isPositive)) {
    const command = `corridor payments resolve ${payment.payment_id}`
    return Either.left(`Money went out for this payment, and none came to be given back: settle it with "${command}".`)
  }
  if (others.some(({ currency }) => currency !== first.currency)) {
    return Either.left(`It holds money in several currencies: ${byHand(payment)}`)
  }
  const minor = all.reduce((sum, money) => sum + money.minor, 0n)
  return Either.right(new Money({ currency: first.currency, minor }))
}

/** What was refused and is on its way nevertheless may take the money with it. */
const resurfacedIn = ({ attempts, items }: Story, { attempt, held }: WaitingItem): Attempt | undefined =>
  attempts.find(
    (one) =>
      one.outcome === "declined" &&
      isUncertain(one, items) &&
      (one.leg === "return"
        ? one.of_attempt === attempt.attempt_id
        : one.leg === "settlement" && (held !== null || attempt.leg === "settlement"))
  )

/** The item whose money is to go back: whoever repeats what they said must not be taken to mean another one. */
const meantOf = (story: Story, waiting: Waiting, item: string | undefined): Either.Either<WaitingItem, string> => {
  const all = waitingItems(story, waiting).filter(({ held, suspense }) => held !== null || suspense.length > 0)
  const others =
    all.length === 0 ? "Nothing of this payment's money is in suspense." : listed(all.map((one) => one.item))
  const [only, ...more] = item === undefined ? all : all.filter((one) => one.item.item_id === item)
  if (item !== undefined) {
    return only === undefined
      ? Either.left(`No money of this payment waits under ${item}. ${others}`)
      : Either.right(only)
  }
  if (only === undefined) return Either.left(others)
  return more.length === 0
    ? Either.right(only)
    : Either.left(`Several sums of this payment wait. Name one of them (--item, or item_id): ${others}`)
}

/** A payment that still waits for the rest of its money is given up with it. */
export const returnOf = (
  payment: Payment,
  story: Story,
  waiting: Waiting,
  item?: string
): Either.Either<Return, string> => {
  const meant = meantOf(story, waiting, item)
  if (Either.isLeft(meant)) return Either.left(meant.left)
  const about = meant.right
  const isOurs = about.attempt.outcome === "declined" || about.attempt === underpaidBy(payment, story)
  if (!isSettled(payment.status) && !isOurs) {
    return Either.left(`This payment is ${payment.status}: its money can be given back once it has ended.`)
  }
  const resurfaced = resurfacedIn(story, about)
  if (resurfaced !== undefined) {
    const { leg, provider } = resurfaced
    const what = leg === "return" ? "an earlier return" : "what it was to settle"
    return Either.left(
      `${provider} had refused ${what}, and has it after all: wait for what becomes of it, or settle it.`
    )
  }
  const all = [...(about.held === null ? [] : [about.held]), ...about.suspense]
  return Either.flatMap(sumOf(payment, all), (money) => {
    const mover = moverOf(payment, story, about.attempt, money)
    if (kindOfAttempt(payment, mover) === "payout") return Either.left(paidOutBy(payment, mover))
    const taker = mover.leg === "refund" ? takerAmong(story.attempts, mover) : mover
    return taker === undefined
      ? Either.left(`Nobody knows who took the money: ${byHand(payment)}`)
      : Either.right({ about, taker, money })
  })
}

/** A return of the same money that is under way, or of which nobody knows what became of it. */
export const openReturn = ({ attempts }: Story, { about }: Return): Attempt | undefined =>
  attempts.find(
    ({ leg, of_attempt, outcome }) =>
      leg === "return" && of_attempt === about.attempt.attempt_id && (outcome === null || outcome === "unknown")
  )
