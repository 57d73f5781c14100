import { type Answer, call } from "../../api/Api.ts"
import { isNegative, isZero } from "../../api/Amount.ts"
import { Awaited } from "../../parts/Awaited.tsx"
import { Card } from "../../parts/Card.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Money } from "../../parts/Money.tsx"
import { Table } from "../../parts/Table.tsx"
import { useLoad } from "../../state/Load.ts"
import { linkTo } from "../../state/Router.ts"
import { may, ofOrg } from "../../state/Session.ts"
import { nameOf, shortId } from "../../state/Words.ts"
import { placeOf } from "./BalancePlace.ts"

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

type Names = ReadonlyMap<string, string>

/** What people call their accounts and escrows, as far as the reader may list them. */
const loadNames = async (signal: AbortSignal): Promise<Names> => {
  const urlParams = { ...ofOrg(), limit: 100 }
  const [accounts, escrows] = await Promise.all([
    call("virtualAccounts", "list", { urlParams }, { signal }),
    may("escrow") ? call("escrow", "list", { urlParams }, { signal }) : undefined
  ])
  return new Map([
    ...accounts.data.map((one) => [one.account_id, one.customer_id ?? one.virtual_account_name] as const),
    ...(escrows?.data ?? []).map(({ escrow_id, name }) => [escrow_id, name] as const)
  ])
}

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
  const loaded = useLoad(
    async (signal) => {
      const path = { org_id: org }
      const [{ data }, names] = await Promise.all([call("balances", "list", { path }, { signal }), loadNames(signal)])
      return { balances: data, names }
    },
    [org]
  )
  return (
    <Card title="Balances">
      <Awaited loaded={loaded}>{(content) => <Content {...content} />}</Awaited>
    </Card>
  )
}
