/** Whom and what a verification is about stands above: whoever owns beneficiaries and payments hands in how to find them. */
import { Context, type Effect, type Option } from "effect"
import type { BeneficiaryId, OrgId, TransactionId } from "../../domain/Identifiers.ts"
import type { Permit } from "../../domain/Access.ts"
import type { NotFound } from "../../domain/Failure.ts"

export class VerificationSubjects extends Context.Tag("corridor/VerificationSubjects")<
  VerificationSubjects,
  {
    readonly beneficiary: (
      orgId: OrgId,
      beneficiaryId: BeneficiaryId
    ) => Effect.Effect<Option.Option<{ readonly email: string | null }>>
    readonly transaction: (
      reader: Permit<"any">,
      transactionId: TransactionId
    ) => Effect.Effect<{ readonly transaction_id: TransactionId }, NotFound>
  }
>() {}
