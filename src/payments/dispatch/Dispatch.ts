/**
 * Calls the candidates of a payment in order. An attempt is committed before its provider is called. Only a refusal by
 * the provider itself reaches `fallBack`, by the type of its parameter.
 */
import { Array as Arr, Clock, Context, Duration, Effect, Layer } from "effect"
import { type ProviderName, providerNames } from "../../domain/Corridor.ts"
import type { FailureCode } from "../../domain/PaymentStatus.ts"
import { Declined, isProvidersRefusal, type Outcome, type ProvidersRefusal, Unknown } from "../../domain/Outcome.ts"
import { currencyOf, type LedgerAccount } from "../../domain/Ledger.ts"
import { initiationBudget, leastAttemptTime, rampPayoutPatience } from "../../domain/policies/PaymentPolicies.ts"
import { spanned } from "../../platform/observability/Spans.ts"
import { type PaymentOrder, Providers } from "../../providers/port/Provider.ts"
import { ProviderHealth } from "../../providers/health/ProviderHealth.ts"
import { FirstSendPermit, CallProvider } from "../route/CallProvider.ts"
import { type Chosen, type NotTaken, PaymentRouter } from "../route/PaymentRouter.ts"
import type { Payment, Books } from "../store/Payment.ts"
import { type AttemptOfPayment, PaymentStore } from "../store/PaymentStore.ts"
import { causeOf } from "../settlement/PaymentCommand.ts"
import { type Recorded, RecordOutcome } from "../settlement/RecordOutcome.ts"
import { counter, histogram } from "../../platform/observability/Metrics.ts"
import { type NewAttempt, openAttempt, noBooks } from "../store/Change.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { extend } from "../../domain/Merge.ts"

const attempts = counter(
  "corridor_attempts_total",
  "Attempts at providers, by provider and outcome: accepted, declined, unknown, or unsent.",
  ["provider", "outcome"]
)

const declines = counter(
  "corridor_declines_total",
  "Attempts that a provider declined at once, by provider and reason.",
  ["provider", "reason"]
)

/** Ours to mend, and an alert waits for the first of them: an increase is one over what was there before. */
const OURS = ["CREDENTIALS_REFUSED", "PROVIDER_BALANCE_LOW"] as const satisfies ReadonlyArray<FailureCode>

for (const provider of providerNames) for (const reason of OURS) declines([provider, reason], 0)

const seconds = histogram(
  "corridor_attempt_seconds",
  "Time from offering a payment to a provider until its answer is definite, or given up, by provider.",
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
  ["provider"]
)

/** Counts and times attempts, those at the built-in simulators included. */
const countAttempt = (provider: ProviderName, outcome: Outcome, took: number): void => {
  if (outcome._tag === "Declined" && outcome.unsent !== undefined) return attempts([provider, "unsent"])
  seconds([provider], took)
  if (outcome._tag === "Accepted") return attempts([provider, "accepted"])
  if (outcome._tag === "Unknown") return attempts([provider, "unknown"])
  attempts([provider, "declined"])
  declines([provider, outcome.code ?? "PROVIDER_DECLINED"])
}

type Order = Omit<PaymentOrder, "reference">

interface Call {
  readonly payment: Payment
  readonly order: Order
  readonly chosen: Chosen
  /** Deadline of the caller's answer, in nanoseconds of the monotonic clock. */
  readonly deadline: bigint
  /** Candidates that are not asked, since the funding balance is too low. */
  readonly passedOver?: string
  /** Movements and allocations of the payment; empty for a new one. */
  readonly books: Books
}

const NANOS_PER_MILLI = 1_000_000n

/** Milliseconds that are left; below zero once it has passed. */
const leftUntil = (deadline: bigint): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeNanos, (now) => Number((deadline - now) / NANOS_PER_MILLI))

/** A repeated attempt counts as polled before, since an operator may have an item about it. */
const knownIn = ({ books, chosen, payment }: Call): AttemptOfPayment => {
  const open = openAttempt(payment, chosen.attempt)
  const attempt = chosen.sendPermit instanceof FirstSendPermit ? open : { ...open, enquiries: 1 }
  // By name: the books may be those of another attempt of the payment, with that attempt beside them.
  return { payment, attempt, allocations: books.allocations, movements: books.movements }
}

/** State after the call, and why no provider took the payment. */
export interface Asked extends Recorded, NotTaken {}

const passing = (name: ProviderName, account: LedgerAccount): string =>
  `${name} was not asked: the ${currencyOf(account)} balance that pays through it does not cover this.`

const spanAttributes = (payment: Payment, { attempt_id, provider }: NewAttempt) => ({
  "corridor.org_id": payment.org_id,
  "corridor.payment_id": payment.payment_id,
  "corridor.attempt_id": attempt_id,
  "corridor.provider": provider,
  "corridor.payment_method": payment.payment_method,
  "corridor.direction": payment.direction,
  "corridor.currency": payment.amount.currency
})

/** An attempt that may have been sent before is not declined because it cannot be sent again. */
const switchedOff = (name: ProviderName, { sendPermit }: Chosen): Outcome =>
  sendPermit.isAbsent
    ? new Declined({ reason: `${name} is not switched on, so nothing was sent`, unsent: "unreachable" })
    : new Unknown({ reason: `${name} is not switched on, so it was not sent again` })

export class Dispatch extends Context.Tag("corridor/Dispatch")<
  Dispatch,
  {
    /**
     * Asks, and asks on while providers decline. Afterwards the payment is accepted, unknown or failed. `declined` only
     * if this very call was declined: a result that others found meanwhile does not prove that no money moved.
     */
    readonly ask: (payment: Payment, order: Order, chosen: Chosen, books?: Books) => Stored<Asked>
  }
