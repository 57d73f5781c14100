/** Passes one-time passwords to the provider, and counts attempts here, whatever the provider counts. */
import { Context, Effect, Layer } from "effect"
import type { PaymentId } from "../../domain/Ids.ts"
import type { Permit } from "../../domain/Access.ts"
import { OtpInvalid, RateLimited } from "../../domain/Failure.ts"
import { passwordAttempts, passwordsResent, turnPatience } from "../../domain/policies/PaymentPolicies.ts"
import { makeKeyedLocks } from "../../platform/fibers/KeyedLocks.ts"
import { MessageCounts } from "../../platform/notifications/NotificationStore.ts"
import { Providers } from "../../providers/port/Provider.ts"
import type { Payment } from "../store/Payment.ts"
import { appendNote } from "../settlement/SignalContext.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import { PhonePrompts, promptedBy } from "../prompts/PhonePrompts.ts"
import { attemptContext } from "../route/BuildOrder.ts"
import { CallProvider } from "../route/CallProvider.ts"
import {
  orMaybeWritten,
  type PaymentAction,
  PaymentCommand,
  paymentIds,
  withoutEnquiries,
  openAttemptsOf,
  refuse
} from "../settlement/PaymentCommand.ts"
import { traced } from "../../platform/observability/Spans.ts"

const TOO_OFTEN = "The one-time password was wrong too often"

const isWaiting = ({ next_action, status }: Payment): boolean => status === "pending" && next_action === "collect_otp"

const isUsedUp = ({ otp_failures }: Payment): boolean => otp_failures >= passwordAttempts

const notWaiting = (payment: Payment) => refuse(payment, "it does not wait for a one-time password.")

const make = Effect.gen(function* () {
  const command = yield* PaymentCommand
  const store = yield* PaymentStore
  const providers = yield* Providers
  const answer = yield* CallProvider
  const counts = yield* MessageCounts
  const prompts = yield* PhonePrompts
  /** Guesses at one instance wait for each other, so that none but the last is refused for those that are under way. */
  const inTurn = makeKeyedLocks(turnPatience)

  const asked = Effect.fnUntraced(function* (permit: Permit<"any">, paymentId: PaymentId) {
    const payment = yield* command.find(permit, paymentId)
    if (!isWaiting(payment)) return yield* notWaiting(payment)
    const [attempt] = openAttemptsOf(yield* store.attemptsOf(paymentId))
    const passwords =
      attempt === undefined ? undefined : (yield* providers.find(attempt.provider, attempt.account))?.otp
    return attempt === undefined || passwords === undefined
      ? yield* notWaiting(payment)
      : { payment, context: attemptContext(payment, attempt, []), passwords }
  })

  /** Uncounts a guess and writes what follows, unless a concurrent request has moved the payment on. */
  const uncountedWith = (permit: Permit<"any">, paymentId: PaymentId, act: (payment: Payment) => PaymentAction) =>
    command.decided(
      Effect.flatMap(command.find(permit, paymentId), (payment) => {
        if (!isWaiting(payment)) return Effect.succeed(payment)
        const { patch, ...rest } = act(payment)
        return command.write(payment, { ...rest, patch: { ...patch, otp_failures: payment.otp_failures - 1 } })
      })
    )

  const accepted = (permit: Permit<"any">, paymentId: PaymentId) =>
    uncountedWith(permit, paymentId, ({ direction }) => ({
      // A ramp is pending until its money has arrived.
      status: direction === "external" ? "pending" : "processing",
      patch: { next_action: "wait", action_data: {} },
      cause: "one-time password accepted"
    }))

  /** For a guess that the provider did not judge. */
  const uncounted = (permit: Permit<"any">, paymentId: PaymentId) =>
    uncountedWith(permit, paymentId, ({ status }) => ({ status, cause: "one-time password not judged" }))

  /**
   * Counts a guess before the provider is called, since other instances may guess at the same time. Returns the number
   * of guesses with this one.
   */
  const counted = (permit: Permit<"any">, paymentId: PaymentId) =>
    command.decided(
      Effect.gen(function* () {
        const payment = yield* command.find(permit, paymentId)
        if (!isWaiting(payment)) return yield* notWaiting(payment)
        if (isUsedUp(payment)) return yield* refuse(payment, "the last one-time password that it takes was tried.")
        const otp_failures = payment.otp_failures + 1
        const cause = "one-time password tried"
        yield* command.write(payment, { status: payment.status, patch: { otp_failures }, cause })
        return otp_failures
      })
    )

  const exhausted = Effect.fnUntraced(function* (payment: Payment) {
    const [attempt] = openAttemptsOf(yield* store.attemptsOf(payment.payment_id))
    return yield* command.write(payment, {
      status: "failed",
      patch: {
        next_action: null,
        comments: appendNote(payment.comments, `${TOO_OFTEN}.`),
        failure: { code: "OTP_EXHAUSTED", message: `${TOO_OFTEN}.`, provider: payment.provider }
      },
      cause: TOO_OFTEN,
      ...(attempt === undefined ? {} : { attempt: withoutEnquiries(attempt) })
    })
  })

  const refused = Effect.fnUntraced(function* (permit: Permit<"any">, paymentId: PaymentId, isLast: boolean) {
    const payment = yield* command.decided(
      Effect.flatMap(command.find(permit, paymentId), (found) =>
        isLast && isWaiting(found) && isUsedUp(found) ? exhausted(found) : Effect.succeed(found)
      )
    )
    const left = passwordAttempts - payment.otp_failures
    const rest = isWaiting(payment)
      ? `${left} more ${left === 1 ? "attempt is" : "attempts are"} left`
      : `the payment is ${payment.status}`
    return yield* new OtpInvalid({ message: `otp: is not the one-time password; ${rest}.`, ...paymentIds(payment) })
  })

  const guessed = Effect.fnUntraced(function* (permit: Permit<"any">, paymentId: PaymentId, otp: string) {
    const { context, passwords } = yield* asked(permit, paymentId)
    const guesses = yield* counted(permit, paymentId)
    switch (yield* answer.call(passwords.submit(context, otp), () => "unknown" as const)) {
      case "accepted":
        return yield* orMaybeWritten(accepted(permit, paymentId))
      case "wrong":
        return yield* orMaybeWritten(refused(permit, paymentId, guesses >= passwordAttempts))
      case "unknown":
        return yield* orMaybeWritten(uncounted(permit, paymentId))
      case "not_expected":
        return yield* notWaiting(yield* orMaybeWritten(uncounted(permit, paymentId)))
    }
  })

  return {
    submit: traced("Otp.submit")((permit: Permit<"any">, paymentId: PaymentId, otp: string) =>
      inTurn(paymentId, guessed(permit, paymentId, otp))
    ),
    resend: traced("Otp.resend")(function* (permit: Permit<"any">, paymentId: PaymentId) {
      const { context, passwords, payment } = yield* asked(permit, paymentId)
      const counted = yield* counts.count(`passwords for ${paymentId}`, passwordsResent)
      if (!counted.allowed) {
        const { retryAfterSeconds } = counted
        return yield* new RateLimited({
          message: `Its provider was asked for another one-time password ${passwordsResent} times in this hour: try again in ${retryAfterSeconds} s.`,
          retryAfterSeconds
        })
      }
      yield* prompts.count(payment, promptedBy(payment))
      const sent = yield* answer.call(passwords.resend(context), () => false)
      return sent ? payment : yield* refuse(payment, "its provider sent no other one-time password.")
    })
  }
})

export class Otp extends Context.Tag("corridor/Otp")<Otp, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Otp, make)
}
