/** A change to an organisation as an operator types it: `corridor orgs set` before it needs the service. */
import { Effect, Either, Option, ParseResult, Schema } from "effect"
import { settable } from "../api/Organizations.ts"
import { fromPlainText, significantDigits, toPlainText } from "../domain/Decimal.ts"
import type { Invalid } from "../domain/Failure.ts"
import type { Change } from "../organizations/OrganizationChange.ts"
import { decodeInput, refuse } from "./Input.ts"

const MOST_DIGITS = 15

const Threshold = Schema.transformOrFail(Schema.String, Schema.BigDecimalFromSelf, {
  strict: true,
  decode: (text, _, ast) =>
    Either.fromOption(fromPlainText(text), () => "is not a decimal number such as 50000.00").pipe(
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
  encode: (amount) => ParseResult.succeed(toPlainText(amount))
})

const wholeNumber = (text: string): unknown => (/^\d{1,9}$/.test(text) ? Number(text) : text)

export interface TypedChange {
  readonly name: Option.Option<string>
  readonly email: Option.Option<string>
  readonly country: Option.Option<string>
  readonly feature: ReadonlyArray<string>
  readonly noFeatures: boolean
  readonly reviewThreshold: Option.Option<string>
  readonly spreadBps: Option.Option<string>
  readonly kybStatus: Option.Option<string>
}

const given = (fields: Readonly<Record<string, Option.Option<unknown>>>) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (Option.isNone(value) ? [] : [[name, value.value] as const]))
  )

const names = {
  features: "--feature",
  review_threshold: "--review-threshold",
  spread_bps: "--spread-bps",
  kyb_status: "--kyb-status"
}

/** Amounts come as text here, so that no digit passes through a float. */
const Typed = Schema.Struct({ ...settable, review_threshold: Threshold }).pipe(Schema.partialWith({ exact: true }))

export const wantedChange = (typed: TypedChange): Effect.Effect<Change, Invalid> =>
  Effect.gen(function* () {
    if (typed.noFeatures && typed.feature.length > 0) {
      return yield* refuse("--no-features and --feature contradict each other: leave one out.")
    }
    const input = given({
      name: typed.name,
      email: typed.email,
      country: typed.country,
      features: typed.noFeatures || typed.feature.length > 0 ? Option.some(typed.feature) : Option.none(),
      review_threshold: typed.reviewThreshold,
      spread_bps: Option.map(typed.spreadBps, wholeNumber),
      kyb_status: typed.kybStatus
    })
    if (Object.keys(input).length === 0) {
      return yield* refuse("Say what to change: --help lists what can be set.")
    }
    return yield* decodeInput(Typed, input, names)
  })
