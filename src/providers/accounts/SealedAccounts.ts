/** The credentials of configurations, and those that they replaced, take part in a change of the master key. */
import { Effect } from "effect"
import type { Reseal, SealedPlace } from "../../platform/secrets/SealedPlaces.ts"
import { credentialsContext } from "./Credentials.ts"
import { ProviderAccountStore, type SealedAccount } from "./ProviderAccountStore.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

const moved = <Sealed extends SealedAccount>(
  anew: Reseal,
  all: Stored<ReadonlyArray<Sealed>>,
  replace: (one: Sealed) => Stored<void>
) =>
  Effect.flatMap(all, (found) =>
    Effect.filter(found, (one) =>
      Effect.gen(function* () {
        const again = yield* anew(one.sealed, credentialsContext(one.config_id))
        if (again === one.sealed) return false
        yield* replace({ ...one, sealed: again })
        return true
      })
    )
  )

export const sealedAccounts = Effect.map(ProviderAccountStore, (store): SealedPlace => ({
  reseal: Effect.fnUntraced(function* (anew) {
    yield* store.hold
    const current = yield* moved(anew, store.allSealed, store.replaceSealed)
    const replaced = yield* moved(anew, store.allReplaced, store.resealReplaced)
    return current.length + replaced.length
  })
}))
