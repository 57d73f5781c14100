/** `corridor ledger` */
import { BigDecimal, Effect, Either, Option, ParseResult, Schema } from "effect"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { toPlainText, toWireText, WireNumber } from "../../domain/Decimal.ts"
import { kindOf } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { CreditLimit, PlatformBalance, StoredBalance } from "../../money/ledger/LedgerStore.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import type { RoundingTotal } from "../../money/ledger/LedgerCheck.ts"
import { amountIn, decodeInput, refuse, type OrgInput } from "../shared/CommandInput.ts"
import { findOrganization, onRecords } from "../shared/LocalRecords.ts"
import { permitFor } from "../shared/LocalDatabase.ts"
import { framed, tableLayout } from "../shared/Table.ts"
import { showElapsed } from "../shared/Terminal.ts"

const wire = (money: Money | null) => (money === null ? null : new WireNumber(toWireText(money.toDecimal())))

const wireOf = (text: string) => new WireNumber(toWireText(BigDecimal.unsafeFromString(text)))

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

export const check = (input: { readonly json: boolean }) =>
  onRecords(input.json, showElapsed("Checking the books")(checkAll))

const shown = ({ account, balance, floor, org_id }: StoredBalance) => ({
  account,
  org_id,
  currency: balance.currency,
  balance: wire(balance),
  floor: wire(floor)
})

export const balancesOf = Effect.fn("Cli.ledgerBalances")(function* (org: string) {
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

export const platformBalances = Effect.gen(function* () {
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

export const balances = (input: OrgInput) =>
  Option.match(input.org, {
    onNone: () => onRecords(input.json, platformBalances),
    onSome: (org) => onRecords(input.json, balancesOf(org))
  })

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

export const setLimit = Effect.fn("Cli.setCreditLimit")(function* (org: string, wanted: Omit<CreditLimit, "org_id">) {
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

export const limit = ({
  json,
  org,
  ...typed
}: Parameters<typeof wantedLimit>[0] & { readonly org: string; readonly json: boolean }) =>
  Effect.flatMap(wantedLimit(typed), (wanted) => onRecords(json, setLimit(org, wanted)))
