/**
 * Returns unallocated money through the provider that collected it. The return is an attempt of its own: committed before
 * the provider is called, with its money held, and polled like every other attempt.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { asSentence } from "../../domain/MailSafeText.ts"
import { AttemptId, Ids } from "../../domain/Ids.ts"
import type { Permit } from "../../domain/Access.ts"
import { Conflict } from "../../domain/Failure.ts"
import type { Outcome } from "../../domain/Outcome.ts"
import { isFinal } from "../../domain/PaymentStatus.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { type Provider, Providers } from "../../providers/port/Provider.ts"
import { refundsHonoured, ResendPermit } from "../../providers/port/ResendPermit.ts"
import { openAttempt } from "../store/Change.ts"
import {
  CallProvider,
  FirstSendPermit,
  type SendPermit,
  openSendWindow,
  type SendWindow
} from "../route/CallProvider.ts"
import { attemptContext, sentTimes } from "../route/BuildOrder.ts"
import { type Attempt, kindOfAttempt, type Payment, type Refund } from "../store/Payment.ts"
import { type AttemptOfPayment, PaymentStore, type PaymentHistory, reread } from "../store/PaymentStore.ts"
import { partOf } from "./SignalMovements.ts"
import {
  isUnderpaid,
  accountOfSum,
  queueItemId,
  moverOf,
  type UnallocatedSum,
  unallocatedSums,
  returnOf
} from "../store/UnallocatedMoney.ts"
import { refundAttempt, withoutEnquiries, switchedOff } from "./PaymentCommand.ts"
import { eventsOf } from "./PaymentEvents.ts"
import { isPolledAfterDecline } from "./PaymentSignalRules.ts"
import { RecordOutcome } from "./RecordOutcome.ts"
import { conflict, listItems, underpaidPatch } from "./ResolutionRules.ts"

export interface ReturnRequest {
  readonly reason: string
  /** Queue item to return; required if the payment has several. */
  readonly item?: string | undefined
}

type Refunding = Provider & Required<Pick<Provider, "refund">>

const EVENTS = 3

export const changed = () => new Conflict({ message: "The payment changed just now; look at it again." })

const inAMinute = () =>
  new Conflict({ message: "It is being returned at this moment: look at the payment again in a minute." })

const byHand = ({ payment_id }: Payment): string =>
  `return it at the provider, then run "corridor payments resolve ${payment_id} --as failed".`

const refusalIn = (outcome: Outcome, { provider }: Attempt): Effect.Effect<void, Conflict> => {
  switch (outcome._tag) {
    case "Accepted":
      return Effect.void
    case "Declined":
      return new Conflict({
        message:
          outcome.unsent === "late"
            ? `${asSentence(outcome.reason)} Repeat the command.`
            : `${provider} declined the refund: ${asSentence(outcome.reason)}`
      })
    case "Unknown":
      return new Conflict({
        message: `Whether ${provider} returns the money is unknown (${outcome.reason}): repeat the command, it cannot be sent twice.`
      })
  }
}

/** Sum to return, and the attempt that collected it. */
interface Wanted {
  readonly sum: UnallocatedSum
  readonly taker: Attempt
}

/** Declined return or ramp payout that is under way nevertheless, and may still pay the same money. */
const resurfacedIn = ({ attempts }: PaymentHistory, { attempt_id, from }: UnallocatedSum): Attempt | undefined =>
  attempts.find(
    (one) =>
      isPolledAfterDecline(one) &&
      (one.leg === "return" ? one.of_attempt === attempt_id : one.leg === "settlement" && from === "ramp")
  )

