import { useRef } from "preact/hooks"
import { type Answer, type Request } from "../../api/ConsoleApi.ts"
import { percentOf, parseAmount } from "../../api/Amount.ts"
import { Badge } from "../../components/Badge.tsx"
import { ProgressBar, Money } from "../../components/Values.tsx"
import { PagedTable } from "../../components/Loading.tsx"
import { orgColumn } from "../../components/DataTable.tsx"
import { Page } from "../../components/PageFrame.tsx"
import { useLoad, useOrgItems, useOrgPages } from "../../state/LoadHooks.ts"
import { seesAllOrgs, isAdmin, hasAccess } from "../../state/ConsoleSession.ts"
import { linkTo } from "../../state/HashRouter.ts"
import { LosslessNumber } from "lossless-json"
import { Problem } from "../../api/ApiResponse.ts"
import { Field, type Values } from "../../components/Form.tsx"
import { Picker } from "../../components/Picker.tsx"
import { ActionButton } from "../../components/Dialog.tsx"

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

export type EscrowData = Answer<"escrow", "get">["data"]
export type Milestone = EscrowData["milestones"][number]

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
