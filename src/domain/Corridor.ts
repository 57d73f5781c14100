/** The words in which payments and provider configurations speak of where money goes. */
import { Schema } from "effect"

export const providerNames = [
  "manual",
  "crypto",
  "fiat",
  "hybrid",
  "stripe",
  "adyen",
  "paypal",
  "paystack",
  "flutterwave",
  "mtn_momo",
  "pawapay",
  "circle",
  "coinbase"
] as const

export type ProviderName = (typeof providerNames)[number]
export const ProviderName = Schema.Literal(...providerNames).annotations({ identifier: "ProviderName" })

export const builtInRails = ["manual", "crypto", "fiat", "hybrid"] as const satisfies ReadonlyArray<ProviderName>
export type BuiltInRail = (typeof builtInRails)[number]

export type ThirdPartyName = Exclude<ProviderName, BuiltInRail>

export const isBuiltInRail = (provider: ProviderName): provider is BuiltInRail =>
  (builtInRails as ReadonlyArray<ProviderName>).includes(provider)

export const thirdPartyNames: ReadonlyArray<ThirdPartyName> = providerNames.filter(
  (name): name is ThirdPartyName => !isBuiltInRail(name)
)

export const paymentMethods = ["bank_transfer", "card", "mobile_money", "crypto", "wallet"] as const
export type PaymentMethod = (typeof paymentMethods)[number]
export const PaymentMethod = Schema.Literal(...paymentMethods).annotations({ identifier: "PaymentMethod" })

/** As records and configurations have it; an initiation says payin and payout. */
export const flows = ["inbound", "outbound", "external"] as const
export type Flow = (typeof flows)[number]
export const Flow = Schema.Literal(...flows).annotations({ identifier: "Flow" })

export const flowOf = (direction: "payin" | "payout"): Flow => (direction === "payin" ? "inbound" : "outbound")
