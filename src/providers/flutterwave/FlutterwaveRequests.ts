/** Requests to Flutterwave. Amounts are JSON numbers, written digit by digit. */
import { Duration, Either } from "effect"
import { stringifyWire, WireNumber } from "../../domain/Decimal.ts"
import type { Money } from "../../domain/Money.ts"
import type { Declined } from "../../domain/Outcome.ts"
import { withQuery } from "../client/ProviderHttp.ts"
import { type AttemptContext, attemptKind, type PaymentOrder, type RefundOrder } from "../port/Provider.ts"
import { shortText } from "../client/WireValues.ts"
import { bankPayins, bankPayouts, mobileCorridor } from "./FlutterwaveCorridors.ts"
import { invalidOrder, notSupported } from "../client/ProviderReplies.ts"

/** Family of endpoints that an order belongs to, and is found by again. */
export type Family = "charge" | "hosted" | "transfer" | "refund"

export interface FlutterwaveOrder {
  readonly family: Family
  readonly path: string
  readonly body: string
  /** When its page closes. */
  readonly pageEndsAt?: string
}

type Built = Either.Either<FlutterwaveOrder, Declined>

/** A page is good for so long at most, within which a customer whose card was refused may try another. */
export const pageLife = Duration.minutes(60)
const TRIES = 3

/** An account to pay to takes money for so long. */
const accountLife = Duration.days(1)

/** Longer ones are refused. */
const LONGEST_TEXT = 100

const numeric = (money: Money): WireNumber => new WireNumber(shortText(money))

export const digits = (phone: string): string => phone.replace(/\D/g, "")

export const cut = (text: string): string => text.slice(0, LONGEST_TEXT).toWellFormed()

const charged = ({ money, payer, reference }: PaymentOrder, email: string) => ({
  tx_ref: reference,
  amount: numeric(money),
  currency: money.currency,
  email,
  ...(payer === null ? {} : { fullname: cut(payer.name) })
})

const mobileCharge = (order: PaymentOrder, email: string): Built => {
  const { country, mobileMoney, money, reference, returnUrl } = order
  const corridor = mobileCorridor(country)
  if (mobileMoney === null) return Either.left(invalidOrder("there is no number to ask for the money"))
  const network = corridor?.networks.get(mobileMoney.network)
  if (corridor === undefined || network === undefined || corridor.currency !== money.currency) {
    return Either.left(notSupported(`it asks no number of ${mobileMoney.network} in ${country} for ${money.currency}`))
  }
  return Either.right({
    family: "charge",
    path: `/v3/charges?type=${corridor.charge}`,
    body: stringifyWire({
      ...charged(order, email),
      phone_number: digits(mobileMoney.phoneNumber),
      redirect_url: returnUrl,
      ...(network === null ? {} : { network }),
      // One kind of charge serves several countries of one currency.
      ...(money.currency === "XOF" ? { country } : {}),
      ...(money.currency === "RWF" || money.currency === "ZMW" ? { order_id: reference } : {})
    })
  })
}

const bankCharge = (order: PaymentOrder, email: string): Built =>
  bankPayins.get(order.country) === order.money.currency
    ? Either.right({
        family: "charge",
        path: "/v3/charges?type=bank_transfer",
        body: stringifyWire({
          ...charged(order, email),
          ...(order.payer === null ? {} : { phone_number: digits(order.payer.phone) }),
          expires: Duration.toSeconds(accountLife)
        })
      })
    : Either.left(notSupported(`it has no account to pay ${order.money.currency} to in ${order.country}`))

/** Whole minutes that a page stays open: not longer than its payin, and one at least. */
const pageMinutes = ({ expiresAt }: PaymentOrder, nowMillis: number): number => {
  const most = Duration.toMinutes(pageLife)
  if (expiresAt === null) return most
  const left = Math.floor((expiresAt.getTime() - nowMillis) / Duration.toMillis(Duration.minutes(1)))
  return Math.max(1, Math.min(most, left))
}

/** Card numbers stay on its own page. */
const hosted = (order: PaymentOrder, email: string, nowMillis: number): Built => {
  const { description, money, payer, reference, returnUrl } = order
  const minutes = pageMinutes(order, nowMillis)
  return Either.right({
    family: "hosted",
    path: "/v3/payments",
    pageEndsAt: new Date(nowMillis + Duration.toMillis(Duration.minutes(minutes))).toISOString(),
    body: stringifyWire({
      tx_ref: reference,
      amount: numeric(money),
      currency: money.currency,
      redirect_url: returnUrl,
      payment_options: "card",
      customer: { email, ...(payer === null ? {} : { name: cut(payer.name), phonenumber: digits(payer.phone) }) },
      configurations: { session_duration: minutes, max_retry_attempt: TRIES },
      ...(description === null ? {} : { customizations: { description: cut(description) } })
    })
  })
}

interface Destination {
  readonly account_bank: string
  readonly account_number: string
}

const destinationOf = (order: PaymentOrder): Either.Either<Destination, Declined> => {
  const { bank, country, mobileMoney, money } = order
  if (order.method === "mobile_money" && mobileMoney !== null) {
    const corridor = mobileCorridor(country)
    const account_bank = corridor?.payout.get(mobileMoney.network)
    return account_bank === undefined || corridor?.currency !== money.currency
      ? Either.left(notSupported(`it pays no number of ${mobileMoney.network} in ${country} in ${money.currency}`))
      : Either.right({ account_bank, account_number: digits(mobileMoney.phoneNumber) })
  }
  if (order.method !== "bank_transfer" || bank === null)
    return Either.left(invalidOrder("there is no account to pay to"))
  if (bankPayouts.get(country) !== money.currency)
    return Either.left(notSupported(`it pays no account in ${country} in ${money.currency}`))
  if (bank.bankCode === null) return Either.left(invalidOrder("the bank's code is not known"))
  return Either.right({ account_bank: bank.bankCode, account_number: bank.accountNumber })
}

