/** The words in which payments and provider configurations speak of where money goes. */
import { Schema } from "effect"
import { thirdPartyTitles } from "./ThirdPartyTitles.ts"

export const builtInRails = ["manual", "crypto", "fiat", "hybrid"] as const
export type BuiltInRail = (typeof builtInRails)[number]

export type ThirdPartyName = keyof typeof thirdPartyTitles
export const thirdPartyNames = Object.keys(thirdPartyTitles) as ReadonlyArray<ThirdPartyName>

export const providerNames = [...builtInRails, ...thirdPartyNames]
export type ProviderName = BuiltInRail | ThirdPartyName
export const ProviderName = Schema.Literal(...providerNames).annotations({ identifier: "ProviderName" })

export const isBuiltInRail = (provider: ProviderName): provider is BuiltInRail =>
  (builtInRails as ReadonlyArray<ProviderName>).includes(provider)

export const paymentMethods = ["bank_transfer", "card", "mobile_money", "crypto", "wallet"] as const
export type PaymentMethod = (typeof paymentMethods)[number]
export const PaymentMethod = Schema.Literal(...paymentMethods).annotations({ identifier: "PaymentMethod" })

/** Direction as in records and configurations; an initiation says payin and payout. */
export const flows = ["inbound", "outbound", "external"] as const
export type Flow = (typeof flows)[number]
export const Flow = Schema.Literal(...flows).annotations({ identifier: "Flow" })

export const flowOf = (direction: "payin" | "payout"): Flow => (direction === "payin" ? "inbound" : "outbound")
