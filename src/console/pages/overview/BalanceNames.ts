import { type Answer, call } from "../../api/Api.ts"
import { isZero } from "../../api/Amount.ts"
import { type Page, readOn } from "../../state/ReadOn.ts"
import { may, ofOrg } from "../../state/Session.ts"
import { placeOf } from "./BalancePlace.ts"

export type Balance = Answer<"balances", "list">["data"][number]

/** What people call their accounts and escrows. */
export type Names = ReadonlyMap<string, string>

const idsIn = (balances: ReadonlyArray<Balance>, wanted: Balance["kind"]): ReadonlyArray<string> =>
  balances
    .filter(({ balance, kind }) => kind === wanted && !isZero(balance))
    .flatMap(({ account }) => placeOf(account)?.id ?? [])

const page = (last_evaluated_key: string | undefined) => ({ urlParams: { ...ofOrg(), limit: 100, last_evaluated_key } })

/** Lists are read until each of these has its name. */
const namesOf = async <A>(
  ids: ReadonlyArray<string>,
  ask: (cursor: string | undefined) => Promise<Page<A>>,
  entryOf: (one: A) => readonly [id: string, name: string]
): Promise<ReadonlyArray<readonly [string, string]>> => {
  if (ids.length === 0) return []
  const read = await readOn(ask, (items) => {
    const known = new Map(items.map(entryOf))
    return ids.every((id) => known.has(id))
  })
  return read.map(entryOf)
}

/** The balances, and the names of what they lie on as far as the reader may list it. */
export const loadNamed = async (
  org_id: string,
  signal: AbortSignal
): Promise<{ readonly balances: ReadonlyArray<Balance>; readonly names: Names }> => {
  const balances = await readOn((lastEvaluatedKey) =>
    call("balances", "list", { path: { org_id }, urlParams: { limit: 100, lastEvaluatedKey } }, { signal })
  )
  const [accounts, escrows] = await Promise.all([
    namesOf(
      idsIn(balances, "virtual"),
      (cursor) => call("virtualAccounts", "list", page(cursor), { signal }),
      (one) => [one.account_id, one.customer_id ?? one.virtual_account_name]
    ),
    namesOf(
      may("escrow") ? idsIn(balances, "escrow") : [],
      (cursor) => call("escrow", "list", page(cursor), { signal }),
      ({ escrow_id, name }) => [escrow_id, name]
    )
  ])
  return { balances, names: new Map([...accounts, ...escrows]) }
}
