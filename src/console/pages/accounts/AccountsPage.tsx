import { type Answer, call } from "../../api/ConsoleApi.ts"
import { Badge } from "../../components/Badge.tsx"
import { EmptyState, PagedList } from "../../components/Loading.tsx"
import { Field } from "../../components/Form.tsx"
import { Money, Time } from "../../components/Values.tsx"
import { orgColumn, Table } from "../../components/DataTable.tsx"
import { Page } from "../../components/PageFrame.tsx"
import { ActionButton } from "../../components/Dialog.tsx"
import { usePages } from "../../state/LoadHooks.ts"
import { linkTo } from "../../state/HashRouter.ts"
import { hasAccess, orgFilter, orgId, session } from "../../state/ConsoleSession.ts"

export type AccountData = Answer<"virtualAccounts", "get">["data"]

const Open = ({ onDone, org, user }: { readonly org: string; readonly user: string; readonly onDone: () => void }) => (
  <ActionButton
    name="Open account"
    icon="plus"
    kind="primary"
    title="Open a virtual account"
    explanation="An account in one currency, opened in your name."
    submit="Open account"
    done="Account opened"
    onDone={onDone}
    act={({ currency = "", customer_id = "" }, key) =>
      call(
        "virtualAccounts",
        "create",
        {
          payload: {
            org_id: org,
            user_id: user,
            currency: currency.toUpperCase(),
            ...(customer_id === "" ? {} : { customer_id })
          }
        },
        { key }
      )
    }
  >
    <Field name="currency" label="Currency" value={session.value?.organization?.currency ?? "KES"} required />
    <Field name="customer_id" label="Your reference" required={false} />
  </ActionButton>
)

export const AccountsPage = () => {
  const list = usePages(
    (cursor, signal) =>
      call(
        "virtualAccounts",
        "list",
        { urlParams: { ...orgFilter(), limit: 25, last_evaluated_key: cursor } },
        { signal }
      ),
    [orgId.value]
  )
  const user = session.value?.user_id
  const open =
    hasAccess("accounts") &&
    session.value?.role !== "admin" &&
    orgId.value !== undefined &&
    typeof user === "string" ? (
      <Open org={orgId.value} user={user} onDone={list.reload} />
    ) : undefined
  return (
    <Page title="Virtual accounts" lead="Balances in any currency, each with its own transactions." actions={open}>
      <PagedList
        list={list}
        empty={
          <EmptyState icon="accounts" title="No accounts">
            Open one to hold money for a customer or an escrow.
          </EmptyState>
        }
      >
        {(items) => (
          <Table
            caption="Virtual accounts"
            rows={items}
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
        )}
      </PagedList>
    </Page>
  )
}
