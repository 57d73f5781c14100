/** Bugs in provider movements, allocations and disputes. */
import { Effect, Either } from "effect"
import type { MovementKind, Movement } from "../../../src/domain/Movement.ts"
import { Money } from "../../../src/domain/Money.ts"
import { ledgerTables } from "../../../src/money/ledger/PostInMemory.ts"
import type { Change } from "../../../src/payments/store/Change.ts"
import { PaymentStore, type Store } from "../../../src/payments/store/PaymentStore.ts"
import {
  type Bug,
  type Planted,
  changingWrite,
  changingSignal,
  changingSignals,
  withMovements,
  withTables,
  without
} from "./Planting.ts"
import type { ProviderSignal } from "../../../src/domain/Settlement.ts"

type ReportedMovement = NonNullable<Change["movements"]>[number]
type Allocated = NonNullable<Change["allocations"]>[number]

const changingMovements = (
  change: (movement: ReportedMovement, of: Change) => ReadonlyArray<ReportedMovement>
): Planted =>
  changingWrite((one) =>
    one.movements === undefined ? one : { ...one, movements: one.movements.flatMap((heard) => change(heard, one)) }
  )

const changingAllocations = (change: (allocation: Allocated) => ReadonlyArray<Allocated>): Planted =>
  changingWrite((one) =>
    one.allocations === undefined ? one : { ...one, allocations: one.allocations.flatMap(change) }
  )

const withoutPatch = (...names: ReadonlyArray<keyof Change["patch"]>): Planted =>
  changingWrite((one) => ({ ...one, patch: without(one.patch, ...names) }))

/** Adds a reported total to the previous total. */
const added = (heard: ReportedMovement, { booksBefore: stood }: Change): ReportedMovement => {
  const before = stood?.movements.find(
    ({ kind, movement_id }) => kind === heard.kind && movement_id === heard.movement_id
  )
  if (!heard.is_total || before === undefined) return heard
  const { currency, minor } = heard.amount
  return { ...heard, amount: new Money({ currency, minor: minor + before.amount.minor }) }
}

const swapped: Readonly<Partial<Record<MovementKind, MovementKind>>> = { reversal: "reinstatement" }

/** Deletes the postings that pay receivables. */
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
    planted: changingSignals(
      () => (signal, _, source) =>
        source.callback === undefined ? signal : withMovements(signal, (one) => [{ ...one, id: `callback ${one.id}` }])
    )
  },
  {
    name: "a transfer has the id of its payment",
    about: "all that came for a payment is called by the same id, so that a second payment by its payer is not seen",
    planted: changingSignal((signal) =>
      withMovements(signal, (one) => [one.kind === "collection" ? { ...one, id: "it came" } : one])
    )
  },
  {
    name: "a reversal is taken for a reinstatement",
    about: "what was taken back is booked as if it had come",
    planted: changingSignal((signal) =>
      withMovements(signal, (one) => [{ ...one, kind: swapped[one.kind] ?? one.kind }])
    )
  },
  {
    name: "a sum that grows is added up",
    about: "what a provider tells as a total is added to the total before",
    planted: changingMovements((heard, change) => [added(heard, change)])
  },
  {
    name: "what an operator stated stands beside what its provider says",
    about: "a transfer that a person recorded is booked again when its provider names it",
    planted: changingMovements((heard) => [without(heard, "replaces")])
  },
  {
    name: "what moves after a failure is dropped",
    about: "nothing is recorded of a payment that has failed",
    planted: changingMovements((heard, { payment, status }) =>
      payment.status === "failed" && status === "failed" && heard.source !== "operator" ? [] : [heard]
    )
  },
  {
    name: "a refund does not know its transfer",
    about: "what a refund has moved is recorded without the refund",
    planted: changingMovements((heard) => [{ ...heard, refund_id: null }])
  },
  {
    name: "who collected is forgotten",
    about: "the attempt that took the money is not written down with the payment",
    planted: withoutPatch("taken_by")
  },
  {
    name: "what went back is not kept on the record",
    about: "a chargeback, or a refund, leaves what the record says was refunded",
    planted: withoutPatch("refunded")
  },
  {
    name: "an allocation is made twice",
    about: "what a person decides on is written under two ids",
    planted: changingAllocations((one) => [one, { ...one, allocation_id: one.allocation_id.replace(/.$/, "z") }])
  },
  {
    name: "what is borne is not booked",
    about: "a person says that the organisation bears it, and nothing is allocated",
    planted: changingAllocations((one) => (one.amount.isNegative ? [] : [one]))
  },
  {
    name: "the platform keeps a dispute that is won",
    about: "what comes back of money that an organisation has borne waits for a person",
    planted: changingAllocations((one) => (one.by === null ? [] : [one]))
  },
  {
    name: "a debt is never paid",
    about: "what an organisation owes stays although it has money again",
    planted: unpaid
  }
]

const isWon = (signal: ProviderSignal): boolean =>
  (signal._tag === "Report" || signal._tag === "Accepted") && signal.state === "completed"

/** Changes every reversal of an attempt after the first. */
const secondTime = (change: (movement: Movement, before: Movement) => ReadonlyArray<Movement>) => () => {
  const taken = new Map<string, Movement>()
  return (signal: ProviderSignal, attemptId: string): ProviderSignal =>
    withMovements(signal, (movement) => {
      if (movement.kind !== "reversal") return [movement]
      const before = taken.get(attemptId)
      if (before === undefined) taken.set(attemptId, movement)
      return before === undefined || before.id === movement.id ? [movement] : change(movement, before)
    })
}

export const disputeBugs: ReadonlyArray<Omit<Bug, "foundBy">> = [
  {
    name: "a dispute that is won is not noticed",
    about: "what is given back after a dispute is taken for the word that the payment was completed",
    planted: changingSignal((signal) =>
      isWon(signal) ? withMovements(signal, (one) => (one.kind === "reinstatement" ? [] : [one])) : signal
    )
  },
  {
    name: "a second dispute is not booked",
    about: "who has disputed a payment once is taken to say it again",
    planted: changingSignals(secondTime(() => []))
  },
  {
    name: "a second dispute is booked with the first",
    about: "what a provider takes is added to what it took before, and all of that booked again",
    planted: changingSignals(
      secondTime((movement, before) => [
        { ...movement, amount: Either.getOrThrow(before.amount!.add(movement.amount!)) }
      ])
    )
  }
]
