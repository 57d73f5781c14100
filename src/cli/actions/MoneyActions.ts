/** `corridor accounts`, `rates`, `fees list` and `reserves` */
import { BigDecimal, Effect, Either, Option, Schema } from "effect"
import type { ResolveTransfer } from "../../contract/api/VirtualAccountsApi.ts"
import { PaymentMethod } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { WireNumber } from "../../domain/Decimal.ts"
import { wholeInBasisPoints } from "../../domain/Fee.ts"
import { longestDelay, longestReserve, reserveRule } from "../../domain/Reserve.ts"
import type { WantedRate } from "../../money/rates/Rates.ts"
import { type Answer, call, callAll, orNotFound } from "../client/ApiClient.ts"
import { onTarget } from "../client/RunCommand.ts"
import {
  decimalOption,
  decodeInput,
  decodeOption,
  givenFields,
  type IdInput,
  type JsonInput,
  type OrgInput,
  Reason,
  refuse,
  wholeNumber,
  wireNumber
} from "../shared/CommandInput.ts"
import { isLocal } from "../shared/CommandTarget.ts"
import type { transferOutcome } from "../commands/PaymentCommands.ts"
import type { Input } from "../shared/Command.ts"
import { framed, minute, printable, properties, tableLayout, type TextLayout } from "../shared/Table.ts"

type Account = Answer<"virtualAccounts", "get">["data"]

const onAccounts = onTarget("whole")

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
    const payload = givenFields({ reason })
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

type ResolveInput = Input<typeof transferOutcome>

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

/** Without the fraction that a whole number has on the wire. */
const plainText = ({ text }: WireNumber): string => text.replace(/\.0$/, "")

