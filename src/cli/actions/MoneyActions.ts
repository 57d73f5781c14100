/** `corridor accounts` and `corridor rates` */
import { BigDecimal, Effect, Option } from "effect"
import type { ResolveTransfer } from "../../contract/api/VirtualAccountsApi.ts"
import type { WireNumber } from "../../domain/Decimal.ts"
import type { WantedRate } from "../../money/rates/Rates.ts"
import { type Answer, call, callAll, orNotFound } from "../client/ApiClient.ts"
import { onTarget } from "../client/RunCommand.ts"
import {
  decodeInput,
  decodeOption,
  givenFields,
  type IdInput,
  type JsonInput,
  type OrgInput,
  Reason,
  refuse,
  wireNumber
} from "../shared/CommandInput.ts"
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

export const list = onAccounts(
  Effect.fnUntraced(function* ({ org }: OrgInput) {
    const data = yield* callAll("virtualAccounts", "list", { urlParams: { org_id: Option.getOrUndefined(org) } })
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
    const payload = Option.isNone(reason) ? {} : { reason: reason.value }
    const { data } = yield* noSuchAccount(id)(call("virtualAccounts", "freeze", { path: { account_id: id }, payload }))
    return resultOf("Frozen: it can receive money, but not send any.", data)
  })
)

export const unfreeze = onAccounts(
  Effect.fnUntraced(function* ({ id }: IdInput) {
    const { data } = yield* noSuchAccount(id)(call("virtualAccounts", "unfreeze", { path: { account_id: id } }))
    return resultOf("Active: it can send money again.", data)
  })
)

interface ResolveInput extends IdInput {
  readonly as: "credited" | "returned"
  readonly reason: string
  readonly account: Option.Option<string>
  readonly org: Option.Option<string>
  readonly movement: Option.Option<string>
}

type TransferDecision = Pick<ResolveInput, "id" | "json"> & { readonly payload: typeof ResolveTransfer.Type }

/** The request, or what is missing in what was typed. */
export const transferDecision = Effect.fnUntraced(function* (input: ResolveInput) {
  const { account, as, movement, org } = input
  const reason = yield* decodeOption("--reason", Reason, input.reason)
  const named = [account, org].filter(Option.isSome).length
  if (as === "credited" && named !== 1) return yield* refuse("--account or --org: say which one gets or bears it.")
  if (as === "returned" && named > 0) return yield* refuse("--account and --org go with --as credited only.")
  if (as === "credited" && Option.isSome(movement)) return yield* refuse("--movement goes with --as returned only.")
  return { outcome: as, reason, ...givenFields({ account_id: account, org_id: org, movement_id: movement }) }
})

const resolveTransfer = onAccounts(
  Effect.fnUntraced(function* ({ id, payload }: TransferDecision) {
    const { data } = yield* orNotFound(
      `There is no incoming transfer with the id ${id} ("corridor queue" shows them).`
    )(call("virtualAccounts", "resolveTransfer", { path: { transfer_id: id }, payload }))
    const text = properties([
      ["Transfer", data.transfer_id],
      ["Amount", `${data.amount.text} ${data.currency}`],
      ["Organisation", data.org_id ?? "none"],
      ["Account", data.account_id ?? "none"],
      ["State", data.state]
    ])
    return { data, text: `Settled by hand.\n${text}` }
  })
)

export const resolve = (input: ResolveInput) =>
  Effect.flatMap(transferDecision(input), (payload) => resolveTransfer({ ...input, payload }))

const rateText = ({ text }: WireNumber): string => text.replace(/\.0$/, "")

const setRate = onTarget("records")(
  Effect.fnUntraced(function* ({ from, rate, to }: typeof WantedRate.Type & JsonInput) {
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

type BaseRates = Answer<"rates", "list">["data"]

const stateOf = ({ failures, fetched_at, last_error, source }: BaseRates["sources"][number]): string => {
  const last = fetched_at === null ? "not fetched yet" : `last fetched ${minute(fetched_at)}`
  return printable(`Source ${source}: ${last}${failures === 0 ? "" : `, ${failures} failures since: ${last_error}`}`)
}

const listRates = Effect.gen(function* () {
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

export const rates = onTarget("records")((_: JsonInput) => listRates)
