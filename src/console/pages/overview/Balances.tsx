import { useState } from "preact/hooks"
import { call } from "../../api/Api.ts"
import { isNegative, isZero } from "../../api/Amount.ts"
import { Awaited } from "../../parts/Awaited.tsx"
import { Card } from "../../parts/Card.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Field } from "../../parts/Field.tsx"
import { Money } from "../../parts/Money.tsx"
import { Table } from "../../parts/Table.tsx"
import { useLoad } from "../../state/Load.ts"
import { linkTo } from "../../state/Router.ts"
import { session } from "../../state/Session.ts"
import { nameOf, shortId } from "../../state/Words.ts"
import { placeOf } from "./BalancePlace.ts"
import { type Balance, loadNamed, type Names } from "./BalanceNames.ts"
import { BalancePlot, seriesIn } from "./BalancePlot.tsx"
import { byMovement } from "./ByMovement.ts"

const words: Readonly<Record<Balance["kind"], string>> = {
  settlement: "Available",
  receivable: "Owed, paid by your next credits",
  held: "Held for what is under way",
  own: "At your own provider account",
  virtual: "Virtual account",
  escrow: "Escrow",
  party: "Kept for an escrow party",
  ramp: "In a ramp",
  clearing: "Waits for an operator's decision"
}

const order = Object.keys(words)

/** Accounts of one kind are told apart by their names. */
const whereOf = ({ account, kind }: Balance, names: Names): string => {
  const place = placeOf(account)
  const what = words[kind] ?? nameOf(kind)
  return place === undefined ? what : `${what}: ${names.get(place.id) ?? shortId(place.id)}`
}

const hrefOf = ({ account }: Balance): string | undefined => {
  const place = placeOf(account)
  return place === undefined ? undefined : linkTo(place.path)
}

interface ContentProps {
  readonly balances: ReadonlyArray<Balance>
  readonly names: Names
}

const Content = ({ balances, names }: ContentProps) => {
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
      hrefOf={hrefOf}
      columns={[
        { name: "Where", show: (balance) => whereOf(balance, names) },
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
  const loaded = useLoad((signal) => loadNamed(org, signal), [org])
  // By itself: what there is now does not wait for what there was.
  const before = useLoad(
    async (signal) => {
      const { data } = await call("balances", "trends", { path: { org_id: org } }, { signal })
      return { days: data.days, all: byMovement(seriesIn(data), session.value?.organization?.currency) }
    },
    [org]
  )
  const [chosen, setChosen] = useState("")
  const all = before.data?.all ?? []
  const series = all.find(({ currency }) => currency === chosen) ?? all[0]
  return (
    <Card
      title="Balances"
      actions={
        series === undefined ? undefined : (
          <Field
            name="available"
            label="Available in"
            options={all.map(({ currency }) => [currency, currency])}
            value={series.currency}
            onInput={setChosen}
          />
        )
      }
    >
      <Awaited loaded={before}>
        {({ days }) => series !== undefined && <BalancePlot days={days} series={series} />}
      </Awaited>
      <Awaited loaded={loaded}>{(content) => <Content {...content} />}</Awaited>
    </Card>
  )
}
