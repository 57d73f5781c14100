/** One payin, payout or ramp with its books, told of by the deciders alone: no store and no clock, so that many stories are told in no time. */
import { Duration, Either, Option } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { combine, kindOf, type Posting, providerIn } from "../../../src/domain/Ledger.ts"
import { Money } from "../../../src/domain/Money.ts"
import { Report } from "../../../src/domain/Outcome.ts"
import { withTotal } from "../../../src/domain/Received.ts"
import type { ProviderSignal } from "../../../src/domain/Settlement.ts"
import { openAttempt } from "../../../src/payments/dispatch/Dispatch.ts"
import { disputedOr, needsBooks } from "../../../src/payments/record/ByTheBooks.ts"
import { changeOf } from "../../../src/payments/record/PaymentChange.ts"
import { saidBackOf } from "../../../src/payments/record/OwnRefunds.ts"
import { rampChangeOf } from "../../../src/payments/record/RampChange.ts"
import { refundChangeOf } from "../../../src/payments/record/RefundChange.ts"
import { goneBesides, returnChangeOf } from "../../../src/payments/record/ReturnChange.ts"
import type { Source } from "../../../src/payments/record/Ruling.ts"
import { broughtBy } from "../../../src/payments/route/AttemptContext.ts"
import { isRamp } from "../../../src/payments/route/LegOrder.ts"
import { takerAmong } from "../../../src/payments/record/Standing.ts"
import { underpaidBy, waitingItems } from "../../../src/payments/suspense/SuspenseItems.ts"
import { givenUp, type Settled, verdictOn } from "../../../src/payments/suspense/SuspenseVerdict.ts"
import type { Change, NewAttempt } from "../../../src/payments/store/Change.ts"
import type { Attempt, Payment, StoredOperatorItem } from "../../../src/payments/store/Payment.ts"
import { entriesOfChange } from "../../../src/payments/store/PaymentPostings.ts"
import { idFrom } from "../../support/AnyId.ts"
import { blankPayment } from "./NewPayment.ts"

export const shillings = (amount: number) =>
  new Money({ currency: CurrencyCode.make("KES"), minor: BigInt(amount) * 100n })

const at = new Date(0)

