/** A beneficiary as the stores hold it, and the one check that both a new and a changed one must pass. */
import { Either } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import type * as Api from "../../contract/api/Beneficiaries.ts"
import { Invalid } from "../../domain/Failure.ts"
import { readPhoneNumber } from "../../domain/PhoneNumber.ts"
import { type Checked, checkAccountDetails, type Draft } from "./AccountDetails.ts"

type Shown = typeof Api.Beneficiary.Type

export interface Beneficiary extends Shown {
  readonly org_id: OrgId
}

/** What its maker decides about it. */
export type BeneficiaryFields = Omit<Shown, "beneficiary_id" | "beneficiary_of" | "created_at" | "updated_at">

export type Patch = typeof Api.ChangeBeneficiary.Type

const contactPhone = ({ country, phone_number = null }: Draft): Checked<string | null> =>
  phone_number === null
    ? Either.right(null)
    : Either.mapLeft(readPhoneNumber(phone_number, country), (reason) => [`phone_number: ${reason}`])

const loanDetails = ({ loan_client_details }: Draft): BeneficiaryFields["loan_client_details"] => {
  const { loan_id = null, loan_reference = null } = loan_client_details ?? {}
  return loan_id === null && loan_reference === null ? {} : { loan_id, loan_reference }
}

const problemsOf = <A>(checked: Checked<A>): ReadonlyArray<string> => (Either.isLeft(checked) ? checked.left : [])

export const checkBeneficiary = (draft: Draft): Either.Either<BeneficiaryFields, Invalid> => {
  const details = checkAccountDetails(draft)
  const phone = contactPhone(draft)
  if (Either.isLeft(details) || Either.isLeft(phone)) {
    const problems = [...problemsOf(details), ...problemsOf(phone)]
    return Either.left(new Invalid({ message: `${problems.join("; ")}.` }))
  }
  const { account_type, beneficiary_type, country, currency, fname, lname } = draft
  return Either.right({
    account_type,
    beneficiary_type,
    country,
    currency,
    fname,
    lname,
    email: draft.email ?? null,
    phone_number: phone.right,
    loan_client_details: loanDetails(draft),
    external_account_id: draft.external_account_id ?? null,
    ...details.right
  })
}

const overlay = <A extends object, B extends object>(old: A, patch: B | null | undefined): Partial<A> & Partial<B> =>
  patch === null ? {} : { ...old, ...patch }

/** What is not in the patch stays as it is, inside the details objects too. */
export const applyPatch = (old: BeneficiaryFields, patch: Patch): Either.Either<BeneficiaryFields, Invalid> => {
  if (patch.account_type !== undefined && patch.account_type !== old.account_type) {
    const message = `account_type: cannot change from ${old.account_type}; create another beneficiary instead.`
    return Either.left(new Invalid({ message }))
  }
  return checkBeneficiary({
    ...old,
    ...patch,
    bank_details: overlay(old.bank_details, patch.bank_details),
    momo_details: overlay(old.momo_details, patch.momo_details),
    wallet_details: overlay(old.wallet_details, patch.wallet_details),
    loan_client_details: overlay(old.loan_client_details, patch.loan_client_details)
  })
}
