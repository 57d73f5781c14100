import { amountText, percentOf } from "../../api/Amount.ts"
import { call } from "../../api/Api.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Bar } from "../../parts/Bar.tsx"
import { Card } from "../../parts/Card.tsx"
import { LoadedPage } from "../../parts/LoadedPage.tsx"
import { Id } from "../../parts/Id.tsx"
import { Money } from "../../parts/Money.tsx"
import { Page } from "../../parts/Page.tsx"
import { Table } from "../../parts/Table.tsx"
import { useLoad } from "../../state/Load.ts"
import { EscrowActions } from "./EscrowActions.tsx"
import type { EscrowData, Milestone } from "./Escrows.tsx"
import { PayParty } from "./PayParty.tsx"
import { MilestoneActions } from "./MilestoneActions.tsx"

const splitText = (escrow: EscrowData, { parties }: Milestone): string =>
  parties
    .map(({ party_id, split_type, split_value }) => {
      const name = escrow.parties.find((party) => party.party_id === party_id)?.name ?? "Somebody"
      return `${name} ${amountText(split_value)}${split_type === "percentage" ? " %" : ` ${escrow.currency}`}`
    })
    .join(", ")

interface RowProps {
  readonly escrow: EscrowData
  readonly milestone: Milestone
  readonly onDone: () => void
}

const MilestoneRow = ({ escrow, milestone, onDone }: RowProps) => (
  <li class="milestone">
    <p class="queue-head">
      <strong>{milestone.label}</strong>
      <Badge status={milestone.status} />
      <Badge status={milestone.funding_status} />
      <span class="push">
        <Money amount={milestone.expected_disbursement} currency={escrow.currency} />
      </span>
    </p>
    <Bar
      name={`${milestone.label}, covered`}
      percent={percentOf(milestone.covered_amount, milestone.expected_disbursement)}
      tone={milestone.status === "disbursed" ? "good" : "busy"}
    />
    <p class="muted">
      {splitText(escrow, milestone)}
      {milestone.due_date !== null && ` · due ${milestone.due_date.slice(0, 10)}`}
    </p>
    <div class="actions">
      <MilestoneActions escrow={escrow} milestone={milestone} onDone={onDone} />
    </div>
  </li>
)

const above = ["#/escrow", "Escrow"] as const

const Shown = ({ escrow, onDone }: { readonly escrow: EscrowData; readonly onDone: () => void }) => {
  return (
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
            <Id id={escrow.escrow_id} what="the escrow's id" whole />
          </p>
        </>
      }
      actions={escrow.status === "active" ? <EscrowActions escrow={escrow} onDone={onDone} /> : undefined}
    >
      <div class="columns lean-left">
        <Card title="Milestones" note="Money covers them in their order.">
          <ol class="milestones">
            {escrow.milestones.map((milestone) => (
              <MilestoneRow key={milestone.milestone_id} escrow={escrow} milestone={milestone} onDone={onDone} />
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
                name: "Is paid",
                show: ({ account_id, beneficiary_id }) =>
                  account_id !== null ? "To an account" : beneficiary_id !== null ? "By payout" : "Later"
              },
              {
                name: "Balance",
                align: "end",
                show: ({ balance }) => <Money amount={balance} currency={escrow.currency} />
              },
              {
                name: "Actions",
                quiet: true,
                align: "end",
                show: (party) => <PayParty escrow={escrow} party={party} onDone={onDone} />
              }
            ]}
          />
        </Card>
      </div>
    </Page>
  )
}

export const Escrow = ({ id }: { readonly id: string }) => {
  const loaded = useLoad((signal) => call("escrow", "get", { path: { escrow_id: id } }, { signal }), [id])
  return (
    <LoadedPage title="Escrow" above={above} loaded={loaded}>
      {({ data }) => <Shown escrow={data} onDone={loaded.reload} />}
    </LoadedPage>
  )
}