const wantedOf = (
  payment: Payment,
  history: PaymentHistory,
  item: string | undefined
): Effect.Effect<Wanted, Conflict> =>
  Effect.gen(function* () {
    const sums = unallocatedSums(payment, history)
    const [sum, ...others] = item === undefined ? sums : sums.filter(({ item_id }) => item_id === item)
    if (sum === undefined) {
      return yield* conflict(
        sums.length === 0
          ? "No money of this payment waits for a decision."
          : `No money of this payment waits under ${item}. ${listItems(payment, sums)}`
      )
    }
    if (others.length > 0) {
      return yield* conflict(
        `Several sums of this payment wait. Name one of them (--item, or item_id): ${listItems(payment, sums)}`
      )
    }
    if (!sum.money.isPositive) {
      return yield* conflict(
        `Money is gone from this payment, and none came that could be returned: settle it with "corridor payments resolve ${payment.payment_id}".`
      )
    }
    const taker = moverOf(history.attempts, sum)
    if (taker === undefined) return yield* conflict(`It is not known which attempt took the money: ${byHand(payment)}`)
    if (kindOfAttempt(payment, taker) === "payout") {
      return yield* conflict(
        `It came back of what ${taker.provider} had paid out, and no payer sent it: settle it with "corridor payments resolve ${payment.payment_id}".`
      )
    }
    const isOurs = taker.outcome === "declined" || isUnderpaid(payment, sum)
    if (!isFinal(payment.status) && !isOurs) {
      return yield* conflict(`This payment is ${payment.status}: its money can be returned once it has ended.`)
    }
    const resurfaced = resurfacedIn(history, sum)
    if (resurfaced !== undefined) {
      const what = resurfaced.leg === "return" ? "an earlier return" : "what it was to settle"
      return yield* conflict(
        `${resurfaced.provider} had refused ${what}, and has it after all: wait for what becomes of it, or settle it.`
      )
    }
    return { sum, taker }
  })

/** Return of the named money that is under way or has an unknown outcome. */
const openReturn = (payment: Payment, { attempts }: PaymentHistory, item: string | undefined): Attempt | undefined => {
  const isNamed = ({ amount, of }: Refund): boolean =>
    of !== undefined && (item === undefined || item === queueItemId(accountOfSum(payment, { ...of, money: amount })))
  const open = payment.refunds.find((part) => part.state === "open" && isNamed(part))
  return attempts.find(({ attempt_id }) => attempt_id === open?.refund_id)
}

