/** The details object that each account type needs: completed, in the form it is kept in, or refused field by field. */
import { Either } from "effect"
import { bankAccountProblems } from "../../domain/BankAccountFormat.ts"
import { isCryptoAssetCode, networksOf } from "../../domain/CryptoAsset.ts"
import { mobileMoneyProblems } from "../../domain/MobileMoneyCheck.ts"
import { networksOfCountry } from "../../domain/MobileNetwork.ts"
import { readPhoneNumberOf } from "../../domain/PhoneNumber.ts"
import type * as Api from "../../contract/api/Beneficiaries.ts"

export type Draft = Omit<typeof Api.CreateBeneficiary.Type, "org_id">

type Details = Pick<typeof Api.Beneficiary.Type, "bank_details" | "momo_details" | "wallet_details">

/** `field: reason` for everything that is wrong, so that a caller corrects it all at once. */
export type Checked<A> = Either.Either<A, ReadonlyArray<string>>

const noDetails: Details = { bank_details: {}, momo_details: {}, wallet_details: {} }

const refuse = (...problems: ReadonlyArray<string>) => Either.left(problems)

const isAbsent = (value: string | null | undefined): value is null | undefined => value === undefined || value === null

const missing = (values: Readonly<Record<string, string | null | undefined>>): ReadonlyArray<string> =>
  Object.keys(values)
    .filter((path) => isAbsent(values[path]))
    .map((path) => `${path}: is missing`)

const bankDetails = (draft: Draft): Checked<Details> => {
  const { account_name, account_number, bank_code = null, bank_name, country } = draft.bank_details ?? {}
  if (isAbsent(account_number) || isAbsent(bank_name)) {
    return refuse(...missing({ "bank_details.account_number": account_number, "bank_details.bank_name": bank_name }))
  }
  const bank_details = {
    account_name: account_name ?? `${draft.fname} ${draft.lname}`,
    account_number,
    bank_name,
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

export const checkAccountDetails = (draft: Draft): Checked<Details> => checks[draft.account_type](draft)
