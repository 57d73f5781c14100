/** The counts behind analytics, made where the rows are: what comes out of a million payments is a few hundred lines. */
import { Context } from "effect"
import type { ProviderName } from "../../domain/Corridor.ts"
import type { Money } from "../../domain/Money.ts"
import type { PaymentStatus } from "../../domain/PaymentStatus.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope } from "../../platform/database/Query.ts"
import type { DateRange } from "../../domain/DateRange.ts"

export interface UsersOfCountry {
  readonly country: string | null
  readonly users: number
}

/** The payments of one UTC day in one currency. */
export interface DayInCurrency {
  readonly date: string
  readonly count: number
  readonly completed: number
  readonly failed: number
  /** Sum of the completed ones. */
  readonly volume: Money
}

/** How often a provider was asked for something, by what it answered. */
export interface Verdicts {
  readonly provider: ProviderName
  readonly outcome: "accepted" | "declined" | "unknown" | "none"
  readonly count: number
}

/** One that was paid back did complete. So nothing that is counted here ever changes once a payment is settled. */
export const successes: ReadonlyArray<PaymentStatus> = ["completed", "refunded"]

/** One that a reviewer turned down failed too, as its event says. */
export const failures: ReadonlyArray<PaymentStatus> = ["failed", "rejected"]

export class AnalyticsStore extends Context.Tag("corridor/AnalyticsStore")<
  AnalyticsStore,
  {
    /** Most users first. */
    readonly usersByCountry: (scope: Scope) => Stored<ReadonlyArray<UsersOfCountry>>
    /** Days without a payment are left out. */
    readonly days: (scope: Scope, range: DateRange) => Stored<ReadonlyArray<DayInCurrency>>
    /** How those who were asked since then have answered; `none`: they have not yet. */
    readonly verdicts: (since: Date) => Stored<ReadonlyArray<Verdicts>>
    /**
     * Keeps the counts of days that are over, all of whose payments are settled: nothing can change them any more. What
     * is kept is what counting again would give, so it does not matter when, how often or by how many instances it is
     * done. Answers with the number of days that were closed.
     */
    readonly closeDays: Stored<number>
  }
>() {}
