/** Runs a suite on the simulators' memory and on PostgreSQL. */
import { layer, type Vitest } from "@effect/vitest"
import { Layer } from "effect"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import type { Settings } from "../../../src/platform/config/Settings.ts"
import type { SimulatorStore } from "../../../src/providers/sandbox/SimulatorStore.ts"
import { simulatorStoreSql } from "../../../src/providers/sandbox/SimulatorSql.ts"
import { simulatorStoreMemory } from "../../../src/providers/sandbox/SimulatorMemory.ts"
import type { Vault } from "../../../src/platform/secrets/Vault.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testSettings, TestVault } from "../../support/TestSettings.ts"

/** Two of them over one database are two processes. */
export const onMemory = Layer.provideMerge(simulatorStoreMemory, MemoryDatabase.layer)
export const onPostgreSQL = simulatorStoreSql.pipe(Layer.provide(TestDatabase), Layer.provide(testSettings()))

export const onBothSimulatorStores = (
  name: string,
  tests: (it: Vitest.MethodsNonLive<SimulatorStore | Ids | Settings | Vault, true>) => void
): void => {
  const options = { excludeTestServices: true, timeout: "60 seconds" } as const
  const common = Layer.mergeAll(Ids.layer, TestVault, testSettings())
  layer(Layer.merge(onMemory, common), options)(`${name} on memory`, tests)
  layer(Layer.merge(onPostgreSQL, common), options)(`${name} on PostgreSQL`, tests)
}
