/**
 * One payin, payout or ramp with its books, by the rules alone: no store and no clock, so that many sequences run fast.
 */
import { Duration, Option } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { combine, kindOf, type LedgerAccount, type Posting } from "../../../src/domain/Ledger.ts"
import { Money } from "../../../src/domain/Money.ts"
import { signedAmount, type Movement } from "../../../src/domain/Movement.ts"
import { Report } from "../../../src/domain/Outcome.ts"
import type { ProviderSignal } from "../../../src/domain/PaymentStatusRules.ts"
import { openAttempt, type Change, type NewAttempt, booksAfter, noBooks } from "../../../src/payments/store/Change.ts"
import { isRamp } from "../../../src/payments/route/RampPayout.ts"
import { decidePaymentChange, decideRampChange } from "../../../src/payments/settlement/PaymentSignalRules.ts"
import { decideRefundChange } from "../../../src/payments/settlement/RefundSignalRules.ts"
import type { SignalContext } from "../../../src/payments/settlement/SignalContext.ts"
import {
  changeIfOrganizationBears,
  changeIfProviderMoved,
  acceptedTarget
} from "../../../src/payments/settlement/ResolutionRules.ts"
import {
  isPartialRampCollection,
  isUnderpaid,
  moverOf,
  unallocatedSums
} from "../../../src/payments/store/UnallocatedMoney.ts"
import type { Attempt, Books, Payment, Refund } from "../../../src/payments/store/Payment.ts"
import { entriesOfChange } from "../../../src/payments/store/PaymentPostings.ts"
import type { StoredEvent } from "../../../src/webhooks/Webhook.ts"
import { idFrom } from "../../support/AnyId.ts"
import { blankPayment } from "./NewPayment.ts"

export const shillings = (amount: number) =>
  new Money({ currency: CurrencyCode.make("KES"), minor: BigInt(amount) * 100n })

export const tether = (minor: number) => new Money({ currency: "USDT", minor: BigInt(minor) })

const at = new Date(0)

/** Ramp that is collected in shillings and settled in tether. */
export const onRamp: Partial<Payment> = {
  direction: "external",
  target: tether(11_600_000),
  ramp: {
    direction: "on_ramp",
    network: "POLYGON",
    wallet_address: "0x52908400098527886E0F7030069857D2E4169EE7",
    collection: "bank_transfer",
    settlement: "crypto",
    rate: "0.00774",
    client_rate: "0.00774",
    customer_type: "retail",
    business_id: null,
    business_name: null,
    collected: null
  }
}

/** Paid from shillings that are held for it. */
export const payout: Partial<Payment> = { direction: "outbound", holds: true }

const by = (provider: NewAttempt["provider"], attempt_id: string, leg: NewAttempt["leg"]): NewAttempt => ({
  attempt_id: idFrom(attempt_id),
  leg,
  provider,
  config_id: null,
  account: null,
  own_account: false,
  started_at: at,
  enquire_in: null
})

export const report = (state: Report["state"], ...movements: ReadonlyArray<Movement>) =>
  new Report({ state, reason: null, providerPaymentId: null, providerStatus: null, movements })

export const movement = (kind: Movement["kind"], id: string, amount: Money): Movement => ({
  kind,
  id,
  amount,
  state: "settled"
})

