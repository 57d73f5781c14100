/** Where sealed secrets are: each feature that seals something adds its own place. */
import { Context, type Effect } from "effect"
import type { VaultError } from "./Vault.ts"
import type { Stored } from "../database/DatabaseFailure.ts"

/** Seals the same secret under the new key; one that is sealed under it already comes back as it was. */
export type Reseal = (sealed: string, context: string) => Effect.Effect<string, VaultError>

export interface SealedPlace {
  /** Runs in the transaction of the rotation, and keeps others from adding a secret until its end. How many it moved. */
  readonly reseal: (anew: Reseal) => Stored<number, VaultError>
}

export class SealedPlaces extends Context.Tag("corridor/SealedPlaces")<SealedPlaces, ReadonlyArray<SealedPlace>>() {}
