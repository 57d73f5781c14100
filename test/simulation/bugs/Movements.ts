/** Bugs in provider movements, allocations and disputes. */
import { Effect, Either } from "effect"
import type { MovementKind, Movement } from "../../../src/domain/Movement.ts"
import { Money } from "../../../src/domain/Money.ts"
import { ledgerTables } from "../../../src/money/ledger/LedgerMemory.ts"
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
import type { ProviderSignal } from "../../../src/domain/PaymentStatusRules.ts"

type ReportedMovement = NonNullable<Change["movements"]>[number]
type Allocated = NonNullable<Change["allocations"]>[number]

const changingMovements = (
  change: (movement: ReportedMovement, of: Change) => ReadonlyArray<ReportedMovement>
): Planted =>
  changingWrite((one) =>
    one.movements === undefined
      ? one
      : { ...one, movements: one.movements.flatMap((reported) => change(reported, one)) }
  )

const changingAllocations = (change: (allocation: Allocated) => ReadonlyArray<Allocated>): Planted =>
  changingWrite((one) =>
    one.allocations === undefined ? one : { ...one, allocations: one.allocations.flatMap(change) }
  )

const withoutPatch = (...names: ReadonlyArray<keyof Change["patch"]>): Planted =>
  changingWrite((one) => ({ ...one, patch: without(one.patch, ...names) }))

/** Adds a reported total to the previous total. */
const added = (reported: ReportedMovement, { booksBefore: stood }: Change): ReportedMovement => {
  const before = stood?.movements.find(
    ({ kind, movement_id }) => kind === reported.kind && movement_id === reported.movement_id
  )
  if (!reported.is_total || before === undefined) return reported
  const { currency, minor } = reported.amount
  return { ...reported, amount: new Money({ currency, minor: minor + before.amount.minor }) }
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

export const movementBugs: ReadonlyArray<Bug> = [
  {
    name: "callbacks and enquiries name a transfer differently",
    foundBy: 8,
    planted: changingSignals(
      () => (signal, _, source) =>
        source.callback === undefined ? signal : withMovements(signal, (one) => [{ ...one, id: `callback ${one.id}` }])
    )
  },
  {
    name: "all collections of a payment share an id",
    foundBy: 11,
    planted: changingSignal((signal) =>
      withMovements(signal, (one) => [one.kind === "collection" ? { ...one, id: "it came" } : one])
    )
  },
  {
    name: "a reversal is booked as a reinstatement",
    foundBy: 11,
    planted: changingSignal((signal) =>
      withMovements(signal, (one) => [{ ...one, kind: swapped[one.kind] ?? one.kind }])
    )
  },
  {
    name: "a reported total is added to the previous total",
    foundBy: 218,
    planted: changingMovements((reported, change) => [added(reported, change)])
  },
  {
    name: "a stated movement is booked again when reported",
    foundBy: 11,
    planted: changingMovements((reported) => [without(reported, "replaces")])
  },
  {
    name: "movements of failed payments are dropped",
    foundBy: 6,
    planted: changingMovements((reported, { payment, status }) =>
      payment.status === "failed" && status === "failed" && reported.source !== "operator" ? [] : [reported]
    )
  },
  {
    name: "a refund's movement has no refund id",
    foundBy: 23,
    planted: changingMovements((reported) => [{ ...reported, refund_id: null }])
  },
  {
    name: "the collecting attempt is not stored",
    foundBy: 1,
    planted: withoutPatch("taken_by")
  },
  {
    name: "the refunded amount is not stored",
    foundBy: 45,
    planted: withoutPatch("refunded")
  },
  {
    name: "an allocation is written twice",
    foundBy: 11,
    planted: changingAllocations((one) => [one, { ...one, allocation_id: one.allocation_id.replace(/.$/, "z") }])
  },
  {
    name: "borne losses are not allocated",
    foundBy: 16,
    planted: changingAllocations((one) => (one.amount.isNegative ? [] : [one]))
  },
  {
    name: "reinstated money is not allocated to who bore it",
    foundBy: 47,
    planted: changingAllocations((one) => (one.by === null ? [] : [one]))
  },
  {
    name: "a receivable is never paid",
    foundBy: 143,
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

export const disputeBugs: ReadonlyArray<Bug> = [
  {
    name: "a won dispute is ignored",
    foundBy: 47,
    planted: changingSignal((signal) =>
      isWon(signal) ? withMovements(signal, (one) => (one.kind === "reinstatement" ? [] : [one])) : signal
    )
  },
  {
    name: "a second dispute is ignored",
    foundBy: 117,
    planted: changingSignals(secondTime(() => []))
  },
  {
    name: "a second dispute includes the first",
    foundBy: 117,
    planted: changingSignals(
      secondTime((movement, before) => [
        { ...movement, amount: Either.getOrThrow(before.amount!.add(movement.amount!)) }
      ])
    )
  }
]
