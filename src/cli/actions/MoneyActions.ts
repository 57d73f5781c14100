/** `corridor accounts` and `corridor rates` */
import { BigDecimal, Effect, Option } from "effect"
import { toWireText, WireNumber } from "../../domain/Decimal.ts"
import type { WantedRate } from "../../money/rates/Rates.ts"
import { type Answer, ApiClient, orNotFound } from "../client/ApiClient.ts"
import { onTarget } from "../client/RunCommand.ts"
import { decodeInput, refuse, type IdInput, type OrgInput } from "../shared/CommandInput.ts"
import { framed, minute, printable, properties, tableLayout, type TextLayout } from "../shared/Table.ts"

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

const listAll = Effect.fnUntraced(function* (org: Option.Option<string>) {
  const { all } = yield* ApiClient
  const data = yield* all("virtualAccounts", "list", { urlParams: { org_id: Option.getOrUndefined(org) } })
  return { data, ...accountTable(data) }
})

export const list = (input: OrgInput) => onAccounts(input.json, listAll(input.org))

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

const freezeOne = Effect.fnUntraced(function* (account_id: string, reason: Option.Option<string>) {
  const { call } = yield* ApiClient
  const payload = Option.isNone(reason) ? {} : { reason: reason.value }
  const { data } = yield* noSuchAccount(account_id)(
    call("virtualAccounts", "freeze", { path: { account_id }, payload })
  )
  return resultOf("Frozen: it can receive money, but not send any.", data)
})

export const freeze = (input: {
  readonly id: string
  readonly reason: Option.Option<string>
  readonly json: boolean
}) => onAccounts(input.json, freezeOne(input.id, input.reason))

const unfreezeOne = Effect.fnUntraced(function* (account_id: string) {
  const { call } = yield* ApiClient
  const { data } = yield* noSuchAccount(account_id)(call("virtualAccounts", "unfreeze", { path: { account_id } }))
  return resultOf("Active: it can send money again.", data)
})

export const unfreeze = (input: IdInput) => onAccounts(input.json, unfreezeOne(input.id))

const rateText = ({ text }: WireNumber): string => text.replace(/\.0$/, "")

const setRate = Effect.fnUntraced(function* ({ from, rate, to }: typeof WantedRate.Type) {
  const { call } = yield* ApiClient
  const { data, message } = yield* call("rates", "set", {
    payload: {
      from_currency: from,
      to_currency: to,
      rate: new WireNumber(toWireText(BigDecimal.normalize(rate)))
    }
  })
  const is = `1 ${data.from_currency} = ${rateText(data.rate)} ${data.to_currency}`
  const before = data.previous_rate === null ? "there was none before" : `it was ${rateText(data.previous_rate)}`
  return { data, text: data.status === "set" ? `${is} (${before}).` : `${is}. ${message}.` }
})

export const set = Effect.fnUntraced(function* ({
  json,
  ...input
}: {
  readonly from: string
  readonly to: string
  readonly rate: string
  readonly json: boolean
}) {
  const rates = yield* Effect.promise(() => import("../../money/rates/Rates.ts"))
  const wanted = yield* decodeInput(rates.WantedRate, input, { from: "FROM", to: "TO", rate: "RATE" })
  if (wanted.from === wanted.to) return yield* refuse("FROM and TO are the same currency: name two.")
  yield* onTarget("records")(json, setRate(wanted))
})

type BaseRates = Answer<"rates", "list">["data"]

const stateOf = ({ failures, fetched_at, last_error, source }: BaseRates["sources"][number]): string => {
  const last = fetched_at === null ? "not fetched yet" : `last fetched ${minute(fetched_at)}`
  return printable(`Source ${source}: ${last}${failures === 0 ? "" : `, ${failures} failures since: ${last_error}`}`)
}

const listRates = Effect.gen(function* () {
  const { call } = yield* ApiClient
  const { proposals, rates, sources } = (yield* call("rates", "list", {})).data
  const confirm = (one: BaseRates["proposals"][number]) =>
    `corridor rates set ${one.from_currency} ${one.to_currency} ${rateText(one.rate)}`
  const row = (one: (BaseRates["rates"] | BaseRates["proposals"])[number]) => [
    one.from_currency,
    one.to_currency,
    rateText(one.rate)
  ]
  const set = rates.map((one) => [
    ...row(one),
    one.source,
    one.published_at === null ? null : minute(one.published_at),
    minute(one.updated_at),
    "set"
  ])
  const waiting = proposals.map((one) => [
    ...row(one),
    one.source,
    null,
    minute(one.proposed_at),
    `waits for a person: ${confirm(one)}`
  ])
  const layout = tableLayout(
    ["FROM", "TO", "RATE", "SOURCE", "PUBLISHED", "SET", "STATUS"],
    [...set, ...waiting],
    'No rates yet: "corridor rates set FROM TO RATE" sets one, RATE_SOURCE fetches them.',
    ["SET", "SOURCE", "PUBLISHED"]
  )
  return {
    data: [
      ...rates.map((one) => ({ ...one, status: "set" })),
      ...proposals.map((one) => ({ ...one, status: "proposed", confirm_with: confirm(one) }))
    ],
    ...framed("", layout, sources.map((one) => `\n${stateOf(one)}`).join(""))
  }
})

export const rates = (input: { readonly json: boolean }) => onTarget("records")(input.json, listRates)
