/** `corridor accounts` and `corridor rates set` */
import { BigDecimal, Effect, Option } from "effect"
import type { WireNumber } from "../../domain/Decimal.ts"
import type { WantedRate } from "../../money/rates/Rates.ts"
import { type Answer, ApiClient, orNotFound } from "../client/ApiClient.ts"
import { onTarget } from "../client/RunCommand.ts"
import { decodeInput, type IdInput, type JsonInput, type OrgInput, refuse, wireNumber } from "../shared/CommandInput.ts"
import { minute, properties, tableLayout, type TextLayout } from "../shared/Table.ts"

type Account = Answer<"virtualAccounts", "get">["data"]

const onAccounts = onTarget("accounts")

const balanceOf = ({ balance, currency }: Pick<Account, "balance" | "currency">) => `${balance.text} ${currency}`

type Listed = Pick<Account, "account_id" | "org_id" | "virtual_account_name" | "status" | "created_at"> &
  Parameters<typeof balanceOf>[0]

export const accountTable = (accounts: ReadonlyArray<Listed>): TextLayout =>
  tableLayout(
    ["ID", "ORGANISATION", "NAME", "BALANCE", "STATUS", "CREATED"],
    accounts.map((account) => [
      account.account_id,
      account.org_id,
      account.virtual_account_name,
      balanceOf(account),
      account.status,
      minute(account.created_at)
    ]),
    "No virtual accounts here.",
    ["CREATED", "ORGANISATION"]
  )

export const list = onAccounts(
  Effect.fnUntraced(function* ({ org }: OrgInput) {
    const { all } = yield* ApiClient
    const data = yield* all("virtualAccounts", "list", { urlParams: { org_id: Option.getOrUndefined(org) } })
    return { data, ...accountTable(data) }
  })
)

const resultOf = (said: string, account: Account) => ({
  data: account,
  text: `${said}\n${properties([
    ["Account", account.account_id],
    ["Organisation", account.org_id],
    ["Name", account.virtual_account_name],
    ["Balance", balanceOf(account)],
    ["Status", account.status]
  ])}`
})

const noSuchAccount = (given: string) =>
  orNotFound(`There is no virtual account with the id ${given} ("corridor accounts list" shows them).`)

export const freeze = onAccounts(
  Effect.fnUntraced(function* ({ id, reason }: IdInput & { readonly reason: Option.Option<string> }) {
    const { call } = yield* ApiClient
    const payload = Option.isNone(reason) ? {} : { reason: reason.value }
    const { data } = yield* noSuchAccount(id)(call("virtualAccounts", "freeze", { path: { account_id: id }, payload }))
    return resultOf("Frozen: it can receive money, but not send any.", data)
  })
)

export const unfreeze = onAccounts(
  Effect.fnUntraced(function* ({ id }: IdInput) {
    const { call } = yield* ApiClient
    const { data } = yield* noSuchAccount(id)(call("virtualAccounts", "unfreeze", { path: { account_id: id } }))
    return resultOf("Active: it can send money again.", data)
  })
)

const rateText = ({ text }: WireNumber): string => text.replace(/\.0$/, "")

const setRate = onTarget("records")(
  Effect.fnUntraced(function* ({ from, rate, to }: typeof WantedRate.Type & JsonInput) {
    const { call } = yield* ApiClient
    const { data, message } = yield* call("rates", "set", {
      payload: { from_currency: from, to_currency: to, rate: wireNumber(BigDecimal.normalize(rate)) }
    })
    const is = `1 ${data.from_currency} = ${rateText(data.rate)} ${data.to_currency}`
    const before = data.previous_rate === null ? "there was none before" : `it was ${rateText(data.previous_rate)}`
    return { data, text: data.status === "set" ? `${is} (${before}).` : `${is}. ${message}.` }
  })
)

export const set = Effect.fnUntraced(function* ({
  json,
  ...input
}: JsonInput & { readonly from: string; readonly to: string; readonly rate: string }) {
  const rates = yield* Effect.promise(() => import("../../money/rates/Rates.ts"))
  const wanted = yield* decodeInput(rates.WantedRate, input, { from: "FROM", to: "TO", rate: "RATE" })
  if (wanted.from === wanted.to) return yield* refuse("FROM and TO are the same currency: name two.")
  yield* setRate({ ...wanted, json })
})
