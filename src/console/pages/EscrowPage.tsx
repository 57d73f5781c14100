import { useRef } from "preact/hooks"
import type { Answer, Request } from "../api/ConsoleApi.ts"
import { percentOf, parseAmount, amountText, minus, inputText, requireAmount, isZero } from "../api/Amount.ts"
import { Badge } from "../components/Badge.tsx"
import { ProgressBar, Money, CopyableId } from "../components/Values.tsx"
import { PagedTable, LoadedPage } from "../components/Loading.tsx"
import { orgColumn, Table } from "../components/DataTable.tsx"
import { Page, Card } from "../components/PageFrame.tsx"
import { useLoad, useOrgItems, useOrgPages } from "../state/LoadHooks.ts"
import { seesAllOrgs, isAdmin, hasAccess } from "../state/ConsoleSession.ts"
import { linkTo } from "../state/HashRouter.ts"
import { LosslessNumber } from "lossless-json"
import { Problem } from "../api/ApiResponse.ts"
import { AmountField, BeneficiaryPicker, Field, filled, Picker, type Values } from "../components/Form.tsx"
import { ActionButton } from "../components/Dialog.tsx"
import { isolatedName } from "../../domain/IsolatedName.ts"

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
    title={`Pay ${isolatedName(party.name)} out`}
    explanation={`Pays the ${amountText(party.balance)} ${escrow.currency} held for ${isolatedName(party.name)} to a beneficiary.`}
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
          title={`Disburse ${isolatedName(milestone.label)}`}
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
      return `${isolatedName(name)} ${amountText(split_value)}${split_type === "percentage" ? " %" : ` ${escrow.currency}`}`
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

type Payload = Request<"escrow", "create">["payload"]

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

const shareOf = (at: number, among: number): string => {
  const each = Math.floor(10_000 / among)
  const hundredths = at === 0 ? 10_000 - each * (among - 1) : each
  return `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, "0")}`
}

/** Splits every milestone equally; the API allows other splits. */
const payloadOf = ({ account = "", milestones = "", name = "", parties = "" }: Values): Payload => {
  const [account_id = "", currency = ""] = account.split(" ")
  const names = linesOf(parties)
  return {
    name,
    account_id,
    currency,
    parties: names.map((party) => ({ name: party })),
    milestones: linesOf(milestones).map((line, at) => {
      const [, label, amount] = /^(.*?)[\s:,]+([\d,.]+)$/.exec(line) ?? []
      const expected = parseAmount(amount ?? "")
      if (label === undefined || expected === undefined) {
        throw new Problem(400, `Write a milestone as its name and its amount, such as "Design 1500.00": ${line}`)
      }
      return {
        label,
        sequence: at + 1,
        expected_disbursement: expected,
        parties: names.map((party, index) => ({
          name: party,
          split_type: "percentage" as const,
          split_value: new LosslessNumber(shareOf(index, names.length))
        }))
      }
    })
  }
}

const AccountField = () => {
  const { data } = useOrgItems("virtualAccounts", "list")
  const options = data?.map(
    ({ account_id, currency, customer_id, virtual_account_name }) =>
      [`${account_id} ${currency}`, `${customer_id ?? virtual_account_name} (${currency})`] as const
  )
  return <Picker name="account" label="Funding account" options={options} none="Open a virtual account first" />
}

const NewEscrow = () => (
  <ActionButton
    name="Create escrow"
    icon="plus"
    kind="primary"
    title="Create an escrow"
    explanation="No money moves until you fund it. Every party gets an equal share of every milestone."
    done="Escrow created"
    act={(values, send) => send("escrow", "create", { payload: payloadOf(values) })}
  >
    <Field name="name" label="Name" placeholder="Harbour works" required />
    <AccountField />
    <Field
      name="parties"
      label="Parties"
      kind="area"
      placeholder={"Builder Ltd\nSupplier Ltd"}
      hint="One per line."
      required
    />
    <Field
      name="milestones"
      label="Milestones"
      kind="area"
      placeholder={"Design 1500.00\nFoundations 4000.00"}
      hint="One per line: name and amount."
      required
    />
  </ActionButton>
)

type EscrowData = Answer<"escrow", "get">["data"]
type Milestone = EscrowData["milestones"][number]

/** Organisations of escrows, by the accounts that fund them. */
const useOwners = (escrows: ReadonlyArray<EscrowData>): ReadonlyMap<string, string> => {
  const accounts = Array.from(new Set(escrows.map(({ account_id }) => account_id)))
  const owners = useRef(new Map<string, string>())
  const { data } = useLoad(
    async (get) => {
      const missing = seesAllOrgs.value ? accounts.filter((account_id) => !owners.current.has(account_id)) : []
      const found = await Promise.all(
        missing.map((account_id) => get("virtualAccounts", "get", { path: { account_id } }))
      )
      for (const { data: account } of found) owners.current.set(account.account_id, account.org_id)
      return new Map(owners.current)
    },
    [seesAllOrgs.value, accounts]
  )
  return data ?? owners.current
}

export const EscrowsPage = () => {
  const list = useOrgPages("escrow", "list")
  const owners = useOwners(list.items ?? [])
  return (
    <Page
      title="Escrow"
      reload={list.reload}
      lead="Money held for milestones and paid to the parties as each one is reached."
      actions={isAdmin.value || !hasAccess("escrow") ? undefined : <NewEscrow />}
    >
      <PagedTable
        list={list}
        empty={["escrow", "No escrows", "Create one from a virtual account, with parties and milestones."]}
        caption="Escrows"
        keyOf={({ escrow_id }) => escrow_id}
        hrefOf={({ escrow_id }) => linkTo(`escrow/${escrow_id}`)}
        columns={[
          { name: "Escrow", show: ({ name }) => name },
          ...orgColumn<EscrowData>(({ account_id }) => owners.get(account_id)),
          { name: "Status", show: ({ status }) => <Badge status={status} /> },
          {
            name: "Funded",
            show: ({ funded_amount, total_amount }) => (
              <ProgressBar name="Funded" percent={percentOf(funded_amount, total_amount)} tone="good" />
            )
          },
          {
            name: "Disbursed",
            align: "end",
            wide: true,
            show: ({ currency, disbursed_amount }) => <Money amount={disbursed_amount} currency={currency} />
          },
          {
            name: "Total",
            align: "end",
            show: ({ currency, total_amount }) => <Money amount={total_amount} currency={currency} />
          }
        ]}
      />
    </Page>
  )
}
