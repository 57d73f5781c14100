import { amountText, minus, plainText } from "../../api/Amount.ts"
import { call } from "../../api/Api.ts"
import { amountIn } from "../../api/TypedAmount.ts"
import { Field } from "../../parts/Field.tsx"
import { Task } from "../../parts/Task.tsx"
import type { EscrowData } from "./Escrows.tsx"

export const EscrowActions = ({ escrow, onDone }: { readonly escrow: EscrowData; readonly onDone: () => void }) => {
  const path = { escrow_id: escrow.escrow_id }
  const missing = minus(escrow.total_amount, escrow.funded_amount)
  return (
    <>
      <Task
        name="Fund"
        title="Fund the escrow"
        kind="primary"
        says={`Sets money of its account aside. ${amountText(missing)} ${escrow.currency} are missing.`}
        submit="Fund"
        done="Escrow funded"
        onDone={onDone}
        act={({ amount = "" }, key) => call("escrow", "fund", { path, payload: { amount: amountIn(amount) } }, { key })}
      >
        <Field
          name="amount"
          label={`Amount in ${escrow.currency}`}
          inputMode="decimal"
          value={plainText(missing)}
          required
        />
      </Task>
      <Task
        name="Cancel"
        title="Cancel the escrow"
        kind="danger"
        says="What is left goes back to the account that funded it. What was disbursed stays where it is. This cannot be undone."
        submit="Cancel the escrow"
        done="Escrow canceled"
        onDone={onDone}
        act={({ reason = "" }, key) =>
          call("escrow", "cancel", { path, payload: reason === "" ? {} : { reason } }, { key })
        }
      >
        <Field name="reason" label="Reason" required={false} />
      </Task>
    </>
  )
}
