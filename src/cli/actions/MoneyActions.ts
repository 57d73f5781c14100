/** Parts of `corridor accounts resolve`, `fees list` and `reserves`, loaded when they run. */
import { Effect, Either, Option, Schema } from "effect"
import { PaymentMethod } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { WireNumber } from "../../domain/Decimal.ts"
import { wholeInBasisPoints } from "../../domain/Fee.ts"
import { longestDelay, longestReserve, reserveRule } from "../../domain/Reserve.ts"
import type { transferOutcome } from "../commands/AccountCommands.ts"
import { type Answer, call } from "../shared/ApiClient.ts"
import type { Input } from "../shared/Command.ts"
import {
  decimalOption,
  decodeInput,
  decodeOption,
  givenFields,
  type OrgInput,
  Reason,
  refuse,
  wholeNumber
} from "../shared/CommandInput.ts"
import { isLocal } from "../shared/CommandTarget.ts"
import { minute, plainText, tableOf } from "../shared/Table.ts"

/** The request, or what is missing in what was typed. */
export const transferDecision = Effect.fnUntraced(function* (input: Input<typeof transferOutcome>) {
  const { account, as, movement, org } = input
  const reason = yield* decodeOption("--reason", Reason, input.reason)
  const named = [account, org].filter(Option.isSome).length
  if (as === "credited" && named !== 1) return yield* refuse("--account or --org: say which one gets or bears it.")
  if (as === "returned" && named > 0) return yield* refuse("--account and --org go with --as credited only.")
  if (as === "credited" && Option.isSome(movement)) return yield* refuse("--movement goes with --as returned only.")
  return { outcome: as, reason, ...givenFields({ account_id: account, org_id: org, movement_id: movement }) }
})

const feeTable = tableOf<Answer<"fees", "list">["data"][number]>(
  {
    ORGANISATION: "org_id",
    METHOD: "payment_method",
    DIRECTION: "direction",
    "BASIS POINTS": "basis_points",
    FIXED: (rule) => (rule.fixed_amount === null ? null : `${plainText(rule.fixed_amount)} ${rule.fixed_currency}`),
    SET: (rule) => minute(rule.updated_at)
  },
  'No fees here: "corridor fees set" sets one.'
)

export const listFees = ({ org }: OrgInput) =>
  Effect.map(call("fees", "list", { urlParams: { org_id: Option.getOrUndefined(org) } }), ({ data }) => ({
    data,
    ...feeTable(data)
  }))

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

const reserveTable = tableOf<ReserveRule & { readonly org_id: string }>(
  {
    ORGANISATION: "org_id",
    METHOD: "payment_method",
    "BASIS POINTS": "basis_points",
    DAYS: "reserve_days",
    DELAY: "delay_days",
    MINIMUM: minimumText
  },
  'No reserves here: "corridor reserves set" sets one.'
)

export const listReserves = ({ org }: OrgInput) =>
  Effect.map(reservesOf(org), (data) => ({ data, ...reserveTable(data) }))
