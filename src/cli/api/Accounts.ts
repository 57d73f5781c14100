/** `corridor accounts` by API: a platform admin freezes in their own name. */
import { Effect, Option } from "effect"
import { accountTable, accountText, frozenWords, type ShownAccount } from "../shown/Accounts.ts"
import { type Answer, Calls } from "./Calls.ts"
import { onApi } from "./OnApi.ts"

type Account = Answer<"virtualAccounts", "get">["data"]

const shown = (account: Account): ShownAccount => ({
  ...account,
  money: `${account.balance.text} ${account.currency}`
})

const listAll = Effect.fnUntraced(function* (org: Option.Option<string>) {
  const { all } = yield* Calls
  const data = yield* all("virtualAccounts", "list", { urlParams: { org_id: Option.getOrUndefined(org) } })
  return { data, ...accountTable(data.map(shown)) }
})

export const list = (input: { readonly org: Option.Option<string>; readonly json: boolean }) =>
  onApi(input.json, listAll(input.org))

const freezeOne = Effect.fnUntraced(function* (account_id: string, reason: Option.Option<string>) {
  const { call } = yield* Calls
  const payload = Option.isNone(reason) ? {} : { reason: reason.value }
  const { data } = yield* call("virtualAccounts", "freeze", { path: { account_id }, payload })
  return { data, text: accountText(frozenWords.freeze, shown(data)) }
})

export const freeze = (input: {
  readonly id: string
  readonly reason: Option.Option<string>
  readonly json: boolean
}) => onApi(input.json, freezeOne(input.id, input.reason))

const unfreezeOne = Effect.fnUntraced(function* (account_id: string) {
  const { call } = yield* Calls
  const { data } = yield* call("virtualAccounts", "unfreeze", { path: { account_id } })
  return { data, text: accountText(frozenWords.unfreeze, shown(data)) }
})

export const unfreeze = (input: { readonly id: string; readonly json: boolean }) =>
  onApi(input.json, unfreezeOne(input.id))
