import { call } from "../../api/ConsoleApi.ts"
import { Badge } from "../../components/Badge.tsx"
import { Card, Page } from "../../components/PageFrame.tsx"
import { EmptyState, LoadedPage, PagedList } from "../../components/Loading.tsx"
import { CopyableId, Money, Time } from "../../components/Values.tsx"
import { Table } from "../../components/DataTable.tsx"
import { useLoad, usePages, useAllPages } from "../../state/LoadHooks.ts"
import { labelOf } from "../../state/Display.ts"
import type { AccountData } from "./AccountsPage.tsx"
import { requireAmount } from "../../api/Amount.ts"
import { Field } from "../../components/Form.tsx"
import { Picker, BeneficiaryPicker } from "../../components/Picker.tsx"
import { ActionButton } from "../../components/Dialog.tsx"
import { hasAccess, orgFilter, session } from "../../state/ConsoleSession.ts"

interface AccountActionsProps {
  readonly account: AccountData
  readonly onDone: () => void
}

const AmountField = ({ currency }: Pick<AccountData, "currency">) => (
  <Field name="amount" label={`Amount in ${currency}`} inputMode="decimal" required />
)

const OtherAccounts = ({ account }: Pick<AccountActionsProps, "account">) => {
  const { data } = useAllPages(
    (page, signal) => call("virtualAccounts", "list", { urlParams: { ...orgFilter(), ...page } }, { signal }),
    []
  )
  const options = data
    ?.filter(({ account_id, currency }) => account_id !== account.account_id && currency === account.currency)
    .map(
      ({ account_id, customer_id, virtual_account_name }) => [account_id, customer_id ?? virtual_account_name] as const
    )
  return <Picker name="to" label="To" options={options} none={`No other account in ${account.currency}`} />
}

const MoneyActions = ({ account, onDone }: AccountActionsProps) => {
  const path = { account_id: account.account_id }
  return (
    <>
      <ActionButton
        name="Pay out"
        title="Pay a beneficiary from the account"
        kind="primary"
        explanation="Holds the amount and its fees now. Both return to the account if the provider declines."
        submit="Pay out"
        done="Withdrawal started"
        onDone={onDone}
        act={({ amount = "", beneficiary_id = "", description = "" }, key) =>
          call(
            "virtualAccounts",
            "withdraw",
            {
              path,
              payload: { amount: requireAmount(amount), beneficiary_id, ...(description === "" ? {} : { description }) }
            },
            { key }
          )
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
        submit="Transfer"
        done="Transferred"
        onDone={onDone}
        act={({ amount = "", to = "" }, key) =>
          call(
            "virtualAccounts",
            "transfer",
            { payload: { from_account_id: account.account_id, to_account_id: to, amount: requireAmount(amount) } },
            { key }
          )
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
          onDone={onDone}
          act={({ amount = "" }, key) =>
            call("virtualAccounts", "simulateDeposit", { path, payload: { amount: requireAmount(amount) } }, { key })
          }
        >
          <AmountField currency={account.currency} />
        </ActionButton>
      )}
    </>
  )
}

const FreezeAction = ({ account, onDone }: AccountActionsProps) => {
  const path = { account_id: account.account_id }
  return account.status === "frozen" ? (
    <ActionButton
      name="Unfreeze"
      title="Unfreeze the account"
      explanation="Allows withdrawals again. The organisation gets an event."
      submit="Unfreeze"
      done="Account unfrozen"
      onDone={onDone}
      act={(_, key) => call("virtualAccounts", "unfreeze", { path }, { key })}
    />
  ) : (
    <ActionButton
      name="Freeze"
      title="Freeze the account"
      kind="danger"
      explanation="Blocks withdrawals; deposits still arrive. The organisation gets an event with the reason."
      submit="Freeze"
      done="Account frozen"
      onDone={onDone}
      act={({ reason = "" }, key) => call("virtualAccounts", "freeze", { path, payload: { reason } }, { key })}
    >
      <Field name="reason" label="Reason" required />
    </ActionButton>
  )
}

export const AccountActions = ({ account, onDone }: AccountActionsProps) => (
  <>
    {hasAccess("accounts") && account.status === "active" && <MoneyActions account={account} onDone={onDone} />}
    {hasAccess("platform") && <FreezeAction account={account} onDone={onDone} />}
  </>
)

const AccountTransactions = ({ id, turn }: { readonly id: string; readonly turn: string }) => {
  const list = usePages(
    (cursor, signal) =>
      call(
        "virtualAccounts",
        "transactions",
        { path: { account_id: id }, urlParams: { limit: 25, last_evaluated_key: cursor } },
        { signal }
      ),
    [id, turn]
  )
  return (
    <PagedList list={list} empty={<EmptyState icon="money" title="No transactions" />}>
      {(items) => (
        <Table
          caption="Transactions"
          rows={items}
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
      )}
    </PagedList>
  )
}

const POLL = 4000

const above = ["#/accounts", "Virtual accounts"] as const

const AccountContent = ({ account, onDone }: { readonly account: AccountData; readonly onDone: () => void }) => {
  return (
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
      actions={<AccountActions account={account} onDone={onDone} />}
    >
      <Card title="Transactions">
        <AccountTransactions id={account.account_id} turn={account.balance.value} />
      </Card>
    </Page>
  )
}

export const AccountPage = ({ id }: { readonly id: string }) => {
  const loaded = useLoad(
    (signal) => call("virtualAccounts", "get", { path: { account_id: id } }, { signal }),
    [id],
    POLL
  )
  return (
    <LoadedPage title="Account" above={above} loaded={loaded}>
      {({ data }) => <AccountContent account={data} onDone={loaded.reload} />}
    </LoadedPage>
  )
}
