/**
 * Sends money in suspense back through the provider that took it. The return is an attempt of its own, committed before the
 * provider is asked: it is looked up, and shown to a person, like every other.
 */
import { Clock, Context, Duration, Effect, Either, Layer, Option } from "effect"
import { asSentence } from "../../domain/PlainWords.ts"
import { AttemptId } from "../../domain/Identifiers.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import type { Permit } from "../../domain/Access.ts"
import { Conflict } from "../../domain/Failure.ts"
import { Ids } from "../../domain/Ids.ts"
import type { Outcome } from "../../domain/Outcome.ts"
import { isSettled } from "../../domain/PaymentStatus.ts"
import { orphanedAfter } from "../../domain/policies/Payments.ts"
import { withTotal } from "../../domain/Received.ts"
import { type Provider, Providers } from "../../providers/port/Provider.ts"
import { refundsHonoured, SendAgain } from "../../providers/port/SendAgain.ts"
import { laidToRest, switchedOff } from "../record/PaymentCommand.ts"
import { contextOf, sentTimes } from "../route/AttemptContext.ts"
import { openAttempt } from "../dispatch/Dispatch.ts"
import { type Attempt, type Payment, returnedMoney } from "../store/Payment.ts"
import { eventsOf } from "../record/PaymentEvents.ts"
import { type Known, PaymentStore } from "../store/PaymentStore.ts"
import { RecordOutcome } from "../record/RecordOutcome.ts"
import { ProviderAnswer } from "../dispatch/ProviderAnswer.ts"
import { heldToSuspense } from "../record/RampPostings.ts"
import { FirstSend, type Leave, openSendWindow, type SendWindow, type SentAtOnce } from "../route/Leave.ts"
import { changed, Suspense } from "./Suspense.ts"
import { byHand, openReturn, type Return, returnOf, underpaid } from "./SuspenseItems.ts"

export interface GiveBack {
  readonly reason: string
  /** Which item of the payment; needed where money of several waits. */
  readonly item?: string | undefined
}

type Refunding = Provider & Required<Pick<Provider, "refund">>

const EVENTS = 3

const inAMinute = () =>
  new Conflict({ message: "It is being given back at this moment: look at the payment again in a minute." })

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
        message: `Whether ${provider} gives the money back is unknown (${outcome.reason}): repeat the command, it cannot be sent twice.`
      })
  }
}

