/** The credentials of configurations, and those that they replaced, take part in a change of the master key. */
import { Effect } from "effect"
import type { Reseal, SealedPlace } from "../../platform/secrets/SealedPlaces.ts"
import { credentialsContext } from "./Credentials.ts"
import { ProviderAccountStore, type SealedAccount } from "./ProviderAccountStore.ts"

const moved = (
  anew: Reseal,
  all: Effect.Effect<ReadonlyArray<SealedAccount>>,
  replace: (account: SealedAccount) => Effect.Effect<void>
) =>
  Effect.flatMap(all, (found) =>
    Effect.filter(found, ({ config_id, sealed }) =>
      Effect.gen(function* () {
        const again = yield* anew(sealed, credentialsContext(config_id))
        if (again === sealed) return false
        yield* replace({ config_id, sealed: again })
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
