/** Every address that a name has right now. */
import { lookup } from "node:dns/promises"
import { Context, Data, Effect } from "effect"
import { dnsTimeout } from "../../domain/Policies.ts"

export class NameUnresolved extends Data.TaggedError("NameUnresolved")<{ readonly reason: string }> {}

export interface NameLookup {
  readonly lookup: (name: string) => Effect.Effect<ReadonlyArray<string>, NameUnresolved>
}

const reasonOf = (cause: unknown): string => {
  const code = (cause as { readonly code?: unknown }).code
  return typeof code === "string" ? code : "UNKNOWN"
}

/** As the machine's own connections would resolve it, its hosts file included. */
const system: NameLookup = {
  lookup: (name) =>
    Effect.tryPromise({
      try: () => lookup(name, { all: true, verbatim: true }),
      catch: (cause) => new NameUnresolved({ reason: reasonOf(cause) })
    }).pipe(
      Effect.map((found) => found.map(({ address }) => address)),
      Effect.timeoutFail({ duration: dnsTimeout, onTimeout: () => new NameUnresolved({ reason: "TIMEOUT" }) })
    )
}

/** The machine's resolver, unless another is provided. */
export class Dns extends Context.Reference<Dns>()("corridor/Dns", { defaultValue: () => system }) {}
