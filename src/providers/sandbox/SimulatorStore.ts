/** The memory of the built-in rails: payments, and the callbacks to come as rows, which outlive any process. */
import { Context, type Option, Duration, Effect, Queue } from "effect"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { BuiltInRail } from "../../domain/Corridor.ts"
import type { Money } from "../../domain/Money.ts"
import type { MovementKind } from "../../domain/Movement.ts"
import type { NextAction } from "../../domain/Outcome.ts"
import type { Behaviour } from "./SimulatorBehaviour.ts"
import { workerPoll } from "../../domain/policies/ServerPolicies.ts"

/** What a built-in rail remembers of a payment, as a third party would: nothing of ours but the reference. */
export const simulatorStates = ["pending", "processing", "completed", "failed"] as const
export type SimulatorState = (typeof simulatorStates)[number]

export const isFinal = (state: SimulatorState): boolean => state === "completed" || state === "failed"

/** The first answer, kept so that a repeated order gets the same one. */
export interface SimulatorAnswer {
  readonly state: "pending" | "processing"
  readonly nextAction: NextAction | null
  readonly actionData: Readonly<Record<string, string>>
}

export const simulatorKinds = ["collection", "disbursement", "refund"] as const satisfies ReadonlyArray<MovementKind>
export type SimulatorKind = (typeof simulatorKinds)[number]

export interface SimulatorPayment {
  readonly reference: string
  readonly rail: BuiltInRail
  /** What it moves once it completes. */
  readonly kind: SimulatorKind
  readonly state: SimulatorState
  readonly behaviour: Behaviour
  readonly money: Money
  /** Why it failed. */
  readonly reason: string | null
  readonly answer: SimulatorAnswer
  readonly wrongPasswords: number
}

/** A callback to come. Two of one event are a callback sent twice. */
export interface NewSimulatorTimer {
  readonly timerId: string
  readonly eventId: string
  readonly report: SimulatorState
  readonly reason: string | null
  readonly occursInMillis: number
  readonly dueInMillis: number
}

export interface SimulatorTimer
  extends
    Omit<NewSimulatorTimer, "occursInMillis" | "dueInMillis">,
    Pick<SimulatorPayment, "rail" | "reference" | "kind" | "money"> {
  readonly occurredAt: Date
}

export interface StoredSimulatorTimer extends Omit<SimulatorTimer, "kind" | "money"> {
  readonly dueAt: number
  readonly leaseToken: string | null
}

/** What becomes of a payment; `dropTimers` takes back the callbacks that have not been claimed. */
export interface SimulatorChange extends Partial<Pick<SimulatorPayment, "state" | "reason" | "wrongPasswords">> {
  readonly dropTimers?: boolean
  readonly timers?: ReadonlyArray<NewSimulatorTimer>
}

export interface ClaimedTimers {
  readonly timers: ReadonlyArray<SimulatorTimer>
  /** None when no other timer is there. */
  readonly nextDueInMillis: Option.Option<number>
}

export class SimulatorStore extends Context.Tag("corridor/SimulatorStore")<
  SimulatorStore,
  {
    /** Keeps the payment that has the reference already, with its timers, and answers with the one that is kept. */
    readonly open: (payment: SimulatorPayment, timers: ReadonlyArray<NewSimulatorTimer>) => Stored<SimulatorPayment>
    readonly find: (reference: string) => Stored<Option.Option<SimulatorPayment>>
    /** Decides on the payment as it is, one decision at a time; none when there is no such payment. */
    readonly change: <A>(
      reference: string,
      decide: (payment: SimulatorPayment) => readonly [answer: A, change: SimulatorChange | null]
    ) => Stored<Option.Option<A>>
    /**
     * The due timers, in the order in which they fell due, but none of a payment of which another is held; the payments
     * take the state that their timers report.
     */
    readonly claim: (token: string, limit: number, leaseMillis: number) => Stored<ClaimedTimers>
    /** Both touch only timers that are still held under the token. */
    readonly done: (token: string, timerIds: ReadonlyArray<string>) => Stored<void>
    readonly postpone: (token: string, timerIds: ReadonlyArray<string>, millis: number) => Stored<void>
    /** Waits until a timer was added in this process that is due before the next poll. */
    readonly dueSoon: Stored<void>
  }
>() {}

/** Tells the worker of this process about callbacks that fall due before it would look again. */
export const makeTimerWakeUp = Effect.map(Queue.sliding<void>(1), (bell) => ({
  added: (timers: ReadonlyArray<NewSimulatorTimer>): Effect.Effect<void> =>
    timers.some((timer) => timer.dueInMillis < Duration.toMillis(workerPoll))
      ? Queue.offer(bell, undefined)
      : Effect.void,
  dueSoon: Queue.take(bell)
}))
