/** The memory of the built-in rails: payments, and the callbacks to come as rows, which outlive any process. */
import { Context, type Option } from "effect"
import type { NewRailTimer, RailPayment, RailTimer } from "./RailPayment.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

/** What becomes of a payment; `dropTimers` takes back the callbacks that have not been claimed. */
export interface RailChange extends Partial<Pick<RailPayment, "state" | "reason" | "wrongPasswords">> {
  readonly dropTimers?: boolean
  readonly timers?: ReadonlyArray<NewRailTimer>
}

export interface Claim {
  readonly timers: ReadonlyArray<RailTimer>
  /** None when no other timer is there. */
  readonly nextDueInMillis: Option.Option<number>
}

export class RailStore extends Context.Tag("corridor/RailStore")<
  RailStore,
  {
    /** Keeps the payment that has the reference already, with its timers, and answers with the one that is kept. */
    readonly open: (payment: RailPayment, timers: ReadonlyArray<NewRailTimer>) => Stored<RailPayment>
    readonly find: (reference: string) => Stored<Option.Option<RailPayment>>
    /** Decides on the payment as it is, one decision at a time; none when there is no such payment. */
    readonly change: <A>(
      reference: string,
      decide: (payment: RailPayment) => readonly [answer: A, change: RailChange | null]
    ) => Stored<Option.Option<A>>
    /**
     * The due timers, in the order in which they fell due, but none of a payment of which another is held; the payments
     * take the state that their timers report.
     */
    readonly claim: (token: string, limit: number, leaseMillis: number) => Stored<Claim>
    /** Both touch only timers that are still held under the token. */
    readonly done: (token: string, timerIds: ReadonlyArray<string>) => Stored<void>
    readonly postpone: (token: string, timerIds: ReadonlyArray<string>, millis: number) => Stored<void>
    /** Waits until a timer was added in this process that is due before the next poll. */
    readonly dueSoon: Stored<void>
  }
>() {}
