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
  /** Sum taken back of a payin since, in minor units. */
  takenBack: bigint
  reason: string | null
  readonly createdAt: Date
  /** Id of the payin that a refund gives back. */
  readonly of: string | null
  /** Further state of the fake. */
  readonly kept: Record<string, unknown>
}

export interface FakeLedger {
  /** Adds the entry, also under a reference that it has: whether an order is taken once is the fake's to decide. */
  readonly open: (entry: Entry) => void
  /** The first of this reference. */
  readonly byReference: (kind: Entry["kind"], reference: string) => Entry | undefined
  readonly byId: (id: string) => Entry | undefined
  readonly all: () => ReadonlyArray<Entry>
  /** Sum taken in less sum given out, by currency. */
  readonly holdings: () => ReadonlyMap<AnyCurrencyCode, bigint>
}

export const makeFakeLedger = (): FakeLedger => {
  const entries: Array<Entry> = []
  const references = new Map<string, Entry>()
  const ids = new Map<string, Entry>()
  const keyOf = (kind: Entry["kind"], reference: string) => `${kind} ${reference}`
  const addFirst = (to: Map<string, Entry>, key: string, entry: Entry) => void (to.has(key) || to.set(key, entry))
  return {
    open: (entry) => {
      entries.push(entry)
      addFirst(references, keyOf(entry.kind, entry.reference), entry)
      addFirst(ids, entry.id, entry)
    },
    byReference: (kind, reference) => references.get(keyOf(kind, reference)),
    byId: (id) => ids.get(id),
    all: () => [...entries],
    holdings: () => {
      const held = new Map<AnyCurrencyCode, bigint>()
      for (const { kind, moved, state, takenBack } of entries) {
        if (state !== "completed") continue
        const signed = kind === "payin" ? moved.minor - takenBack : -moved.minor
        held.set(moved.currency, (held.get(moved.currency) ?? 0n) + signed)
      }
      return held
    }
  }
}
