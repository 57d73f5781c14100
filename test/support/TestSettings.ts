/**
 * Settings from a map: what the environment of the machine holds never reaches a test. Nobody collects traces, as where
 * none are asked for: what runs in tests is what runs in production.
 */
import { ConfigProvider, Effect, Layer } from "effect"
import { Ids } from "../../src/domain/Ids.ts"
import { Settings } from "../../src/platform/config/Settings.ts"
import { deriveMasterKey } from "../../src/platform/config/MasterKey.ts"
import { ProviderSettings } from "../../src/providers/accounts/ProviderSettings.ts"
import { Vault } from "../../src/platform/secrets/Vault.ts"

export type Variables = Readonly<Record<string, string>>

/**
 * Rate limits are off unless a test is about them: every test of a file comes from one address. The rails are in a hurry,
 * and not so much that a busy machine would complete a payment before its answer is written.
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
