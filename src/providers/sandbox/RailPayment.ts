/** What a built-in rail remembers of a payment, as a third party would: nothing of ours but the reference. */
import type { BuiltInRail } from "../../domain/Corridor.ts"
import type { Money } from "../../domain/Money.ts"
import type { MovementKind } from "../../domain/Movement.ts"
import type { NextAction } from "../../domain/Outcome.ts"
import type { Behaviour } from "./RailBehaviour.ts"

export const railStates = ["pending", "processing", "completed", "failed"] as const
export type RailState = (typeof railStates)[number]

export const isFinal = (state: RailState): boolean => state === "completed" || state === "failed"

/** The first answer, kept so that a repeated order gets the same one. */
export interface RailAnswer {
  readonly state: "pending" | "processing"
  readonly nextAction: NextAction | null
  readonly actionData: Readonly<Record<string, string>>
}

export const railKinds = ["collection", "disbursement", "refund"] as const satisfies ReadonlyArray<MovementKind>
export type RailKind = (typeof railKinds)[number]

export interface RailPayment {
  readonly reference: string
  readonly rail: BuiltInRail
  /** What it moves once it completes. */
  readonly kind: RailKind
  readonly state: RailState
  readonly behaviour: Behaviour
  readonly money: Money
  /** Why it failed. */
  readonly reason: string | null
  readonly answer: RailAnswer
  readonly wrongPasswords: number
}

/** A callback to come. Two of one event are a callback sent twice. */
export interface NewRailTimer {
  readonly timerId: string
  readonly eventId: string
  readonly report: RailState
  readonly reason: string | null
  readonly occursInMillis: number
  readonly dueInMillis: number
}

export interface RailTimer {
  readonly timerId: string
  readonly rail: BuiltInRail
  readonly reference: string
  /** Of its payment. */
  readonly kind: RailKind
  readonly money: Money
  readonly eventId: string
  readonly report: RailState
  readonly reason: string | null
  readonly occurredAt: Date
}

export interface StoredRailTimer extends Omit<RailTimer, "kind" | "money"> {
  readonly dueAt: number
  readonly leaseToken: string | null
}
