/** Requests to Stripe: forms whose names nest by brackets. */
import { Either, Option, Redacted } from "effect"
import type { Money } from "../../domain/Money.ts"
import { type Declined } from "../../domain/Outcome.ts"
import { type ProviderCall, withQuery } from "../client/ProviderHttp.ts"
import type { AttemptContext, Card, PaymentOrder, RefundOrder } from "../port/Provider.ts"
import { minorText, moneyOfMinor } from "../client/WireValues.ts"
import { exactAmount, invalidOrder, notSupported } from "../client/ProviderReplies.ts"

/** ISK and UGX kept their two digits when the currencies lost theirs; the ariary has none at Stripe. */
const ownExponents: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: 0 }

/** Of currencies with three digits Stripe wants the last one to be zero. */
const THREE_DIGITS = 3

export const cardCurrencies = (
  "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CVE " +
  "CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR ISK JMD JOD JPY KES KGS " +
  "KHR KMF KRW KWD KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD " +
  "OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SEK SGD SHP SLE SOS SRD SZL THB TJS TND TOP TRY TTD TWD " +
  "TZS UAH UGX USD UYU UZS VND VUV WST XAF XCD XOF XPF YER ZAR ZMW"
).split(" ")

/** None for an amount that Stripe cannot represent exactly. */
export const amountText = (money: Money): Option.Option<string> =>
  Option.filter(
    minorText(money, ownExponents[money.currency]),
    (text) => money.exponent !== THREE_DIGITS || text.endsWith("0")
  )

export const moneyIn = (amount: string | null, currency: string | null): Option.Option<Money> =>
  moneyOfMinor(amount, currency, ownExponents[currency?.toUpperCase() ?? ""])

/** Stripe's published test cards, and the payment methods that stand for them: a test key pays with these without a card number. */
export const testCards: Readonly<Record<string, string>> = {
  "4242424242424242": "pm_card_visa",
  "4000056655665556": "pm_card_visa_debit",
  "5555555555554444": "pm_card_mastercard",
  "5200828282828210": "pm_card_mastercard_debit",
  "5105105105105100": "pm_card_mastercard_prepaid",
  "378282246310005": "pm_card_amex",
  "6011111111111117": "pm_card_discover",
  "3056930009020004": "pm_card_diners",
  "3566002020360505": "pm_card_jcb",
  "6200000000000005": "pm_card_unionpay",
  "4000000000000002": "pm_card_visa_chargeDeclined",
  "4000000000009995": "pm_card_visa_chargeDeclinedInsufficientFunds",
  "4000000000009987": "pm_card_visa_chargeDeclinedLostCard",
  "4000000000009979": "pm_card_visa_chargeDeclinedStolenCard",
  "4000000000006975": "pm_card_visa_chargeDeclinedVelocityLimitExceeded",
  "4000000000000069": "pm_card_chargeDeclinedExpiredCard",
  "4000000000000127": "pm_card_chargeDeclinedIncorrectCvc",
  "4000000000000119": "pm_card_chargeDeclinedProcessingError",
  "4000002760003184": "pm_card_authenticationRequired"
}

export const isTestKey = (secretKey: string): boolean => /^(sk|rk)_test_/.test(secretKey)

export type Form = Readonly<Record<string, string>>

export const post = (operation: string, path: string, form: Form, idempotencyKey?: string): ProviderCall => ({
  operation,
  method: "POST",
  path,
  headers: {
    "content-type": "application/x-www-form-urlencoded",
    ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
  },
  body: new URLSearchParams(form).toString()
})

const LONGEST_DESCRIPTION = 1000
const LONGEST_NAME = 256
const LONGEST_EMAIL = 512
const LONGEST_PHONE = 20

/** Clocks differ, and an answer may have been on its way for a while. */
const AROUND_SECONDS = 600

const amountOf = (money: Money): Either.Either<string, Declined> => exactAmount("Stripe", money, amountText(money))

/** How a card pays: by what stands for it, by its number, or on a page of the caller's. */
type CardEntry = "page" | Form

/** Beyond the published contract, which leaves card numbers to Stripe's own fields: an account must be cleared for it. */
const rawCard = (card: Card, payer: PaymentOrder["payer"]): Form => {
  const name = card.holder ?? payer?.name
  return {
    "payment_method_data[type]": "card",
    "payment_method_data[card][number]": card.number,
    "payment_method_data[card][exp_month]": card.expiryMonth,
    "payment_method_data[card][exp_year]": card.expiryYear,
    ...(card.cvv === null ? {} : { "payment_method_data[card][cvc]": card.cvv }),
    ...(name === undefined ? {} : { "payment_method_data[billing_details][name]": name })
  }
}

interface CardRules {
  readonly rawCards: boolean
  readonly testKey: boolean
}

const cardEntry = ({ card, payer }: PaymentOrder, { rawCards, testKey }: CardRules): CardEntry => {
  if (card === null) return "page"
  if (rawCards) return rawCard(Redacted.value(card), payer)
  const method = testKey ? testCards[Redacted.value(card).number] : undefined
  return method === undefined ? "page" : { payment_method: method }
}

/** An intent that waits on a page survives a refused card, which the metadata has to remember. */
export const PAID_ON = "paid_on"
export const PAGE = "page"

