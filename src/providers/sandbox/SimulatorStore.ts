/** State of the simulators: behaviours, payments, and callbacks to come, as rows that outlive any process. */
import { Context, type Option, Effect, Redacted, Schema } from "effect"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { BuiltInRail, PaymentMethod } from "../../domain/Corridor.ts"
import type { Money } from "../../domain/Money.ts"
import type { MovementKind } from "../../domain/Movement.ts"
import { nextActions } from "../../domain/Outcome.ts"
import { WorkQueues } from "../../platform/database/WorkQueues.ts"
import type { PaymentOrder } from "../port/Provider.ts"

/** Behaviour of a simulator for one order, chosen by magic card, phone and account numbers. */
export const behaviours = [
  "completes",
  "declines",
  "never_answers",
  "fails_later",
  "redirects",
  "asks_password",
  "pays_by_link",
  "loses_answer",
  "answers_slowly",
  "repeats_callbacks",
  "reorders_callbacks",
  "by_hand"
] as const
export type Behaviour = (typeof behaviours)[number]

const cards: Readonly<Record<string, Behaviour>> = {
  "4000000000000002": "declines",
  "4000000000003220": "redirects",
  "4000000000000119": "never_answers"
}

/**
 * Endings that phone numbers and bank accounts share:
 * - `0006`: accepted, and the answer is lost.
 * - `0007`: answered slowly.
 * - `0008`: called back three times, one event twice, then another event with the same content.
 * - `0009`: the callback of the completion comes before that of the processing.
 */
const accountEndings: Readonly<Record<string, Behaviour>> = {
  "0001": "declines",
  "0003": "never_answers",
  "0004": "fails_later",
  "0006": "loses_answer",
  "0007": "answers_slowly",
  "0008": "repeats_callbacks",
  "0009": "reorders_callbacks"
}

const phoneEndings: Readonly<Record<string, Behaviour>> = {
  ...accountEndings,
  "0002": "asks_password",
  "0005": "pays_by_link"
}

const endingOf = (text: string): string => text.replaceAll(/[^0-9A-Za-z]/g, "").slice(-4)

/** The method of a ramp leg follows from the details that the order carries. */
export const methodOf = (order: PaymentOrder): PaymentMethod => {
  if (order.flow !== "external") return order.method
  if (order.card !== null) return "card"
  if (order.mobileMoney !== null) return "mobile_money"
  return order.bank === null ? "crypto" : "bank_transfer"
}

const magicOf = (order: PaymentOrder): Behaviour | undefined => {
  switch (methodOf(order)) {
    case "card":
      // Without a card the customer goes to the page of the simulator.
      return order.card === null ? "redirects" : cards[Redacted.value(order.card).number]
    case "mobile_money":
      return order.mobileMoney === null ? undefined : phoneEndings[endingOf(order.mobileMoney.phoneNumber)]
    case "bank_transfer":
      return order.bank === null ? undefined : accountEndings[endingOf(order.bank.accountNumber)]
    default:
      return undefined
  }
}

export const behaviourOf = (rail: BuiltInRail, order: PaymentOrder): Behaviour =>
  rail === "manual" ? "by_hand" : (magicOf(order) ?? "completes")

/** Payment of a built-in simulator. Like a third party it knows only the reference of ours. */
export const simulatorStates = ["pending", "processing", "completed", "failed"] as const
export type SimulatorState = (typeof simulatorStates)[number]

export const isFinal = (state: SimulatorState): boolean => state === "completed" || state === "failed"

/** The first answer, kept so that a repeated order gets the same one. */
export const SimulatorAnswer = Schema.Struct({
  state: Schema.Literal("pending", "processing"),
  nextAction: Schema.NullOr(Schema.Literal(...nextActions)),
  actionData: Schema.Record({ key: Schema.String, value: Schema.String })
})
export type SimulatorAnswer = typeof SimulatorAnswer.Type

export const simulatorKinds = ["collection", "disbursement", "refund"] as const satisfies ReadonlyArray<MovementKind>
type SimulatorKind = (typeof simulatorKinds)[number]

export interface SimulatorPayment {
  readonly reference: string
  readonly rail: BuiltInRail
  /** Movement on completion. */
  readonly kind: SimulatorKind
  readonly state: SimulatorState
  readonly behaviour: Behaviour
  readonly money: Money
  /** Why it failed. */
  readonly reason: string | null
  readonly answer: SimulatorAnswer
  readonly wrongPasswords: number
}

/** A callback to come. Two of one event are a callback sent twice. Those that are due at once go by their ids. */
export interface NewSimulatorTimer {
  readonly timerId: string
  readonly eventId: string
  readonly report: SimulatorState
  readonly reason: string | null
  readonly occursInMillis: number
  readonly dueInMillis: number
}

/** A claimed timer; it is due in `dueInMillis`, or was due before. */
export interface SimulatorTimer
  extends Omit<NewSimulatorTimer, "occursInMillis">, Pick<SimulatorPayment, "rail" | "reference" | "kind" | "money"> {
  readonly occurredAt: Date
}

export interface StoredSimulatorTimer extends Omit<SimulatorTimer, "kind" | "money" | "dueInMillis"> {
  readonly dueAt: number
  readonly leaseToken: string | null
}

/** Change of a payment; `dropTimers` cancels the callbacks that have not been claimed. */
export interface SimulatorChange extends Partial<Pick<SimulatorPayment, "state" | "reason" | "wrongPasswords">> {
  readonly dropTimers?: boolean
  readonly timers?: ReadonlyArray<NewSimulatorTimer>
}

export interface TimerClaim {
  readonly token: string
  readonly limit: number
  readonly leaseMillis: number
  /** Timers that are due within so many milliseconds are claimed too. */
  readonly aheadMillis?: number
}

export interface ClaimedTimers {
  readonly timers: ReadonlyArray<SimulatorTimer>
  /** Delay of the next timer; none if there is no other timer. */
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
     * Claims due timers, in order, except those of a payment that another claim holds. The payments take the state that
     * their timers report.
     */
    readonly claim: (claim: TimerClaim) => Stored<ClaimedTimers>
    /** Both change only timers that are still claimed under the token. */
    readonly done: (token: string, timerIds: ReadonlyArray<string>) => Stored<void>
    readonly postpone: (token: string, timerIds: ReadonlyArray<string>, millis: number) => Stored<void>
  }
>() {}

/** After a change of a payment: timers that the worker passed meanwhile, since the payment was locked, are due too. */
export const announceTimers = (timers: ReadonlyArray<NewSimulatorTimer>, isChange: boolean): Effect.Effect<void> =>
  Effect.flatMap(WorkQueues, ({ announce }) => {
    const times = timers.map(({ dueInMillis }) => dueInMillis)
    return Effect.forEach(isChange ? [0, ...times] : times, (time) => announce("simulator", time), { discard: true })
  })
