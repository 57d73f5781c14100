/** How bugs are planted: by the key of a service's tag, into every provider, or into what is heard and written of a payment. */
import { Effect } from "effect"
import type { Movement } from "../../../src/domain/Movement.ts"
import { Accepted, Report } from "../../../src/domain/Outcome.ts"
import type { ProviderSignal } from "../../../src/domain/Settlement.ts"
import { RecordOutcome } from "../../../src/payments/settlement/RecordOutcome.ts"
import type { SignalContext } from "../../../src/payments/settlement/Movements.ts"
import type { Change } from "../../../src/payments/store/Change.ts"
import { PaymentStore, type Store } from "../../../src/payments/store/PaymentStore.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { type Provider, Providers } from "../../../src/providers/port/Provider.ts"

/** A bug that somebody might make, planted into the service from outside: a service or a store is wrapped as it is built. */
// A wrapper is written for one service, and kept beside those of others.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Wrap = (service: any) => any

/** Wrappers by the key of the service's tag. */
export type Planted = ReadonlyMap<string, Wrap>

export interface Bug {
  readonly name: string
  /** What a person would have written. */
  readonly about: string
  readonly planted: Planted
  /** The first seed, counted from 1, that shows it. */
  readonly foundBy: number
}

export const nothingPlanted: Planted = new Map()

export const planted = (key: { readonly key: string }, wrap: Wrap): Planted => new Map([[key.key, wrap]])

export const changingProvider = (change: (provider: Provider) => Provider): Planted =>
  planted(Providers, (providers: (typeof Providers)["Service"]) => ({
    find: (...given: Parameters<(typeof providers)["find"]>) =>
      Effect.map(providers.find(...given), (found) => (found === undefined ? undefined : change(found)))
  }))

export const changingWrite = (change: (one: Change) => Change): Planted =>
  planted(PaymentStore, (store: Store): Store => ({ ...store, apply: (one) => store.apply(change(one)) }))

type Recorder = (typeof RecordOutcome)["Service"]

/** `change` is made for each recorder: it may remember what it heard. */
export const changingSignals = (
  change: () => (signal: ProviderSignal, attemptId: string, source: SignalContext) => ProviderSignal
): Planted =>
  planted(RecordOutcome, (recorder: Recorder): Recorder => {
    const misheard = change()
    return {
      record: (known, signal, source) =>
        recorder.record(known, misheard(signal, known.attempt.attempt_id, source), source),
      recordByAttempt: (attempt, signal, source) =>
        recorder.recordByAttempt(attempt, misheard(signal, attempt.attempt_id, source), source),
      recordIfUnchanged: (known, signal, source) =>
        recorder.recordIfUnchanged(known, misheard(signal, known.attempt.attempt_id, source), source)
    }
  })

export const changingSignal = (change: (signal: ProviderSignal) => ProviderSignal): Planted =>
  changingSignals(() => change)

/** Of each transfer that a signal names, what somebody makes of it. */
export const withMovements = (
  signal: ProviderSignal,
  change: (movement: Movement) => ReadonlyArray<Movement>
): ProviderSignal => {
  if ((signal._tag !== "Report" && signal._tag !== "Accepted") || signal.movements === undefined) return signal
  const movements = signal.movements.flatMap(change)
  return signal._tag === "Report" ? new Report({ ...signal, movements }) : new Accepted({ ...signal, movements })
}

type Database = (typeof MemoryDatabase)["Service"]

/** With the rows of the database at hand, as a statement has them. */
export const withTables = (
  key: { readonly key: string },
  wrap: (service: never, database: () => Database) => unknown
): Planted => {
  let database: Database | undefined
  return new Map([
    ...planted(MemoryDatabase, (made: Database) => (database = made)),
    ...planted(key, (service) => wrap(service as never, () => database!))
  ])
}

export const without = <A extends object, K extends keyof A>(one: A, ...names: ReadonlyArray<K>): A => {
  const copy = { ...one }
  for (const name of names) delete copy[name]
  return copy
}
