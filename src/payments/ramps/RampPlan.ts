/** Plans a ramp from its request: direction, both amounts, payer and payee; or lists every problem. Pure. */
import { type BigDecimal, Either, Option } from "effect"
import { type RampRequest, statedDirection } from "../../contract/api/RampsApi.ts"
import { type Beneficiary, methodOfAccount } from "../beneficiaries/Beneficiary.ts"
import type { CountryCode } from "../../domain/Country.ts"
import { type CryptoAssetCode, type CryptoNetwork, networksOf } from "../../domain/Currency.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import { Invalid, RateMismatch } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import { rampAmounts, type RampDirection, withinDrift } from "../../domain/Ramp.ts"
import type { Rate } from "../../domain/Exchange.ts"
import type { JsonObject, Payment, RampFacts } from "../store/Payment.ts"
import { noCallerFields, type PaymentPlan, recipientInfo } from "../initiate/PaymentPlan.ts"
import type { BankAccount, MobileMoney } from "../../providers/port/Provider.ts"
import { sameAccount } from "../beneficiaries/Destination.ts"
import { mobileMoneyProblems } from "../../domain/AccountFormat.ts"
import { findNetwork } from "../../domain/MobileNetwork.ts"
import { readPhoneNumber } from "../../domain/PhoneNumber.ts"
import { checkWalletAddress } from "../../domain/WalletAddress.ts"

/** The two sides of a ramp: where the customer pays from, and the wallet or the beneficiary that is paid. */

/** On the left all that is wrong, each problem opening with its field. */
type Checked<A> = Either.Either<A, ReadonlyArray<string>>

/** How the customer pays. */
interface RampCollection {
  readonly method: "bank_transfer" | "mobile_money" | "crypto"
  readonly bank: BankAccount | null
  readonly mobileMoney: MobileMoney | null
}

const refuse = (problem: string): Checked<never> => Either.left([problem])

const carriesAsset = ({ crypto_currency, crypto_network }: RampRequest): boolean =>
  networksOf(crypto_currency).includes(crypto_network)

