import { amountText, percentOf, minus, inputText, requireAmount, isZero } from "../../api/Amount.ts"
import { Badge } from "../../components/Badge.tsx"
import { ProgressBar, CopyableId, Money } from "../../components/Values.tsx"
import { Card, Page } from "../../components/PageFrame.tsx"
import { LoadedPage } from "../../components/Loading.tsx"
import { Table } from "../../components/DataTable.tsx"
import { useLoad } from "../../state/LoadHooks.ts"
import type { EscrowData, Milestone } from "./EscrowsPage.tsx"
import { AmountField, Field, filled } from "../../components/Form.tsx"
import { ActionButton } from "../../components/Dialog.tsx"
import { BeneficiaryPicker } from "../../components/Picker.tsx"

const EscrowActions = ({ escrow }: { readonly escrow: EscrowData }) => {
  const path = { escrow_id: escrow.escrow_id }
  const missing = minus(escrow.total_amount, escrow.funded_amount)
  return (
    <>
      <ActionButton
        name="Fund"
        title="Fund the escrow"
        kind="primary"
        explanation={`Moves money from the account into the escrow. ${amountText(missing)} ${escrow.currency} are missing.`}
        done="Escrow funded"
        act={({ amount = "" }, send) => send("escrow", "fund", { path, payload: { amount: requireAmount(amount) } })}
      >
        <AmountField currency={escrow.currency} value={inputText(missing)} />
      </ActionButton>
      <ActionButton
        name="Cancel"
        title="Cancel the escrow"
        kind="danger"
        explanation="The remaining money returns to the funding account. Disbursed money stays with the parties. This cannot be undone."
        submit="Cancel the escrow"
        done="Escrow canceled"
        act={({ reason = "" }, send) => send("escrow", "cancel", { path, payload: filled({ reason }) })}
      >
        <Field name="reason" label="Reason" required={false} />
      </ActionButton>
    </>
  )
}

interface PayPartyProps {
  readonly escrow: EscrowData
  readonly party: EscrowData["parties"][number]
}

const PayParty = ({ escrow, party }: PayPartyProps) => (
  <ActionButton
    name="Pay out"
    label={`Pay out ${party.name}`}
    title={`Pay ${party.name} out`}
    explanation={`Pays the ${amountText(party.balance)} ${escrow.currency} held for ${party.name} to a beneficiary.`}
    done="Payout started"
    act={({ beneficiary_id = "" }, send) =>
      send("escrow", "payout", {
        path: { escrow_id: escrow.escrow_id, party_id: party.party_id },
        payload: { beneficiary_id }
      })
    }
  >
    <BeneficiaryPicker currency={escrow.currency} />
  </ActionButton>
)

interface MilestoneProps {
  readonly escrow: EscrowData
  readonly milestone: Milestone
}

const MilestoneActions = ({ escrow, milestone }: MilestoneProps) => {
  const path = { escrow_id: escrow.escrow_id, milestone_id: milestone.milestone_id }
  const open = milestone.status === "pending" || milestone.status === "contract_submitted"
  if (escrow.status !== "active" || !open) return null
  return (
    <>
      {milestone.status === "pending" && (
        <ActionButton
          name="Submit contract"
          label={`Submit contract of ${milestone.label}`}
          title="Submit the contract"
          explanation="Records that the contract of this milestone was submitted. No money moves."
          submit="Submit"
          done="Contract submitted"
          act={({ reference = "" }, send) => send("escrow", "contract", { path, payload: filled({ reference }) })}
        >
          <Field name="reference" label="Reference" required={false} />
        </ActionButton>
      )}
      {milestone.funding_status === "funded" && (
        <ActionButton
          name="Disburse"
          label={`Disburse ${milestone.label}`}
          title={`Disburse ${milestone.label}`}
          kind="primary"
          explanation={`Pays ${amountText(milestone.expected_disbursement)} ${escrow.currency} out to the parties, split as agreed. This cannot be undone.`}
          done="Milestone disbursed"
          act={(_, send) => send("escrow", "disburse", { path, payload: {} })}
        />
      )}
    </>
  )
}

const splitText = (escrow: EscrowData, { parties }: Milestone): string =>
  parties
    .map(({ party_id, split_type, split_value }) => {
      const name = escrow.parties.find((party) => party.party_id === party_id)?.name ?? "Unknown"
      return `${name} ${amountText(split_value)}${split_type === "percentage" ? " %" : ` ${escrow.currency}`}`
    })
    .join(", ")

const MilestoneRow = ({ escrow, milestone }: MilestoneProps) => (
  <li class="milestone">
    <p class="queue-head">
      <strong>{milestone.label}</strong>
      <Badge status={milestone.status} />
      <Badge status={milestone.funding_status} />
      <span class="push">
        <Money amount={milestone.expected_disbursement} currency={escrow.currency} />
      </span>
    </p>
    <ProgressBar
      name={`${milestone.label}, covered`}
      percent={percentOf(milestone.covered_amount, milestone.expected_disbursement)}
      tone={milestone.status === "disbursed" ? "good" : "busy"}
    />
    <p class="muted">
      {splitText(escrow, milestone)}
      {milestone.due_date !== null && ` · due ${milestone.due_date.slice(0, 10)}`}
    </p>
    <div class="actions">
      <MilestoneActions escrow={escrow} milestone={milestone} />
    </div>
  </li>
)

const above = ["#/escrow", "Escrow"] as const

const EscrowContent = ({ escrow }: { readonly escrow: EscrowData }) => (
  <Page
    title={escrow.name}
    above={above}
    lead={
      <>
        <p class="headline">
          <Money amount={escrow.total_amount} currency={escrow.currency} />
          <Badge status={escrow.status} />
        </p>
        <p class="muted">
          {amountText(escrow.funded_amount)} funded, {amountText(escrow.disbursed_amount)} disbursed, from the account{" "}
          <a href={`#/accounts/${escrow.account_id}`}>that funds it</a>
        </p>
        <p>
          <CopyableId id={escrow.escrow_id} what="the escrow's id" whole />
        </p>
      </>
    }
    actions={escrow.status === "active" ? <EscrowActions escrow={escrow} /> : undefined}
  >
    <div class="columns lean-left">
      <Card title="Milestones" note="Funded in order.">
        <ol class="milestones">
          {escrow.milestones.map((milestone) => (
            <MilestoneRow key={milestone.milestone_id} escrow={escrow} milestone={milestone} />
          ))}
        </ol>
      </Card>
      <Card title="Parties">
        <Table
          caption="Parties"
          rows={escrow.parties}
          keyOf={({ party_id }) => party_id}
          columns={[
            { name: "Name", show: ({ name }) => <strong>{name}</strong> },
            {
              name: "Paid to",
              show: ({ account_id, beneficiary_id }) =>
                account_id !== null ? "An account" : beneficiary_id !== null ? "A beneficiary" : "Not set"
            },
            {
              name: "Balance",
              align: "end",
              show: ({ balance }) => <Money amount={balance} currency={escrow.currency} />
            }
          ]}
          actions={(party) => !isZero(party.balance) && <PayParty escrow={escrow} party={party} />}
        />
      </Card>
    </div>
  </Page>
)

export const EscrowPage = ({ id }: { readonly id: string }) => {
  const loaded = useLoad((get) => get("escrow", "get", { path: { escrow_id: id } }), [id])
  return (
    <LoadedPage title="Escrow" above={above} loaded={loaded}>
      {({ data }) => <EscrowContent escrow={data} />}
    </LoadedPage>
  )
}
