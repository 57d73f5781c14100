/** Fiat currencies (ISO 4217) and crypto assets: codes, minor digits, and the networks that an asset travels on. */
import { Schema } from "effect"

/**
 * Active ISO 4217 currencies by the digits of their minor unit. Codes of funds, metals, units of account and testing
 * are left out: they are no means of payment.
 */
const currenciesByExponent: ReadonlyArray<readonly [exponent: number, codes: string]> = [
  [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"],
  [
    2,
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP
     CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS
     INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN
     MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE
     SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR
     ZMW ZWG`
  ],
  [3, "BHD IQD JOD KWD LYD OMR TND"]
]

/** Digits of the minor unit, by code. */
export const currencies: ReadonlyMap<string, number> = new Map(
  currenciesByExponent.flatMap(([exponent, codes]) => codes.split(/\s+/).map((code) => [code, exponent] as const))
)

const pattern = /^[A-Z]{3}$/

const refusal = (input: unknown): string => {
  if (typeof input !== "string") return 'is not a string holding an ISO 4217 currency code such as "KES"'
  if (!pattern.test(input)) return 'is not a currency code of three upper-case letters such as "KES"'
  return `is not an active ISO 4217 currency code: ${input} is unknown, use one such as "KES"`
}

export const CurrencyCode = Schema.String.annotations({ message: (issue) => refusal(issue.actual) })
  .pipe(
    Schema.filter((code) => (pattern.test(code) && currencies.has(code)) || refusal(code)),
    Schema.brand("CurrencyCode")
  )
  .annotations({
    identifier: "CurrencyCode",
    jsonSchema: {
      type: "string",
      pattern: pattern.source,
      description: "ISO 4217 currency code, in upper case.",
      examples: ["KES"]
    }
  })
export type CurrencyCode = typeof CurrencyCode.Type

export const isCurrencyCode = Schema.is(CurrencyCode)

export const exponentOf = (code: CurrencyCode): number => {
  const exponent = currencies.get(code)
  if (exponent === undefined) throw new Error(`branded currency code ${code} is not in the table`)
  return exponent
}

const oneOf = (what: string, values: ReadonlyArray<string>) => () => ({
  message: `is not a supported ${what}: use one of ${values.join(", ")}`,
  override: true
})

const assetCodes = ["USDT", "USDC", "BTC", "ETH"] as const
export const CryptoAssetCode = Schema.Literal(...assetCodes).annotations({
  identifier: "CryptoAssetCode",
  description: "Code of a crypto asset, in upper case.",
  message: oneOf("crypto asset", assetCodes)
})
export type CryptoAssetCode = typeof CryptoAssetCode.Type

const networkCodes = ["ETHEREUM", "POLYGON", "TRON", "SOLANA", "BITCOIN", "BASE"] as const
export const CryptoNetwork = Schema.Literal(...networkCodes).annotations({
  identifier: "CryptoNetwork",
  description: "Blockchain that an asset travels on, in upper case.",
  message: oneOf("crypto network", networkCodes)
})
export type CryptoNetwork = typeof CryptoNetwork.Type

const assets = {
  USDT: { exponent: 6, networks: ["ETHEREUM", "POLYGON", "TRON", "SOLANA"] },
  USDC: { exponent: 6, networks: ["ETHEREUM", "POLYGON", "TRON", "SOLANA"] },
  BTC: { exponent: 8, networks: ["BITCOIN"] },
  ETH: { exponent: 18, networks: ["ETHEREUM", "BASE"] }
} satisfies Record<CryptoAssetCode, { exponent: number; networks: ReadonlyArray<CryptoNetwork> }>

export const isCryptoAssetCode = (input: unknown): input is CryptoAssetCode =>
  typeof input === "string" && Object.hasOwn(assets, input)

export const networksOf = (asset: CryptoAssetCode): ReadonlyArray<CryptoNetwork> => assets[asset].networks

/** Where rates and ledger accounts take fiat and crypto alike. */
export const AnyCurrencyCode = Schema.Union(CurrencyCode, CryptoAssetCode).annotations({
  identifier: "AnyCurrencyCode",
  description: "ISO 4217 currency code or crypto asset code, in upper case.",
  message: () => ({
    message: `is neither an active ISO 4217 currency code such as "KES" nor a crypto asset (${assetCodes.join(", ")}), in upper case`,
    override: true
  })
})
export type AnyCurrencyCode = typeof AnyCurrencyCode.Type

export const isAnyCurrencyCode = Schema.is(AnyCurrencyCode)

export const exponentOfAny = (code: AnyCurrencyCode): number =>
  isCryptoAssetCode(code) ? assets[code].exponent : exponentOf(code)

const computedCryptoDigits = 8

/** Fraction digits of an amount that the service computes: an 18-digit asset is not quoted to the last wei. */
export const computedScaleOf = (code: AnyCurrencyCode): number => Math.min(exponentOfAny(code), computedCryptoDigits)
