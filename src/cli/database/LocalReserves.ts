/** `corridor reserves` */
import { Effect, Either, Option, Schema } from "effect"
import { paymentMethods, PaymentMethod } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { toWireText, WireNumber } from "../../domain/Decimal.ts"
import { wholeInBasisPoints } from "../../domain/Fee.ts"
import type { OrgId } from "../../domain/Ids.ts"
import { longestDelay, longestReserve, minimumOf, reserveRule, type ReserveRule } from "../../domain/Reserve.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import {
  decimalOption,
  decodeInput,
  type JsonInput,
  refuse,
  type OrgInput,
  wholeNumber
} from "../shared/CommandInput.ts"
import { findOrganization, onRecords, permitFor } from "../shared/LocalDatabase.ts"
import { tableLayout } from "../shared/Table.ts"
import { traced } from "../../platform/observability/Spans.ts"

const Typed = Schema.Struct({
  method: PaymentMethod.annotations({
    message: () => ({ message: `is not a payment method: use one of ${paymentMethods.join(", ")}`, override: true })
  }),
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

/** Decodes the options before the database is opened. */
export const wantedReserve = (options: { readonly [Name in keyof typeof Typed.Encoded]: unknown }) =>
  Effect.gen(function* () {
    const { bps, currency, days, delay, method, minimum } = yield* decodeInput(Typed, options)
    if (Option.isNone(bps) && Option.isNone(delay)) {
      return yield* refuse("Say what to hold back: --bps with --days, or --delay, or all (--bps 0 removes the rule).")
    }
    return yield* Either.mapLeft(
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
  })

const shown = <A extends ReserveRule>(rule: A) => {
  const minimum = minimumOf(rule)
  return { ...rule, minimum_amount: minimum === null ? null : new WireNumber(toWireText(minimum.toDecimal())) }
}

const words = (rule: ReserveRule | null): string => {
  if (rule === null) return "nothing held back"
  const { basis_points, delay_days, reserve_days } = rule
  const minimum = minimumOf(rule)
  return [
    ...(basis_points === 0 ? [] : [`${basis_points} basis points for ${reserve_days} days`]),
    ...(delay_days === 0 ? [] : [`the rest after ${delay_days} days`]),
    ...(minimum === null ? [] : [`at least ${minimum.toString()} in reserve`])
  ].join(", ")
}

export const setOne = traced("Cli.setReserve")(function* (org: string, rule: ReserveRule) {
  const organizations = yield* Organizations
  const { org_id } = yield* findOrganization(org)
  const { after, before } = yield* organizations.setReserve(yield* permitFor("platform"), org_id, rule)
  return {
    data: { rule: after === null ? null : shown(after), previous: before === null ? null : shown(before) },
    text: `${rule.payment_method} payins: ${words(after)} (before: ${words(before)}).`
  }
})

interface WantedRule extends JsonInput {
  readonly org: string
  readonly rule: ReserveRule
}

const setRule = onRecords(({ org, rule }: WantedRule) => setOne(org, rule))

export const set = ({
  json,
  org,
  ...input
}: Parameters<typeof wantedReserve>[0] & { readonly org: string; readonly json: boolean }) =>
  Effect.flatMap(wantedReserve(input), (rule) => setRule({ json, org, rule }))

const titles = ["ORGANISATION", "METHOD", "BASIS POINTS", "DAYS", "DELAY", "MINIMUM"]

export const listAll = traced("Cli.listReserves")(function* (org: Option.Option<string>) {
  const organizations = yield* Organizations
  const found = Option.isSome(org)
    ? [yield* findOrganization(org.value)]
    : yield* organizations.withReserves(yield* permitFor("platform"))
  const rules = found.flatMap(({ org_id, reserves }): ReadonlyArray<ReserveRule & { readonly org_id: OrgId }> =>
    reserves.map((rule) => ({ org_id, ...rule }))
  )
  const rows = rules.map((rule) => [
    rule.org_id,
    rule.payment_method,
    String(rule.basis_points),
    String(rule.reserve_days),
    String(rule.delay_days),
    minimumOf(rule)?.toString() ?? null
  ])
  return { data: rules.map(shown), ...tableLayout(titles, rows, 'No reserves here: "corridor reserves set" sets one.') }
})

export const list = onRecords(({ org }: OrgInput) => listAll(org))
