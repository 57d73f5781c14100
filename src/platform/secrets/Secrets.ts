/** Secrets that the service keeps for itself, by name; the name is also what each is sealed for. */
import { Context, Effect, Layer, Option } from "effect"
import { SecretStore } from "./SecretStore.ts"
import { Vault, type VaultError } from "./Vault.ts"
import type { Stored } from "../database/DatabaseFailure.ts"

export class Secrets extends Context.Tag("corridor/Secrets")<
  Secrets,
  {
    /** Made where there is none yet; of several instances that make one at once, the first decides for all. */
    readonly getOrMake: (name: string, make: Effect.Effect<string>) => Stored<string, VaultError>
  }
>() {
  static readonly layer = Layer.effect(
    Secrets,
    Effect.gen(function* () {
      const store = yield* SecretStore
      const vault = yield* Vault
      return {
        getOrMake: Effect.fn("Secrets.getOrMake")(function* (name, make) {
          const kept = yield* store.find(name)
          const sealed = Option.isSome(kept)
            ? kept.value
            : yield* store.putIfAbsent({ name, sealed: yield* vault.encrypt(yield* make, name) })
          return yield* vault.decrypt(sealed, name)
        })
      }
    })
  )
}
