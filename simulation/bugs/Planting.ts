/** How bugs are planted: by the key of a service's tag, or into every provider. */
import { Effect } from "effect"
import { type Provider, Providers } from "../../src/providers/port/Provider.ts"
import type { Planted, Wrap } from "./Bug.ts"

export const planted = (key: { readonly key: string }, wrap: Wrap): Planted => new Map([[key.key, wrap]])

export const providing = (change: (provider: Provider) => Provider): Planted =>
  planted(Providers, (providers: (typeof Providers)["Service"]) => ({
    find: (...given: Parameters<(typeof providers)["find"]>) =>
      Effect.map(providers.find(...given), (found) => (found === undefined ? undefined : change(found)))
  }))
