/** Requests to Stripe: forms whose names nest by brackets. */
import { Duration, Either, Option, Redacted } from "effect"
import type { AnyCurrencyCode } from "../../domain/Currency.ts"
import { Money } from "../../domain/Money.ts"
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

/** Amount as text; none if Stripe cannot represent it exactly. */
export const amountText = (money: Money): Option.Option<string> =>
  Option.filter(
    minorText(money, ownExponents[money.currency]),
    (text) => money.exponent !== THREE_DIGITS || text.endsWith("0")
  )

export const stripeDigits = (currency: AnyCurrencyCode): number | undefined =>
  Money.zero(currency).exponent === THREE_DIGITS ? THREE_DIGITS - 1 : ownExponents[currency]

export const moneyIn = (amount: string | null, currency: string | null): Option.Option<Money> =>
  moneyOfMinor(amount, currency, ownExponents[currency?.toUpperCase() ?? ""])

/** Stripe's published test cards, and the payment methods that stand for them: a test key sends these instead of numbers. */
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

const cardForm = ({ payer, returnUrl }: PaymentOrder, card: Redacted.Redacted<Card>, testKey: boolean): Form => {
  const method = testKey ? testCards[Redacted.value(card).number] : undefined
  return {
    "payment_method_types[]": "card",
    ...(method === undefined ? rawCard(Redacted.value(card), payer) : { payment_method: method }),
    confirm: "true",
    return_url: returnUrl
  }
}

/** An intent that is paid on a page survives a refused card, which the metadata has to remember. */
const PAID_ON = "paid_on"
const PAGE = "page"

export const isPaidOnPage = ({ metadata }: { readonly metadata: Readonly<Record<string, string>> | null }): boolean =>
  metadata?.[PAID_ON] === PAGE

/** Stripe closes a page 30 minutes after it was made at the earliest, and 24 hours after at the latest. */
const pageLives = { least: Duration.minutes(31), most: Duration.minutes(24 * 60 - 1) }

/**
 * End of the page, as near to the end of the payin as Stripe allows. At the latest time Stripe closes the page by
 * itself.
 */
const pageEnd = ({ expiresAt }: PaymentOrder, nowMillis: number): Form => {
  if (expiresAt === null || expiresAt.getTime() - nowMillis > Duration.toMillis(pageLives.most)) return {}
  const end = Math.max(expiresAt.getTime(), nowMillis + Duration.toMillis(pageLives.least))
  return { expires_at: `${Math.floor(end / 1000)}` }
}

/** A page of Stripe's where the payer enters the card. The reference is on the session and on the payment behind it. */
export const sessionForm = (order: PaymentOrder, nowMillis: number): Either.Either<Form, Declined> =>
  Either.map(amountOf(order.money), (amount) => {
    const { description, money, payer, reference, returnUrl } = order
    const said = description?.slice(0, LONGEST_DESCRIPTION)
    const [item, intent] = ["line_items[0]", "payment_intent_data"]
    return {
      mode: "payment",
      "payment_method_types[]": "card",
      [`${item}[quantity]`]: "1",
      [`${item}[price_data][currency]`]: money.currency.toLowerCase(),
      [`${item}[price_data][unit_amount]`]: amount,
      [`${item}[price_data][product_data][name]`]: said ?? "Payment",
      // Else the payer may choose another currency, by the dashboard's setting, and pays an amount that Stripe computes.
      "adaptive_pricing[enabled]": "false",
      success_url: returnUrl,
      cancel_url: returnUrl,
      client_reference_id: reference,
      "metadata[reference]": reference,
      [`${intent}[metadata][reference]`]: reference,
      [`${intent}[metadata][${PAID_ON}]`]: PAGE,
      ...(said === undefined ? {} : { [`${intent}[description]`]: said }),
      ...(payer === null || payer.email === null || payer.email.length > LONGEST_EMAIL
        ? {}
        : { customer_email: payer.email }),
      ...pageEnd(order, nowMillis)
    }
  })

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

/** A payer's card by its number, or the account that the payer of a bank transfer is given. */
export type PaidBy =
  | { readonly card: Redacted.Redacted<Card>; readonly testKey: boolean }
  | { readonly customer: string }

export const intentForm = (order: PaymentOrder, by: PaidBy): Either.Either<Form, Declined> =>
  Either.gen(function* () {
    const amount = yield* amountOf(order.money)
    const how = "card" in by ? cardForm(order, by.card, by.testKey) : yield* transferForm(order, by.customer)
    return {
      amount,
      currency: order.money.currency.toLowerCase(),
      ...(order.description === null ? {} : { description: order.description.slice(0, LONGEST_DESCRIPTION) }),
      "metadata[reference]": order.reference,
      ...how
    }
  })

/** Customer of one attempt: a returning payer gets a new one, so that no two payments share an account. */
export const customerForm = ({ payer, reference }: PaymentOrder): Form => ({
  "metadata[reference]": reference,
  ...(payer && {
    name: payer.name.slice(0, LONGEST_NAME),
    ...(payer.email === null || payer.email.length > LONGEST_EMAIL ? {} : { email: payer.email }),
    ...(payer.phone.length > LONGEST_PHONE ? {} : { phone: payer.phone })
  })
})

/** Stripe remembers what it answered for each of them. */
export const customerKey = (reference: string): string => `${reference}-customer`

/** Of a page, until the payment that its payer makes has an id of its own. */
export const isSessionId = (id: string): boolean => id.startsWith("cs_")

export const intentIdOf = ({ providerPaymentId: id }: Pick<AttemptContext, "providerPaymentId">): string | null =>
  id === null || isSessionId(id) ? null : id

/** Leaves the reason out: a retry with another reason would be refused by the idempotency key. */
export const refundForm = ({ attempt, collectionId, money, reference }: RefundOrder): Either.Either<Form, Declined> =>
  Either.gen(function* () {
    const paid =
      collectionId === null
        ? {
            payment_intent: yield* Either.fromNullable(intentIdOf(attempt), () =>
              invalidOrder("Stripe's own id of the payment is not known")
            )
          }
        : { charge: collectionId }
    return { ...paid, amount: yield* amountOf(money), "metadata[reference]": reference }
  })

const PAGE_SIZE = "100"

/** Payments created around the time of sending, newest first; `after`: those behind this one. */
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

export const sessionPath = (id: string): string => `/v1/checkout/sessions/${encodeURIComponent(id)}`

/** With the payment behind it, which is there once the payer has begun, and its charge. */
export const sessionWithIntent = (id: string): string =>
  withQuery(sessionPath(id), { "expand[]": "payment_intent.latest_charge" })

/** Newest first. */
export const sessions = (after: string | undefined): string =>
  withQuery("/v1/checkout/sessions", { limit: PAGE_SIZE, starting_after: after })

/** Whether the payment was created too early to be the attempt's; clocks differ. */
export const isBefore = (created: string | null, { sentAt }: AttemptContext): boolean =>
  created !== null && Number(created) < sentAt.getTime() / 1000 - AROUND_SECONDS

export const refundPath = (id: string): string => `/v1/refunds/${encodeURIComponent(id)}`
