/** Beneficiaries at rest. A deleted one stays as a row, since payments refer to it, and is seen by nobody. */
import { Context, type Effect, type Option } from "effect"
import type { BeneficiaryId, UserId } from "../../domain/Identifiers.ts"
import type { Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Beneficiary, BeneficiaryFields } from "./Beneficiary.ts"

export type NewBeneficiary = Omit<Beneficiary, "created_at" | "updated_at">

export interface Store {
  readonly insert: (beneficiary: NewBeneficiary) => Effect.Effect<Beneficiary>
  readonly list: (scope: Scope, of: Option.Option<UserId>, window: Window) => Effect.Effect<ReadonlyArray<Beneficiary>>
  readonly find: (scope: Scope, id: BeneficiaryId) => Effect.Effect<Option.Option<Beneficiary>>
  /** Inside a transaction the row stays locked until its end, and no payment to it can begin. */
  readonly findForUpdate: (scope: Scope, id: BeneficiaryId) => Effect.Effect<Option.Option<Beneficiary>>
  readonly update: (
    scope: Scope,
    id: BeneficiaryId,
    fields: BeneficiaryFields
  ) => Effect.Effect<Option.Option<Beneficiary>>
  readonly remove: (scope: Scope, id: BeneficiaryId) => Effect.Effect<void>
  readonly hasPaymentUnderWay: (scope: Scope, id: BeneficiaryId) => Effect.Effect<boolean>
}

export class BeneficiaryStore extends Context.Tag("corridor/BeneficiaryStore")<BeneficiaryStore, Store>() {}
