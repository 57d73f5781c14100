import { useState } from "preact/hooks"
import { type Answer, type BoundCall, getAll, type Item } from "../../api/ConsoleApi.ts"
import { isNegative, isZero, type Amount, amountText, plotValue } from "../../api/Amount.ts"
import { Loading } from "../../components/Loading.tsx"
import { Card } from "../../components/PageFrame.tsx"
import { Field } from "../../components/Form.tsx"
import { Money } from "../../components/Values.tsx"
import { Table } from "../../components/DataTable.tsx"
import { useLoad } from "../../state/LoadHooks.ts"
import { linkTo } from "../../state/HashRouter.ts"
import { session, hasAccess, orgFilter } from "../../state/ConsoleSession.ts"
import { labelOf, shortId } from "../../state/Display.ts"
import { pageOfAccount, byDaysChanged } from "./BalanceOrder.ts"
import { Plot } from "../../components/Plot.tsx"
import { isolatedName } from "../../../domain/IsolatedName.ts"

type Balance = Item<"balances", "list">

/** Names of accounts and escrows by id. */
type Names = ReadonlyMap<string, string>

const idsIn = (balances: ReadonlyArray<Balance>, wanted: Balance["kind"]): ReadonlyArray<string> =>
  balances
    .filter(({ balance, kind }) => kind === wanted && !isZero(balance))
    .flatMap(({ account }) => pageOfAccount(account)?.id ?? [])

/** Reads a list until every id has a name. */
const namesOf = async <G extends "virtualAccounts" | "escrow">(
  get: BoundCall,
  group: G,
  ids: ReadonlyArray<string>,
  entryOf: (one: Item<G, "list">) => readonly [id: string, name: string]
): Promise<ReadonlyArray<readonly [string, string]>> => {
  if (ids.length === 0) return []
  const read = await getAll(get, group, "list", { urlParams: orgFilter() }, (items) => {
    const known = new Map(items.map(entryOf))
    return ids.every((id) => known.has(id))
  })
  return read.map(entryOf)
}

interface BalanceTableProps {
  readonly balances: ReadonlyArray<Balance>
  readonly names: Names
  readonly releases: Answer<"reserves", "get">["data"]["releases"]
}

/** Balances, and the names of their accounts and escrows as far as the user may list them. */
const loadBalances = async (get: BoundCall, org_id: string): Promise<BalanceTableProps> => {
  const balances = await getAll(get, "balances", "list", { path: { org_id } })
  const [accounts, escrows] = await Promise.all([
    namesOf(get, "virtualAccounts", idsIn(balances, "virtual"), (one) => [
      one.account_id,
      one.customer_id ?? one.virtual_account_name
    ]),
    namesOf(get, "escrow", hasAccess("escrow") ? idsIn(balances, "escrow") : [], (one) => [one.escrow_id, one.name])
  ])
  const hasReserve = balances.some(({ kind }) => kind === "reserve")
  const releases = hasReserve ? (await get("reserves", "get", { path: { org_id } })).data.releases : []
  return { balances, names: new Map([...accounts, ...escrows]), releases }
}

type BalanceTrends = Answer<"balances", "trends">["data"]

/** Daily balances of one currency. */
interface Series {
  readonly currency: string
  readonly balances: ReadonlyArray<Amount>
}

/** Every day has the same currencies. */
const seriesIn = ({ days }: BalanceTrends): ReadonlyArray<Series> =>
  (days[0]?.balances ?? []).map(({ currency }, index) => ({
    currency,
    balances: days.map(({ balances }) => balances[index]!.balance)
  }))

interface BalancePlotProps {
  readonly days: BalanceTrends["days"]
  readonly series: Series
}

/** Available balance at the end of each day. */
const BalancePlot = ({ days, series: { balances, currency } }: BalancePlotProps) => (
  <Plot
    name={`Available at the end of each day in ${currency}, now ${amountText(balances.at(-1)!)}`}
    days={days.map(({ date }) => date)}
    lines={[{ name: `Available, ${currency}`, color: "--accent", values: balances.map(plotValue) }]}
    height={180}
  />
)

const kindLabels: Readonly<Record<Balance["kind"], string>> = {
  settlement: "Available",
  receivable: "Owed, deducted from your next credits",
  held: "Held for payments in progress",
  reserve: "In reserve, released later",
  own: "At your own provider account",
  virtual: "Virtual account",
  escrow: "Escrow",
  party: "Held for an escrow party",
  ramp: "In a ramp",
  clearing: "Needs an operator's decision"
}

const kindOrder = Object.keys(kindLabels)

/** Label of a balance, with the name of its account. */
const whereOf = ({ account, currency, kind }: Balance, { names, releases }: BalanceTableProps): string => {
  const next = releases.find((release) => kind === "reserve" && release.currency === currency)
  if (next !== undefined) {
    return `${kindLabels.reserve}, next ${amountText(next.amount)} ${currency} on ${next.date}`
  }
  const place = pageOfAccount(account)
  const what = kindLabels[kind] ?? labelOf(kind)
  return place === undefined ? what : `${what}: ${isolatedName(names.get(place.id) ?? shortId(place.id))}`
}

const hrefOf = ({ account }: Balance): string | undefined => {
  const place = pageOfAccount(account)
  return place === undefined ? undefined : linkTo(place.path)
}

const BalanceTable = (content: BalanceTableProps) => {
  const shown = content.balances
    .filter(({ balance, kind }) => kind === "settlement" || !isZero(balance))
    .toSorted((a, b) => kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind))
  return (
    <Table
      caption="Balances"
      rows={shown}
      empty={["money", "No money yet", "Completed payins appear here."]}
      keyOf={({ account }) => account}
      hrefOf={hrefOf}
      columns={[
        { name: "Where", show: (balance) => whereOf(balance, content) },
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

export const BalancesCard = ({ org }: { readonly org: string }) => {
  const loaded = useLoad((get) => loadBalances(get, org), [org])
  // Loads apart from the current balances, which do not wait for it.
  const before = useLoad(
    async (get) => {
      const { data } = await get("balances", "trends", { path: { org_id: org } })
      return { days: data.days, all: byDaysChanged(seriesIn(data), session.value?.organization?.currency) }
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
      <Loading loaded={before}>
        {({ days }) => series !== undefined && <BalancePlot days={days} series={series} />}
      </Loading>
      <Loading loaded={loaded}>{(content) => <BalanceTable {...content} />}</Loading>
    </Card>
  )
}
