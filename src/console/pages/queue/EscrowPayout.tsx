import { call } from "../../api/Api.ts"
import { Field } from "../../parts/Field.tsx"
import { Task } from "../../parts/Task.tsx"

interface Props {
  readonly escrowId: string
  readonly payoutId: string
  readonly onDone: () => void
}

/** A payout to an escrow party that could not be made. */
export const EscrowPayout = ({ escrowId, onDone, payoutId }: Props) => {
  const path = { escrow_id: escrowId, payout_id: payoutId }
  return (
    <>
      <Task
        name="Try again"
        title="Try this payout again"
        kind="primary"
        says="Sends the payout again, as a new payment. If it still cannot be sent, it comes back here with the reason."
        submit="Try again"
        done="Payout is being sent"
        onDone={onDone}
        act={(_, key) => call("escrow", "retryPayout", { path }, { key })}
      />
      <Task
        name="Resolve"
        title="Resolve this payout"
        says="Sends nothing more for this payout. The money stays on the party's account and can be paid out from the escrow."
        submit="Resolve"
        done="Payout resolved"
        onDone={onDone}
        act={({ reason = "" }, key) => call("escrow", "resolvePayout", { path, payload: { reason } }, { key })}
      >
        <Field name="reason" label="Reason" hint="Saved with the payout and in the audit log" required />
      </Task>
    </>
  )
}
