/** Cancels a payment: at once before any provider has it, later only if the provider confirms that it will not complete. */
import { Array as Arr, Context, Effect, Layer } from "effect"
import type { PaymentId } from "../../domain/Ids.ts"
import type { Permit } from "../../domain/Access.ts"
import { canMove } from "../../domain/PaymentStatus.ts"
import { Providers } from "../../providers/port/Provider.ts"
import type { Attempt, Payment } from "../store/Payment.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import { attemptContext } from "../route/BuildOrder.ts"
import { CallProvider } from "../route/CallProvider.ts"
import {
  orMaybeWritten,
  type PaymentAction,
  PaymentCommand,
  withoutEnquiries,
  openAttemptsOf,
  refuse,
  switchedOff
} from "../settlement/PaymentCommand.ts"

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

  return Effect.fn("Cancel.cancel")(function* (
    permit: Permit<"any">,
    paymentId: PaymentId,
    reason: string | undefined
  ) {
    const act = cancellation(permit.actor.id, reason)
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

export class Cancel extends Context.Tag("corridor/Cancel")<Cancel, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Cancel, make)
}
