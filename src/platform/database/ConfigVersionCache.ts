/**
 * What payments are made by (organisations, fees, who serves which corridor) is read for each of them and changes rarely.
 * A request learns with its credential at which version these terms are, and what was read at a version is remembered for
 * it. Every change gives them another version in its own transaction: nobody goes by terms that were over when the
 * request came, on whatever instance they were changed.
 */
import { Context, Effect, type Scope } from "effect"
import { termsKept } from "../../domain/policies/DatabasePolicies.ts"
import { setBounded } from "../../domain/BoundedMap.ts"
import { batchedReads } from "./Batcher.ts"
import type { Stored } from "./DatabaseFailure.ts"
import { InTransaction, type PoolQuotas } from "./Transactor.ts"

/** The version that the current fiber goes by; null where it reads what there is. */
class ConfigVersion extends Context.Reference<ConfigVersion>()("corridor/ConfigVersion", {
  defaultValue: (): string | null => null
}) {}

export const atConfigVersion =
  (version: string | null) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    version === null ? effect : Effect.provideService(effect, ConfigVersion, version)

/** Batched reads of terms, which are remembered; in a transaction they are read, since it may have changed them. */
export const cachedByConfigVersion = <In, Out>(
  keyOf: (item: In) => string,
  run: (items: ReadonlyArray<In>) => Stored<ReadonlyArray<Out>>
): Effect.Effect<(item: In) => Stored<Out>, never, PoolQuotas | Scope.Scope> =>
  Effect.map(batchedReads(keyOf, run), (read) => {
    const kept = new Map<string, Out>()
    return (item) =>
      Effect.gen(function* () {
        const version = yield* ConfigVersion
        if (version === null || (yield* InTransaction)) return yield* read(item)
        const key = `${version} ${keyOf(item)}`
        const known = kept.get(key)
        if (known !== undefined) return known
        const fresh = yield* read(item)
        setBounded(kept, termsKept, key, fresh)
        return fresh
      })
  })
