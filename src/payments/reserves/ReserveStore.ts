/** Payins with money in their organisation's reserve. Their parts change with the payment, in its store. */
import { Context } from "effect"
import type { OrgId } from "../../domain/Ids.ts"
import type { Money } from "../../domain/Money.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Books, Payment } from "../store/Payment.ts"

/** A payin with parts that are due. */
export interface DueRelease extends Books {
  readonly payment: Payment
}

/** Money that leaves the reserve on a UTC day. */
export interface UpcomingRelease {
  readonly date: string
  readonly amount: Money
}

export class ReserveStore extends Context.Tag("corridor/ReserveStore")<
  ReserveStore,
  {
    /** The longest due first. Nothing is claimed: the payment's version lets one instance release it. */
    readonly due: (most: number) => Stored<ReadonlyArray<DueRelease>>
    /** Looks at a release that cannot happen yet again after `releaseRetry`. */
    readonly postpone: (payment: Payment) => Stored<void>
    /** By day and currency, the first days. */
    readonly upcoming: (orgId: OrgId) => Stored<ReadonlyArray<UpcomingRelease>>
  }
>() {}
