import { amountText } from "../../api/Amount.ts"
import { call } from "../../api/Api.ts"
import { Field } from "../../parts/Field.tsx"
import { Task } from "../../parts/Task.tsx"
import type { EscrowData, Milestone } from "./Escrows.tsx"

interface Props {
  readonly escrow: EscrowData
  readonly milestone: Milestone
  readonly onDone: () => void
}

export const MilestoneActions = ({ escrow, milestone, onDone }: Props) => {
  const path = { escrow_id: escrow.escrow_id, milestone_id: milestone.milestone_id }
  const open = milestone.status === "pending" || milestone.status === "contract_submitted"
  if (escrow.status !== "active" || !open) return null
  return (
    <>
      {milestone.status === "pending" && (
        <Task
          name="Submit contract"
          label={`Submit contract of ${milestone.label}`}
          title="Submit the contract"
          says="Notes that the contract of this milestone is there. No money moves."
          submit="Submit"
          done="Contract submitted"
          onDone={onDone}
          act={({ reference = "" }, key) =>
            call("escrow", "contract", { path, payload: reference === "" ? {} : { reference } }, { key })
          }
        >
          <Field name="reference" label="Reference" required={false} />
        </Task>
      )}
      {milestone.funding_status === "funded" && (
        <Task
          name="Disburse"
          label={`Disburse ${milestone.label}`}
          title={`Disburse ${milestone.label}`}
          kind="primary"
          says={`Pays ${amountText(milestone.expected_disbursement)} ${escrow.currency} out to the parties, split as agreed. This cannot be undone.`}
          submit="Disburse"
          done="Milestone disbursed"
          onDone={onDone}
          act={(_, key) => call("escrow", "disburse", { path, payload: {} }, { key })}
        />
      )}
    </>
  )
}
