/** Encrypted secrets in memory. */
import { Effect, Layer } from "effect"
import { memoryTable, openTables } from "../database/MemoryDatabase.ts"
import { SecretStore } from "./Secrets.ts"

const secretTables = { secrets: memoryTable<string>("secrets") }

export const secretStoreMemory = Layer.effect(
  SecretStore,
  Effect.map(openTables(secretTables), ({ secrets }): SecretStore["Type"] => ({
    find: (name) => Effect.sync(() => secrets.one(name)),
    putIfAbsent: ({ name, sealed }) =>
      Effect.sync(() => {
        const kept = secrets.get(name) ?? sealed
        secrets.set(name, kept)
        return kept
      }),
    replace: ({ name, sealed }) =>
      Effect.sync(() => {
        if (secrets.has(name)) secrets.set(name, sealed)
      })
  }))
)
