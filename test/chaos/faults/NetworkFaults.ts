/** Faults of connections: cut, slow or silent. */
import { Effect } from "effect"
import type { Chance } from "../../simulation/world/Chance.ts"
import type { ProxyMode, Proxy } from "../environment/Proxy.ts"
import type { FaultKind } from "./Fault.ts"

const setMode = (proxies: ReadonlyArray<Proxy>, mode: ProxyMode) =>
  Effect.sync(() => proxies.forEach((proxy) => proxy.setMode(mode)))

const between = (proxies: ReadonlyArray<Proxy>, mode: ProxyMode) => ({
  begin: setMode(proxies, mode),
  end: setMode(proxies, "open")
})

const someOf = <A>(all: ReadonlyArray<A>, chance: Chance, purpose: string): ReadonlyArray<A> => {
  const some = all.filter((_, at) => chance.happens(0.5, `${purpose} hits ${at}`))
  return some.length === 0 ? [chance.pick(all, `${purpose} hits`)] : some
}

const toDatabase = (
  name: string,
  lasts: FaultKind["lasts"],
  modeOf: (chance: Chance, purpose: string) => ProxyMode
): FaultKind => ({
  name: `database ${name}`,
  lasts,
  make: ({ instances }, chance, purpose) => {
    const affects = someOf(instances, chance, purpose)
    const mode = modeOf(chance, purpose)
    return {
      affects,
      ...between(
        affects.map(({ database }) => database),
        mode
      )
    }
  }
})

const toProviders = (
  name: string,
  lasts: FaultKind["lasts"],
  modeOf: (chance: Chance, purpose: string) => ProxyMode
): FaultKind => ({
  name: `providers ${name}`,
  lasts,
  make: ({ instances, providers }, chance, purpose) => ({
    affects: instances,
    ...between(someOf(providers, chance, purpose), modeOf(chance, purpose))
  })
})

const cut = (): ProxyMode => "refuses"
const silent = (): ProxyMode => "silent"
const slow = (chance: Chance, purpose: string): ProxyMode => ({
  delayMillis: chance.between(30, 400, `${purpose} delay`)
})

export const databaseCut = toDatabase("cut off", [300, 6_000], cut)
export const databaseSilent = toDatabase("silent", [1_000, 15_000], silent)
export const databaseSlow = toDatabase("slow", [2_000, 6_000], slow)

export const providersCut = toProviders("cut off", [500, 6_000], cut)
export const providersSilent = toProviders("silent", [1_000, 8_000], silent)
export const providersSlow = toProviders("slow", [2_000, 6_000], slow)

export const callbacksCut: FaultKind = {
  name: "callbacks cut off",
  lasts: [1_000, 6_000],
  make: ({ front, instances }) => ({ affects: instances, ...between([front], "refuses") })
}
