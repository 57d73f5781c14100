/** Money that came, or went, for a payment that had no place for it, once a person knows where it belongs. */
import { Clock, Effect, Either, Option } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { Transactor } from "../database/Transactor.ts"
import type { Permit } from "../domain/Access.ts"
import { Conflict } from "../domain/Failure.ts"
import type { Entry } from "../domain/Ledger.ts"
import type { Money } from "../domain/Money.ts"
import type { Outcome } from "../domain/Outcome.ts"
import { isSettled } from "../domain/PaymentStatus.ts"
import { LedgerStore } from "../ledger/LedgerStore.ts"
import { Providers } from "../providers/Provider.ts"
import { refOf } from "./actions/Desk.ts"
import type { Attempt, Payment } from "./Payment.ts"
import { suspenseSettled } from "./PaymentBooks.ts"
import { PaymentStore, type Story } from "./PaymentStore.ts"
import { ProviderAnswer } from "./ProviderAnswer.ts"
import { isRamp } from "./ramp/LegOrder.ts"
import { rampAccount, rampGivenUp } from "./ramp/RampBooks.ts"
import { byHand, openSuspense, type SuspenseRefund, suspenseRefundOf } from "./SuspenseRefund.ts"
import type { Verdict } from "./Verdict.ts"

interface Waiting {
  /** By a ramp, of what was collected for it. */
  readonly held: ReadonlyArray<Money>
  readonly suspense: ReadonlyArray<Money>
}

/** A person's word on it, for the record and for the audit log. */
interface Word {
  readonly note: string
  readonly action: string
  readonly detail: Readonly<Record<string, unknown>>
}

const changed = () => new Conflict({ message: "The payment changed just now; look at it again." })

/** It goes where the operator says that it belongs: to the organisation, or back to the provider that moved it. */
const entriesOf = (
  payment: Payment,
  story: Story,
  { held, suspense }: Waiting,
  kept: boolean
): ReadonlyArray<Entry> => {
  const [item] = openSuspense(story)
  const mover = story.attempts.find(({ attempt_id }) => attempt_id === item?.attempt_id)
  const moved = { ...payment, provider: mover?.provider ?? payment.provider }
  return [
    ...held.map((money) => rampGivenUp(payment, money, kept)),
    ...(suspense.length === 0 ? [] : [suspenseSettled(moved, suspense, kept)])
  ]
}

const refusalIn = (outcome: Outcome, { provider }: Attempt): Effect.Effect<void, Conflict> => {
  switch (outcome._tag) {
    case "Accepted":
      return Effect.void
    case "Declined":
      return new Conflict({ message: `${provider} declined the refund: ${outcome.reason}.` })
    case "Unknown":
      return new Conflict({
        message: `Whether ${provider} gives the money back is unknown (${outcome.reason}): repeat the command, it cannot be sent twice.`
      })
  }
}

export const makeSuspense = Effect.gen(function* () {
  const store = yield* PaymentStore
  const audit = yield* AuditLog
  const ledger = yield* LedgerStore
  const providers = yield* Providers
  const answer = yield* ProviderAnswer
  const { atomically } = yield* Transactor

  /** A ramp that goes on needs what it holds. */
  const waitingFor = Effect.fnUntraced(function* (payment: Payment) {
    const account = isRamp(payment) && isSettled(payment.status) ? rampAccount(payment, payment.amount) : null
    const held = account === null ? null : yield* ledger.balance(account)
    const suspense = yield* ledger.suspenseOf(payment.payment_id)
    const waiting: Waiting = { held: held === null || held.isZero ? [] : [held], suspense }
    return waiting
  })

  const again = ({ org_id, payment_id }: Payment) =>
    Effect.orDie(Effect.flatten(store.find(Option.some(org_id), payment_id)))

  /** The payment itself has ended: what changes is that nobody needs to look after its money any more. */
  const close = (permit: Permit<"platform">, payment: Payment, entries: ReadonlyArray<Entry>, word: Word) =>
    atomically(
      Effect.gen(function* () {
        const { payment_id } = payment
        const written = yield* store.apply({
          payment,
          status: payment.status,
          patch: { comments: [payment.comments, word.note].filter((part) => part !== null).join(" ") },
          cause: "suspense settled",
          at: new Date(yield* Clock.currentTimeMillis),
          events: [],
          entries,
          closeItems: { kind: "suspense", by: permit.actor.id }
        })
        if (!written) return yield* changed()
        const { action, detail } = word
        yield* audit.record(permit, { action, org: payment.org_id, subject: ["payment", payment_id], detail })
        return yield* again(payment)
      })
    )

  /** Only where a repeated reference moves money once: nobody may know whether the first one did. */
  const send = Effect.fnUntraced(function* (payment: Payment, { attempt, money, reference }: SuspenseRefund) {
    const provider = providers.find(attempt.provider)
    if (provider?.refund === undefined || !provider.honoursReference) {
      const why = `${attempt.provider} gives nothing back through this service`
      return yield* new Conflict({ message: `${why}: ${byHand(payment)}` })
    }
    const asked = provider.refund({ attempt: refOf(attempt), reference, money })
    yield* refusalIn(yield* answer.outcome(provider, asked), attempt)
  })

  const refundWord = (permit: Permit<"platform">, { attempt, money, reference }: SuspenseRefund, reason: string) => {
    const { attempt_id, provider } = attempt
    const amount = { amount: money.toNumericText(), currency: money.currency }
    return {
      note: `${money.toString()} given back through ${provider} by ${permit.actor.id}: ${reason}`,
      action: "payment.suspense_refunded",
      detail: { reason, ...amount, provider, attempt_id, reference }
    }
  }

  return {
    settle: Effect.fnUntraced(function* (permit: Permit<"platform">, payment: Payment, story: Story, verdict: Verdict) {
      const waiting = yield* waitingFor(payment)
      return yield* close(permit, payment, entriesOf(payment, story, waiting, verdict.outcome === "completed"), {
        note: `Suspense settled by ${permit.actor.id}: ${verdict.reason}`,
        action: "payment.resolved",
        detail: { ...verdict, suspense: true }
      })
    }),
    giveBack: Effect.fnUntraced(function* (permit: Permit<"platform">, payment: Payment, reason: string) {
      const story = yield* store.story(payment)
      const waiting = yield* waitingFor(payment)
      const refund = yield* Either.mapLeft(
        suspenseRefundOf(payment, story, [...waiting.held, ...waiting.suspense]),
        (message) => new Conflict({ message })
      )
      // All that was read belongs together, or it is another amount that should go back.
      if ((yield* again(payment)).version !== payment.version) return yield* changed()
      yield* send(payment, refund)
      const entries = entriesOf(payment, story, waiting, false)
      // Money that goes to a provider passes no floor.
      return yield* Effect.catchTag(
        close(permit, payment, entries, refundWord(permit, refund, reason)),
        "InsufficientFunds",
        Effect.die
      )
    })
  }
})
