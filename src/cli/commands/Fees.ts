/** `corridor fees` */
import { Command } from "@effect/cli"
import { Effect, Either, Option, ParseResult, Schema } from "effect"
import { flows, Flow, paymentMethods, PaymentMethod } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { fromPlainText, significantDigits, toWireText, WireNumber } from "../../domain/Decimal.ts"
import type { Invalid } from "../../domain/Failure.ts"
import { type FeeTerms, wholeInBasisPoints } from "../../domain/Fee.ts"
import { Money } from "../../domain/Money.ts"
import type { FeeRule, FeeSubject } from "../../fees/FeeRuleStore.ts"
import { Fees } from "../../fees/Fees.ts"
import { decodeInput, option, optional, refuse } from "../Input.ts"
import { organizationNamed } from "../LookUp.ts"
import { permitFor } from "../Operator.ts"
import { onApp } from "../OnApp.ts"
import { json } from "../Report.ts"
import { minute, table } from "../Table.ts"

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

const MOST_DIGITS = 15

const FixedAmount = Schema.transformOrFail(Schema.String, Schema.BigDecimalFromSelf, {
  strict: true,
  decode: (text, _, ast) =>
    Either.fromOption(fromPlainText(text), () => "is not a decimal number such as 10.50").pipe(
      Either.filterOrLeft(
        (amount) => amount.value >= 0n,
        () => "is below zero"
      ),
      Either.filterOrLeft(
        (amount) => significantDigits(amount) <= MOST_DIGITS,
        () => `has more than ${MOST_DIGITS} significant digits`
      ),
      Either.mapLeft((why) => new ParseResult.Type(ast, text, why))
    ),
  encode: (amount) => ParseResult.succeed(toWireText(amount))
})

/** A rule as an operator types it. */
const WantedFee = Schema.Struct({
  method: PaymentMethod.annotations({ message: oneOf("payment method", paymentMethods) }),
  direction: Flow.annotations({ message: oneOf("direction", flows) }),
  bps: Schema.OptionFromSelf(BasisPoints),
  fixed: Schema.OptionFromSelf(FixedAmount),
  currency: Schema.OptionFromSelf(AnyCurrencyCode)
})

const fixedOf = ({ currency, fixed }: typeof WantedFee.Type): Effect.Effect<Money | null, Invalid> => {
  if (Option.isNone(fixed)) {
    return Option.isNone(currency)
      ? Effect.succeed(null)
      : refuse("--currency needs --fixed, the amount that is in it.")
  }
  if (fixed.value.value === 0n) return Effect.succeed(null)
  if (Option.isNone(currency)) return refuse("--fixed needs --currency, the currency that it is in.")
  return Either.mapLeft(Money.fromDecimal(fixed.value, currency.value), (why) => refuse(`--fixed ${why}.`))
}

/** What the operator typed, as terms; typing no terms at all must not remove a rule. */
const termsOf = (wanted: typeof WantedFee.Type): Effect.Effect<FeeTerms, Invalid> =>
  Option.isNone(wanted.bps) && Option.isNone(wanted.fixed)
    ? refuse("Say what to charge: --bps, or --fixed with --currency, or both (--bps 0 removes the rule).")
    : Effect.map(fixedOf(wanted), (fixed) => ({ basis_points: Option.getOrElse(wanted.bps, () => 0), fixed }))

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

export const setOne = Effect.fn("Cli.setFee")(function* (
  org: string,
  subject: Omit<FeeSubject, "org_id">,
  terms: FeeTerms
) {
  const fees = yield* Fees
  const { name, org_id } = yield* organizationNamed(org)
  const { after, before } = yield* fees.set(yield* permitFor("platform"), { ...subject, org_id }, terms)
  const what = `${subject.direction} ${subject.payment_method} payments of ${name}`
  return {
    data: {
      rule: Option.getOrNull(Option.map(after, shown)),
      previous: Option.getOrNull(Option.map(before, shown))
    },
    text: `${what}: ${wordsOr(after, "no fee")} (before: ${wordsOr(before, "no fee")}).`
  }
})

const set = Command.make(
  "set",
  {
    org: option("org", "ORG", "Id of the organisation that is charged."),
    method: option("method", "METHOD", `Payment method: ${paymentMethods.join(", ")}.`),
    direction: option("direction", "DIRECTION", "inbound (payins), outbound (payouts) or external (ramps)."),
    bps: optional("bps", "N", "Share of the payment in basis points, hundredths of a percent: 0 to 10000."),
    fixed: optional("fixed", "AMOUNT", "Amount added to every payment, such as 10.50."),
    currency: optional(
      "currency",
      "CUR",
      "Currency of AMOUNT, which is left out of payments that are charged in another one."
    ),
    json
  },
  ({ json: asJson, org, ...input }) =>
    Effect.gen(function* () {
      const wanted = yield* decodeInput(WantedFee, input)
      const terms = yield* termsOf(wanted)
      yield* onApp(asJson, setOne(org, { payment_method: wanted.method, direction: wanted.direction }, terms))
    })
).pipe(Command.withDescription("Set what new payments are charged, as a whole; nothing (--bps 0) removes the rule."))

export const listAll = Effect.fn("Cli.listFees")(function* (org: Option.Option<string>) {
  const fees = yield* Fees
  const scope = yield* Effect.transposeMapOption(org, (id) => Effect.map(organizationNamed(id), ({ org_id }) => org_id))
  const rules = yield* fees.list(yield* permitFor("platform", scope))
  const rows = rules.map((rule) => [
    rule.org_id,
    rule.payment_method,
    rule.direction,
    String(rule.basis_points),
    rule.fixed === null ? null : rule.fixed.toString(),
    minute(rule.updated_at)
  ])
  const titles = ["ORGANISATION", "METHOD", "DIRECTION", "BASIS POINTS", "FIXED", "SET"]
  return { data: rules.map(shown), text: table(titles, rows, 'No fees here: "corridor fees set" sets one.') }
})

const list = Command.make(
  "list",
  { org: optional("org", "ORG", "Id of an organisation; all of them by default."), json },
  (input) => onApp(input.json, listAll(input.org))
).pipe(Command.withDescription("List the fees that organisations are charged."))

export const fees = Command.make("fees").pipe(
  Command.withDescription("What organisations are charged for their payments: nothing, unless a rule says so."),
  Command.withSubcommands([set, list])
)