/** Of what is collected in shillings and settled in tether. */
export const onRamp: Partial<Payment> = {
  direction: "external",
  target: new Money({ currency: "USDT", minor: 11_600_000n }),
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

const drafted = (amount: Money, about: Partial<Payment>): Payment => ({
  ...blankPayment,
  payment_id: idFrom("payment"),
  transaction_id: idFrom("transaction"),
  org_id: idFrom("org"),
  user_id: idFrom("user"),
  status: "pending",
  amount,
  target: amount,
  provider: "stripe",
  created_at: at,
  updated_at: at,
  ...about
})

const by = (provider: NewAttempt["provider"], attempt_id: string, leg: NewAttempt["leg"]): NewAttempt => ({
  attempt_id: idFrom(attempt_id),
  leg,
  provider,
  config_id: null,
  account: null,
  own: false,
  started_at: at,
  enquire_in: null
})

export const report = (state: Report["state"], sums: Partial<Pick<Report, "received" | "taken" | "regained">> = {}) =>
  new Report({
    state,
    reason: state === "returned" ? "it was disputed" : null,
    providerPaymentId: null,
    providerStatus: null,
    ...sums
  })

interface Posted extends Posting {
  readonly about: string
}

export const openBooks = (asked: number, about: Partial<Payment> = {}) => {
  let payment = drafted(shillings(asked), about)
  let ids = 0
  const attempts = new Map<string, Attempt>()
  const entries = new Set<string>()
  const postings: Array<Posted> = []
  let items: ReadonlyArray<StoredOperatorItem> = []
  const first = by("stripe", "payment", isRamp(payment) ? "collection" : "payment")
  attempts.set("payment", { ...openAttempt(payment, first), outcome: "accepted" })

  const newId = () => `id ${(ids += 1)}`
  const moment = { at, newId, enquireIn: Option.none() }

  const apply = (change: Change) => {
    for (const { entry_id, postings: all, reference } of entriesOfChange(change)) {
      if (entries.has(entry_id)) continue
      entries.add(entry_id)
      const [of = ""] = (reference ?? "").split(" ")
      postings.push(...all.map((one) => ({ ...one, about: of })))
    }
    const { attempt, closeItems = [], nextAttempt, openItems = [], patch, status } = change
    payment = { ...payment, ...patch, status, version: payment.version + 1 }
    if (attempt !== undefined) {
      const { enquire_in: _, ...rest } = attempt
      attempts.set(attempt.attempt_id, { ...attempts.get(attempt.attempt_id)!, ...rest })
    }
    if (nextAttempt !== undefined) attempts.set(nextAttempt.attempt_id, openAttempt(payment, nextAttempt))
    for (const close of closeItems) {
      items = items.filter(({ attempt_id, kind }) => kind !== close.kind || attempt_id !== close.attempt_id)
    }
    for (const item of openItems) {
      if (item.kind === "resolution") continue
      items = items.filter(({ attempt_id, kind }) => kind !== item.kind || attempt_id !== item.attempt_id)
      items = [...items, { ...item, closed_at: null, closed_by: null }]
    }
  }

  const suspense = () =>
    Array.from(attempts.keys()).flatMap((of) =>
      combine(postings.filter(({ about, account }) => about === of && kindOf(account) === "suspense")).map(
        ({ amount }) => ({ about: of, money: amount })
      )
    )
  const there = (provider = "stripe") =>
    combine(
      postings.filter(({ account }) => kindOf(account) === "provider" && providerIn(account).provider === provider)
    ).map(({ amount }) => amount.negate())
  /** Of what was collected: what the ramp holds until it is settled. */
  const held = () =>
    combine(postings.filter(({ account }) => kindOf(account) === "ramp"))[0]?.amount ??
    Money.zero(payment.amount.currency)
  const shillingsAt = () => Number(there().find(({ currency }) => currency === "KES")?.minor ?? 0n) / 100
  const source = (of: string): Source => ({
    cause: "told",
    waiting: suspense().filter(({ about }) => about === of),
    others: suspense().filter(({ about }) => about !== of),
    there: there(attempts.get(of)?.provider),
    ...(isRamp(payment) ? { held: held() } : {})
  })

  const ruledOn = (attempt: Attempt, signal: ProviderSignal) => {
    const known = { payment, attempt }
    const heard: Source = needsBooks(known, signal) ? source(attempt.attempt_id) : { cause: "told" }
    const shared = { ...moment, shared: at, payinExpiry: Duration.hours(24) }
    const ruled = disputedOr(known, signal, heard, isRamp(payment) ? shared : moment)
    if (Either.isLeft(ruled)) return ruled.left
    if (!isRamp(payment)) return changeOf(known, signal, ruled.right, moment)
    const settler = attempt.leg === "collection" ? by("circle", "settlement", "settlement") : undefined
    return rampChangeOf({ payment, attempt }, signal, ruled.right, shared, settler)
  }

  const story = () => ({ attempts: Array.from(attempts.values()), items, history: [], callbacks: [] })

  const settledBy = (settled: Settled, closed: ReadonlyArray<{ readonly attempt: Attempt }>) =>
    apply({
      ...settled,
      payment,
      at,
      events: [],
      closeItems: closed.map(({ attempt }) => ({ kind: "suspense", attempt_id: attempt.attempt_id, by: "a person" }))
    })

  return {
    payment: () => payment,
    suspense,
    items: () => items,
    has: shillingsAt,
    at: there,
    held,
    hear: (signal: ProviderSignal, of = "payment") => apply(ruledOn(attempts.get(of)!, signal).change),
    refund: (name: string, amount: number) => {
      const part = { refund_id: idFrom(name), amount: shillings(amount), target: shillings(amount) }
      const refund = { ...part, state: "open" as const, reason: null, created_at: at, settled_at: null }
      apply({
        payment,
        status: payment.status,
        patch: { refunds: [...payment.refunds, refund] },
        cause: "refund",
        at,
        nextAttempt: by("stripe", name, "refund"),
        newRefund: part,
        events: []
      })
    },
    hearOfRefund: (name: string, signal: ProviderSignal) => {
      const all = Array.from(attempts.values())
      const known = { payment, attempt: attempts.get(name)! }
      const books = source(name)
      const heard: Source = {
        ...books,
        saidBack: saidBackOf(payment, all, books),
        taker: takerAmong(all, known.attempt)
      }
      apply(refundChangeOf(known, signal, heard, moment).change)
    },
    /** A person gives back through the provider what came back of a refund. */
    giveBack: (name: string, of: string, amount: number) =>
      apply({
        payment,
        status: payment.status,
        patch: {},
        cause: "given back",
        at,
        nextAttempt: {
          ...by("stripe", name, "return"),
          of_attempt: idFrom(of),
          received: withTotal({}, shillings(amount))
        },
        events: []
      }),
    hearOfReturn: (name: string, signal: ProviderSignal) => {
      const attempt = attempts.get(name)!
      const all = Array.from(attempts.values())
      const { others = [], waiting = [] } = source(String(attempt.of_attempt))
      const heard = {
        cause: "told",
        waiting,
        others,
        besides: goneBesides(all, attempt),
        taker: broughtBy(attempt, all)
      }
      apply(returnChangeOf({ payment, attempt }, signal, heard, moment).change)
    },
    /** A person settles all that waits, where there is anything that one word fits; who says that it is gone has seen what is there. */
    settle: (outcome: "completed" | "failed", seen: number): boolean => {
      const waiting = {
        held: null,
        suspense: suspense(),
        there: there().map((money) => ({ provider: "stripe", account: null, money }))
      }
      const waits = waiting.suspense.reduce((sum, { money }) => sum + Number(money.minor) / 100, 0)
      const isAlike = new Set(waiting.suspense.map(({ money }) => money.isNegative)).size === 1
      const attempt = underpaidBy(payment, story())
      const isTrue = outcome === "failed" ? shillingsAt() - waits === seen : attempt === undefined
      if (!isAlike || !isTrue) return false
      if (attempt !== undefined) {
        const mine = waitingItems(story(), waiting).filter((one) => one.attempt === attempt)
        settledBy(givenUp(payment, story(), attempt, { items: mine, waiting, by: "a person" }), mine)
        return true
      }
      const verdict = { outcome, reason: "seen" }
      const { items: closed, settled } = verdictOn(payment, story(), waiting, verdict, at)
      settledBy(settled, closed)
      return true
    }
  }
}
