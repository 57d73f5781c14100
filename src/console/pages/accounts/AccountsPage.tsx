import { useOrgPages } from "../../state/LoadHooks.ts"
import { type Answer } from "../../api/ConsoleApi.ts"
import { Badge } from "../../components/Badge.tsx"
import { PagedTable } from "../../components/Loading.tsx"
import { Field, filled } from "../../components/Form.tsx"
import { Money, Time } from "../../components/Values.tsx"
import { orgColumn } from "../../components/DataTable.tsx"
import { Page } from "../../components/PageFrame.tsx"
import { ActionButton } from "../../components/Dialog.tsx"
import { linkTo } from "../../state/HashRouter.ts"
import { hasAccess, orgId, session } from "../../state/ConsoleSession.ts"

export type AccountData = Answer<"virtualAccounts", "get">["data"]

const Open = ({ org, user }: { readonly org: string; readonly user: string }) => (
  <ActionButton
    name="Open account"
    icon="plus"
    kind="primary"
    title="Open a virtual account"
    explanation="An account in one currency, opened in your name."
    done="Account opened"
    act={({ currency = "", customer_id = "" }, send) =>
      send("virtualAccounts", "create", {
        payload: { org_id: org, user_id: user, currency: currency.toUpperCase(), ...filled({ customer_id }) }
      })
    }
  >
    <Field name="currency" label="Currency" value={session.value?.organization?.currency ?? "KES"} required />
    <Field name="customer_id" label="Your reference" required={false} />
  </ActionButton>
)

export const AccountsPage = () => {
  const list = useOrgPages("virtualAccounts", "list")
  const user = session.value?.user_id
  const open =
    hasAccess("accounts") &&
    session.value?.role !== "admin" &&
    orgId.value !== undefined &&
    typeof user === "string" ? (
      <Open org={orgId.value} user={user} />
    ) : undefined
  return (
    <Page
      title="Virtual accounts"
      lead="Balances in any currency, each with its own transactions."
      actions={open}
      reload={list.reload}
    >
      <PagedTable
        list={list}
        empty={["accounts", "No accounts", "Open one to hold money for a customer or an escrow."]}
        caption="Virtual accounts"
        keyOf={({ account_id }) => account_id}
        hrefOf={({ account_id }) => linkTo(`accounts/${account_id}`)}
        columns={[
          { name: "Account", show: ({ customer_id, virtual_account_name }) => customer_id ?? virtual_account_name },
          { name: "Status", show: ({ status }) => <Badge status={status} /> },
          ...orgColumn<AccountData>(({ org_id }) => org_id),
          { name: "Name", wide: true, show: ({ virtual_account_name }) => virtual_account_name },
          { name: "Opened", align: "end", wide: true, show: ({ created_at }) => <Time at={created_at} /> },
          {
            name: "Balance",
            align: "end",
            show: ({ balance, currency }) => <Money amount={balance} currency={currency} />
          }
        ]}
      />
    </Page>
  )
}
