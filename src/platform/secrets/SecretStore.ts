/** Sealed secrets at rest, by name; the name is also the context that each is sealed for. */
import { Context, type Option, Schema } from "effect"
import type { Stored } from "../database/DatabaseFailure.ts"

export const SealedSecret = Schema.Struct({ name: Schema.String, sealed: Schema.String })
export type SealedSecret = typeof SealedSecret.Type

interface Store {
  readonly find: (name: string) => Stored<Option.Option<string>>
  /** Keeps what is there already, and answers with what is kept. */
  readonly putIfAbsent: (secret: SealedSecret) => Stored<string>
  /** Until the end of the transaction nobody adds one: it waits instead of slipping past. */
  readonly hold: Stored<void>
  readonly replace: (secret: SealedSecret) => Stored<void>
  readonly all: Stored<ReadonlyArray<SealedSecret>>
}

export class SecretStore extends Context.Tag("corridor/SecretStore")<SecretStore, Store>() {}
