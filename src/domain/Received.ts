/**
 * What providers say has arrived for an attempt, or gone out with it: totals by currency, as decimal text. They only ever
 * grow, so that a word which is told twice, or late, adds nothing.
 */
import { Either } from "effect"
import { isAnyCurrencyCode } from "./CryptoAsset.ts"
import { Money } from "./Money.ts"

export type Received = Readonly<Record<string, string>>

export const totals = (received: Received): ReadonlyArray<Money> =>
  Object.entries(received).map(([currency, text]) => {
    if (!isAnyCurrencyCode(currency)) throw new Error(`money arrived in ${currency}, which is no currency`)
    return Either.getOrThrow(Money.fromNumericText(text, currency))
  })

/** The one sum that it names. */
export const moneyIn = (received: Received): Money => {
  const [money] = totals(received)
  if (money === undefined) throw new Error("no sum of money was noted")
  return money
}

export const totalIn = (received: Received, currency: Money["currency"]): Money =>
  totals(received).find((money) => money.currency === currency) ?? Money.zero(currency)

export const withTotal = (received: Received, total: Money): Received =>
  total.minor > totalIn(received, total.currency).minor
    ? { ...received, [total.currency]: total.toNumericText() }
    : received

/** What of it belongs to nobody yet. `owned`: the payment itself accounts for what was asked for. */
export const unowned = (received: Received, asked: Money, owned: boolean): ReadonlyArray<Money> =>
  totals(received)
    .map((total) => {
      if (!owned || total.currency !== asked.currency) return total
      return new Money({ currency: total.currency, minor: total.minor > asked.minor ? total.minor - asked.minor : 0n })
    })
    .filter(({ isZero }) => !isZero)

/** What has to be added to the one to make it the other, for each currency in which they differ. */
export const difference = (before: ReadonlyArray<Money>, after: ReadonlyArray<Money>): ReadonlyArray<Money> => {
  const currencies = new Set([...before, ...after].map(({ currency }) => currency))
  const minorIn = (all: ReadonlyArray<Money>, currency: Money["currency"]): bigint =>
    all.find((money) => money.currency === currency)?.minor ?? 0n
  return Array.from(
    currencies,
    (currency) => new Money({ currency, minor: minorIn(after, currency) - minorIn(before, currency) })
  ).filter(({ isZero }) => !isZero)
}
