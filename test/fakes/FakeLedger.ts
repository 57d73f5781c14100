/** Ledger of a fake: every order that it took, and what it moved. */
import type { AnyCurrencyCode } from "../../src/domain/Currency.ts"
import type { Money } from "../../src/domain/Money.ts"
import type { Scenario } from "./MagicAmounts.ts"

export interface Entry {
  /** The provider's own id. */
  readonly id: string
  /** The caller's. */
  readonly reference: string
  readonly kind: "payin" | "payout" | "refund"
  readonly asked: Money
  readonly scenario: Scenario
  /** `waiting`: for the customer. */
  state: "waiting" | "processing" | "completed" | "failed" | "returned"
  /** The amount that moved; less than asked for in some scenarios. */
  moved: Money
  /** Of a payin: what it has taken back of it since, in minor units. */
  takenBack: bigint
  reason: string | null
  readonly createdAt: Date
  /** Of a refund: the id of what it gives back. */
  readonly of: string | null
  /** Whatever else the fake must remember. */
  readonly kept: Record<string, unknown>
}

export interface FakeLedger {
  /** The entry of the reference, made now where there is none: a repeated order is never a second one. */
  readonly open: (entry: Entry) => { readonly entry: Entry; readonly isNew: boolean }
  readonly byReference: (kind: Entry["kind"], reference: string) => Entry | undefined
  readonly byId: (id: string) => Entry | undefined
  readonly all: () => ReadonlyArray<Entry>
  /** What it took in less what it gave out, by currency. */
  readonly holdings: () => ReadonlyMap<AnyCurrencyCode, bigint>
}

export const makeFakeLedger = (): FakeLedger => {
  const entries = new Map<string, Entry>()
  const ids = new Map<string, Entry>()
  const keyOf = (kind: Entry["kind"], reference: string) => `${kind} ${reference}`
  return {
    open: (entry) => {
      const known = entries.get(keyOf(entry.kind, entry.reference))
      if (known !== undefined) return { entry: known, isNew: false }
      entries.set(keyOf(entry.kind, entry.reference), entry)
      ids.set(entry.id, entry)
      return { entry, isNew: true }
    },
    byReference: (kind, reference) => entries.get(keyOf(kind, reference)),
    byId: (id) => ids.get(id),
    all: () => [...entries.values()],
    holdings: () => {
      const held = new Map<AnyCurrencyCode, bigint>()
      for (const { kind, moved, state, takenBack } of entries.values()) {
        if (state !== "completed") continue
        const signed = kind === "payin" ? moved.minor - takenBack : -moved.minor
        held.set(moved.currency, (held.get(moved.currency) ?? 0n) + signed)
      }
      return held
    }
  }
}
