/** Settings from a map: what the environment of the machine holds never reaches a test. */
import { ConfigProvider, Effect, Layer } from "effect"
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

const loadedFrom = (variables: Variables) => {
  const from = Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries({ ...defaults, ...variables }))))
  return { settings: from(Settings.load), providers: from(ProviderSettings.load) }
}

const { providers, settings } = loadedFrom({})

/** What most tests have, read once: no file is behind any of it, and each setting that is not there costs an error. */
const usual = {
  settings: Effect.runSync(Effect.cached(settings)),
  providers: Effect.runSync(Effect.cached(providers))
}

export const testSettings = (variables: Variables = {}) => {
  const loaded = Object.keys(variables).length === 0 ? usual : loadedFrom(variables)
  return Layer.effect(ProviderSettings, loaded.providers).pipe(
    Layer.provideMerge(Layer.effect(Settings, loaded.settings))
  )
}

export const TestVault = Vault.layer(deriveMasterKey("test"))
