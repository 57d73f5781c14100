/** Fiat currencies (ISO 4217) and crypto assets: codes, minor digits, and the networks that an asset travels on. */
import { Schema } from "effect"

/**
 * Active ISO 4217 currencies: code, English name, digits of the minor unit. Codes of funds, metals, units of
 * account and testing are left out, since nobody can be paid in them.
 */
export const currencyTable: ReadonlyMap<string, readonly [name: string, exponent: number]> = new Map([
  ["AED", ["UAE Dirham", 2]],
  ["AFN", ["Afghani", 2]],
  ["ALL", ["Lek", 2]],
  ["AMD", ["Armenian Dram", 2]],
  ["AOA", ["Kwanza", 2]],
  ["ARS", ["Argentine Peso", 2]],
  ["AUD", ["Australian Dollar", 2]],
  ["AWG", ["Aruban Florin", 2]],
  ["AZN", ["Azerbaijan Manat", 2]],
  ["BAM", ["Convertible Mark", 2]],
  ["BBD", ["Barbados Dollar", 2]],
  ["BDT", ["Taka", 2]],
  ["BHD", ["Bahraini Dinar", 3]],
  ["BIF", ["Burundi Franc", 0]],
  ["BMD", ["Bermudian Dollar", 2]],
  ["BND", ["Brunei Dollar", 2]],
  ["BOB", ["Boliviano", 2]],
  ["BRL", ["Brazilian Real", 2]],
  ["BSD", ["Bahamian Dollar", 2]],
  ["BTN", ["Ngultrum", 2]],
  ["BWP", ["Pula", 2]],
  ["BYN", ["Belarusian Ruble", 2]],
  ["BZD", ["Belize Dollar", 2]],
  ["CAD", ["Canadian Dollar", 2]],
  ["CDF", ["Congolese Franc", 2]],
  ["CHF", ["Swiss Franc", 2]],
  ["CLP", ["Chilean Peso", 0]],
  ["CNY", ["Yuan Renminbi", 2]],
  ["COP", ["Colombian Peso", 2]],
  ["CRC", ["Costa Rican Colon", 2]],
  ["CUP", ["Cuban Peso", 2]],
  ["CVE", ["Cabo Verde Escudo", 2]],
  ["CZK", ["Czech Koruna", 2]],
  ["DJF", ["Djibouti Franc", 0]],
  ["DKK", ["Danish Krone", 2]],
  ["DOP", ["Dominican Peso", 2]],
  ["DZD", ["Algerian Dinar", 2]],
  ["EGP", ["Egyptian Pound", 2]],
  ["ERN", ["Nakfa", 2]],
  ["ETB", ["Ethiopian Birr", 2]],
  ["EUR", ["Euro", 2]],
  ["FJD", ["Fiji Dollar", 2]],
  ["FKP", ["Falkland Islands Pound", 2]],
  ["GBP", ["Pound Sterling", 2]],
  ["GEL", ["Lari", 2]],
  ["GHS", ["Ghana Cedi", 2]],
  ["GIP", ["Gibraltar Pound", 2]],
  ["GMD", ["Dalasi", 2]],
  ["GNF", ["Guinean Franc", 0]],
  ["GTQ", ["Quetzal", 2]],
  ["GYD", ["Guyana Dollar", 2]],
  ["HKD", ["Hong Kong Dollar", 2]],
  ["HNL", ["Lempira", 2]],
  ["HTG", ["Gourde", 2]],
  ["HUF", ["Forint", 2]],
  ["IDR", ["Rupiah", 2]],
  ["ILS", ["New Israeli Sheqel", 2]],
  ["INR", ["Indian Rupee", 2]],
  ["IQD", ["Iraqi Dinar", 3]],
  ["IRR", ["Iranian Rial", 2]],
  ["ISK", ["Iceland Krona", 0]],
  ["JMD", ["Jamaican Dollar", 2]],
  ["JOD", ["Jordanian Dinar", 3]],
  ["JPY", ["Yen", 0]],
  ["KES", ["Kenyan Shilling", 2]],
  ["KGS", ["Som", 2]],
  ["KHR", ["Riel", 2]],
  ["KMF", ["Comorian Franc", 0]],
  ["KPW", ["North Korean Won", 2]],
  ["KRW", ["Won", 0]],
  ["KWD", ["Kuwaiti Dinar", 3]],
  ["KYD", ["Cayman Islands Dollar", 2]],
  ["KZT", ["Tenge", 2]],
  ["LAK", ["Lao Kip", 2]],
  ["LBP", ["Lebanese Pound", 2]],
  ["LKR", ["Sri Lanka Rupee", 2]],
  ["LRD", ["Liberian Dollar", 2]],
  ["LSL", ["Loti", 2]],
  ["LYD", ["Libyan Dinar", 3]],
  ["MAD", ["Moroccan Dirham", 2]],
  ["MDL", ["Moldovan Leu", 2]],
  ["MGA", ["Malagasy Ariary", 2]],
  ["MKD", ["Denar", 2]],
  ["MMK", ["Kyat", 2]],
  ["MNT", ["Tugrik", 2]],
  ["MOP", ["Pataca", 2]],
  ["MRU", ["Ouguiya", 2]],
  ["MUR", ["Mauritius Rupee", 2]],
  ["MVR", ["Rufiyaa", 2]],
  ["MWK", ["Malawi Kwacha", 2]],
  ["MXN", ["Mexican Peso", 2]],
  ["MYR", ["Malaysian Ringgit", 2]],
  ["MZN", ["Mozambique Metical", 2]],
  ["NAD", ["Namibia Dollar", 2]],
  ["NGN", ["Naira", 2]],
  ["NIO", ["Cordoba Oro", 2]],
  ["NOK", ["Norwegian Krone", 2]],
  ["NPR", ["Nepalese Rupee", 2]],
  ["NZD", ["New Zealand Dollar", 2]],
  ["OMR", ["Rial Omani", 3]],
  ["PAB", ["Balboa", 2]],
  ["PEN", ["Sol", 2]],
  ["PGK", ["Kina", 2]],
  ["PHP", ["Philippine Peso", 2]],
  ["PKR", ["Pakistan Rupee", 2]],
  ["PLN", ["Zloty", 2]],
  ["PYG", ["Guarani", 0]],
  ["QAR", ["Qatari Rial", 2]],
  ["RON", ["Romanian Leu", 2]],
  ["RSD", ["Serbian Dinar", 2]],
  ["RUB", ["Russian Ruble", 2]],
  ["RWF", ["Rwanda Franc", 0]],
  ["SAR", ["Saudi Riyal", 2]],
  ["SBD", ["Solomon Islands Dollar", 2]],
  ["SCR", ["Seychelles Rupee", 2]],
  ["SDG", ["Sudanese Pound", 2]],
  ["SEK", ["Swedish Krona", 2]],
  ["SGD", ["Singapore Dollar", 2]],
  ["SHP", ["Saint Helena Pound", 2]],
  ["SLE", ["Leone", 2]],
  ["SOS", ["Somali Shilling", 2]],
  ["SRD", ["Surinam Dollar", 2]],
  ["SSP", ["South Sudanese Pound", 2]],
  ["STN", ["Dobra", 2]],
  ["SVC", ["El Salvador Colon", 2]],
  ["SYP", ["Syrian Pound", 2]],
  ["SZL", ["Lilangeni", 2]],
  ["THB", ["Baht", 2]],
  ["TJS", ["Somoni", 2]],
  ["TMT", ["Turkmenistan New Manat", 2]],
  ["TND", ["Tunisian Dinar", 3]],
  ["TOP", ["Pa'anga", 2]],
  ["TRY", ["Turkish Lira", 2]],
  ["TTD", ["Trinidad and Tobago Dollar", 2]],
  ["TWD", ["New Taiwan Dollar", 2]],
  ["TZS", ["Tanzanian Shilling", 2]],
  ["UAH", ["Hryvnia", 2]],
  ["UGX", ["Uganda Shilling", 0]],
  ["USD", ["US Dollar", 2]],
  ["UYU", ["Peso Uruguayo", 2]],
  ["UZS", ["Uzbekistan Sum", 2]],
  ["VED", ["Bolívar Soberano (digital)", 2]],
  ["VES", ["Bolívar Soberano", 2]],
  ["VND", ["Dong", 0]],
  ["VUV", ["Vatu", 0]],
  ["WST", ["Tala", 2]],
  ["XAF", ["CFA Franc BEAC", 0]],
  ["XCD", ["East Caribbean Dollar", 2]],
  ["XCG", ["Caribbean Guilder", 2]],
  ["XOF", ["CFA Franc BCEAO", 0]],
  ["XPF", ["CFP Franc", 0]],
  ["YER", ["Yemeni Rial", 2]],
  ["ZAR", ["Rand", 2]],
  ["ZMW", ["Zambian Kwacha", 2]],
  ["ZWG", ["Zimbabwe Gold", 2]]
])

interface Currency {
  readonly code: CurrencyCode
  readonly name: string
  readonly exponent: number
}

const pattern = /^[A-Z]{3}$/

const refusal = (input: unknown): string => {
  if (typeof input !== "string") return 'is not a string holding an ISO 4217 currency code such as "KES"'
  if (!pattern.test(input)) return 'is not a currency code of three upper-case letters such as "KES"'
  return `is not an active ISO 4217 currency code: ${input} is unknown, use one such as "KES"`
}

export const CurrencyCode = Schema.String.annotations({ message: (issue) => refusal(issue.actual) })
  .pipe(
    Schema.filter((code) => (pattern.test(code) && currencyTable.has(code)) || refusal(code)),
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

export const currencies: ReadonlyMap<CurrencyCode, Currency> = new Map(
  Array.from(currencyTable, ([text, [name, exponent]]) => {
    const code = CurrencyCode.make(text)
    return [code, { code, name, exponent }]
  })
)

export const currencyOf = (code: CurrencyCode): Currency => {
  const found = currencies.get(code)
  if (found === undefined) throw new Error(`branded currency code ${code} is not in the table`)
  return found
}

export const exponentOf = (code: CurrencyCode): number => currencyOf(code).exponent

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
