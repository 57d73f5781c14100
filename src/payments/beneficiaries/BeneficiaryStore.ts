/** Beneficiaries at rest. A deleted one stays as a row, since payments refer to it, and is seen by nobody. */
import { Context, type Option } from "effect"
import type { BeneficiaryId, UserId } from "../../domain/Identifiers.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Beneficiary, BeneficiaryFields } from "./Beneficiary.ts"

export type NewBeneficiary = Omit<Beneficiary, "created_at" | "updated_at">

export interface Store {
  readonly insert: (beneficiary: NewBeneficiary) => Stored<Beneficiary>
  readonly list: (scope: Scope, of: Option.Option<UserId>, window: Window) => Stored<ReadonlyArray<Beneficiary>>
  readonly find: (scope: Scope, id: BeneficiaryId) => Stored<Option.Option<Beneficiary>>
  /** Inside a transaction the row stays locked until its end, and no payment to it can begin. */
  readonly findForUpdate: (scope: Scope, id: BeneficiaryId) => Stored<Option.Option<Beneficiary>>
  readonly update: (scope: Scope, id: BeneficiaryId, fields: BeneficiaryFields) => Stored<Option.Option<Beneficiary>>
  readonly remove: (scope: Scope, id: BeneficiaryId) => Stored<void>
  readonly hasPaymentUnderWay: (scope: Scope, id: BeneficiaryId) => Stored<boolean>
}

export class BeneficiaryStore extends Context.Tag("corridor/BeneficiaryStore")<BeneficiaryStore, Store>() {}