/** Account data in its orders. */
interface Ordering {
  readonly callbackUrl: string | null
  /** The number of the one who sends payouts, where the payment names no payer. */
  readonly senderPhone: string | undefined
}

/** Kenya wants to know who sends the money: the payer that the request names, or else the organisation. */
const senderOf = (
  { country, payer, sender }: PaymentOrder,
  { senderPhone }: Ordering
): Either.Either<object, Declined> => {
  if (country !== "KE") return Either.right({})
  const meta = (name: string, from: string, phone: string) =>
    Either.right({ meta: [{ sender: cut(name), sender_country: from, mobile_number: digits(phone) }] })
  if (payer !== null) return meta(payer.name, country, payer.phone)
  if (sender === null) return Either.left(invalidOrder("for Kenya it must be known who sends the money"))
  return senderPhone === undefined
    ? Either.left(
        invalidOrder("for Kenya it needs a number of the sender: set FLUTTERWAVE_SENDER_PHONE, or send payer_details")
      )
    : meta(sender.name, sender.country, senderPhone)
}

const transfer = (order: PaymentOrder, ordering: Ordering): Built =>
  Either.map(Either.all([destinationOf(order), senderOf(order, ordering)]), ([destination, sender]) => {
    const { callbackUrl } = ordering
    const { bank, description, money, recipient, reference } = order
    const name = recipient?.name ?? bank?.accountName
    return {
      family: "transfer",
      path: "/v3/transfers",
      body: stringifyWire({
        ...destination,
        ...sender,
        amount: numeric(money),
        currency: money.currency,
        // Without it the money is taken from our naira, at a rate of its own.
        debit_currency: money.currency,
        reference,
        narration: cut(description ?? "Payment"),
        ...(name === undefined || name === null ? {} : { beneficiary_name: cut(name) }),
        ...(callbackUrl === null || callbackUrl.length > LONGEST_TEXT ? {} : { callback_url: callbackUrl })
      })
    }
  })

const payin = (order: PaymentOrder, nowMillis: number): Built => {
  const email = order.payer?.email
  if (email === undefined || email === null || email === "")
    return Either.left(invalidOrder("it takes no payment without the payer's e-mail address"))
  switch (order.method) {
    case "card":
      return hosted(order, email, nowMillis)
    case "bank_transfer":
      return bankCharge(order, email)
    case "mobile_money":
      return mobileCharge(order, email)
    default:
      return Either.left(notSupported(`it does not take ${order.method}`))
  }
}

export const orderRequest = (order: PaymentOrder, ordering: Ordering, nowMillis: number): Built => {
  if (order.flow === "inbound") return payin(order, nowMillis)
  return order.flow === "outbound"
    ? transfer(order, ordering)
    : Either.left(notSupported("it moves no money of others"))
}

export const refundRequest = (transactionId: string, { money, reason, reference }: RefundOrder): FlutterwaveOrder => ({
  family: "refund",
  path: `/v3/transactions/${encodeURIComponent(transactionId)}/refund`,
  // The reference is for people, and for a refund whose answer was lost. Nothing is refused because of it.
  body: stringifyWire({ amount: numeric(money), comments: cut(`${reference} ${reason ?? ""}`.trim()) })
})

export const familyOf = ({ flow, leg, method }: Pick<AttemptContext, "flow" | "leg" | "method">): Family => {
  const kind = attemptKind({ flow, leg })
  if (kind !== "payin") return kind === "payout" ? "transfer" : "refund"
  return method === "card" ? "hosted" : "charge"
}

export const verifyPath = (reference: string): string =>
  withQuery("/v3/transactions/verify_by_reference", { tx_ref: reference })

export const verifyIdPath = (id: string): string => `/v3/transactions/${encodeURIComponent(id)}/verify`

export const transferPath = (id: string): string => `/v3/transfers/${encodeURIComponent(id)}`

export const transfersPath = (reference: string): string => withQuery("/v3/transfers", { reference })

export const refundPath = (id: string): string => `/v3/refunds/${encodeURIComponent(id)}`

const DAY = Duration.toMillis(Duration.days(1))

const dayOf = (sentAt: Date, days: number): string =>
  new Date(sentAt.getTime() + days * DAY).toISOString().slice(0, "2026-01-01".length)

/** Refunds of the days around, whatever time zone its days are in. */
export const refundsPath = (sentAt: Date, until = sentAt): string =>
  `/v3/refunds?from=${dayOf(sentAt, -1)}&to=${dayOf(until, 2)}`

export const transactionsPath = (reference: string, sentAt: Date, now: Date): string =>
  `/v3/transactions?from=${dayOf(sentAt, -1)}&to=${dayOf(now, 2)}&tx_ref=${encodeURIComponent(reference)}`

/** Transactions that brought money, of the days around. */
export const successfulPath = (since: Date, now: Date): string =>
  `/v3/transactions?from=${dayOf(since, -1)}&to=${dayOf(now, 2)}&status=successful`

export const chargebacksPath = (flwRef: string): string => `/v3/chargebacks?flw_ref=${encodeURIComponent(flwRef)}`
