/** The two sides of a ramp: where the customer pays from, and the wallet or the beneficiary that is paid. */
import { Either, Option } from "effect"
import type { RampRequest } from "../../contract/api/Ramps.ts"
import type { Beneficiary } from "../beneficiaries/Beneficiary.ts"
import { sameAccount } from "../beneficiaries/Destination.ts"
import { networksOf } from "../../domain/CryptoAsset.ts"
import { mobileMoneyProblems } from "../../domain/MobileMoneyCheck.ts"
import { findNetwork } from "../../domain/MobileNetwork.ts"
import type { RampDirection } from "../../domain/Ramp.ts"
import { checkWalletAddress } from "../../domain/WalletAddress.ts"
import type { BankAccount, MobileMoney } from "../../providers/port/Provider.ts"

/** On the left all that is wrong, each problem opening with its field. */
export type Checked<A> = Either.Either<A, ReadonlyArray<string>>

/** How the customer pays. */
export interface RampCollection {
  readonly method: "bank_transfer" | "mobile_money" | "crypto"
  readonly bank: BankAccount | null
  readonly mobileMoney: MobileMoney | null
}

export const refuse = (problem: string): Checked<never> => Either.left([problem])

export const carriesAsset = ({ crypto_currency, crypto_network }: RampRequest): boolean =>
  networksOf(crypto_currency).includes(crypto_network)

/** A network that does not carry the asset says nothing about the address. */
export const walletOf = (request: RampRequest, direction: RampDirection): Checked<string | null> => {
  const { crypto_network, wallet_address } = request
  if (direction === "off_ramp") return Either.right(null)
  if (wallet_address === undefined) return refuse("wallet_address: is needed for an on-ramp")
  if (!carriesAsset(request)) return Either.right(wallet_address)
  return Either.mapLeft(checkWalletAddress(crypto_network, wallet_address), (why) => [`wallet_address: ${why}`])
}

type MobileMoneyDetails = NonNullable<RampRequest["mobile_money_details"]>

const FIELDS = { details: "mobile_money_details", currency: "fiat_currency" }

const mobileMoneyOf = (details: MobileMoneyDetails, { country, fiat_currency }: RampRequest): Checked<MobileMoney> => {
  const problems = mobileMoneyProblems(details, country, fiat_currency, FIELDS)
  const network = findNetwork(country, details.provider)
  return problems.length > 0 || Option.isNone(network)
    ? Either.left(problems)
    : Either.right({ network: network.value.code, phoneNumber: details.phone_number })
}

export const collectionOf = (request: RampRequest, direction: RampDirection): Checked<RampCollection> => {
  const { bank_details, country, mobile_money_details } = request
  if (direction === "off_ramp") return Either.right({ method: "crypto", bank: null, mobileMoney: null })
  if (mobile_money_details !== undefined) {
    return bank_details === undefined
      ? Either.map(mobileMoneyOf(mobile_money_details, request), (mobileMoney) => ({
          method: "mobile_money",
          bank: null,
          mobileMoney
        }))
      : refuse("bank_details: cannot be sent beside mobile_money_details; an on-ramp is paid from one of them")
  }
  if (bank_details === undefined) return refuse("mobile_money_details: is needed for an on-ramp, or else bank_details")
  const { account_number, bank_code = null, bank_name = null } = bank_details
  const bank = { accountName: null, accountNumber: account_number, bankCode: bank_code, bankName: bank_name, country }
  return Either.right({ method: "bank_transfer", bank, mobileMoney: null })
}

/** Other details of the destination may be sent, but they must not contradict the beneficiary. */
const contradictions = (
  { bank_details, destination, mobile_money_details }: RampRequest,
  beneficiary: Beneficiary
): ReadonlyArray<string> => {
  const named = {
    bank_details: { bank_account: bank_details },
    destination: {
      bank_account: destination && {
        account_number: destination.accountNumber,
        bank_code: destination.bankCode,
        bank_name: destination.bankName
      }
    },
    mobile_money_details: { mobile_money_details }
  }
  return Object.entries(named).flatMap(([field, sent]) =>
    sameAccount(beneficiary, sent) ? [] : [`${field}: names another account than the beneficiary's`]
  )
}

const payeeProblems = (request: RampRequest, beneficiary: Beneficiary): ReadonlyArray<string> => {
  if (beneficiary.account_type === "wallet") {
    return ["beneficiary_id: has a wallet; an off-ramp pays to a bank or mobile money account"]
  }
  const currency =
    beneficiary.currency === request.fiat_currency
      ? []
      : [`beneficiary_id: is paid in ${beneficiary.currency}, fiat_currency is ${request.fiat_currency}`]
  return [...currency, ...contradictions(request, beneficiary)]
}

export const payeeOf = (
  request: RampRequest,
  direction: RampDirection,
  beneficiary: Option.Option<Beneficiary>
): Checked<Beneficiary | null> => {
  if (request.beneficiary_id === undefined) {
    return direction === "on_ramp"
      ? Either.right(null)
      : refuse("beneficiary_id: is needed for an off-ramp (an on-ramp has a wallet_address)")
  }
  if (Option.isNone(beneficiary)) return refuse("beneficiary_id: is not a beneficiary of this organisation")
  if (direction === "on_ramp") return Either.right(null)
  const problems = payeeProblems(request, beneficiary.value)
  return problems.length === 0 ? Either.right(beneficiary.value) : Either.left(problems)
}