>() {
  static readonly layer = Layer.effect(
    Dispatch,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const providers = yield* Providers
      const health = yield* ProviderHealth
      const outcomes = yield* RecordOutcome
      const { choose, unsent } = yield* PaymentRouter
      const callProvider = yield* CallProvider

      const call = Effect.fnUntraced(
        function* ({ chosen, deadline, order, payment }: Call, { account, attempt_id, provider: name }: NewAttempt) {
          const provider = yield* providers.find(name, account)
          if (provider === undefined) return switchedOff(name, chosen)
          const left = yield* leftUntil(deadline)
          const timeLeft = Duration.millis(Math.max(1, left))
          // A card's number goes no further where the payer enters the card on the provider's page.
          const card = provider.takesCardNumbers === true ? order.card : null
          const sent = provider.initiate(extend(order, { card, reference: attempt_id }))
          const outcome = yield* callProvider.send(provider, sent, chosen.window, chosen.sendPermit, { timeLeft })
          countAttempt(name, outcome, (left - (yield* leftUntil(deadline))) / 1000)
          yield* health.report({ provider: name, account }, payment.org_id, outcome)
          return outcome
        },
        (effect, { payment }, attempt) =>
          Effect.annotateLogs(effect, {
            payment_id: payment.payment_id,
            attempt_id: attempt.attempt_id,
            provider: attempt.provider
          }).pipe(
            spanned(
              () => "Dispatch.call",
              () => ({ attributes: spanAttributes(payment, attempt), captureStackTrace: false })
            )
          )
      )

      /** Whether a ramp's payout waits for its provider to come back, since its money is collected. */
      const isWorthKeeping = ({ chosen: { attempt } }: Call) =>
        Effect.map(
          Clock.currentTimeMillis,
          (now) =>
            attempt.leg === "settlement" && now - attempt.started_at.getTime() < Duration.toMillis(rampPayoutPatience)
        )

      /** Puts an attempt back to be sent later; one that may have been sent before is polled first. */
      const keepForLater = ({ books, chosen: { attempt, sendPermit }, payment }: Call): Stored<Asked> =>
        Effect.as(sendPermit instanceof FirstSendPermit ? store.requeueUnsent(attempt.attempt_id) : Effect.void, {
          payment,
          books,
          outcome: null,
          sendsNext: false
        })

      const attempt = (request: Call): Stored<Asked> =>
        Effect.gen(function* () {
          const { chosen } = request
          const outcome = yield* call(request, chosen.attempt)
          if (outcome._tag === "Declined" && outcome.unsent === "late" && chosen.attempt.leg === "settlement") {
            return yield* keepForLater(request)
          }
          const subject = knownIn(request)
          const cause = causeOf(outcome, chosen.attempt.provider)
          if (outcome._tag === "Declined") {
            if (isProvidersRefusal(outcome)) return yield* fallBack(outcome, request)
            const recorded = yield* outcomes.record(subject, outcome, { cause })
            return { ...recorded, refusedInstrument: outcome.reason }
          }
          const recorded = yield* outcomes.record(subject, outcome, { cause })
          return recorded.outcome === "declined" ? { ...recorded, outcome: "unknown" } : recorded
        })

      /** Asks the next provider while there is time: nothing moved, and the decline is this provider's own. */
      const fallBack = (refusal: ProvidersRefusal, request: Call): Stored<Asked> =>
        Effect.gen(function* () {
          const { chosen, deadline, passedOver, payment } = request
          const left = yield* leftUntil(deadline)
          const next =
            Arr.isNonEmptyReadonlyArray(chosen.rest) && left >= Duration.toMillis(leastAttemptTime)
              ? yield* choose(payment.org_id, chosen.rest, chosen.attempt.leg)
              : undefined
          if (
            next === undefined &&
            refusal.unsent !== undefined &&
            refusal.unsent !== "late" &&
            (yield* isWorthKeeping(request))
          ) {
            return yield* keepForLater(request)
          }
          const subject = knownIn(request)
          const cause = causeOf(refusal, chosen.attempt.provider)
          const recorded = yield* outcomes.record(subject, refusal, {
            ...(passedOver === undefined ? { cause } : { cause: `${cause}. ${passedOver}`, note: passedOver }),
            next: next?.attempt
          })
          const goesOn =
            recorded.short === undefined && recorded.sendsNext && recorded.payment.status === payment.status
          if (next !== undefined && !goesOn) yield* unsent(payment.org_id, next)
          if (next !== undefined && recorded.short !== undefined) {
            const why = passing(next.attempt.provider, recorded.short)
            return yield* fallBack(refusal, {
              ...request,
              chosen: { ...chosen, rest: next.rest },
              passedOver: passedOver === undefined ? why : `${passedOver} ${why}`
            })
          }
          if (next !== undefined && goesOn) {
            const { passedOver: _, ...rest } = request
            return yield* attempt({ ...rest, payment: recorded.payment, books: recorded.books, chosen: next })
          }
          // A report had ended the payment before: the caller gets its state, since not every candidate was asked.
          if (next !== undefined && recorded.outcome === "declined") return { ...recorded, outcome: "unknown" }
          if (refusal.unsent === "late") return { ...recorded, tooLateFor: chosen.attempt.provider }
          return passedOver === undefined ? recorded : { ...recorded, passedOver }
        })

      return {
        ask: Effect.fnUntraced(function* (payment, order, chosen, books = noBooks) {
          const budget = BigInt(Duration.toMillis(initiationBudget)) * NANOS_PER_MILLI
          const deadline = (yield* Clock.currentTimeNanos) + budget
          return yield* attempt({ payment, order, chosen, deadline, books })
        })
      }
    })
  )
}
