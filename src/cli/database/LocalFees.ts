/** `corridor fees` and `corridor rates list` */
import { Effect, Option, Either, ParseResult, Schema, BigDecimal } from "effect"
import { toWireText, WireNumber, fromPlainText } from "../../domain/Decimal.ts"
import { type FeeTerms, wholeInBasisPoints } from "../../domain/Fee.ts"
import { type FeeRule, type FeeSubject, Fees } from "../../money/fees/Fees.ts"
import { findOrganization, onRecords, permitIn } from "../shared/LocalRecords.ts"
import { permitFor } from "../shared/LocalDatabase.ts"
import { minute, tableLayout } from "../shared/Table.ts"
import { flows, Flow, paymentMethods, PaymentMethod } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import type { Invalid } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import { decimalOption, decodeInput, refuse, type OrgInput } from "../shared/CommandInput.ts"
import { Rates } from "../../money/rates/Rates.ts"
import type { StoredRate } from "../../money/rates/RateStore.ts"

/** Options of `corridor fees set`, decoded before the database is opened. */
export interface WantedFee {
  readonly subject: Omit<FeeSubject, "org_id">
  readonly terms: FeeTerms
}

const oneOf = (what: string, values: ReadonlyArray<string>) => () => ({
  message: `is not a ${what}: use one of ${values.join(", ")}`,
  override: true
})

const BasisPoints = Schema.transformOrFail(Schema.String, Schema.Int, {
  strict: true,
  decode: (text, _, ast) =>
    /^\d{1,5}$/.test(text) && Number(text) <= wholeInBasisPoints
      ? ParseResult.succeed(Number(text))
      : ParseResult.fail(new ParseResult.Type(ast, text, `is not a whole number from 0 to ${wholeInBasisPoints}`)),
  encode: (points) => ParseResult.succeed(String(points))
})

/** As the options have it. */
const Typed = Schema.Struct({
  method: PaymentMethod.annotations({ message: oneOf("payment method", paymentMethods) }),
  direction: Flow.annotations({ message: oneOf("direction", flows) }),
  bps: Schema.OptionFromSelf(BasisPoints),
  fixed: Schema.OptionFromSelf(decimalOption("10.50")),
  currency: Schema.OptionFromSelf(AnyCurrencyCode)
})

const fixedOf = ({ currency, fixed }: typeof Typed.Type): Effect.Effect<Money | null, Invalid> => {
  if (Option.isNone(fixed)) {
    return Option.isNone(currency)
      ? Effect.succeed(null)
      : refuse("--currency needs --fixed, the amount that is in it.")
  }
  if (fixed.value.value === 0n) return Effect.succeed(null)
  if (Option.isNone(currency)) return refuse("--fixed needs --currency, the currency that it is in.")
  return Either.mapLeft(Money.fromDecimal(fixed.value, currency.value), (why) => refuse(`--fixed ${why}.`))
}

/** Requires terms: a command without any must not remove the rule. */
const termsOf = (typed: typeof Typed.Type): Effect.Effect<FeeTerms, Invalid> =>
  Option.isNone(typed.bps) && Option.isNone(typed.fixed)
    ? refuse("Say what to charge: --bps, or --fixed with --currency, or both (--bps 0 removes the rule).")
    : Effect.map(fixedOf(typed), (fixed) => ({ basis_points: Option.getOrElse(typed.bps, () => 0), fixed }))

export const wantedFee = (options: {
  readonly [Name in keyof typeof Typed.Encoded]: unknown
}): Effect.Effect<WantedFee, Invalid> =>
  Effect.gen(function* () {
    const typed = yield* decodeInput(Typed, options)
    const terms = yield* termsOf(typed)
    return { subject: { payment_method: typed.method, direction: typed.direction }, terms }
  })

const shown = ({ fixed, ...rule }: FeeRule) => ({
  ...rule,
  fixed_amount: fixed === null ? null : new WireNumber(toWireText(fixed.toDecimal())),
  fixed_currency: fixed === null ? null : fixed.currency
})

const words = ({ basis_points, fixed }: FeeTerms): string =>
  [...(basis_points === 0 ? [] : [`${basis_points} basis points`]), ...(fixed === null ? [] : [fixed.toString()])].join(
    " plus "
  )

const wordsOr = (rule: Option.Option<FeeRule>, none: string): string =>
  Option.match(rule, { onNone: () => none, onSome: words })

export const setOne = Effect.fn("Cli.setFee")(function* (org: string, subject: WantedFee["subject"], terms: FeeTerms) {
  const fees = yield* Fees
  const { org_id } = yield* findOrganization(org)
  const { after, before } = yield* fees.set(yield* permitFor("platform"), { ...subject, org_id }, terms)
  const what = `${subject.direction} ${subject.payment_method} payments`
  return {
    data: {
      rule: Option.getOrNull(Option.map(after, shown)),
      previous: Option.getOrNull(Option.map(before, shown))
    },
    text: `${what}: ${wordsOr(after, "no fee")} (before: ${wordsOr(before, "no fee")}).`
  }
})

export const set = Effect.fnUntraced(function* ({
  json,
  org,
  ...input
}: Parameters<typeof wantedFee>[0] & { readonly org: string; readonly json: boolean }) {
  const { subject, terms } = yield* wantedFee(input)
  yield* onRecords(json, setOne(org, subject, terms))
})

export const listAll = Effect.fn("Cli.listFees")(function* (org: Option.Option<string>) {
  const fees = yield* Fees
  const rules = yield* fees.list(yield* permitIn("platform", org))
  const rows = rules.map((rule) => [
    rule.org_id,
    rule.payment_method,
    rule.direction,
    String(rule.basis_points),
    rule.fixed === null ? null : rule.fixed.toString(),
    minute(rule.updated_at)
  ])
  const titles = ["ORGANISATION", "METHOD", "DIRECTION", "BASIS POINTS", "FIXED", "SET"]
  return { data: rules.map(shown), ...tableLayout(titles, rows, 'No fees here: "corridor fees set" sets one.') }
})

export const list = (input: OrgInput) => onRecords(input.json, listAll(input.org))

/** The exact decimal as a JSON number, as the API writes it. */
const wire = (text: string) => new WireNumber(toWireText(BigDecimal.normalize(Option.getOrThrow(fromPlainText(text)))))

const withWireRate = <A extends Pick<StoredRate, "rate">>(rate: A) => ({ ...rate, rate: wire(rate.rate) })

const listAllRates = Effect.gen(function* () {
  const rates = yield* Rates
  const all = yield* rates.list(yield* permitFor("platform"))
  const proposed = yield* rates.proposals(yield* permitFor("platform"))
  const rows = all.map((rate) => [rate.from_currency, rate.to_currency, rate.rate, minute(rate.updated_at), ""])
  const waiting = proposed.map((one) => [
    one.from_currency,
    one.to_currency,
    one.rate,
    minute(one.proposed_at),
    `proposed by ${one.proposed_by}`
  ])
  return {
    data: [
      ...all.map((rate) => ({ ...withWireRate(rate), status: "set" })),
      ...proposed.map((rate) => ({ ...withWireRate(rate), status: "proposed" }))
    ],
    ...tableLayout(
      ["FROM", "TO", "RATE", "SET", "STATUS"],
      [...rows, ...waiting],
      'No rates yet: "corridor rates set FROM TO RATE" sets one.'
    )
  }
})

export const listRates = (input: { readonly json: boolean }) => onRecords(input.json, listAllRates)
