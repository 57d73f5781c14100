/** Bugs about transfers of money at providers, where they belong, and what an organisation bears of them. */
import { Effect } from "effect"
import type { MovementKind } from "../../../src/domain/Movement.ts"
import { Money } from "../../../src/domain/Money.ts"
import { ledgerTables } from "../../../src/money/ledger/PostInMemory.ts"
import type { Change } from "../../../src/payments/store/Change.ts"
import { PaymentStore, type Store } from "../../../src/payments/store/PaymentStore.ts"
import type { Bug, Planted } from "./Bug.ts"
import { changing, hearing, mishearing, retold, withTables, without } from "./Planting.ts"

type Heard = NonNullable<Change["movements"]>[number]
type Allocated = NonNullable<Change["allocations"]>[number]

const moving = (change: (movement: Heard, of: Change) => ReadonlyArray<Heard>): Planted =>
  changing((one) =>
    one.movements === undefined ? one : { ...one, movements: one.movements.flatMap((heard) => change(heard, one)) }
  )

const allocating = (change: (allocation: Allocated) => ReadonlyArray<Allocated>): Planted =>
  changing((one) => (one.allocations === undefined ? one : { ...one, allocations: one.allocations.flatMap(change) }))

const patching = (...names: ReadonlyArray<keyof Change["patch"]>): Planted =>
  changing((one) => ({ ...one, patch: without(one.patch, ...names) }))

/** A sum that is added to the one before, as though it were one more transfer. */
const added = (heard: Heard, { booksBefore: stood }: Change): Heard => {
  const before = stood?.movements.find(
    ({ kind, movement_id }) => kind === heard.kind && movement_id === heard.movement_id
  )
  if (!heard.is_total || before === undefined) return heard
  const { currency, minor } = heard.amount
  return { ...heard, amount: new Money({ currency, minor: minor + before.amount.minor }) }
}

const swapped: Readonly<Partial<Record<MovementKind, MovementKind>>> = { reversal: "reinstatement" }

/** Undoes what pays debts. */
const unpaid = withTables(PaymentStore, (store: Store, database): Store => ({
  ...store,
  apply: (change) =>
    Effect.tap(store.apply(change), () =>
      Effect.sync(() => {
        const { ledgerBalances, ledgerPostings } = database().open(ledgerTables)
        for (const [key, { account, amount, kind }] of ledgerPostings) {
          if (kind !== "receivable_payment") continue
          const row = ledgerBalances.get(account)!
          const balance = new Money({ currency: amount.currency, minor: row.balance.minor - amount.minor })
          ledgerBalances.set(account, { ...row, balance })
          ledgerPostings.delete(key)
        }
      })
    )
}))

export const movementBugs: ReadonlyArray<Omit<Bug, "foundBy">> = [
  {
    name: "a callback gives a transfer another id",
    about: "callbacks and look-ups call one transfer by two ids, and it is booked twice",
    planted: mishearing(
      () => (signal, _, source) =>
        source.callback === undefined ? signal : retold(signal, (one) => [{ ...one, id: `callback ${one.id}` }])
    )
  },
  {
    name: "a transfer has the id of its payment",
    about: "all that came for a payment is called by the same id, so that a second payment by its payer is not seen",
    planted: hearing((signal) => retold(signal, (one) => [one.kind === "collection" ? { ...one, id: "it came" } : one]))
  },
  {
    name: "a reversal is taken for a reinstatement",
    about: "what was taken back is booked as if it had come",
    planted: hearing((signal) => retold(signal, (one) => [{ ...one, kind: swapped[one.kind] ?? one.kind }]))
  },
  {
    name: "a sum that grows is added up",
    about: "what a provider tells as a total is added to the total before",
    planted: moving((heard, change) => [added(heard, change)])
  },
  {
    name: "what an operator stated stands beside what its provider says",
    about: "a transfer that a person recorded is booked again when its provider names it",
    planted: moving((heard) => [without(heard, "replaces")])
  },
  {
    name: "what moves after a failure is dropped",
    about: "nothing is recorded of a payment that has failed",
    planted: moving((heard, { payment, status }) =>
      payment.status === "failed" && status === "failed" && heard.source !== "operator" ? [] : [heard]
    )
  },
  {
    name: "a refund does not know its transfer",
    about: "what a refund has moved is recorded without the refund",
    planted: moving((heard) => [{ ...heard, refund_id: null }])
  },
  {
    name: "who collected is forgotten",
    about: "the attempt that took the money is not written down with the payment",
    planted: patching("taken_by")
  },
  {
    name: "what went back is not kept on the record",
    about: "a chargeback, or a refund, leaves what the record says was refunded",
    planted: patching("refunded")
  },
  {
    name: "an allocation is made twice",
    about: "what a person decides on is written under two ids",
    planted: allocating((one) => [one, { ...one, allocation_id: one.allocation_id.replace(/.$/, "z") }])
  },
  {
    name: "what is borne is not booked",
    about: "a person says that the organisation bears it, and nothing is allocated",
    planted: allocating((one) => (one.amount.isNegative ? [] : [one]))
  },
  {
    name: "the platform keeps a dispute that is won",
    about: "what comes back of money that an organisation has borne waits for a person",
    planted: allocating((one) => (one.by === null ? [] : [one]))
  },
  {
    name: "a debt is never paid",
    about: "what an organisation owes stays although it has money again",
    planted: unpaid
  }
]
