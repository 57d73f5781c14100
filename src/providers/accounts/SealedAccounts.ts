/** The credentials of configurations take part in a change of the master key. */
import { Effect } from "effect"
import type { SealedPlace } from "../../platform/secrets/SealedPlaces.ts"
import { credentialsContext } from "./Credentials.ts"
import { ProviderAccountStore } from "./ProviderAccountStore.ts"

export const sealedAccounts = Effect.map(ProviderAccountStore, (store): SealedPlace => ({
  reseal: Effect.fnUntraced(function* (anew) {
    yield* store.hold
    const moved = yield* Effect.filter(yield* store.allSealed, ({ config_id, sealed }) =>
      Effect.gen(function* () {
        const again = yield* anew(sealed, credentialsContext(config_id))
        if (again === sealed) return false
        yield* store.replaceSealed({ config_id, sealed: again })
        return true
      })
    )
    return moved.length
  })
}))
