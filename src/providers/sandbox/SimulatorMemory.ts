/** In-memory store of the simulators. Writes wait for open transactions, whose rollback would undo them too. */
import { Clock, Effect, Layer, Option } from "effect"
import { memoryTable, openTables } from "../../platform/database/MemoryDatabase.ts"
import {
  isFinal,
  type NewSimulatorTimer,
  type SimulatorPayment,
  type SimulatorTimer,
  type StoredSimulatorTimer,
  SimulatorStore,
  announceTimers
} from "./SimulatorStore.ts"

export const simulatorTables = {
  simulatorPayments: memoryTable<SimulatorPayment>("simulatorPayments"),
  simulatorTimers: memoryTable<StoredSimulatorTimer>("simulatorTimers")
}

const timerOf = (
  { dueAt, leaseToken: _leaseToken, ...timer }: StoredSimulatorTimer,
  { kind, money }: SimulatorPayment,
  now: number
): SimulatorTimer => ({ ...timer, dueInMillis: dueAt - now, kind, money })

export const simulatorStoreMemory = Layer.effect(
  SimulatorStore,
  Effect.gen(function* () {
    const { atomically, simulatorPayments, simulatorTimers } = yield* openTables(simulatorTables)

    const atomicallyAt = <A>(write: (now: number) => A) => atomically(Effect.map(Clock.currentTimeMillis, write))

    const schedule = (payment: SimulatorPayment, timers: ReadonlyArray<NewSimulatorTimer>, now: number): void => {
      for (const { dueInMillis, occursInMillis, ...timer } of timers) {
        const { rail, reference } = payment
        const times = { occurredAt: new Date(now + occursInMillis), dueAt: now + dueInMillis }
        simulatorTimers.set(timer.timerId, { ...timer, ...times, rail, reference, leaseToken: null })
      }
    }

    const reach = ({ reason, reference, report }: StoredSimulatorTimer): void => {
      const payment = simulatorPayments.get(reference)
      if (payment !== undefined && !isFinal(payment.state))
        simulatorPayments.set(reference, { ...payment, state: report, reason })
    }

    const held = (token: string, timerIds: ReadonlyArray<string>) =>
      timerIds.flatMap((id) => {
        const timer = simulatorTimers.get(id)
        return timer?.leaseToken === token ? [timer] : []
      })

    return {
      open: (payment, timers) =>
        atomicallyAt((now) => {
          const kept = simulatorPayments.get(payment.reference)
          if (kept !== undefined) return kept
          simulatorPayments.set(payment.reference, payment)
          schedule(payment, timers, now)
          return payment
        }).pipe(Effect.tap((kept) => (kept === payment ? announceTimers(timers, false) : Effect.void))),
      find: (reference) => Effect.sync(() => simulatorPayments.one(reference)),
      change: (reference, decide) =>
        atomicallyAt((now) => {
          const payment = simulatorPayments.get(reference)
          if (payment === undefined) return Option.none()
          const [answer, change] = decide(payment)
          if (change === null) return Option.some({ answer, timers: [] })
          const { dropTimers = false, timers = [], ...fields } = change
          simulatorPayments.set(reference, { ...payment, ...fields })
          if (dropTimers) {
            for (const timer of simulatorTimers.all()) {
              if (timer.reference === reference) simulatorTimers.delete(timer.timerId)
            }
          }
          schedule(payment, timers, now)
          return Option.some({ answer, timers })
        }).pipe(
          Effect.tap(Option.match({ onNone: () => Effect.void, onSome: ({ timers }) => announceTimers(timers, true) })),
          Effect.map(Option.map(({ answer }) => answer))
        ),
      claim: ({ aheadMillis = 0, leaseMillis, limit, token }) =>
        atomicallyAt((now) => {
          const byDue = simulatorTimers.all().sort((a, b) => a.dueAt - b.dueAt || (a.timerId < b.timerId ? -1 : 1))
          const isHeld = ({ dueAt, leaseToken }: StoredSimulatorTimer) => leaseToken !== null && dueAt > now
          const heldPayments = new Set(byDue.filter(isHeld).map(({ reference }) => reference))
          const isDue = ({ dueAt, reference }: StoredSimulatorTimer) =>
            dueAt <= now + aheadMillis && !heldPayments.has(reference)
          const due = byDue.filter(isDue).slice(0, limit)
          for (const timer of due) {
            simulatorTimers.set(timer.timerId, { ...timer, dueAt: now + leaseMillis, leaseToken: token })
            reach(timer)
          }
          const next = Option.fromNullable(byDue.find((timer) => timer.dueAt > now + aheadMillis))
          const timers = due.flatMap((timer) => {
            const payment = simulatorPayments.get(timer.reference)
            return payment === undefined ? [] : [timerOf(timer, payment, now)]
          })
          return { timers, nextDueInMillis: Option.map(next, (timer) => timer.dueAt - now) }
        }),
      done: (token, timerIds) =>
        atomicallyAt(() => {
          for (const { timerId } of held(token, timerIds)) simulatorTimers.delete(timerId)
        }),
      postpone: (token, timerIds, millis) =>
        atomicallyAt((now) => {
          for (const timer of held(token, timerIds)) {
            simulatorTimers.set(timer.timerId, { ...timer, dueAt: now + millis, leaseToken: null })
          }
        })
    }
  })
)
