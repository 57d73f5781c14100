import { typedAmount } from "../../api/Amount.ts"
import { call } from "../../api/Api.ts"
import { Field } from "../../parts/Field.tsx"
import { Task } from "../../parts/Task.tsx"

interface Props {
  readonly paymentId: string
  readonly onDone: () => void
}

/** Neither can be done by whoever initiated the payment. */
export const Review = ({ onDone, paymentId }: Props) => {
  const path = { payment_id: paymentId }
  return (
    <>
      <Task
        name="Approve"
        title="Approve this payment"
        kind="primary"
        says="Sends the payment on its way: its provider is asked at once. Whoever initiated it cannot approve it."
        submit="Approve"
        done="Payment approved"
        onDone={onDone}
        act={({ accept_rate = "" }, key) => {
          const rate = typedAmount(accept_rate)
          const payload = { action: "review" as const, ...(rate === undefined ? {} : { accept_rate: rate }) }
          return call("paymentsInit", "action", { path, payload }, { key })
        }}
      >
        <Field
          name="accept_rate"
          label="New rate"
          inputMode="decimal"
          required={false}
          hint="Only where the payment's own rate has run out: the refusal then names the one to accept."
        />
      </Task>
      <Task
        name="Reject"
        title="Reject this payment"
        kind="danger"
        says="Turns the payment away for good. What is held for it goes back to the balance."
        submit="Reject the payment"
        done="Payment rejected"
        onDone={onDone}
        act={({ reason = "" }, key) =>
          call("paymentsInit", "action", { path, payload: { action: "reject", reason } }, { key })
        }
      >
        <Field name="reason" label="Reason" required />
      </Task>
    </>
  )
}
