/** Account of a beneficiary as providers need it, and whether other details name the same account. */
import { Either, Option } from "effect"
import type { CountryCode } from "../../domain/Country.ts"
import { compactIban, startsLikeIban } from "../../domain/AccountFormat.ts"
import { findNetwork } from "../../domain/MobileNetwork.ts"
import { readPhoneNumberOf } from "../../domain/PhoneNumber.ts"
import type { BankAccount, MobileMoney } from "../../providers/port/Provider.ts"
import type { Beneficiary } from "./Beneficiary.ts"

export type Destination =
  | { readonly _tag: "Bank"; readonly account: BankAccount }
  | { readonly _tag: "MobileMoney"; readonly account: MobileMoney }
  | { readonly _tag: "CryptoWallet"; readonly account: { readonly address: string; readonly network: string } }
  | { readonly _tag: "PayPal"; readonly account: { readonly email: string } }

/** Destination details as a payout may carry them beside its beneficiary. */
export interface SentDetails {
  readonly bank_account?:
    | {
        readonly account_number: string
        readonly bank_code?: string | null | undefined
        readonly bank_name?: string | null | undefined
      }
    | null
    | undefined
  readonly mobile_money_details?: { readonly provider: string; readonly phone_number: string } | null | undefined
}

type Paid = Pick<
  Beneficiary,
  "account_type" | "beneficiary_id" | "country" | "bank_details" | "momo_details" | "wallet_details"
>

const broken = ({ account_type, beneficiary_id }: Paid): never => {
  throw new Error(`beneficiary ${beneficiary_id} was stored without its ${account_type} details`)
}

const bankOf = (beneficiary: Paid): BankAccount => {
  const { account_name = null, account_number, bank_code = null, bank_name = null, country } = beneficiary.bank_details
  if (account_number === undefined) return broken(beneficiary)
  return {
    accountName: account_name,
    accountNumber: startsLikeIban(account_number) ? compactIban(account_number) : account_number,
    bankCode: bank_code,
    bankName: bank_name,
    country: country ?? beneficiary.country
  }
}

const networkCode = (country: CountryCode, provider: string): string =>
  Option.match(findNetwork(country, provider), { onNone: () => provider, onSome: (network) => network.code })

const mobileMoneyOf = (beneficiary: Paid): MobileMoney => {
  const { phone_number, provider } = beneficiary.momo_details
  if (phone_number === undefined || provider === undefined) return broken(beneficiary)
  return { network: networkCode(beneficiary.country, provider), phoneNumber: phone_number }
}

export const destinationOf = (beneficiary: Paid): Destination => {
  switch (beneficiary.account_type) {
    case "bank":
      return { _tag: "Bank", account: bankOf(beneficiary) }
    case "mobile_money":
      return { _tag: "MobileMoney", account: mobileMoneyOf(beneficiary) }
    case "wallet": {
      const { address, email, network } = beneficiary.wallet_details
      if (typeof address === "string" && typeof network === "string") {
        return { _tag: "CryptoWallet", account: { address, network } }
      }
      return typeof email === "string" ? { _tag: "PayPal", account: { email } } : broken(beneficiary)
    }
  }
}

const lettersAndDigits = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "").toUpperCase()

const agree = (a: string, b: string): boolean => lettersAndDigits(a) === lettersAndDigits(b)

/** The bank is compared by its code where both have one, since a name is written in many ways; an IBAN says it itself. */
const sameBank = (account: BankAccount, sent: NonNullable<SentDetails["bank_account"]>): boolean => {
  if (!agree(account.accountNumber, sent.account_number)) return false
  if (typeof sent.bank_code === "string" && account.bankCode !== null) return agree(account.bankCode, sent.bank_code)
  if (startsLikeIban(account.accountNumber)) return true
  return typeof sent.bank_name !== "string" || account.bankName === null || agree(account.bankName, sent.bank_name)
}

const sameMobileMoney = (
  country: CountryCode,
  account: MobileMoney,
  sent: NonNullable<SentDetails["mobile_money_details"]>
): boolean =>
  networkCode(country, sent.provider) === account.network &&
  Either.getOrNull(readPhoneNumberOf(sent.phone_number, country)) === account.phoneNumber

/** Details that were not sent contradict nothing. */
export const sameAccount = (beneficiary: Paid, { bank_account, mobile_money_details }: SentDetails): boolean => {
  const destination = destinationOf(beneficiary)
  const bankAgrees =
    bank_account === undefined ||
    bank_account === null ||
    (destination._tag === "Bank" && sameBank(destination.account, bank_account))
  const mobileMoneyAgrees =
    mobile_money_details === undefined ||
    mobile_money_details === null ||
    (destination._tag === "MobileMoney" &&
      sameMobileMoney(beneficiary.country, destination.account, mobile_money_details))
  return bankAgrees && mobileMoneyAgrees
}
