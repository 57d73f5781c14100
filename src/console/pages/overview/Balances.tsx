import { type Answer, call } from "../../api/Api.ts"
import { isNegative, isZero } from "../../api/Amount.ts"
import { Awaited } from "../../parts/Awaited.tsx"
import { Card } from "../../parts/Card.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Money } from "../../parts/Money.tsx"
import { Table } from "../../parts/Table.tsx"
import { useLoad } from "../../state/Load.ts"
import { nameOf } from "../../state/Words.ts"

type Balance = Answer<"balances", "list">["data"][number]

const words: Readonly<Record<Balance["kind"], string>> = {
  settlement: "Available",
  held: "Held for what is under way",
  own: "At your own provider account",
  virtual: "Virtual account",
  escrow: "Escrow",
  party: "Kept for an escrow party",
  ramp: "In a ramp"
}

const order = Object.keys(words)

const Content = ({ balances }: { readonly balances: ReadonlyArray<Balance> }) => {
  const shown = balances
    .filter(({ balance, kind }) => kind === "settlement" || !isZero(balance))
    .toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
  if (shown.length === 0) {
    return (
      <Empty icon="money" title="No money yet">
        Completed payins are booked here.
      </Empty>
    )
  }
  return (
    <Table
      caption="Balances"
      rows={shown}
      keyOf={({ account }) => account}
      columns={[
        { name: "Where", show: ({ kind }) => words[kind] ?? nameOf(kind) },
        {
          name: "Balance",
          align: "end",
          show: ({ balance, currency }) => (
            <span class={isNegative(balance) ? "negative" : ""}>
              <Money amount={balance} currency={currency} />
            </span>
          )
        }
      ]}
    />
  )
}

export const Balances = ({ org }: { readonly org: string }) => {
  const loaded = useLoad((signal) => call("balances", "list", { path: { org_id: org } }, { signal }), [org])
  return (
    <Card title="Balances">
      <Awaited loaded={loaded}>{({ data }) => <Content balances={data} />}</Awaited>
    </Card>
  )
}
