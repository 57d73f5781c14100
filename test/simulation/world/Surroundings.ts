/** What is the same in every run and for every instance: the settings and the master key. */
import { ConfigProvider, Effect, Layer } from "effect"
import { deriveMasterKey } from "../../../src/platform/config/MasterKey.ts"
import { GAIN_MAX } from "../invariants/Walks.ts"
import { Settings } from "../../../src/platform/config/Settings.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { ProviderSettings } from "../../../src/providers/accounts/ProviderSettings.ts"

const variables = new Map([
  ["RATE_LIMIT_PER_MINUTE", "0"],
  ["DATA_DIR", "/nonexistent/corridor-simulation"],
  ["PUBLIC_URL", "http://corridor.test"],
  ["RATE_GAIN_MAX", String(GAIN_MAX)]
])

const fromVariables = Effect.withConfigProvider(ConfigProvider.fromMap(variables))

const settings = Layer.effect(ProviderSettings, fromVariables(ProviderSettings.load)).pipe(
  Layer.provideMerge(Layer.effect(Settings, fromVariables(Settings.load)))
)

const all = Layer.merge(settings, Vault.layer(deriveMasterKey("simulation")))

export type Surroundings = Layer.Layer.Success<typeof all>

/** Read once. */
export const surroundings = Effect.runSync(Effect.scoped(Layer.build(all)))
