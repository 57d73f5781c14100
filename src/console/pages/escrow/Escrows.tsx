import { useRef } from "preact/hooks"
import { type Answer, call } from "../../api/Api.ts"
import { percentOf } from "../../api/Amount.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Bar } from "../../parts/Bar.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Listing } from "../../parts/Listing.tsx"
import { Money } from "../../parts/Money.tsx"
import { orgColumn } from "../../parts/OrgColumn.tsx"
import { Page } from "../../parts/Page.tsx"
import { Table } from "../../parts/Table.tsx"
import { useLoad } from "../../state/Load.ts"
import { seesAll } from "../../state/Orgs.ts"
import { usePages } from "../../state/Pages.ts"
import { linkTo } from "../../state/Router.ts"
import { isAdmin, may, ofOrg, orgId } from "../../state/Session.ts"
import { NewEscrow } from "./NewEscrow.tsx"

export type EscrowData = Answer<"escrow", "get">["data"]
export type Milestone = EscrowData["milestones"][number]

/** An escrow is of whomever its account is: asked for by id, as many have another. */
const useOwners = (escrows: ReadonlyArray<EscrowData>): ReadonlyMap<string, string> => {
  const accounts = Array.from(new Set(escrows.map(({ account_id }) => account_id)))
  const known = useRef(new Map<string, string>())
  const { data } = useLoad(
    async (signal) => {
      const missing = seesAll.value ? accounts.filter((account_id) => !known.current.has(account_id)) : []
      const found = await Promise.all(
        missing.map((account_id) => call("virtualAccounts", "get", { path: { account_id } }, { signal }))
      )
      for (const { data: account } of found) known.current.set(account.account_id, account.org_id)
      return new Map(known.current)
    },
    [seesAll.value, accounts]
  )
  return data ?? known.current
}

export const Escrows = () => {
  const list = usePages(
    (cursor, signal) =>
      call("escrow", "list", { urlParams: { ...ofOrg(), limit: 25, last_evaluated_key: cursor } }, { signal }),
    [orgId.value]
  )
  const owners = useOwners(list.items ?? [])
  return (
    <Page
      title="Escrow"
      lead="Money that is set aside for milestones, and shared out when each is reached."
      actions={isAdmin.value || !may("escrow") ? undefined : <NewEscrow onDone={list.reload} />}
    >
      <Listing
        list={list}
        empty={
          <Empty icon="escrow" title="No escrows">
            Create one over a virtual account, with its parties and milestones.
          </Empty>
        }
      >
        {(items) => (
          <Table
            caption="Escrows"
            rows={items}
            keyOf={({ escrow_id }) => escrow_id}
            hrefOf={({ escrow_id }) => linkTo(`escrow/${escrow_id}`)}
            columns={[
              { name: "Escrow", show: ({ name }) => name },
              ...orgColumn<EscrowData>(({ account_id }) => owners.get(account_id)),
              { name: "Status", show: ({ status }) => <Badge status={status} /> },
              {
                name: "Funded",
                show: ({ funded_amount, total_amount }) => (
                  <Bar name="Funded" percent={percentOf(funded_amount, total_amount)} tone="good" />
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
        )}
      </Listing>
    </Page>
  )
}
