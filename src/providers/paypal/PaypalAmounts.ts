/** Amounts as PayPal writes them. */
import { Option } from "effect"
import type { Money } from "../../domain/Money.ts"
import { majorText, minorText } from "../port/WireValues.ts"

/** Currencies that PayPal takes whole, whatever ISO 4217 says of them. */
const takenWhole: ReadonlySet<string> = new Set(["HUF", "JPY", "TWD"])

/** Nothing where PayPal cannot be asked for exactly this. */
export const paypalText = (money: Money): Option.Option<string> =>
  takenWhole.has(money.currency) ? minorText(money, 0) : Option.some(majorText(money))

/** Those that accounts of every country hold; BRL, CNY and MYR are for accounts of their own countries alone. */
export const paypalCurrencies = [
  "AUD",
  "CAD",
  "CHF",
  "CZK",
  "DKK",
  "EUR",
  "GBP",
  "HKD",
  "HUF",
  "ILS",
  "JPY",
  "MXN",
  "NOK",
  "NZD",
  "PHP",
  "PLN",
  "SEK",
  "SGD",
  "THB",
  "TWD",
  "USD"
] as const