const cardForm = (order: PaymentOrder, rules: CardRules): Form => {
  const entry = cardEntry(order, rules)
  return entry === "page"
    ? { "payment_method_types[]": "card", [`metadata[${PAID_ON}]`]: PAGE }
    : { "payment_method_types[]": "card", ...entry, confirm: "true", return_url: order.returnUrl }
}

/** Stripe keeps accounts for euros in these countries, which all the others can pay to. */
const euroAccounts: ReadonlySet<string> = new Set(["BE", "DE", "ES", "FR", "IE", "NL"])

export const euroCountries = "AT BE CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK".split(" ")

const transferTypes: Readonly<Record<string, string>> = {
  EUR: "eu_bank_transfer",
  GBP: "gb_bank_transfer",
  JPY: "jp_bank_transfer",
  MXN: "mx_bank_transfer",
  USD: "us_bank_transfer"
}

/** Kind of bank account that Stripe names for a currency, and for euros its country. */
export const bankTransferType = (currency: string, country: string) => ({
  type: transferTypes[currency] ?? "",
  eu_bank_transfer: currency === "EUR" ? (euroAccounts.has(country) ? country : "IE") : undefined
})

const transferForm = ({ country, money }: PaymentOrder, customer: string): Either.Either<Form, Declined> => {
  const { eu_bank_transfer, type } = bankTransferType(money.currency, country)
  if (type === "") return Either.left(notSupported(`Stripe takes no bank transfers in ${money.currency}`))
  const transfer = "payment_method_options[customer_balance][bank_transfer]"
  return Either.right({
    customer,
    "payment_method_types[]": "customer_balance",
    "payment_method_data[type]": "customer_balance",
    "payment_method_options[customer_balance][funding_type]": "bank_transfer",
    [`${transfer}[type]`]: type,
    ...(eu_bank_transfer === undefined ? {} : { [`${transfer}[eu_bank_transfer][country]`]: eu_bank_transfer }),
    confirm: "true"
  })
}

/** `customer`: whose account the payer of a bank transfer is given. */
export const intentForm = (
  order: PaymentOrder,
  rules: CardRules,
  customer: string | null
): Either.Either<Form, Declined> =>
  Either.gen(function* () {
    if (order.flow !== "inbound" || (order.method !== "card" && order.method !== "bank_transfer")) {
      return yield* Either.left(notSupported(`Stripe does not serve ${order.method}, ${order.flow}`))
    }
    const amount = yield* amountOf(order.money)
    const how = customer === null ? cardForm(order, rules) : yield* transferForm(order, customer)
    return {
      amount,
      currency: order.money.currency.toLowerCase(),
      ...(order.description === null ? {} : { description: order.description.slice(0, LONGEST_DESCRIPTION) }),
      "metadata[reference]": order.reference,
      ...how
    }
  })

/** One for an attempt: a payer who comes again gets an account of its own again, so that no two payments share one. */
export const customerForm = ({ payer, reference }: PaymentOrder): Form => ({
  "metadata[reference]": reference,
  ...(payer === null
    ? {}
    : {
        name: payer.name.slice(0, LONGEST_NAME),
        ...(payer.email.length > LONGEST_EMAIL ? {} : { email: payer.email }),
        ...(payer.phone.length > LONGEST_PHONE ? {} : { phone: payer.phone })
      })
})

/** Stripe remembers what it answered for each of them. */
export const customerKey = (reference: string): string => `${reference}-customer`

/** Leaves the reason out: a retry with another reason would be refused by the idempotency key. */
export const refundForm = ({ attempt, collectionId, money, reference }: RefundOrder): Either.Either<Form, Declined> =>
  Either.gen(function* () {
    const paid =
      collectionId === null
        ? {
            payment_intent: yield* Either.fromNullable(attempt.providerPaymentId, () =>
              invalidOrder("Stripe's own id of the payment is not known")
            )
          }
        : { charge: collectionId }
    return { ...paid, amount: yield* amountOf(money), "metadata[reference]": reference }
  })

const PAGE_SIZE = "100"

/** What was made around the time that it was sent, newest first; `after`: from behind this one on. */
export const intentsAround = ({ sentAt }: AttemptContext, after: string | undefined): string => {
  const at = Math.floor(sentAt.getTime() / 1000)
  return withQuery("/v1/payment_intents", {
    "created[gte]": `${at - AROUND_SECONDS}`,
    "created[lte]": `${at + AROUND_SECONDS}`,
    limit: PAGE_SIZE,
    "expand[]": "data.latest_charge",
    starting_after: after
  })
}

/** Whenever it was made; the index behind it lags. */
export const intentsNamed = (reference: string): string =>
  withQuery("/v1/payment_intents/search", {
    query: `metadata['reference']:'${reference}'`,
    "expand[]": "data.latest_charge"
  })

export const listOf = (objects: "refunds" | "disputes", paymentIntent: string): string =>
  withQuery(`/v1/${objects}`, { payment_intent: paymentIntent, limit: PAGE_SIZE })

export const intentPath = (id: string): string => `/v1/payment_intents/${encodeURIComponent(id)}`

/** With its charge, which says whether there are refunds and disputes to list. */
export const intentWithCharge = (id: string): string => withQuery(intentPath(id), { "expand[]": "latest_charge" })

export const refundPath = (id: string): string => `/v1/refunds/${encodeURIComponent(id)}`
