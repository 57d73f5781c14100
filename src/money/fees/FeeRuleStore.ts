/** What organisations are charged, at rest: at most one rule for an organisation, payment method and direction. */
import { Context, type Option } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import type { Flow, PaymentMethod } from "../../domain/Corridor.ts"
import type { FeeTerms } from "../../domain/Fee.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope } from "../../platform/database/Query.ts"

/** What a rule is about. */
export interface FeeSubject {
  readonly org_id: OrgId
  readonly payment_method: PaymentMethod
  readonly direction: Flow
}

export interface FeeRule extends FeeSubject, FeeTerms {
  readonly fee_rule_id: string
  readonly created_at: Date
  readonly updated_at: Date
}

export type NewFeeRule = Omit<FeeRule, "created_at" | "updated_at">

export class FeeRuleStore extends Context.Tag("corridor/FeeRuleStore")<
  FeeRuleStore,
  {
    /** A rule that is there keeps its id and gets the new terms. */
    readonly put: (rule: NewFeeRule) => Stored<FeeRule>
    readonly remove: (feeRuleId: string) => Stored<void>
    /** For payments on their way in: concurrent ones share a statement. */
    readonly find: (subject: FeeSubject) => Stored<Option.Option<FeeRule>>
    /** Inside a transaction the row stays locked until its end. */
    readonly findForUpdate: (subject: FeeSubject) => Stored<Option.Option<FeeRule>>
    /** In order of organisation, payment method and direction. */
    readonly list: (scope: Scope) => Stored<ReadonlyArray<FeeRule>>
  }
>() {}

export const subjectKey = ({ direction, org_id, payment_method }: FeeSubject): string =>
  `${org_id} ${payment_method} ${direction}`
