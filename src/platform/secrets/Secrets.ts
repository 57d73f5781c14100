/** Sealed secrets at rest, by name; the name is also the context that each is sealed for. */
import { Context, Option, Schema, Effect, Layer } from "effect"
import type { Stored } from "../database/DatabaseFailure.ts"
import { Vault, type VaultError } from "./Vault.ts"

export const SealedSecret = Schema.Struct({ name: Schema.String, sealed: Schema.String })
export type SealedSecret = typeof SealedSecret.Type

export class SecretStore extends Context.Tag("corridor/SecretStore")<
  SecretStore,
  {
    readonly find: (name: string) => Stored<Option.Option<string>>
    /** Keeps what is there already, and answers with what is kept. */
    readonly putIfAbsent: (secret: SealedSecret) => Stored<string>
    /** Locks the table until the end of the transaction: inserts wait. */
    readonly hold: Stored<void>
    readonly replace: (secret: SealedSecret) => Stored<void>
    readonly all: Stored<ReadonlyArray<SealedSecret>>
  }
>() {}

/** Secrets of the service itself. */
export class Secrets extends Context.Tag("corridor/Secrets")<
  Secrets,
  {
    /** Made where there is none yet; of several instances that make one at once, the first decides for all. */
    readonly getOrMake: (name: string, make: Effect.Effect<string>) => Stored<string, VaultError>
    readonly find: (name: string) => Stored<Option.Option<string>, VaultError>
    /** Replaces the one of this name. */
    readonly put: (name: string, secret: string) => Stored<void, VaultError>
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
        }),
        find: Effect.fn("Secrets.find")(function* (name) {
          const kept = yield* store.find(name)
          return Option.isNone(kept) ? Option.none() : Option.some(yield* vault.decrypt(kept.value, name))
        }),
        put: Effect.fn("Secrets.put")(function* (name, secret) {
          const sealed = yield* vault.encrypt(secret, name)
          if ((yield* store.putIfAbsent({ name, sealed })) !== sealed) yield* store.replace({ name, sealed })
        })
      }
    })
  )
}

/** Seals the same secret under the new key; one that is sealed under it already comes back as it was. */
export type Reseal = (sealed: string, context: string) => Effect.Effect<string, VaultError>

/** Sealed secrets of one feature. */
export interface RotatableSecret {
  /** Runs in the transaction of the rotation, and keeps others from adding a secret until its end. How many it moved. */
  readonly reseal: (anew: Reseal) => Stored<number, VaultError>
}

export class RotatableSecrets extends Context.Tag("corridor/RotatableSecrets")<
  RotatableSecrets,
  ReadonlyArray<RotatableSecret>
>() {}

/** Secrets by name take part in a change of the master key. */
export const rotatableNamedSecrets = Effect.map(SecretStore, (store): RotatableSecret => ({
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
