/** What a fresh sandbox holds: which corridors its built-in rails serve, and the rates it starts with. */
import { BigDecimal, Either, Schema } from "effect"
import { CountryCode } from "../../domain/Country.ts"
import { networksOfCountry } from "../../domain/MobileNetwork.ts"
import * as Rate from "../../domain/Rate.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import type { ProviderConfig } from "../../providers/configs/ProviderConfigStore.ts"
import type { StoredRate } from "../../money/rates/RateStore.ts"

type Corridor = Pick<ProviderConfig, "provider" | "country" | "payment_method" | "direction">

export const sandboxCountries = Schema.decodeSync(Schema.Array(CountryCode))(["KE", "NG", "GH", "UG", "ZA", "GB", "US"])

const both = ["inbound", "outbound"] as const

const corridorsOf = (country: CountryCode): ReadonlyArray<Corridor> => {
  const fiat = [
    "card",
    "bank_transfer",
    ...(networksOfCountry(country).length > 0 ? ["mobile_money" as const] : [])
  ] as const
  return [
    ...fiat.flatMap((payment_method) =>
      both.map((direction): Corridor => ({ provider: "fiat", country, payment_method, direction }))
    ),
    { provider: "hybrid", country, payment_method: "crypto", direction: "external" },
    ...both.map((direction): Corridor => ({ provider: "crypto", country, payment_method: "crypto", direction }))
  ]
}

export const sandboxCorridors: ReadonlyArray<Corridor> = sandboxCountries.flatMap(corridorsOf)

/** One unit of each in US dollars. */
const inDollars: Readonly<Record<string, string>> = {
  KES: "0.00774",
  NGN: "0.00065",
  GHS: "0.0645",
  UGX: "0.000272",
  ZAR: "0.0548",
  GBP: "1.27",
  EUR: "1.08",
  USDT: "1",
  USDC: "1",
  BTC: "68250",
  ETH: "3520"
}

const rateOf = (text: string): Rate.Rate => Either.getOrThrow(Rate.fromDecimal(BigDecimal.unsafeFromString(text)))

export const sandboxRates: ReadonlyArray<Omit<StoredRate, "updated_at">> = Object.entries(inDollars).flatMap(
  ([code, dollars]) => [
    { from_currency: code, to_currency: "USD", rate: dollars },
    { from_currency: "USD", to_currency: code, rate: toPlainText(Rate.invert(rateOf(dollars))) }
  ]
)

export const sandboxOrganizations = [
  { name: "Acme Pay", slug: "acme", country: "KE", currency: "KES", features: ["escrow"] },
  { name: "Globex Money", slug: "globex", country: "NG", currency: "NGN", features: [] }
] as const