const make = Effect.gen(function* () {
  const store = yield* PaymentStore
  const outcomes = yield* RecordOutcome
  const audit = yield* AuditLog
  const providers = yield* Providers
  const callProvider = yield* CallProvider
  const ids = yield* Ids

  /** Provider of a return. It must execute a repeated reference once, since an operator may have to repeat the command. */
  const refunderOf = Effect.fnUntraced(function* (payment: Payment, attempt: Attempt) {
    const { account, provider: name } = attempt
    const provider = yield* providers.find(name, account)
    if (provider === undefined) return yield* new Conflict({ message: switchedOff(attempt) })
    if (provider.refund === undefined || refundsHonoured(provider) === false) {
      return yield* new Conflict({ message: `${name} makes no refunds through this service: ${byHand(payment)}` })
    }
    const refunding: Refunding = { ...provider, refund: provider.refund }
    return refunding
  })

  /** Commits the return. A payment that waits for the rest of its money then fails. */
  const commit = Effect.fnUntraced(function* (
    permit: Permit<"platform">,
    payment: Payment,
    history: PaymentHistory,
    { sum, taker }: Wanted,
    reason: string
  ) {
    const at = new Date(yield* Clock.currentTimeMillis)
    const attempt_id = yield* ids.make(AttemptId)
    const newId = yield* ids.atMost(EVENTS)
    const attempt = refundAttempt(taker, "return", attempt_id, at)
    const { collection_id, money } = returnOf(payment, history.movements, sum)
    const part: Refund = {
      refund_id: attempt_id,
      amount: money,
      target: money,
      collection_id,
      state: "open",
      reason,
      created_at: at,
      settled_at: null,
      of: { attempt_id: sum.attempt_id, from: sum.from }
    }
    // Money of a declined attempt goes back without a change of the payment, which another provider may have.
    const ended = isFinal(payment.status) || taker.outcome === "declined"
    const status = ended ? payment.status : "failed"
    const patch = { refunds: [...payment.refunds, part], ...(ended ? {} : underpaidPatch(payment, sum)) }
    const after: Payment = { ...payment, ...patch, status, version: payment.version + 1, updated_at: at }
    const written = yield* store.apply({
      payment,
      status,
      patch,
      cause: `return of ${money.toString()} asked for by ${permit.actor.id}`,
      at,
      nextAttempt: attempt,
      ...(ended ? {} : { attempt: withoutEnquiries(taker) }),
      booksBefore: history,
      events: eventsOf({ at, newId }, after, payment.status)
    })
    if (!written) return yield* changed()
    const { allocations, movements } = history
    const subject = { payment: after, attempt: openAttempt(after, attempt), movements, allocations }
    return { ...subject, sendPermit: FirstSendPermit.made(attempt) }
  })

  /** Permit to send again, while the provider still honours the reference. */
  const renewed = Effect.fnUntraced(function* (payment: Payment, attempt: Attempt, provider: Refunding) {
    const again = ResendPermit.honoured(provider, refundsHonoured(provider), sentTimes(attempt, yield* store.now))
    if (Option.isNone(again)) {
      return yield* new Conflict({
        message: `${provider.name} may have given it back, and no longer says so: ${byHand(payment)}`
      })
    }
    const subject = yield* store.renewSend(attempt.attempt_id, null)
    return Option.isNone(subject) ? yield* inAMinute() : { ...subject.value, sendPermit: again.value }
  })

  const send = Effect.fnUntraced(function* (
    permit: Permit<"platform">,
    subject: AttemptOfPayment & { readonly sendPermit: SendPermit },
    taker: Attempt,
    provider: Refunding,
    window: SendWindow,
    reason: string
  ) {
    const { attempt, payment, sendPermit } = subject
    // The amount of the first order: a later collection is not part of it.
    const { amount: money, collection_id: collectionId = null } = partOf(payment, attempt)
    const reference = attempt.attempt_id
    const sent = provider.refund({
      attempt: attemptContext(payment, taker, []),
      reference,
      collectionId,
      money,
      reason
    })
    const outcome = yield* callProvider.send(provider, sent, window, sendPermit, { honours: refundsHonoured(provider) })
    // Too late to send again is no decline, since the first order may have been sent.
    if (outcome._tag === "Declined" && outcome.unsent === "late" && !(sendPermit instanceof FirstSendPermit))
      return yield* inAMinute()
    const note = `${money.toString()} returned through ${provider.name} by ${permit.actor.id}: ${reason}`
    yield* outcomes.record(subject, outcome, {
      cause: `return at ${provider.name}`,
      ...(outcome._tag === "Accepted" ? { note } : {})
    })
    yield* refusalIn(outcome, attempt)
    yield* audit.record(permit, {
      action: "payment.suspense_refunded",
      org: payment.org_id,
      subject: ["payment", payment.payment_id],
      detail: {
        reason,
        amount: money.toNumericText(),
        currency: money.currency,
        provider: provider.name,
        attempt_id: taker.attempt_id,
        reference
      }
    })
    return yield* reread(store, payment)
  })

  return Effect.fnUntraced(function* (permit: Permit<"platform">, payment: Payment, { item, reason }: ReturnRequest) {
    const history = yield* store.history(payment)
    // Payment and history must be of one version, or the amount may be another one.
    if ((yield* reread(store, payment)).version !== payment.version) return yield* changed()
    const window = yield* openSendWindow
    const open = openReturn(payment, history, item)
    if (open !== undefined) {
      const taker = history.attempts.find(({ attempt_id }) => attempt_id === open.of_attempt)
      if (taker === undefined) return yield* inAMinute()
      const provider = yield* refunderOf(payment, taker)
      return yield* send(permit, yield* renewed(payment, open, provider), taker, provider, window, reason)
    }
    const wanted = yield* wantedOf(payment, history, item)
    const provider = yield* refunderOf(payment, wanted.taker)
    // Unallocated money is in clearing or in the ramp's account: no floor can be passed.
    const subject = yield* Effect.catchTags(commit(permit, payment, history, wanted, reason), {
      InsufficientFunds: Effect.die,
      TransferTaken: Effect.die
    })
    return yield* send(permit, subject, wanted.taker, provider, window, reason)
  })
})

export class RefundUnallocated extends Context.Tag("corridor/RefundUnallocated")<
  RefundUnallocated,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.effect(RefundUnallocated, make)
}
