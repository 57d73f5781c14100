/**
 * `corridor fees set` and `corridor ledger`. The API lists fees and sets none. It checks no ledger, and cuts balances to
 * eight fraction digits.
 */
import { Effect, Option, Either, ParseResult, Schema, BigDecimal } from "effect"
import { toPlainText } from "../../domain/Decimal.ts"
import { type FeeTerms, wholeInBasisPoints } from "../../domain/Fee.ts"
import { type FeeRule, type FeeSubject, Fees } from "../../money/fees/Fees.ts"
import { findOrganization, onRecords, permitFor } from "../shared/LocalDatabase.ts"
import { tableLayout, framed } from "../shared/Table.ts"
import { flows, Flow, paymentMethods, PaymentMethod } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import type { Invalid } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import {
  amountIn,
  decimalOption,
  decodeInput,
  type JsonInput,
  type OrgInput,
  refuse,
  wholeNumber,
  wireNumber
} from "../shared/CommandInput.ts"
import { kindOf } from "../../domain/Ledger.ts"
import type { CreditLimit, PlatformBalance, StoredBalance } from "../../money/ledger/LedgerStore.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import type { RoundingTotal } from "../../money/ledger/LedgerCheck.ts"
import { showElapsed } from "../shared/Terminal.ts"
import { traced } from "../../platform/observability/Spans.ts"
import { minimumOf } from "../../domain/Reserve.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"

interface InOrg extends JsonInput {
  readonly org: string
}

/** Options of `corridor fees set`, decoded before the database is opened. */
interface WantedFee {
  readonly subject: Omit<FeeSubject, "org_id">
  readonly terms: FeeTerms
}

const oneOf = (what: string, values: ReadonlyArray<string>) => () => ({
  message: `is not a ${what}: use one of ${values.join(", ")}`,
  override: true
})

/** Options of `corridor fees set`. */
const TypedFee = Schema.Struct({
  method: PaymentMethod.annotations({ message: oneOf("payment method", paymentMethods) }),
  direction: Flow.annotations({ message: oneOf("direction", flows) }),
  bps: Schema.OptionFromSelf(wholeNumber(wholeInBasisPoints)),
  fixed: Schema.OptionFromSelf(decimalOption("10.50")),
  currency: Schema.OptionFromSelf(AnyCurrencyCode)
})

