/** Whom and what a verification is about stands above: whoever owns beneficiaries and payments hands in how to find them. */
import { Context, type Option } from "effect"
import type { BeneficiaryId, OrgId, TransactionId } from "../../domain/Identifiers.ts"
import type { Permit } from "../../domain/Access.ts"
import type { NotFound } from "../../domain/Failure.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export class VerificationSubjects extends Context.Tag("corridor/VerificationSubjects")<
  VerificationSubjects,
  {
    readonly beneficiary: (
      orgId: OrgId,
      beneficiaryId: BeneficiaryId
    ) => Stored<Option.Option<{ readonly email: string | null }>>
    readonly transaction: (
      reader: Permit<"any">,
      transactionId: TransactionId
    ) => Stored<{ readonly transaction_id: TransactionId }, NotFound>
  }
>() {}