export const openBooks = (asked: number, about: Partial<Payment> = {}) => {
  const amount = shillings(asked)
  let payment: Payment = {
    ...blankPayment,
    payment_id: idFrom("payment"),
    transaction_id: idFrom("transaction"),
    org_id: idFrom("org"),
    user_id: idFrom("user"),
    status: "pending",
    amount,
    target: amount,
    refunded: Money.zero(amount.currency),
    provider: "stripe",
    created_at: at,
    updated_at: at,
    ...about
  }
  let books: Books = noBooks
  let ids = 0
  const attempts = new Map<string, Attempt>()
  const postings: Array<Posting> = []
  const events: Array<StoredEvent> = []
  const first = by("stripe", "payment", isRamp(payment) ? "collection" : "payment")
  attempts.set("payment", { ...openAttempt(payment, first), outcome: "accepted" })
  const newId = () => `id ${(ids += 1)}`
  const moment = { at, newId, enquireIn: Option.none() }

  const apply = (change: Change) => {
    for (const entry of entriesOfChange(change)) postings.push(...entry.postings)
    events.push(...change.events)
    const { attempt, nextAttempt, patch, status } = change
    books = booksAfter({ ...change, booksBefore: books })
    payment = { ...payment, ...patch, status, version: payment.version + 1 }
    if (attempt !== undefined) {
      const { enquire_in: _, ...rest } = attempt
      attempts.set(attempt.attempt_id, { ...attempts.get(attempt.attempt_id)!, ...rest })
    }
    if (nextAttempt !== undefined) attempts.set(nextAttempt.attempt_id, openAttempt(payment, nextAttempt))
  }

  const ruledOn = (attempt: Attempt, signal: ProviderSignal, source: SignalContext) => {
    const known = { payment, attempt, ...books }
    if (attempt.leg === "refund" || attempt.leg === "return") return decideRefundChange(known, signal, source, moment)
    if (!isRamp(payment)) return decidePaymentChange(known, signal, source, moment)
    const payoutAttempt = attempt.leg === "collection" ? by("circle", "settlement", "settlement") : undefined
    const shared = { ...moment, shared: at, payinExpiry: Duration.hours(24) }
    return decideRampChange({ ...known, payment }, signal, source, shared, payoutAttempt)
  }

  /** Balances of the accounts of one kind. */
  const balances = (kind: string): ReadonlyArray<{ readonly account: LedgerAccount; readonly amount: Money }> =>
    combine(postings).filter(({ account }) => kindOf(account) === kind)

  return {
    payment: () => payment,
    books: () => books,
    events: () => events,
    balances,
    /** Balance of each provider in the books, and the sum of its movements. */
    atProviders: () =>
      balances("provider")
        .map(({ account, amount }) => `${account} ${amount.negate().toString()}`)
        .toSorted(),
    byMovements: () =>
      combine(
        books.movements
          .filter(({ state }) => state === "settled")
          .map((one) => ({
            account: `provider/${one.provider}/${one.amount.currency}` as LedgerAccount,
            amount: signedAmount(one)
          }))
      )
        .map(({ account, amount: sum }) => `${account} ${sum.toString()}`)
        .toSorted(),
    waiting: () =>
      unallocatedSums(payment, books)
        .map(({ from, money }) => `${from} ${money.toString()}`)
        .toSorted(),
    record: (signal: ProviderSignal, of = "payment") => {
      const attempt = attempts.get(of)
      if (attempt !== undefined) apply(ruledOn(attempt, signal, { cause: "told" }).change)
    },
    /** An operator says of the nth sum that waits whose it is; a decision that would be refused changes nothing. */
    decide: (outcome: "completed" | "failed", nth: number) => {
      const sums = unallocatedSums(payment, books)
      const sum = sums[nth % sums.length]
      const all = Array.from(attempts.values())
      const mover = sum && moverOf(all, sum)
      if (sum === undefined || mover === undefined) return
      const history = { ...books, attempts: all, statusChanges: [], callbacks: [], items: [] }
      const about = { payment, history, sum, mover, reason: "seen at the bank", movementId: undefined, by: "amina" }
      const statement = { ...about, at, newId }
      const target = acceptedTarget(payment, sum)
      const accepted = {
        status: "completed",
        patch: { amount: sum.money, target: target! },
        cause: "accepted"
      } as const
      if (
        outcome === "completed" &&
        (isPartialRampCollection(payment, sum) || (isUnderpaid(payment, sum) && target === undefined))
      )
        return
      const stated =
        outcome === "failed"
          ? changeIfProviderMoved(statement)
          : isUnderpaid(payment, sum)
            ? accepted
            : changeIfOrganizationBears(statement)
      apply({ ...stated, payment, at, booksBefore: books, events: [] })
    },
    refund: (name: string, part: number) => {
      const refund: Refund = {
        refund_id: idFrom(name),
        amount: shillings(part),
        target: new Money({
          currency: payment.target.currency,
          minor: (payment.target.minor * shillings(part).minor) / payment.amount.minor
        }),
        state: "open",
        reason: null,
        created_at: at,
        settled_at: null
      }
      const nextAttempt = { ...by("stripe", name, "refund"), of_attempt: idFrom("payment") as Attempt["attempt_id"] }
      const patch = { refunds: [...payment.refunds, refund] }
      apply({
        payment,
        status: payment.status,
        patch,
        cause: "refund",
        at,
        nextAttempt,
        booksBefore: books,
        events: []
      })
    }
  }
}
