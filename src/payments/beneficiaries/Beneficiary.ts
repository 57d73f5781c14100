/** A beneficiary as the stores hold it, and the one check that both a new and a changed one must pass. */
import { Either, Context, Option, Effect, Layer, Schema } from "effect"
import { OrgId, type BeneficiaryId, type UserId } from "../../domain/Ids.ts"
import * as Api from "../../contract/api/BeneficiariesApi.ts"
import { Invalid } from "../../domain/Failure.ts"
import { readPhoneNumber, readPhoneNumberOf } from "../../domain/PhoneNumber.ts"
import { bankAccountProblems, mobileMoneyProblems, startsLikeIban } from "../../domain/AccountFormat.ts"
import { isCryptoAssetCode, networksOf } from "../../domain/Currency.ts"
import { networksOfCountry } from "../../domain/MobileNetwork.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import {
  type Scope,
  type Window,
  anyRow,
  execute,
  inScope,
  newest,
  ownedIn,
  query
} from "../../platform/database/Query.ts"
import { SqlClient } from "@effect/sql"
import { isFinal, paymentStatuses } from "../../domain/PaymentStatus.ts"

/** The details object that each account type needs: completed, in the form it is kept in, or refused field by field. */
export type Draft = Omit<typeof Api.CreateBeneficiary.Type, "org_id">

type Details = Pick<typeof Api.Beneficiary.Type, "bank_details" | "momo_details" | "wallet_details">

/** `field: reason` for everything that is wrong, so that a caller corrects it all at once. */
type Checked<A> = Either.Either<A, ReadonlyArray<string>>

/** How an account of this type is paid. */
export const methodOfAccount = { bank: "bank_transfer", mobile_money: "mobile_money", wallet: "wallet" } as const

const noDetails: Details = { bank_details: {}, momo_details: {}, wallet_details: {} }

const refuse = (...problems: ReadonlyArray<string>) => Either.left(problems)

const isAbsent = (value: string | null | undefined): value is null | undefined => value === undefined || value === null

const missing = (values: Readonly<Record<string, string | null | undefined>>): ReadonlyArray<string> =>
  Object.keys(values)
    .filter((path) => isAbsent(values[path]))
    .map((path) => `${path}: is missing`)

const bankDetails = (draft: Draft): Checked<Details> => {
  const { account_name, account_number, bank_code = null, bank_name, country } = draft.bank_details ?? {}
  // An IBAN names its bank by itself.
  const named = !isAbsent(bank_name) || (!isAbsent(account_number) && startsLikeIban(account_number))
  if (isAbsent(account_number) || !named) {
    return refuse(...missing({ "bank_details.account_number": account_number, "bank_details.bank_name": bank_name }))
  }
  const bank_details = {
    account_name: account_name ?? `${draft.fname} ${draft.lname}`,
    account_number,
    ...(isAbsent(bank_name) ? {} : { bank_name }),
    bank_code,
    country: country ?? draft.country
  }
  const problems = bankAccountProblems(bank_details)
  return problems.length > 0
    ? refuse(...problems.map(({ field, reason }) => `bank_details.${field}: ${reason}`))
    : Either.right({ ...noDetails, bank_details })
}

const momoDetails = ({ country, currency, momo_details }: Draft): Checked<Details> => {
  const { phone_number, provider } = momo_details ?? {}
  if (networksOfCountry(country).length === 0) return refuse(`country: ${country} has no mobile money network here`)
  if (isAbsent(phone_number) || isAbsent(provider)) {
    return refuse(...missing({ "momo_details.provider": provider, "momo_details.phone_number": phone_number }))
  }
  const problems = mobileMoneyProblems({ phone_number, provider }, country, currency, {
    details: "momo_details",
    currency: "currency"
  })
  const phone = readPhoneNumberOf(phone_number, country)
  return problems.length > 0 || Either.isLeft(phone)
    ? refuse(...problems)
    : Either.right({ ...noDetails, momo_details: { provider, phone_number: phone.right } })
}

