/** Actions on an existing payment. Each runs to its end, whether or not its caller waits. */
import { type BigDecimal, Context, Effect, Layer, Option, Array as Arr } from "effect"
import type { PaymentId } from "../../domain/Ids.ts"
import { type Access, actorText, type Permit } from "../../domain/Access.ts"
import {
  type Forbidden,
  type AllProvidersFailed,
  type Conflict,
  type IdempotencyConflict,
  type InsufficientFunds,
  type Invalid,
  MaybeWritten,
  type NoRoute,
  type NotFound,
  type OtpInvalid,
  type RateLimited
} from "../../domain/Failure.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import type { Payment, Attempt } from "../store/Payment.ts"
import { makeRunDetached } from "../../platform/fibers/Shutdown.ts"
import {
  PaymentCommand,
  retryWhileDatabaseBusy,
  orMaybeWritten,
  type PaymentAction,
  withoutEnquiries,
  openAttemptsOf,
  refuse,
  switchedOff
} from "../settlement/PaymentCommand.ts"
import { Otp } from "./Otp.ts"
import { Refunds, type WantedRefund } from "../settlement/Refunds.ts"
import { Review } from "../review/Review.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { canMove } from "../../domain/PaymentStatus.ts"
import { Providers } from "../../providers/port/Provider.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import { attemptContext } from "../route/BuildOrder.ts"
import { CallProvider } from "../route/CallProvider.ts"
import { traced } from "../../platform/observability/Spans.ts"

const isMaybeWritten = (error: unknown): boolean => error instanceof MaybeWritten

type Done<E = never> = Stored<Payment, NotFound | Conflict | IdempotencyConflict | InsufficientFunds | E>

export class Actions extends Context.Tag("corridor/Actions")<
  Actions,
  {
    readonly submitOtp: (permit: Permit<"any">, paymentId: PaymentId, otp: string, key?: NewKey) => Done<OtpInvalid>
    readonly resendOtp: (permit: Permit<"any">, paymentId: PaymentId, key?: NewKey) => Done<RateLimited>
    readonly cancel: (permit: Permit<"any">, paymentId: PaymentId, reason: string | undefined, key?: NewKey) => Done
    readonly refund: (permit: Permit<"refunds">, paymentId: PaymentId, wanted: WantedRefund) => Done<Invalid>
    readonly review: (
      permit: Permit<"reviews">,
      paymentId: PaymentId,
      acceptedRate: BigDecimal.BigDecimal | undefined,
      key?: NewKey
    ) => Done<Forbidden | NoRoute | AllProvidersFailed | RateLimited>
    readonly reject: (permit: Permit<"reviews">, paymentId: PaymentId, reason: string | undefined, key?: NewKey) => Done
  }
>() {
  static readonly layer = Layer.scoped(
    Actions,
    Effect.gen(function* () {
      const command = yield* PaymentCommand
      const otp = yield* Otp
      const cancel = yield* Cancel
      const refund = yield* Refunds
      const review = yield* Review
      const keys = yield* Idempotency
      const runDetached = yield* makeRunDetached

      /** Runs under the caller's idempotency key: claimed before any provider call, released if nothing changed. */
      const keyed = Effect.fnUntraced(function* <E>(
        permit: Permit<Access>,
        paymentId: PaymentId,
        key: NewKey | undefined,
        action: Effect.Effect<Payment, E>
      ) {
        if (key === undefined) return yield* action
        const before = yield* command.find(permit, paymentId)
        const release = keys.release(key)
        const released = (give: Stored<void>) =>
          Effect.catchAll(retryWhileDatabaseBusy(give), (failure) => Effect.logWarning("A key stays claimed", failure))
        const releaseIfUnchanged = Effect.flatMap(command.find(permit, paymentId), ({ version }) =>
          version === before.version ? release : Effect.void
        ).pipe(Effect.catchTag("NotFound", () => Effect.void))
        // The claim may be written although its answer was lost.
        yield* Effect.onError(keys.claim(paymentId, key), () => released(release))
        return yield* command.traced(action, (failure, written) =>
          // Concurrent changes count only if the outcome of its own write is unknown.
          released(written || Option.exists(failure, isMaybeWritten) ? releaseIfUnchanged : release)
        )
      })

      return {
        submitOtp: (permit, id, password, key) => runDetached(keyed(permit, id, key, otp.submit(permit, id, password))),
        resendOtp: (permit, id, key) => runDetached(keyed(permit, id, key, otp.resend(permit, id))),
        cancel: (permit, id, reason, key) => runDetached(keyed(permit, id, key, cancel(permit, id, reason))),
        // A refund claims its key in the transaction that commits its attempt.
        refund: (permit, id, wanted) => runDetached(refund(permit, id, wanted)),
        review: (permit, id, acceptedRate, key) =>
          runDetached(keyed(permit, id, key, review.review(permit, id, acceptedRate))),
        reject: (permit, id, reason, key) => runDetached(keyed(permit, id, key, review.reject(permit, id, reason)))
      }
    })
  )
}

