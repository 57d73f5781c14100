import { amountText, isZero } from "../../api/Amount.ts"
import { call } from "../../api/Api.ts"
import { Task } from "../../parts/Task.tsx"
import { BeneficiaryField } from "../accounts/BeneficiaryField.tsx"
import type { EscrowData } from "./Escrows.tsx"

interface Props {
  readonly escrow: EscrowData
  readonly party: EscrowData["parties"][number]
  readonly onDone: () => void
}

export const PayParty = ({ escrow, onDone, party }: Props) =>
  isZero(party.balance) ? null : (
    <Task
      name="Pay out"
      label={`Pay out ${party.name}`}
      title={`Pay ${party.name} out`}
      says={`Pays the ${amountText(party.balance)} ${escrow.currency} that are kept for ${party.name} to a beneficiary.`}
      submit="Pay out"
      done="Payout begun"
      onDone={onDone}
      act={({ beneficiary_id = "" }, key) =>
        call(
          "escrow",
          "payout",
          { path: { escrow_id: escrow.escrow_id, party_id: party.party_id }, payload: { beneficiary_id } },
          { key }
        )
      }
    >
      <BeneficiaryField currency={escrow.currency} />
    </Task>
  )
