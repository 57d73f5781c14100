/**
 * Caches the configuration that payments read (organisations, fees, routing) by its version. A request learns the
 * version with its credential. Every change of the configuration writes a new version in its own transaction, so no
 * request uses a configuration that was replaced before it came.
 */
import { Context, Effect } from "effect"
import { configVersionsCached } from "../../domain/policies/DatabasePolicies.ts"
import { setBounded } from "../../domain/BoundedMap.ts"
import { batchedReads } from "./Batcher.ts"
import type { Stored } from "./DatabaseFailure.ts"
import { InTransaction } from "./Transactor.ts"

/** Version for the current fiber; null: read without the cache. */
class ConfigVersion extends Context.Reference<ConfigVersion>()("corridor/ConfigVersion", {
  defaultValue: (): string | null => null
}) {}

export const atConfigVersion =
  (version: string | null) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    version === null ? effect : Effect.provideService(effect, ConfigVersion, version)

/** Batched reads, cached by version. Inside a transaction they are read anew, since it may have changed them. */
export const cachedByConfigVersion = <In, Out>(
  keyOf: (item: In) => string,
  run: (items: ReadonlyArray<In>) => Stored<ReadonlyArray<Out>>
) =>
  Effect.map(batchedReads(keyOf, run), (read) => {
    const kept = new Map<string, Out>()
    return (item: In): Stored<Out> =>
      Effect.gen(function* () {
        const version = yield* ConfigVersion
        if (version === null || (yield* InTransaction)) return yield* read(item)
        const key = `${version} ${keyOf(item)}`
        const cached = kept.get(key)
        if (cached !== undefined) return cached
        const fresh = yield* read(item)
        setBounded(kept, configVersionsCached, key, fresh)
        return fresh
      })
  })