const walletDetails = ({ currency, wallet_details }: Draft): Checked<Details> => {
  const { address = null, email = null, network = null } = wallet_details ?? {}
  const crypto = isCryptoAssetCode(currency)
  if (address === null && (crypto || email === null)) {
    return refuse(
      crypto
        ? "wallet_details.address: is missing: a wallet for a crypto asset has an address and a network"
        : "wallet_details: give address and network of a crypto wallet, or email of a PayPal account"
    )
  }
  if (address !== null && network === null) return refuse("wallet_details.network: is missing beside the address")
  if (crypto && network !== null && !networksOf(currency).includes(network)) {
    return refuse(`wallet_details.network: does not carry ${currency}: use one of ${networksOf(currency).join(", ")}`)
  }
  return Either.right({ ...noDetails, wallet_details: { address, network, email } })
}

const checks = { bank: bankDetails, mobile_money: momoDetails, wallet: walletDetails }

const checkAccountDetails = (draft: Draft): Checked<Details> => checks[draft.account_type](draft)

type Shown = typeof Api.Beneficiary.Type

export interface Beneficiary extends Shown {
  readonly org_id: OrgId
}

/** Fields that a caller sets. */
type BeneficiaryFields = Omit<Shown, "beneficiary_id" | "beneficiary_of" | "created_at" | "updated_at">

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

/** Applies a patch; fields that it lacks stay, inside the details objects too. */
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

type NewBeneficiary = Omit<Beneficiary, "created_at" | "updated_at">

/** Stored beneficiaries. A deleted one stays as an invisible row, since payments refer to it. */
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

const Row = Schema.typeSchema(Schema.Struct({ ...Api.Beneficiary.fields, org_id: OrgId }))
const beneficiaries = query(Row)

const underWay = paymentStatuses.filter((status) => !isFinal(status))

const asColumns = <F extends BeneficiaryFields>({
  bank_details,
  loan_client_details,
  momo_details,
  wallet_details,
  ...scalars
}: F) => ({
  ...scalars,
  bank_details: JSON.stringify(bank_details),
  loan_client_details: JSON.stringify(loan_client_details),
  momo_details: JSON.stringify(momo_details),
  wallet_details: JSON.stringify(wallet_details)
})

export const beneficiaryStoreSql = Layer.effect(
  BeneficiaryStore,
  Effect.map(SqlClient.SqlClient, (sql): Store => {
    const columns = sql.literal(`beneficiary_id, org_id, beneficiary_of, account_type, beneficiary_type, country,
        currency, fname, lname, email, phone_number, momo_details, bank_details, loan_client_details, wallet_details,
        external_account_id, created_at, updated_at`)
    const one = (scope: Scope, id: BeneficiaryId) =>
      sql`beneficiary_id = ${id} and deleted_at is null and ${ownedIn(sql, scope)}`
    return {
      insert: (made) =>
        beneficiaries.one(sql`insert into beneficiaries ${sql.insert(asColumns(made))} returning ${columns}`),
      list: (scope, of, window) => {
        const theirs = Option.match(of, {
          onNone: () => inScope(sql, scope),
          onSome: (userId) => sql`beneficiary_of = ${userId} and ${ownedIn(sql, scope)}`
        })
        return beneficiaries.all(sql`select ${columns} from beneficiaries where deleted_at is null
            and ${theirs} ${newest(sql, "beneficiary_id", window)}`)
      },
      find: (scope, id) => beneficiaries.first(sql`select ${columns} from beneficiaries where ${one(scope, id)}`),
      findForUpdate: (scope, id) =>
        beneficiaries.first(sql`select ${columns} from beneficiaries where ${one(scope, id)} for update`),
      update: (scope, id, fields) =>
        beneficiaries.first(sql`update beneficiaries set ${sql.update(asColumns(fields))}, updated_at = now()
            where ${one(scope, id)} returning ${columns}`),
      remove: (scope, id) => execute(sql`update beneficiaries set deleted_at = now() where ${one(scope, id)}`),
      hasPaymentUnderWay: (scope, id) =>
        anyRow(sql`select 1 from payments where beneficiary_id = ${id} and ${sql.in("status", underWay)}
            and ${ownedIn(sql, scope)} limit 1`)
    }
  })
)
