import { useList, useOrgPages, useLoad, useOrgItems } from "../state/LoadHooks.ts"
import type { Answer } from "../api/ConsoleApi.ts"
import { Badge } from "../components/Badge.tsx"
import { PagedTable, LoadedPage } from "../components/Loading.tsx"
import { AmountField, BeneficiaryPicker, Field, filled, Picker } from "../components/Form.tsx"
import { Money, Time, CopyableId } from "../components/Values.tsx"
import { orgColumn } from "../components/DataTable.tsx"
import { Page, Card } from "../components/PageFrame.tsx"
import { ActionButton } from "../components/Dialog.tsx"
import { linkTo } from "../state/HashRouter.ts"
import { hasAccess, orgId, session } from "../state/ConsoleSession.ts"
import { labelOf } from "../state/Display.ts"
import { requireAmount } from "../api/Amount.ts"

interface AccountProps {
  readonly account: AccountData
}

const OtherAccounts = ({ account }: AccountProps) => {
  const { data } = useOrgItems("virtualAccounts", "list")
  const options = data
    ?.filter(({ account_id, currency }) => account_id !== account.account_id && currency === account.currency)
    .map(
      ({ account_id, customer_id, virtual_account_name }) => [account_id, customer_id ?? virtual_account_name] as const
    )
  return <Picker name="to" label="To" options={options} none={`No other account in ${account.currency}`} />
}

const MoneyActions = ({ account }: AccountProps) => {
  const path = { account_id: account.account_id }
  return (
    <>
      <ActionButton
        name="Pay out"
        title="Pay a beneficiary from the account"
        kind="primary"
        explanation="Holds the amount and its fees now. Both return to the account if the provider declines."
        done="Withdrawal started"
        act={({ amount = "", beneficiary_id = "", description = "" }, send) =>
          send("virtualAccounts", "withdraw", {
            path,
            payload: { amount: requireAmount(amount), beneficiary_id, ...filled({ description }) }
          })
        }
      >
        <BeneficiaryPicker currency={account.currency} />
        <AmountField currency={account.currency} />
        <Field name="description" label="Description" required={false} />
      </ActionButton>
      <ActionButton
        name="Transfer"
        title="Transfer to another account"
        explanation="Moves money to another account in the same currency now."
        done="Transferred"
        act={({ amount = "", to = "" }, send) =>
          send("virtualAccounts", "transfer", {
            payload: { from_account_id: account.account_id, to_account_id: to, amount: requireAmount(amount) }
          })
        }
      >
        <OtherAccounts account={account} />
        <AmountField currency={account.currency} />
      </ActionButton>
      {session.value?.mode === "sandbox" && (
        <ActionButton
          name="Simulate a deposit"
          explanation="Credits the account as if a customer had paid into it. Sandbox only."
          submit="Deposit"
          done="Deposited"
          act={({ amount = "" }, send) =>
            send("virtualAccounts", "simulateDeposit", { path, payload: { amount: requireAmount(amount) } })
          }
        >
          <AmountField currency={account.currency} />
        </ActionButton>
      )}
    </>
  )
}

const FreezeAction = ({ account }: AccountProps) => {
  const path = { account_id: account.account_id }
  return account.status === "frozen" ? (
    <ActionButton
      name="Unfreeze"
      title="Unfreeze the account"
      explanation="Allows withdrawals again. The organisation gets an event."
      done="Account unfrozen"
      act={(_, send) => send("virtualAccounts", "unfreeze", { path })}
    />
  ) : (
    <ActionButton
      name="Freeze"
      title="Freeze the account"
      kind="danger"
      explanation="Blocks withdrawals; deposits still arrive. The organisation gets an event with the reason."
      done="Account frozen"
      act={({ reason = "" }, send) => send("virtualAccounts", "freeze", { path, payload: { reason } })}
    >
      <Field name="reason" label="Reason" required />
    </ActionButton>
  )
}

const AccountActions = ({ account }: AccountProps) => (
  <>
    {hasAccess("accounts") && account.status === "active" && <MoneyActions account={account} />}
    {hasAccess("platform") && <FreezeAction account={account} />}
  </>
)

const AccountTransactions = ({ id, turn }: { readonly id: string; readonly turn: string }) => {
  const list = useList("virtualAccounts", "transactions", { path: { account_id: id } }, turn)
  return (
    <PagedTable
      list={list}
      empty={["money", "No transactions"]}
      caption="Transactions"
      keyOf={({ transaction_id }) => transaction_id}
      columns={[
        { name: "What", show: ({ description, payment_rail }) => description ?? labelOf(payment_rail) },
        { name: "Status", show: ({ status }) => <Badge status={status} /> },
        { name: "When", align: "end", show: ({ created_at }) => <Time at={created_at} /> },
        {
          name: "Amount",
          align: "end",
          show: ({ amount, currency, type }) => (
            <span class={type === "credit" ? "positive" : ""}>
              {type === "credit" ? "+" : "−"}
              <Money amount={amount} currency={currency} />
            </span>
          )
        }
      ]}
    />
  )
}

const POLL = 4000

const above = ["#/accounts", "Virtual accounts"] as const

const AccountContent = ({ account }: AccountProps) => (
  <Page
    title={account.customer_id ?? account.virtual_account_name}
    above={above}
    lead={
      <>
        <p class="headline">
          <Money amount={account.balance} currency={account.currency} />
          <Badge status={account.status} />
        </p>
        {account.frozen_reason !== null && <p class="muted">Frozen: {account.frozen_reason}</p>}
        <p>
          <CopyableId id={account.account_id} what="the account's id" whole />
        </p>
      </>
    }
    actions={<AccountActions account={account} />}
  >
    <Card title="Transactions">
      <AccountTransactions id={account.account_id} turn={account.balance.value} />
    </Card>
  </Page>
)

export const AccountPage = ({ id }: { readonly id: string }) => {
  const loaded = useLoad((get) => get("virtualAccounts", "get", { path: { account_id: id } }), [id], POLL)
  return (
    <LoadedPage title="Account" above={above} loaded={loaded}>
      {({ data }) => <AccountContent account={data} />}
    </LoadedPage>
  )
}

type AccountData = Answer<"virtualAccounts", "get">["data"]

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
