import { call } from "../../api/Api.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Card } from "../../parts/Card.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { LoadedPage } from "../../parts/LoadedPage.tsx"
import { Id } from "../../parts/Id.tsx"
import { Listing } from "../../parts/Listing.tsx"
import { Money } from "../../parts/Money.tsx"
import { Page } from "../../parts/Page.tsx"
import { Table } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { useLoad } from "../../state/Load.ts"
import { usePages } from "../../state/Pages.ts"
import { nameOf } from "../../state/Words.ts"
import type { AccountData } from "./Accounts.tsx"
import { AccountActions } from "./AccountActions.tsx"

const Movements = ({ id, turn }: { readonly id: string; readonly turn: string }) => {
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
    <Listing list={list} empty={<Empty icon="money" title="Nothing has moved yet" />}>
      {(items) => (
        <Table
          caption="Transactions"
          rows={items}
          keyOf={({ transaction_id }) => transaction_id}
          columns={[
            { name: "What", show: ({ description, payment_rail }) => description ?? nameOf(payment_rail) },
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
    </Listing>
  )
}

const POLL = 4000

const above = ["#/accounts", "Virtual accounts"] as const

const Shown = ({ account, onDone }: { readonly account: AccountData; readonly onDone: () => void }) => {
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
            <Id id={account.account_id} what="the account's id" whole />
          </p>
        </>
      }
      actions={<AccountActions account={account} onDone={onDone} />}
    >
      <Card title="Transactions">
        <Movements id={account.account_id} turn={account.balance.value} />
      </Card>
    </Page>
  )
}

export const Account = ({ id }: { readonly id: string }) => {
  const loaded = useLoad(
    (signal) => call("virtualAccounts", "get", { path: { account_id: id } }, { signal }),
    [id],
    POLL
  )
  return (
    <LoadedPage title="Account" above={above} loaded={loaded}>
      {({ data }) => <Shown account={data} onDone={loaded.reload} />}
    </LoadedPage>
  )
}
