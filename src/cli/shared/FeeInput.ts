/** A fee rule as an operator types it: `corridor fees set` before it needs the service. */
import { Effect, Either, Option, ParseResult, Schema } from "effect"
import { flows, Flow, paymentMethods, PaymentMethod } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import type { Invalid } from "../../domain/Failure.ts"
import { type FeeTerms, wholeInBasisPoints } from "../../domain/Fee.ts"
import { Money } from "../../domain/Money.ts"
import type { FeeSubject } from "../../money/fees/FeeRuleStore.ts"
import { decimalOption } from "./DecimalOption.ts"
import { decodeInput, refuse } from "./Input.ts"

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

/** What the operator typed, as terms; typing no terms at all must not remove a rule. */
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
