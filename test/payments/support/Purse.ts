/** What a scripted provider really has of each reference, whatever the service makes of its words. */
import type { Money } from "../../../src/domain/Money.ts"
import type { Report } from "../../../src/domain/Outcome.ts"

interface Kept {
  readonly money: Money
  /** 1: it comes to the provider; -1: it goes from it. */
  readonly sign: 1n | -1n
  /** The reference that it gives money back of. */
  readonly of: string | null
  moved: Map<string, bigint>
  spoken: boolean
}

export interface Purse {
  readonly opened: (reference: string, money: Money, sign: Kept["sign"], of?: string) => void
  /** What it has told the service, by an answer, a callback or a look-up. */
  readonly told: (reference: string, state: string, received?: Money) => void
  /** It has taken so much back, or below zero given it back, once for a key; of another currency it has nothing. */
  readonly shrank: (reference: string, key: string, by: Money) => void
  /** What somebody who looked at its books has found, where it never said anything itself. */
  readonly found: (reference: string, moved: boolean) => void
  /** By currency, in minor units; nothing where it has nothing. */
  readonly holdings: () => ReadonlyMap<string, bigint>
}

export const makePurse = (): Purse => {
  const kept = new Map<string, Kept>()
  const disputes = new Set<string>()
  const move = (one: Kept, total: Money) => {
    const before = one.moved.get(total.currency) ?? 0n
    if (total.minor > before) one.moved.set(total.currency, total.minor)
  }
  const givenBackOf = (reference: string) => {
    const back = new Map<string, bigint>()
    for (const one of kept.values()) {
      if (one.of !== reference) continue
      for (const [currency, minor] of one.moved) back.set(currency, (back.get(currency) ?? 0n) + minor)
    }
    return back
  }
  return {
    opened: (reference, money, sign, of = undefined) => {
      if (kept.has(reference)) return
      kept.set(reference, { money, sign, of: of ?? null, moved: new Map(), spoken: false })
    },
    told: (reference, state, received) => {
      const one = kept.get(reference)
      if (one === undefined) return
      one.spoken ||= state === "completed" || state === "returned"
      if (state === ("completed" satisfies Report["state"]))
        move(one, (one.sign === 1n ? received : undefined) ?? one.money)
      // Taken back is what was still there: its parts that went back before went back once.
      if (state === ("returned" satisfies Report["state"])) one.moved = givenBackOf(reference)
    },
    shrank: (reference, key, { currency, minor }) => {
      const moved = disputes.has(key) ? undefined : kept.get(reference)?.moved
      disputes.add(key)
      const before = moved?.get(currency)
      if (moved === undefined || before === undefined) return
      const rest = before - minor
      const least = givenBackOf(reference).get(currency) ?? 0n
      moved.set(currency, rest < least ? least : rest)
    },
    found: (reference, moved) => {
      const one = kept.get(reference)
      if (one === undefined || one.spoken) return
      if (moved) move(one, one.money)
      else one.moved = new Map()
    },
    holdings: () => {
      const all = new Map<string, bigint>()
      for (const { moved, sign } of kept.values()) {
        for (const [currency, minor] of moved) all.set(currency, (all.get(currency) ?? 0n) + sign * minor)
      }
      return new Map([...all].filter(([, minor]) => minor !== 0n))
    }
  }
}
