/** Settings and memory stores that all instances of a run share. */
import { Layer, ConfigProvider, Effect } from "effect"
import { StoresOverMemory } from "../../../src/app/Stores.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { planLayer } from "./LayerPlan.ts"
import { deriveMasterKey } from "../../../src/platform/config/MasterKey.ts"
import { GAIN_MAX } from "../invariants/ConversionGains.ts"
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

export type SimulationSettings = Layer.Layer.Success<typeof all>

export const simulationSettings = Effect.runSync(Effect.scoped(Layer.build(all)))

const stores = StoresOverMemory.pipe(Layer.provideMerge(MemoryDatabase.layer))

export type Stores = Layer.Layer.Success<typeof stores>

export const storesPlan = planLayer(stores, simulationSettings)
