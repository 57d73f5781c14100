/** Wrappers that plant bugs: by a service's tag, into providers, provider signals or writes of payments. */
import { type Context, Effect } from "effect"
import type { Movement } from "../../../src/domain/Movement.ts"
import { Accepted, Report } from "../../../src/domain/Outcome.ts"
import type { ProviderSignal } from "../../../src/domain/PaymentStatusRules.ts"
import { RecordOutcome } from "../../../src/payments/settlement/RecordOutcome.ts"
import type { SignalContext } from "../../../src/payments/settlement/SignalContext.ts"
import type { Change } from "../../../src/payments/store/Change.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { type Provider, Providers } from "../../../src/providers/port/Provider.ts"

// Wrappers of different services are kept in one map.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Wrap = (service: any) => any

/** Wrappers by the key of the service's tag. */
export type Planted = ReadonlyMap<string, Wrap>

export interface Bug {
  readonly name: string
  readonly planted: Planted
  /** A seed that found it when it was written, counted from 1. */
  readonly foundBy: number
}

export const nothingPlanted: Planted = new Map()

export const planted = (key: { readonly key: string }, wrap: Wrap): Planted => new Map([[key.key, wrap]])

/** Replaces some members of a service. */
export const overriding = <I, S extends object>(
  tag: Context.Tag<I, S>,
  override: (service: S) => Partial<S>
): Planted => planted(tag, (service: S) => ({ ...service, ...override(service) }))

export const changingProvider = (change: (provider: Provider) => Provider): Planted =>
  planted(Providers, (providers: (typeof Providers)["Service"]) => ({
    find: (...given: Parameters<(typeof providers)["find"]>) =>
      Effect.map(providers.find(...given), (found) => (found === undefined ? undefined : change(found)))
  }))

export const changingWrite = (change: (one: Change) => Change): Planted =>
  overriding(PaymentStore, (store) => ({ apply: (one) => store.apply(change(one)) }))

type Recorder = (typeof RecordOutcome)["Service"]

/** `change` is made once for each recorder and may keep state. */
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

/** Replaces the movements of a signal. */
export const withMovements = (
  signal: ProviderSignal,
  change: (movement: Movement) => ReadonlyArray<Movement>
): ProviderSignal => {
  if ((signal._tag !== "Report" && signal._tag !== "Accepted") || signal.movements === undefined) return signal
  const movements = signal.movements.flatMap(change)
  return signal._tag === "Report" ? new Report({ ...signal, movements }) : new Accepted({ ...signal, movements })
}

type Database = (typeof MemoryDatabase)["Service"]

/** Wraps a service with access to the memory tables. */
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
