/** Settling by hand what no machine can: an outcome that stayed unknown, a manual payment, money in suspense. Audited. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { Transactor } from "../database/Transactor.ts"
import type { Permit } from "../domain/Access.ts"
import { Conflict, type InsufficientFunds, type NotFound, notFound } from "../domain/Failure.ts"
import { Report } from "../domain/Outcome.ts"
import { isSettled } from "../domain/PaymentStatus.ts"
import { LedgerStore } from "../ledger/LedgerStore.ts"
import type { Attempt, Payment } from "./Payment.ts"
import { suspenseSettled } from "./PaymentBooks.ts"
import { PaymentStore, type Story } from "./PaymentStore.ts"
import { Progress } from "./Progress.ts"
import { isRamp } from "./ramp/LegOrder.ts"
import { rampAccount, rampGivenUp } from "./ramp/RampBooks.ts"

export interface Verdict {
  /** Of money in suspense: the organisation keeps what came, or pays for what went; failed: the provider has it back. */
  readonly outcome: "completed" | "failed"
  /** How the operator knows. */
  readonly reason: string
}

/** What no machine settles any more, or never did. */
const onlyByHand =
  ({ items }: Story) =>
  ({ attempt_id, outcome, provider }: Attempt): boolean =>
    outcome === "unknown" ||
    outcome === null ||
    (provider === "manual" && outcome === "accepted") ||
    items.some((item) => item.kind === "unknown_outcome" && item.closed_at === null && item.attempt_id === attempt_id)

export class Resolution extends Context.Tag("corridor/Resolution")<
  Resolution,
  {
    readonly resolve: (
      permit: Permit<"platform">,
      paymentId: string,
      verdict: Verdict
    ) => Effect.Effect<Payment, NotFound | Conflict | InsufficientFunds>
  }
>() {
  static readonly layer = Layer.effect(
    Resolution,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const progress = yield* Progress
      const audit = yield* AuditLog
      const ledger = yield* LedgerStore
      const { atomically } = yield* Transactor

      const record = (permit: Permit<"platform">, payment: Payment, verdict: Verdict, detail: object) =>
        audit.record(permit, {
          action: "payment.resolved",
          org: payment.org_id,
          subject: ["payment", payment.payment_id],
          detail: { ...verdict, ...detail }
        })

      const settleAttempt = (permit: Permit<"platform">, payment: Payment, attempt: Attempt, verdict: Verdict) => {
        const { outcome, reason } = verdict
        const word = new Report({ state: outcome, reason, providerPaymentId: null, providerStatus: null })
        return Effect.gen(function* () {
          const heard = yield* progress.hearAbout(attempt, word, { cause: `settled by ${permit.actor.id}: ${reason}` })
          yield* record(permit, payment, verdict, { attempt_id: attempt.attempt_id, provider: attempt.provider })
          return heard.payment
        })
      }

      /** What waits for a word about this payment goes where the operator says that it belongs. */
      const entriesOf = Effect.fnUntraced(function* (payment: Payment, { outcome }: Verdict) {
        const kept = outcome === "completed"
        const held = isRamp(payment) ? yield* ledger.balance(rampAccount(payment, payment.amount)) : null
        const waiting = yield* ledger.suspenseOf(payment.payment_id)
        return [
          ...(held === null || held.isZero ? [] : [rampGivenUp(payment, held, kept)]),
          ...(waiting.length === 0 ? [] : [suspenseSettled(payment, waiting, kept)])
        ]
      })

      /** The payment itself has ended: what changes is that nobody needs to look after its money any more. */
      const closeSuspense = Effect.fnUntraced(function* (
        permit: Permit<"platform">,
        payment: Payment,
        verdict: Verdict
      ) {
        const entries = yield* entriesOf(payment, verdict)
        const comments = [payment.comments, `Suspense settled by ${permit.actor.id}: ${verdict.reason}`]
        const written = yield* store.apply({
          payment,
          status: payment.status,
          patch: { comments: comments.filter((part) => part !== null).join(" ") },
          cause: "suspense settled",
          at: new Date(yield* Clock.currentTimeMillis),
          events: [],
          entries,
          closeItems: { kind: "suspense", by: permit.actor.id }
        })
        if (!written) return yield* new Conflict({ message: "The payment changed just now; look at it again." })
        yield* record(permit, payment, verdict, { suspense: true })
        return yield* Effect.orDie(Effect.flatten(store.find(Option.some(payment.org_id), payment.payment_id)))
      })

      return {
        resolve: Effect.fn("Resolution.resolve")(function* (permit, id, verdict) {
          const payment = yield* Effect.flatMap(
            store.find(permit.scope, id),
            Option.match({ onNone: () => Effect.fail(notFound("payment")), onSome: Effect.succeed })
          )
          const story = yield* store.story(payment)
          const attempt = isSettled(payment.status) ? undefined : story.attempts.find(onlyByHand(story))
          if (attempt !== undefined) return yield* atomically(settleAttempt(permit, payment, attempt, verdict))
          if (story.items.some((item) => item.kind === "suspense" && item.closed_at === null)) {
            return yield* atomically(closeSuspense(permit, payment, verdict))
          }
          return yield* new Conflict({
            message: `This payment is ${payment.status}: there is nothing for a person to settle.`
          })
        })
      }
    })
  )
}