const setRate = onTarget("records")(
  Effect.fnUntraced(function* ({ from, rate, to }: typeof WantedRate.Type & JsonInput) {
    const { data, message } = yield* call("rates", "set", {
      payload: { from_currency: from, to_currency: to, rate: wireNumber(BigDecimal.normalize(rate)) }
    })
    const is = `1 ${data.from_currency} = ${plainText(data.rate)} ${data.to_currency}`
    const before = data.previous_rate === null ? "there was none before" : `it was ${plainText(data.previous_rate)}`
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
    `corridor rates set ${one.from_currency} ${one.to_currency} ${plainText(one.rate)}`
  const row = (one: (BaseRates["rates"] | BaseRates["proposals"])[number]) => [
    one.from_currency,
    one.to_currency,
    plainText(one.rate)
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

export const listFees = ({ org }: OrgInput) =>
  Effect.map(call("fees", "list", { urlParams: { org_id: Option.getOrUndefined(org) } }), ({ data }) => ({
    data,
    ...tableLayout(
      ["ORGANISATION", "METHOD", "DIRECTION", "BASIS POINTS", "FIXED", "SET"],
      data.map((rule) => [
        rule.org_id,
        rule.payment_method,
        rule.direction,
        String(rule.basis_points),
        rule.fixed_amount === null ? null : `${plainText(rule.fixed_amount)} ${rule.fixed_currency}`,
        minute(rule.updated_at)
      ]),
      'No fees here: "corridor fees set" sets one.'
    )
  }))

export const fees = onTarget("records")(listFees)

const TypedReserve = Schema.Struct({
  method: PaymentMethod,
  bps: Schema.OptionFromSelf(wholeNumber(wholeInBasisPoints)),
  days: Schema.OptionFromSelf(wholeNumber(longestReserve)),
  delay: Schema.OptionFromSelf(wholeNumber(longestDelay)),
  minimum: Schema.OptionFromSelf(decimalOption("5000")),
  currency: Schema.OptionFromSelf(AnyCurrencyCode)
})

const optionNames: Readonly<Record<string, string>> = {
  basis_points: "--bps",
  reserve_days: "--days",
  delay_days: "--delay",
  minimum_amount: "--minimum",
  minimum_currency: "--currency"
}

type TypedReserve = { readonly [Name in keyof typeof TypedReserve.Encoded]: unknown }

/** Decodes the options before the database is opened. */
export const wantedReserve = Effect.fnUntraced(function* (options: TypedReserve) {
  const { bps, currency, days, delay, method, minimum } = yield* decodeInput(TypedReserve, options)
  if (Option.isNone(bps) && Option.isNone(delay)) {
    return yield* refuse("Say what to hold back: --bps with --days, or --delay, or all (--bps 0 removes the rule).")
  }
  const { minimum_amount, ...rule } = yield* Either.mapLeft(
    reserveRule({
      payment_method: method,
      basis_points: Option.getOrElse(bps, () => 0),
      reserve_days: Option.getOrElse(days, () => 0),
      delay_days: Option.getOrElse(delay, () => 0),
      minimum_amount: Option.getOrNull(minimum),
      minimum_currency: Option.getOrNull(currency)
    }),
    (why) => refuse(why.replaceAll(/[a-z]+_[a-z]+/g, (field) => optionNames[field] ?? field).replace(": ", " "))
  )
  return { ...rule, minimum_amount: minimum_amount === null ? null : new WireNumber(minimum_amount) }
})

type ReserveRule = Answer<"reserves", "get">["data"]["rules"][number]

const minimumText = ({ minimum_amount, minimum_currency }: ReserveRule): string | null =>
  minimum_amount === null ? null : `${plainText(minimum_amount)} ${minimum_currency}`

const reserveText = (rule: ReserveRule | null): string => {
  if (rule === null) return "nothing held back"
  const { basis_points, delay_days, reserve_days } = rule
  const minimum = minimumText(rule)
  return [
    ...(basis_points === 0 ? [] : [`${basis_points} basis points for ${reserve_days} days`]),
    ...(delay_days === 0 ? [] : [`the rest after ${delay_days} days`]),
    ...(minimum === null ? [] : [`at least ${minimum} in reserve`])
  ].join(", ")
}

interface WantedReserve {
  readonly org: string
  readonly rule: Effect.Effect.Success<ReturnType<typeof wantedReserve>>
}

export const putReserve = Effect.fnUntraced(function* ({ org, rule }: WantedReserve) {
  const path = { org_id: org }
  const { rules } = (yield* call("reserves", "get", { path })).data
  const before = rules.find(({ payment_method }) => payment_method === rule.payment_method) ?? null
  const { data: after } = yield* call("reserves", "set", { path, payload: rule })
  return {
    data: { rule: after, previous: before },
    text: `${rule.payment_method} payins: ${reserveText(after)} (before: ${reserveText(before)}).`
  }
})

const onReserves = onTarget("reserves")

const putOne = onReserves(({ org, rule }: WantedReserve & JsonInput) => putReserve({ org, rule }))

export const setReserve = ({ json, org, ...input }: TypedReserve & { readonly org: string; readonly json: boolean }) =>
  Effect.flatMap(wantedReserve(input), (rule) => putOne({ json, org, rule }))

/** The API lists the reserves of one organisation: those of all come from the database. */
const reservesOf = Effect.fnUntraced(function* (org: Option.Option<string>) {
  if (Option.isSome(org)) {
    const { data } = yield* call("reserves", "get", { path: { org_id: org.value } })
    return data.rules.map((rule) => ({ org_id: org.value.toLowerCase(), ...rule }))
  }
  if (!(yield* isLocal)) return yield* refuse("--org: by API, name the organisation.")
  const { localReserves } = yield* Effect.promise(() => import("../database/LocalMoney.ts"))
  return yield* localReserves
})

export const listReserves = Effect.fnUntraced(function* ({ org }: OrgInput) {
  const data = yield* reservesOf(org)
  const rows = data.map((rule) => [
    rule.org_id,
    rule.payment_method,
    String(rule.basis_points),
    String(rule.reserve_days),
    String(rule.delay_days),
    minimumText(rule)
  ])
  const titles = ["ORGANISATION", "METHOD", "BASIS POINTS", "DAYS", "DELAY", "MINIMUM"]
  return { data, ...tableLayout(titles, rows, 'No reserves here: "corridor reserves set" sets one.') }
})

export const reserves = onReserves(listReserves)
