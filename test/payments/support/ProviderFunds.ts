/** Funds that a scripted provider has of each reference, apart from what the service records. */
import { Money } from "../../../src/domain/Money.ts"
import { type Movement, signOf } from "../../../src/domain/Movement.ts"
import type { Report } from "../../../src/domain/Outcome.ts"

interface Kept {
  readonly money: Money
  /** 1: it comes to the provider; -1: it goes from it. */
  readonly sign: 1n | -1n
  /** The reference that it gives money back of. */
  readonly of: string | null
  /** All that it has ever moved. */
  moved: Map<string, bigint>
  /** Sum that has gone the other way since, by the provider's own doing. */
  back: Map<string, bigint>
  spoken: boolean
  failed: boolean
}

export interface ProviderFunds {
  readonly opened: (reference: string, money: Money, sign: Kept["sign"], of?: string) => void
  /** Reports of the provider so far, by an answer, a callback or an enquiry. */
  readonly reported: (reference: string, state: string, received?: Money) => void
  /**
   * Takes so much back, or below zero gives it back, once for a key, also before it is reported. Of another currency it
   * has nothing.
   */
  readonly shrank: (reference: string, key: string, by: Money) => void
  /** Takes so much more than it had: a refund gave that back already. */
  readonly overdrew: (reference: string, by: Money) => void
  /** Takes so much back in all, whichever report says so. */
  readonly shrankTo: (reference: string, total: Money) => void
  /** States one transfer by its id: once, or of a total its growth. */
  readonly stated: (reference: string, movement: Movement) => void
  /** Adds what an operator found in the provider's books, without a report. */
  readonly found: (reference: string, moved: boolean) => void
  /** Kind of a reference; undefined for an unknown one. */
  readonly kindOf: (reference: string) => "payin" | "payout" | "refund" | undefined
  /** Sums by currency, in minor units, without zeros. */
  readonly holdings: () => ReadonlyMap<string, bigint>
}

export const makeFunds = (): ProviderFunds => {
  const kept = new Map<string, Kept>()
  const disputes = new Set<string>()
  const move = (one: Kept, total: Money) => {
    const before = one.moved.get(total.currency) ?? 0n
    if (total.minor > before) one.moved.set(total.currency, total.minor)
  }
  const stillMoved = ({ back, moved }: Kept, currency: string) =>
    (moved.get(currency) ?? 0n) - (back.get(currency) ?? 0n)
  const givenBackOf = (reference: string, currency: string) => {
    let sum = 0n
    for (const one of kept.values()) if (one.of === reference) sum += stillMoved(one, currency)
    return sum
  }
  const onItsWayFrom = (reference: string, currency: string) => {
    let sum = 0n
    for (const { failed, money, moved, of } of kept.values()) {
      if (of === reference && moved.size === 0 && !failed && money.currency === currency) sum += money.minor
    }
    return sum
  }
  /** Remaining sum: parts that went back before, or are about to, go back once. */
  const takeAll = (reference: string, one: Kept) => {
    for (const [currency, minor] of one.moved) {
      const parts = givenBackOf(reference, currency) + onItsWayFrom(reference, currency)
      one.back.set(currency, parts > minor ? 0n : minor - parts)
    }
  }
  const shrank: ProviderFunds["shrank"] = (reference, key, { currency, minor }) => {
    const one = disputes.has(key) ? undefined : kept.get(reference)
    disputes.add(key)
    const isHeardOf = one?.moved.has(currency) === true
    if (one === undefined || (!isHeardOf && one.money.currency !== currency)) return
    const before = one.back.get(currency) ?? 0n
    if (!isHeardOf && before + minor >= one.money.minor) move(one, one.money)
    const most = (one.moved.get(currency) ?? one.money.minor) - givenBackOf(reference, currency)
    one.back.set(currency, before + minor > most ? most : before + minor)
  }
  const stated = new Map<string, bigint>()
  return {
    shrank,
    stated: (reference, { amount, id, isTotal, kind, state }) => {
      const one = kept.get(reference)
      if (one === undefined || state !== "settled") return
      one.spoken = true
      const { currency, minor } = amount ?? one.money
      if (minor <= 0n) return
      const before = stated.get(`${kind} ${id}`)
      const more = before === undefined ? minor : isTotal === true && minor > before ? minor - before : 0n
      stated.set(`${kind} ${id}`, (before ?? 0n) + more)
      const forward = one.of !== null ? "refund" : one.sign === 1n ? "collection" : "disbursement"
      const [sums, by] = kind === forward ? [one.moved, more] : [one.back, -signOf(kind) * one.sign * more]
      sums.set(currency, (sums.get(currency) ?? 0n) + by)
    },
    overdrew: (reference, { currency, minor }) => {
      const back = kept.get(reference)?.back
      back?.set(currency, (back.get(currency) ?? 0n) + minor)
    },
    shrankTo: (reference, { currency, minor }) => {
      const more = minor - (kept.get(reference)?.back.get(currency) ?? 0n)
      if (more > 0n) shrank(reference, `${reference} in all ${minor}`, new Money({ currency, minor: more }))
    },
    kindOf: (reference) => {
      const one = kept.get(reference)
      if (one === undefined) return undefined
      return one.of !== null ? "refund" : one.sign === 1n ? "payin" : "payout"
    },
    opened: (reference, money, sign, of = undefined) => {
      if (kept.has(reference)) return
      kept.set(reference, {
        money,
        sign,
        of: of ?? null,
        moved: new Map(),
        back: new Map(),
        spoken: false,
        failed: false
      })
    },
    reported: (reference, state, received) => {
      const one = kept.get(reference)
      if (one === undefined) return
      one.failed ||= state === "failed"
      one.spoken ||= state === "completed" || state === "returned"
      if (state === ("completed" satisfies Report["state"]))
        move(one, (one.sign === 1n ? received : undefined) ?? one.money)
      if (state === ("returned" satisfies Report["state"])) {
        // Money that comes back was there before, whether reported or not.
        if (one.moved.size === 0) move(one, one.money)
        takeAll(reference, one)
      }
    },
    found: (reference, moved) => {
      const one = kept.get(reference)
      if (one === undefined || one.spoken) return
      if (moved) move(one, one.money)
      else [one.moved, one.back] = [new Map(), new Map()]
    },
    holdings: () => {
      const all = new Map<string, bigint>()
      for (const one of kept.values()) {
        for (const currency of new Set([...one.moved.keys(), ...one.back.keys()])) {
          all.set(currency, (all.get(currency) ?? 0n) + one.sign * stillMoved(one, currency))
        }
      }
      return new Map([...all].filter(([, minor]) => minor !== 0n))
    }
  }
}
