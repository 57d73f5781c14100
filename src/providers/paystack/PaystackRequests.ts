/** Requests to Paystack. Orders that it cannot serve are declined before anything is sent. */
import { Duration, Either } from "effect"
import { LosslessNumber, stringify } from "lossless-json"
import type { Money } from "../../domain/Money.ts"
import type { Declined } from "../../domain/Outcome.ts"
import { get, postJson, type ProviderCall, withQuery } from "../client/ProviderHttp.ts"
import type { AttemptContext, MobileMoney, PaymentOrder, RefundOrder } from "../port/Provider.ts"
import { minorText } from "../client/WireValues.ts"
import { exactAmount, invalidOrder, notSupported } from "../client/ProviderReplies.ts"

type PreparedCall = Either.Either<ProviderCall, Declined>

const needed = <A>(value: A | null | undefined, what: string): Either.Either<A, Declined> =>
  Either.fromNullable(value, () => invalidOrder(`Paystack needs ${what}`))

/** Paystack counts every currency that it takes in hundredths. */
export const PAYSTACK_DIGITS = 2

const amountOf = (money: Money): Either.Either<LosslessNumber, Declined> =>
  Either.map(exactAmount("Paystack", money, minorText(money, PAYSTACK_DIGITS)), (text) => new LosslessNumber(text))

const post = (operation: string, path: string, body: Readonly<Record<string, unknown>>): ProviderCall =>
  postJson(operation, path, stringify(body) ?? "")

/** Paystack's names of the networks that it reaches, for what it collects; for transfers they are in upper case. */
const networks: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  GH: { mtn: "mtn", telecel: "vod", airteltigo: "atl" },
  KE: { mpesa: "mpesa" }
}

const callingCodes: Readonly<Record<string, string>> = { GH: "+233", KE: "+254" }

const networkOf = (country: string, { network }: MobileMoney): Either.Either<string, Declined> =>
  Either.fromNullable(networks[country]?.[network], () =>
    notSupported(`Paystack does not reach the network ${network} in ${country}`)
  )

const asDialledAtHome = (country: string, phoneNumber: string): string => {
  const code = callingCodes[country]
  return code !== undefined && phoneNumber.startsWith(code) ? `0${phoneNumber.slice(code.length)}` : phoneNumber
}

/** M-PESA is charged by the whole number, Ghana's networks by the number as it is dialled there. */
const chargedNumber = (country: string, phoneNumber: string): string =>
  country === "KE" ? phoneNumber : asDialledAtHome(country, phoneNumber)

const collected = (order: PaymentOrder): Either.Either<Readonly<Record<string, unknown>>, Declined> =>
  Either.all({
    email: needed(order.payer?.email, "the payer's e-mail address"),
    amount: amountOf(order.money),
    currency: Either.right(order.money.currency),
    reference: Either.right(order.reference)
  })

const charge = (order: PaymentOrder, operation: string, path: string, how: Readonly<Record<string, unknown>>) =>
  Either.map(collected(order), (common) =>
    post(operation, path, { ...common, ...how, metadata: { payment_id: order.paymentId } })
  )

/** A page of Paystack's own, where the customer enters the card. */
export const hostedPage = (order: PaymentOrder): PreparedCall =>
  charge(order, "create hosted payment", "/transaction/initialize", {
    channels: ["card"],
    callback_url: order.returnUrl
  })

export const mobileCharge = (order: PaymentOrder): PreparedCall =>
  Either.gen(function* () {
    const mobile = yield* needed(order.mobileMoney, "the payer's mobile money account")
    const provider = yield* networkOf(order.country, mobile)
    const phone = chargedNumber(order.country, mobile.phoneNumber)
    return yield* charge(order, "create charge", "/charge", { mobile_money: { phone, provider } })
  })

/** The account that the payer is given takes money for this long; Paystack allows no more than eight hours. */
const accountLives = Duration.hours(6)

export const bankTransferCharge = (order: PaymentOrder, nowMillis: number): PreparedCall => {
  const account_expires_at = new Date(nowMillis + Duration.toMillis(accountLives)).toISOString()
  return charge(order, "create charge", "/charge", { bank_transfer: { account_expires_at } })
}

