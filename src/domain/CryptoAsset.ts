/**
 * The crypto assets that ramps move, the networks each travels on, and codes that may be fiat or crypto.
 */
import { Schema } from "effect"
import { CurrencyCode, exponentOf } from "./Currency.ts"

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
