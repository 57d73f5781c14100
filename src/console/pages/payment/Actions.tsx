import { amountText, isZero, minus, plainText } from "../../api/Amount.ts"
import { call, type Request } from "../../api/Api.ts"
import { amountIn } from "../../api/TypedAmount.ts"
import { Field } from "../../parts/Field.tsx"
import { Task } from "../../parts/Task.tsx"
import { may } from "../../state/Session.ts"
import type { Payment } from "../payments/PaymentTable.tsx"
import { Decide } from "../queue/Decide.tsx"
import { Review } from "../queue/Review.tsx"
import type { Item } from "./Timeline.ts"

interface Props {
  readonly payment: Payment
  readonly items: ReadonlyArray<Item>
  readonly onDone: () => void
}

type Payload = Request<"paymentsInit", "action">["payload"]

export const act = (payment_id: string, payload: Payload, key: string) =>
  call("paymentsInit", "action", { path: { payment_id }, payload }, { key })

const Refund = ({ onDone, payment }: Omit<Props, "items">) => {
  const left = minus(payment.amount, payment.refunded_amount)
  if (payment.direction !== "inbound" || payment.status !== "completed" || isZero(left) || !may("refunds")) return null
  return (
    <Task
      name="Refund"
      title="Refund this payment"
      kind="primary"
      says={`Gives money back to the payer through the provider that took it, and takes it from your balance. Fees are not given back. At most ${amountText(left)} ${payment.currency} are left.`}
      submit="Refund"
      done="Refund asked for"
      onDone={onDone}
      act={({ amount = "", reason = "" }, key) =>
        act(
          payment.payment_id,
          { action: "refund", amount: amountIn(amount), ...(reason === "" ? {} : { reason }) },
          key
        )
      }
    >
      <Field
        name="amount"
        label={`Amount in ${payment.currency}`}
        inputMode="decimal"
        value={plainText(left)}
        required
      />
      <Field name="reason" label="Reason" required={false} />
    </Task>
  )
}

const cancelable = ["initiated", "reviewed", "confirmed", "pending", "processing"]

const Cancel = ({ onDone, payment }: Omit<Props, "items">) =>
  !cancelable.includes(payment.status) ? null : (
    <Task
      name="Cancel"
      title="Cancel this payment"
      kind="danger"
      says="Calls the payment off. Where a provider has it already, it must agree: if it does not, nothing changes."
      submit="Cancel the payment"
      done="Payment canceled"
      onDone={onDone}
      act={({ reason = "" }, key) =>
        act(payment.payment_id, { action: "cancel", ...(reason === "" ? {} : { reason }) }, key)
      }
    >
      <Field name="reason" label="Reason" required={false} />
    </Task>
  )

const waitsFor = (items: ReadonlyArray<Item>, kind: string): boolean =>
  items.some((item) => item.kind === "operator" && item.closed_at === null && item.item === kind)

/** What the payment's state and the reader's role both allow, and nothing else. */
export const Actions = ({ items, onDone, payment }: Props) => {
  const { payment_id, provider, status } = payment
  const isUnsettled = status === "processing" || status === "pending"
  // Of a ramp: its payout may wait to be sent, and can be stopped.
  const maybeDecided = isUnsettled && (provider === "manual" || payment.direction === "external")
  return (
    <>
      {waitsFor(items, "review") && may("reviews") && <Review paymentId={payment_id} onDone={onDone} />}
      {may("platform") && (maybeDecided || waitsFor(items, "unknown_outcome") || waitsFor(items, "suspense")) && (
        <Decide paymentId={payment_id} asOf={payment.updated_at} onDone={onDone} />
      )}
      <Refund payment={payment} onDone={onDone} />
      <Cancel payment={payment} onDone={onDone} />
    </>
  )
}