/** A network that does not carry the asset says nothing about the address. */
const walletOf = (request: RampRequest, direction: RampDirection): Checked<string | null> => {
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

const collectionOf = (request: RampRequest, direction: RampDirection): Checked<RampCollection> => {
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

/** An off-ramp is paid by a wallet, whose owner is not named. */
const payerOf = ({ country, payer_details }: RampRequest, direction: RampDirection): Checked<JsonObject> => {
  if (payer_details === undefined || direction === "off_ramp") return Either.right({})
  return Either.mapBoth(readPhoneNumber(payer_details.phone, country), {
    onLeft: (why) => [`payer_details.phone: ${why}`],
    onRight: () => ({ ...payer_details })
  })
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

const payeeOf = (
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

/** Facts that a plan needs beside the request. */
export interface RampPlanContext {
  /** As it is now, from fiat to crypto for an on-ramp and from crypto to fiat for an off-ramp. */
  readonly liveRate: (direction: RampDirection) => Rate
  /** As named by beneficiary_id, when it is one of the organisation's. */
  readonly beneficiary: Option.Option<Beneficiary>
}

interface RampCustomer {
  readonly type: "retail" | "institution"
  readonly business_id: string | null
  readonly business_name: string | null
}

interface RampPlan {
  readonly direction: RampDirection
  readonly fiat: Money
  readonly crypto: Money
  /** The live one, which makes the amounts. */
  readonly rate: Rate
  readonly clientRate: BigDecimal.BigDecimal
  readonly asset: CryptoAssetCode
  readonly network: CryptoNetwork
  readonly country: CountryCode
  /** Wallet that an on-ramp pays. */
  readonly walletAddress: string | null
  readonly collection: RampCollection
  readonly payer: JsonObject
  /** Whom an off-ramp pays. */
  readonly beneficiary: Beneficiary | null
  readonly customer: RampCustomer
  readonly client_reference: string | null
  readonly metadata: JsonObject
}

export const directionOf = (request: RampRequest): Either.Either<RampDirection, Invalid> => {
  const stated = statedDirection(request)
  return stated === undefined
    ? Either.left(
        new Invalid({
          message: "wallet_address: is needed for an on-ramp, beneficiary_id for an off-ramp; send one of them."
        })
      )
    : Either.right(stated)
}

const fiatOf = ({ fiat_amount, fiat_currency }: RampRequest): Checked<Money> =>
  Either.mapLeft(Money.fromDecimal(fiat_amount, fiat_currency), (why) => [`fiat_amount: ${why}`])

const networkOf = (request: RampRequest): Checked<CryptoNetwork> => {
  const { crypto_currency, crypto_network } = request
  return carriesAsset(request)
    ? Either.right(crypto_network)
    : refuse(`crypto_network: does not carry ${crypto_currency}; use ${networksOf(crypto_currency).join(" or ")}`)
}

const customerOf = ({ business_id, business_name, customer_type = "retail" }: RampRequest): Checked<RampCustomer> => {
  const missing = Object.entries({ business_id, business_name }).flatMap(([field, value]) =>
    value === undefined ? [`${field}: is needed for an institution`] : []
  )
  return customer_type === "institution" && missing.length > 0
    ? Either.left(missing)
    : Either.right({
        type: customer_type,
        business_id: business_id ?? null,
        business_name: business_name ?? null
      })
}

const checkRate = (
  { client_rate, crypto_currency, fiat_currency }: RampRequest,
  direction: RampDirection,
  live: Rate
): Either.Either<Rate, RateMismatch> => {
  if (withinDrift(client_rate, live)) return Either.right(live)
  const [from, to] = direction === "on_ramp" ? [fiat_currency, crypto_currency] : [crypto_currency, fiat_currency]
  return Either.left(
    new RateMismatch({
      message: `client_rate: is more than 0.5 percent away from the live rate, ${toPlainText(live)}; look it up again with fromCurrency ${from} and toCurrency ${to}, the direction of an ${direction === "on_ramp" ? "on-ramp" : "off-ramp"}.`
    })
  )
}

const problemsOf = (checked: Checked<unknown>): ReadonlyArray<string> => (Either.isLeft(checked) ? checked.left : [])

const invalid = (problems: ReadonlyArray<string>): Invalid => new Invalid({ message: `${problems.join("; ")}.` })

export const planRamp = (
  request: RampRequest,
  { beneficiary, liveRate }: RampPlanContext
): Either.Either<RampPlan, Invalid | RateMismatch> =>
  Either.gen(function* () {
    const direction = yield* directionOf(request)
    const checked = {
      fiat: fiatOf(request),
      network: networkOf(request),
      walletAddress: walletOf(request, direction),
      collection: collectionOf(request, direction),
      payer: payerOf(request, direction),
      beneficiary: payeeOf(request, direction, beneficiary),
      customer: customerOf(request)
    }
    const parts = yield* Either.mapLeft(Either.all(checked), () => invalid(Object.values(checked).flatMap(problemsOf)))
    const rate = yield* checkRate(request, direction, liveRate(direction))
    const asset = request.crypto_currency
    const crypto = yield* Either.mapLeft(rampAmounts({ direction, fiat: parts.fiat, asset, rate }), (why) =>
      invalid([`fiat_amount: ${why}`])
    )
    return {
      ...parts,
      direction,
      crypto,
      rate,
      clientRate: request.client_rate,
      asset,
      country: request.country,
      client_reference: request.client_reference ?? null,
      metadata: request.metadata ?? {}
    }
  })

const factsOf = (planned: RampPlan): RampFacts => ({
  direction: planned.direction,
  network: planned.network,
  wallet_address: planned.walletAddress,
  collection: planned.collection.method,
  settlement: planned.beneficiary === null ? "crypto" : methodOfAccount[planned.beneficiary.account_type],
  rate: toPlainText(planned.rate),
  client_rate: toPlainText(planned.clientRate),
  customer_type: planned.customer.type,
  business_id: planned.customer.business_id,
  business_name: planned.customer.business_name,
  collected: null
})

/** In the words of a request, as every other payment's record has them. */
const bankDetails = ({ accountName, accountNumber, bankCode, bankName, country }: BankAccount) => ({
  account_name: accountName,
  account_number: accountNumber,
  bank_code: bankCode,
  bank_name: bankName,
  country
})

/** As the payment that is written down. */
export const describeRamp = (planned: RampPlan): PaymentPlan["payment"] & Pick<Payment, "ramp"> => {
  const { beneficiary, collection, crypto, direction, fiat, network, walletAddress } = planned
  const onRamp = direction === "on_ramp"
  return {
    ...noCallerFields,
    direction: "external",
    payment_method: "crypto",
    country: planned.country,
    amount: onRamp ? fiat : crypto,
    target: onRamp ? crypto : fiat,
    client_reference: planned.client_reference,
    beneficiary_id: beneficiary?.beneficiary_id ?? null,
    payer_details: {
      ...planned.payer,
      ...(collection.bank === null ? {} : { bank_details: bankDetails(collection.bank) })
    },
    mobile_money_details:
      collection.mobileMoney === null
        ? {}
        : { provider: collection.mobileMoney.network, phone_number: collection.mobileMoney.phoneNumber },
    recipient_info: beneficiary === null ? { wallet_address: walletAddress, network } : recipientInfo(beneficiary),
    metadata: planned.metadata,
    ramp: factsOf(planned)
  }
}
