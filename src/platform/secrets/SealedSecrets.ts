/** Secrets by name take part in a change of the master key. */
import { Effect } from "effect"
import type { SealedPlace } from "./SealedPlaces.ts"
import { SecretStore } from "./SecretStore.ts"

export const sealedSecrets = Effect.map(SecretStore, (store): SealedPlace => ({
  reseal: Effect.fnUntraced(function* (anew) {
    yield* store.hold
    const moved = yield* Effect.filter(yield* store.all, ({ name, sealed }) =>
      Effect.gen(function* () {
        const again = yield* anew(sealed, name)
        if (again === sealed) return false
        yield* store.replace({ name, sealed: again })
        return true
      })
    )
    return moved.length
  })
}))