const fixedOf = ({ currency, fixed }: typeof TypedFee.Type): Effect.Effect<Money | null, Invalid> => {
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
const termsOf = (typed: typeof TypedFee.Type): Effect.Effect<FeeTerms, Invalid> =>
  Option.isNone(typed.bps) && Option.isNone(typed.fixed)
    ? refuse("Say what to charge: --bps, or --fixed with --currency, or both (--bps 0 removes the rule).")
    : Effect.map(fixedOf(typed), (fixed) => ({ basis_points: Option.getOrElse(typed.bps, () => 0), fixed }))

export const wantedFee = (options: {
  readonly [Name in keyof typeof TypedFee.Encoded]: unknown
}): Effect.Effect<WantedFee, Invalid> =>
  Effect.gen(function* () {
    const typed = yield* decodeInput(TypedFee, options)
    const terms = yield* termsOf(typed)
    return { subject: { payment_method: typed.method, direction: typed.direction }, terms }
  })

const wire = (money: Money | null) => (money === null ? null : wireNumber(money.toDecimal()))

const shownFee = ({ fixed, ...rule }: FeeRule) => ({
  ...rule,
  fixed_amount: wire(fixed),
  fixed_currency: fixed === null ? null : fixed.currency
})

const words = ({ basis_points, fixed }: FeeTerms): string =>
  [...(basis_points === 0 ? [] : [`${basis_points} basis points`]), ...(fixed === null ? [] : [fixed.toString()])].join(
    " plus "
  )

const wordsOr = (rule: Option.Option<FeeRule>, none: string): string =>
  Option.match(rule, { onNone: () => none, onSome: words })

/** Reserves of all organisations. Needs the services of `reserves` handlers, which run in this process. */
export const localReserves = Effect.gen(function* () {
  const organizations = Option.getOrThrow(yield* Effect.serviceOption(Organizations))
  const found = yield* organizations.withReserves(yield* permitFor("platform"))
  return found.flatMap(({ org_id, reserves }) =>
    reserves.map((rule) => ({ org_id, ...rule, minimum_amount: wire(minimumOf(rule)) }))
  )
})

export const setOne = traced("Cli.setFee")(function* (org: string, subject: WantedFee["subject"], terms: FeeTerms) {
  const fees = yield* Fees
  const { org_id } = yield* findOrganization(org)
  const { after, before } = yield* fees.set(yield* permitFor("platform"), { ...subject, org_id }, terms)
  const what = `${subject.direction} ${subject.payment_method} payments`
  return {
    data: {
      rule: Option.getOrNull(Option.map(after, shownFee)),
      previous: Option.getOrNull(Option.map(before, shownFee))
    },
    text: `${what}: ${wordsOr(after, "no fee")} (before: ${wordsOr(before, "no fee")}).`
  }
})

const setFee = onRecords(({ org, subject, terms }: WantedFee & InOrg) => setOne(org, subject, terms))

export const set = ({ json, org, ...input }: Parameters<typeof wantedFee>[0] & InOrg) =>
  Effect.flatMap(wantedFee(input), (wanted) => setFee({ json, org, ...wanted }))

const wireOf = (text: string) => wireNumber(BigDecimal.unsafeFromString(text))

const shownTotal = ({ given_away, kept, ...total }: RoundingTotal) => ({
  ...total,
  given_away: wireOf(given_away),
  kept: wireOf(kept)
})

const roundingWords = ({ currency, exchanges, given_away, kept }: RoundingTotal): string =>
  `Rounding of ${exchanges} exchanges into ${currency} gave away ${given_away} and kept ${kept}.`

export const checkAll = Effect.gen(function* () {
  const ledger = yield* Ledger
  const report = yield* ledger.check(yield* permitFor("platform"))
  const { accounts, balances, entries, fx, postings, problems, rounding } = report
  const extent = `${postings} postings of ${entries} entries on ${accounts} accounts, ${balances} balances compared`
  return {
    data: {
      ...report,
      rounding: { ...rounding, totals: rounding.totals.map(shownTotal) },
      fx: fx.map(({ balance, currency }) => ({ currency, balance: wireOf(balance) }))
    },
    text: [
      problems.length === 0 ? `The books are in order: ${extent}.` : `Checked: ${extent}.`,
      ...(fx.length === 0
        ? []
        : [`fx stands at ${fx.map(({ balance, currency }) => `${balance} ${currency}`).join(", ")}.`]),
      ...rounding.totals.map(roundingWords),
      ...(rounding.unchecked === 0
        ? []
        : [`${rounding.unchecked} exchanges are older than the record of their rates.`]),
      ...problems.map(({ message }) => message)
    ].join("\n"),
    failure: problems.length === 0 ? undefined : `The books are not in order (${problems.length} found).`
  }
})

export const check = onRecords((_: JsonInput) => showElapsed("Checking the books")(checkAll))

const shown = ({ account, balance, floor, org_id }: StoredBalance) => ({
  account,
  org_id,
  currency: balance.currency,
  balance: wire(balance),
  floor: wire(floor)
})

export const balancesOf = traced("Cli.ledgerBalances")(function* (org: string) {
  const ledger = yield* Ledger
  const { org_id } = yield* findOrganization(org)
  const all = yield* ledger.balancesOf(yield* permitFor("platform", Option.some(org_id)))
  const rows = all.map(({ account, balance, floor }) => [
    account,
    balance.toString(),
    floor === null ? "none" : floor.toNumericText()
  ])
  const nothing = "Nothing has been posted for this organisation yet."
  const owes = all.some(({ account, balance }) => kindOf(account) === "receivable" && !balance.isZero)
  const note = owes ? "\n\nreceivable: what the organisation owes. Its next credits pay it first." : ""
  return { data: all.map(shown), ...framed("", tableLayout(["ACCOUNT", "BALANCE", "FLOOR"], rows, nothing), note) }
})

const whatFor: Readonly<Record<PlatformBalance["kind"], string>> = {
  provider: "held by the provider",
  clearing: "waits for a decision",
  receivable: "owed by organisations",
  fees: "fees charged",
  fx: "taken in by exchanges less given out",
  suspense: "without a payment"
}

const accountsText = (count: number): string => (count === 1 ? "1 account" : `${count} accounts`)

const platformBalances = Effect.gen(function* () {
  const ledger = yield* Ledger
  const all = yield* ledger.platformBalances(yield* permitFor("platform"))
  const rows = all.map(({ account, accounts, balance, kind }) => [
    account,
    balance.toString(),
    kind === "clearing" || kind === "receivable" ? `${whatFor[kind]}, on ${accountsText(accounts)}` : whatFor[kind]
  ])
  const data = all.map((one) => ({ ...one, currency: one.balance.currency, balance: wire(one.balance) }))
  return { data, ...tableLayout(["ACCOUNT", "BALANCE", "WHAT"], rows, "Nothing has been posted yet.") }
}).pipe(Effect.withSpan("Cli.platformBalances"))

export const balances = onRecords(({ org }: OrgInput) =>
  Option.isNone(org) ? platformBalances : balancesOf(org.value)
)

const NO_LIMIT = "none"

const amountOf = (text: string): Either.Either<BigDecimal.BigDecimal | null, string> =>
  text === NO_LIMIT
    ? Either.right(null)
    : amountIn(
        text,
        `a decimal number such as 5000 or 99.50, or ${NO_LIMIT}`,
        "is below zero: say how much the organisation may owe"
      )

const LimitAmount = Schema.transformOrFail(Schema.String, Schema.NullOr(Schema.BigDecimalFromSelf), {
  strict: true,
  decode: (text, _, ast) => Either.mapLeft(amountOf(text), (why) => new ParseResult.Type(ast, text, why)),
  encode: (amount) => ParseResult.succeed(amount === null ? NO_LIMIT : toPlainText(amount))
})

const Typed = Schema.Struct({ currency: AnyCurrencyCode, amount: LimitAmount })

/** Decodes the options before the database is opened. */
export const wantedLimit = (typed: { readonly currency: string; readonly amount: string }) =>
  Effect.gen(function* () {
    const { amount, currency } = yield* decodeInput(Typed, typed)
    const credit_limit =
      amount === null
        ? null
        : yield* Either.mapLeft(Money.fromDecimal(amount, currency), (why) => refuse(`--amount ${why}.`))
    return { currency, credit_limit }
  })

type WantedLimit = Omit<CreditLimit, "org_id">

export const setLimit = traced("Cli.setCreditLimit")(function* (org: string, wanted: WantedLimit) {
  const ledger = yield* Ledger
  const { org_id } = yield* findOrganization(org)
  const { after, before } = yield* ledger.setCreditLimit(yield* permitFor("platform"), { ...wanted, org_id })
  const words = (limit: Option.Option<Money>) =>
    Option.match(limit, { onNone: () => "none of its own", onSome: (money) => money.toString() })
  return {
    data: {
      org_id,
      currency: wanted.currency,
      credit_limit: wire(Option.getOrNull(after)),
      previous_credit_limit: wire(Option.getOrNull(before))
    },
    text: `Credit limit in ${wanted.currency}: ${words(after)} (before: ${words(before)}).`
  }
})

const limitCredit = onRecords(({ json: _json, org, ...wanted }: WantedLimit & InOrg) => setLimit(org, wanted))

export const limit = ({ json, org, ...typed }: Parameters<typeof wantedLimit>[0] & InOrg) =>
  Effect.flatMap(wantedLimit(typed), (wanted) => limitCredit({ json, org, ...wanted }))