const make = Effect.gen(function* () {
  const suspense = yield* Suspense
  const store = yield* PaymentStore
  const outcomes = yield* RecordOutcome
  const audit = yield* AuditLog
  const providers = yield* Providers
  const answer = yield* ProviderAnswer
  const ids = yield* Ids

  /** Only where a repeated reference moves money once: a person may have to repeat the command. */
  const refunderOf = Effect.fnUntraced(function* (payment: Payment, attempt: Attempt) {
    const { account, provider: name } = attempt
    const provider = yield* providers.find(name, account)
    if (provider === undefined) return yield* new Conflict({ message: switchedOff(attempt) })
    if (provider.refund === undefined || refundsHonoured(provider) === false) {
      return yield* new Conflict({ message: `${name} gives nothing back through this service: ${byHand(payment)}` })
    }
    const refunding: Refunding = { ...provider, refund: provider.refund }
    return refunding
  })

  /** A payment that waits for the rest of its money waits no longer; what a ramp holds waits in suspense like the rest. */
  const commit = Effect.fnUntraced(function* (permit: Permit<"platform">, payment: Payment, wanted: Return) {
    const { about, money, taker } = wanted
    const at = new Date(yield* Clock.currentTimeMillis)
    const attempt_id = yield* ids.make(AttemptId)
    const fresh = yield* ids.several(EVENTS)
    const attempt: SentAtOnce = {
      attempt_id,
      leg: "return",
      provider: taker.provider,
      config_id: taker.config_id,
      account: taker.account,
      own: taker.own,
      started_at: at,
      enquire_in: Duration.toSeconds(orphanedAfter),
      of_attempt: about.attempt.attempt_id,
      received: withTotal({}, money)
    }
    // Money of a refused attempt goes back without touching the payment, which another provider may have.
    const ended = isSettled(payment.status) || about.attempt.outcome === "declined"
    const status = ended ? payment.status : "failed"
    const patch = ended ? {} : underpaid(payment, taker)
    const after: Payment = { ...payment, ...patch, status, version: payment.version + 1, updated_at: at }
    const written = yield* store.apply({
      payment,
      status,
      patch,
      cause: `return of ${money.toString()} asked for by ${permit.actor.id}`,
      at,
      nextAttempt: attempt,
      ...(ended ? {} : { attempt: laidToRest(taker) }),
      entries: about.held === null ? [] : [heldToSuspense(payment, about.attempt, about.held)],
      events: eventsOf(() => fresh.shift()!, after, payment.status, false, at)
    })
    if (!written) return yield* changed()
    return { payment: after, attempt: openAttempt(after, attempt), leave: FirstSend.made(attempt) }
  })

  /** Money that goes to a provider passes no floor. */
  const committed = (permit: Permit<"platform">, payment: Payment, wanted: Return) =>
    Effect.catchTag(commit(permit, payment, wanted), "InsufficientFunds", Effect.die)

  /** A second time, where its provider still remembers the first. */
  const renewed = Effect.fnUntraced(function* (payment: Payment, attempt: Attempt, provider: Refunding) {
    const again = SendAgain.honoured(provider, refundsHonoured(provider), sentTimes(attempt, yield* store.now))
    if (Option.isNone(again)) {
      return yield* new Conflict({
        message: `${provider.name} may have given it back, and no longer says so: ${byHand(payment)}`
      })
    }
    const known = yield* store.renewSend(attempt.attempt_id, null)
    return Option.isNone(known) ? yield* inAMinute() : { ...known.value, leave: again.value }
  })

  const send = Effect.fnUntraced(function* (
    permit: Permit<"platform">,
    known: Known & { readonly leave: Leave },
    { taker }: Return,
    provider: Refunding,
    window: SendWindow,
    reason: string
  ) {
    const { attempt, leave, payment } = known
    // What came since then is not part of what was ordered under this reference.
    const money = returnedMoney(attempt)
    const reference = attempt.attempt_id
    const sent = provider.refund({ attempt: contextOf(payment, taker, []), reference, money, reason })
    const outcome = yield* answer.outcome(provider, sent, window, leave, { honours: refundsHonoured(provider) })
    // What may have been sent before is not refused because it was too late to send it again.
    if (outcome._tag === "Declined" && outcome.unsent === "late" && !(leave instanceof FirstSend))
      return yield* inAMinute()
    const note = `${money.toString()} given back through ${provider.name} by ${permit.actor.id}: ${reason}`
    yield* outcomes.hear(known, outcome, {
      cause: `return at ${provider.name}`,
      ...(outcome._tag === "Accepted" ? { note } : {})
    })
    yield* refusalIn(outcome, attempt)
    const amount = { amount: money.toNumericText(), currency: money.currency }
    yield* audit.record(permit, {
      action: "payment.suspense_refunded",
      org: payment.org_id,
      subject: ["payment", payment.payment_id],
      detail: { reason, ...amount, provider: provider.name, attempt_id: taker.attempt_id, reference }
    })
    return yield* suspense.again(payment)
  })

  return Effect.fnUntraced(function* (permit: Permit<"platform">, payment: Payment, { item, reason }: GiveBack) {
    const story = yield* store.story(payment)
    const waiting = yield* suspense.waitingFor(payment)
    const wanted = yield* Either.mapLeft(
      returnOf(payment, story, waiting, item),
      (message) => new Conflict({ message })
    )
    // All that was read belongs together, or it is another amount that should go back.
    if ((yield* suspense.again(payment)).version !== payment.version) return yield* changed()
    const provider = yield* refunderOf(payment, wanted.taker)
    const window = yield* openSendWindow
    const open = openReturn(story, wanted)
    const known =
      open === undefined ? yield* committed(permit, payment, wanted) : yield* renewed(payment, open, provider)
    return yield* send(permit, known, wanted, provider, window, reason)
  })
})

export class SuspenseReturn extends Context.Tag("corridor/SuspenseReturn")<
  SuspenseReturn,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.effect(SuspenseReturn, make)
}
