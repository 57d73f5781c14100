/** Settings from a map, without the machine's environment. Tracing is off, as by default in production. */
import { ConfigProvider, Effect, Layer } from "effect"
import { Ids } from "../../src/domain/Ids.ts"
import { Settings } from "../../src/platform/config/Settings.ts"
import { deriveMasterKey } from "../../src/platform/config/MasterKey.ts"
import { ProviderSettings } from "../../src/providers/accounts/ProviderSettings.ts"
import { Vault } from "../../src/platform/secrets/Vault.ts"

export type Variables = Readonly<Record<string, string>>

/**
 * No rate limits, because all tests come from one address. Simulators are fast, but slower than an answer on a busy
 * machine.
 */
const defaults: Variables = {
  RATE_LIMIT_PER_MINUTE: "0",
  DATA_DIR: "/nonexistent/corridor-test",
  ARCHIVE_DIR: "none",
  SANDBOX_RAIL_PACE: "250 millis"
}

export const testSettings = (variables: Variables = {}) => {
  const from = Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries({ ...defaults, ...variables }))))
  return Layer.effect(ProviderSettings, from(ProviderSettings.load)).pipe(
    Layer.provideMerge(Layer.effect(Settings, from(Settings.load))),
    Layer.provideMerge(Layer.setTracerEnabled(false))
  )
}

export const TestVault = Vault.layer(deriveMasterKey("test"))

export const TestFoundation = Layer.merge(TestVault, Ids.layer)
