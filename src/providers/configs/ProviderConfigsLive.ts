/** Who serves which corridor, and through whose account. */
import { Layer } from "effect"
import { PlatformAccounts } from "../accounts/PlatformAccounts.ts"
import { ProviderAccounts } from "../accounts/ProviderAccounts.ts"
import { ProviderConfigs } from "./ProviderConfigs.ts"
import { ProviderCredentials } from "./ProviderCredentials.ts"

export const ProviderConfigsLive = ProviderCredentials.layer.pipe(
  Layer.provideMerge(ProviderConfigs.layer),
  Layer.provideMerge(ProviderAccounts.layer),
  Layer.provide(PlatformAccounts.layer)
)
