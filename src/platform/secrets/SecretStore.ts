/** Sealed secrets at rest, by name; the name is also the context that each is sealed for. */
import { Context, type Effect, type Option, Schema } from "effect"

export const SealedSecret = Schema.Struct({ name: Schema.String, sealed: Schema.String })
export type SealedSecret = typeof SealedSecret.Type

interface Store {
  readonly find: (name: string) => Effect.Effect<Option.Option<string>>
  /** Keeps what is there already, and answers with what is kept. */
  readonly putIfAbsent: (secret: SealedSecret) => Effect.Effect<string>
  /** Until the end of the transaction nobody adds one: it waits instead of slipping past. */
  readonly hold: Effect.Effect<void>
  readonly replace: (secret: SealedSecret) => Effect.Effect<void>
  readonly all: Effect.Effect<ReadonlyArray<SealedSecret>>
}

export class SecretStore extends Context.Tag("corridor/SecretStore")<SecretStore, Store>() {}