const bankRecipients: Readonly<Record<string, string>> = { NG: "nuban", GH: "ghipss", ZA: "basa" }

const bankRecipient = ({ bank, country, money, recipient }: PaymentOrder) =>
  Either.gen(function* () {
    const account = yield* needed(bank, "the recipient's bank account")
    return {
      type: yield* Either.fromNullable(bankRecipients[country], () =>
        notSupported(`Paystack does not pay to bank accounts in ${country}`)
      ),
      name: yield* needed(account.accountName ?? recipient?.name, "the recipient's name"),
      account_number: account.accountNumber,
      bank_code: yield* needed(account.bankCode, "the code of the recipient's bank"),
      currency: money.currency
    }
  })

const mobileRecipient = ({ country, mobileMoney, money, recipient }: PaymentOrder) =>
  Either.gen(function* () {
    const mobile = yield* needed(mobileMoney, "the recipient's mobile money account")
    return {
      type: "mobile_money",
      name: yield* needed(recipient?.name, "the recipient's name"),
      account_number: asDialledAtHome(country, mobile.phoneNumber),
      bank_code: (yield* networkOf(country, mobile)).toUpperCase(),
      currency: money.currency
    }
  })

/** Moves nothing, and finds the recipient again where the account is known already. */
export const transferRecipient = (order: PaymentOrder): PreparedCall => {
  const body = order.method === "mobile_money" ? mobileRecipient(order) : bankRecipient(order)
  return Either.map(body, (one) => post("create recipient", "/transferrecipient", one))
}

export const transfer = (order: PaymentOrder, recipientCode: string): PreparedCall =>
  Either.map(amountOf(order.money), (amount) =>
    post("create transfer", "/transfer", {
      source: "balance",
      amount,
      currency: order.money.currency,
      recipient: recipientCode,
      reference: order.reference,
      ...(order.description === null ? {} : { reason: order.description })
    })
  )

/** Paystack gives refunds no reference of the caller's: ours is the note, by which it is found again. */
export const refund = ({ attempt, collectionId, money, reason, reference }: RefundOrder): PreparedCall =>
  Either.map(amountOf(money), (amount) =>
    post("create refund", "/refund", {
      transaction: collectionId ?? attempt.reference,
      amount,
      currency: money.currency,
      merchant_note: reference,
      ...(reason === null ? {} : { customer_note: reason })
    })
  )

export const verify = (kind: "transaction" | "transfer", reference: string): ProviderCall =>
  get(`verify ${kind}`, `/${kind}/verify/${encodeURIComponent(reference)}`)

export const fetchRefund = (id: string): ProviderCall => get("fetch refund", `/refund/${encodeURIComponent(id)}`)

const searchedBefore = Duration.minutes(10)
const searchedAfter = Duration.hours(1)

const REFUNDS_PER_PAGE = 100

/** The refunds of about the time at which ours was sent. */
export const listRefunds = ({ sentAt }: AttemptContext): ProviderCall => {
  const from = new Date(sentAt.getTime() - Duration.toMillis(searchedBefore)).toISOString()
  const to = new Date(sentAt.getTime() + Duration.toMillis(searchedAfter)).toISOString()
  return get("list refunds", withQuery("/refund", { from, to, perPage: `${REFUNDS_PER_PAGE}` }))
}

/** The refunds of one transaction, by Paystack's own id of it. */
export const refundsOfTransaction = (id: string): ProviderCall =>
  get("list refunds", withQuery("/refund", { transaction: id, perPage: `${REFUNDS_PER_PAGE}` }))

export const disputesOfTransaction = (id: string): ProviderCall =>
  get("list disputes", `/dispute/transaction/${encodeURIComponent(id)}`)

export const submitOtp = (reference: string, otp: string): ProviderCall =>
  post("submit one-time password", "/charge/submit_otp", { otp, reference })

export const balance: ProviderCall = get("read balance", "/balance")
