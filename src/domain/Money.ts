/**
 * An amount of one currency, counted in its minor unit. The only type in which amounts are added and compared.
 */
import { BigDecimal, Data, Either } from "effect"
import { type AnyCurrencyCode, computedScaleOf, exponentOfAny } from "./Currency.ts"
import { fractionDigits, isPlainText, roundToScale, toPlainText } from "./Decimal.ts"

export class CurrencyMismatch extends Data.TaggedError("CurrencyMismatch")<{
  readonly left: AnyCurrencyCode
  readonly right: AnyCurrencyCode
}> {
  override get message(): string {
    return `cannot combine ${this.left} with ${this.right}`
  }
}

export class Money extends Data.Class<{ readonly currency: AnyCurrencyCode; readonly minor: bigint }> {
  static zero(currency: AnyCurrencyCode): Money {
    return new Money({ currency, minor: 0n })
  }

  /** Refuses a value finer than the currency's minor unit; zeros behind it do not count. */
  static fromDecimal(d: BigDecimal.BigDecimal, currency: AnyCurrencyCode): Either.Either<Money, string> {
    const exponent = exponentOfAny(currency)
    if (fractionDigits(d) <= exponent) {
      // Only zeros are cut off: any rounding does.
      return Either.right(new Money({ currency, minor: roundToScale(d, exponent, "half-even").value }))
    }
    return Either.left(
      exponent === 0
        ? `has a fraction, but ${currency} has no minor unit`
        : `has more than ${exponent} fraction digits, which ${currency} does not allow`
    )
  }

  static fromNumericText(text: string, currency: AnyCurrencyCode): Either.Either<Money, string> {
    if (!isPlainText(text)) return Either.left("is not decimal text")
    const [whole = "", fraction = ""] = text.split(".", 2)
    const exponent = exponentOfAny(currency)
    return fraction.length > exponent
      ? Money.fromDecimal(BigDecimal.make(BigInt(whole + fraction), fraction.length), currency)
      : Either.right(new Money({ currency, minor: BigInt(whole + fraction.padEnd(exponent, "0")) }))
  }

  get exponent(): number {
    return exponentOfAny(this.currency)
  }

  get isZero(): boolean {
    return this.minor === 0n
  }

  get isPositive(): boolean {
    return this.minor > 0n
  }

  get isNegative(): boolean {
    return this.minor < 0n
  }

  add(that: Money): Either.Either<Money, CurrencyMismatch> {
    return this.combine(that, () => new Money({ currency: this.currency, minor: this.minor + that.minor }))
  }

  subtract(that: Money): Either.Either<Money, CurrencyMismatch> {
    return this.combine(that, () => new Money({ currency: this.currency, minor: this.minor - that.minor }))
  }

  compare(that: Money): Either.Either<-1 | 0 | 1, CurrencyMismatch> {
    return this.combine(that, () => (this.minor < that.minor ? -1 : this.minor > that.minor ? 1 : 0))
  }

  negate(): Money {
    return new Money({ currency: this.currency, minor: -this.minor })
  }

  /** Exact, with the currency's own scale; of an asset of 18 digits the zeros behind the eighth are left out. */
  toDecimal(): BigDecimal.BigDecimal {
    const exact = BigDecimal.make(this.minor, this.exponent)
    const shortest = computedScaleOf(this.currency)
    return shortest === this.exponent ? exact : BigDecimal.scale(exact, Math.max(shortest, fractionDigits(exact)))
  }

  /** Text on the wire. Finer digits from providers stay in the ledger only. */
  toShown(): BigDecimal.BigDecimal {
    return BigDecimal.scale(this.toDecimal(), computedScaleOf(this.currency))
  }

  toNumericText(): string {
    return toPlainText(this.toDecimal())
  }

  override toString(): string {
    return `${this.toNumericText()} ${this.currency}`
  }

  private combine<A>(that: Money, f: () => A): Either.Either<A, CurrencyMismatch> {
    return this.currency === that.currency
      ? Either.right(f())
      : Either.left(new CurrencyMismatch({ left: this.currency, right: that.currency }))
  }
}