const cancellation = (by: string, reason: string | undefined): PaymentAction => ({
  status: "canceled",
  patch: { next_action: null, action_data: {} },
  cause: reason === undefined ? `canceled by ${by}` : `canceled by ${by}: ${reason}`,
  closeItems: [{ kind: "review", attempt_id: null, by }]
})

/** Sentence with the expiry of a payment that its provider does not cancel. */
const endOf = ({ expires_at, status }: Payment): string =>
  expires_at === null || status !== "pending"
    ? ""
    : ` Unless it is paid, it ends by itself at ${expires_at.toISOString()}.`

const make = Effect.gen(function* () {
  const command = yield* PaymentCommand
  const store = yield* PaymentStore
  const providers = yield* Providers
  const answers = yield* CallProvider

  const read = Effect.fnUntraced(function* (permit: Permit<"any">, paymentId: PaymentId) {
    const payment = yield* command.find(permit, paymentId)
    if (!canMove(payment.status, "canceled")) return yield* refuse(payment, "it can no longer be canceled.")
    const open = openAttemptsOf(yield* store.attemptsOf(paymentId))
    return { payment, open }
  })

  /** The one attempt that its provider may be asked to cancel. */
  const accepted = (payment: Payment, open: ReadonlyArray<Attempt>) => {
    const [attempt] = open
    return open.length === 1 && attempt?.outcome === "accepted"
      ? Effect.succeed(attempt)
      : refuse(payment, "a provider is working on it and has not said what became of it.")
  }

  const confirmed = Effect.fnUntraced(function* (payment: Payment, attempt: Attempt) {
    const provider = yield* providers.find(attempt.provider, attempt.account)
    if (provider === undefined) return yield* refuse(payment, switchedOff(attempt))
    const { cancel } = provider
    if (cancel === undefined)
      return yield* refuse(payment, `${attempt.provider} does not cancel what it has accepted.${endOf(payment)}`)
    const answer = yield* answers.call(cancel(attemptContext(payment, attempt, [])), () => "unknown" as const)
    if (answer === "asked") {
      return yield* refuse(
        payment,
        `${attempt.provider} was asked to cancel it, and tells later whether it did.${endOf(payment)}`
      )
    }
    if (answer !== "canceled")
      return yield* refuse(payment, `${attempt.provider} did not confirm the cancellation.${endOf(payment)}`)
  })

  return traced("Cancel.cancel")(function* (permit: Permit<"any">, paymentId: PaymentId, reason: string | undefined) {
    const act = cancellation(actorText(permit), reason)
    const { open, payment } = yield* read(permit, paymentId)
    const attempt = open.length === 0 ? undefined : yield* accepted(payment, open)
    if (attempt !== undefined) yield* confirmed(payment, attempt)
    const canceled = command.decided(
      Effect.gen(function* () {
        const now = yield* read(permit, paymentId)
        const [called, others] = Arr.partition(now.open, (one) => one.attempt_id !== attempt?.attempt_id)
        if (others.length > 0) return yield* refuse(now.payment, "a provider has just been asked for it.")
        return yield* command.write(now.payment, {
          ...act,
          ...(called[0] === undefined ? {} : { attempt: withoutEnquiries(called[0]) })
        })
      })
    )
    return yield* attempt === undefined ? canceled : orMaybeWritten(canceled)
  })
})

/** Cancels a payment: at once before any provider has it, later only if the provider confirms that it will not complete. */
export class Cancel extends Context.Tag("corridor/Cancel")<Cancel, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Cancel, make)
}
