/** Names of providers. */
import { thirdPartyTitles } from "../../../domain/ThirdPartyTitles.ts"
import type { Answer } from "../../api/ConsoleApi.ts"
import { optionsOf } from "../../state/Display.ts"

export type Config = Answer<"providerConfigs", "list">["data"][number]
export type Provider = Config["provider"]

const names: Readonly<Record<Provider, string>> = {
  fiat: "Built-in fiat rail",
  crypto: "Built-in crypto rail",
  hybrid: "Built-in hybrid rail",
  manual: "Manual",
  ...thirdPartyTitles
}

export const providerOptions = Object.entries(names) as ReadonlyArray<readonly [Provider, string]>

/** Lookup for words in notes of the service. */
export const providerNames: ReadonlyMap<string, string> = new Map(providerOptions)

export const providerName = (provider: Provider): string => names[provider]

export const methodOptions = optionsOf(["mobile_money", "bank_transfer", "card", "crypto", "wallet"])

export const flowOptions = optionsOf(["inbound", "outbound", "external"])
