/**
 * Builds the order that a provider gets, from the stored payment and from request data that is never stored. Every
 * dispatch, first or repeated, sends the same order. Builds also the context for questions about an attempt.
 */
import { Context, Effect, Either, Layer, Option, type Redacted, Schema } from "effect"
import { type Destination, destinationOf } from "../beneficiaries/Destination.ts"
import type { PaymentId } from "../../domain/Ids.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { Vault } from "../../platform/secrets/Vault.ts"
import type { CountryCode } from "../../domain/Country.ts"
import { findNetwork } from "../../domain/MobileNetwork.ts"
import { readPhoneNumberOf } from "../../domain/PhoneNumber.ts"
import type { Organization } from "../../people/organizations/OrganizationStore.ts"
import type {
  BankAccount,
  Browser,
  Card,
  MobileMoney,
  PaymentOrder,
  Sender,
  AttemptContext
} from "../../providers/port/Provider.ts"
import { type Leg, type Payment, type Attempt, moneyAtProvider } from "../store/Payment.ts"
import { isFinal } from "../../domain/PaymentStatus.ts"
import type { Money } from "../../domain/Money.ts"
import type { Sent } from "../../providers/port/ResendPermit.ts"

export type Order = Omit<PaymentOrder, "reference">

export type PaidLeg = Exclude<Leg, "refund" | "return">

/** The address of a payment's hosted page; its token proves that we gave it out. */
export class CheckoutUrl extends Context.Tag("corridor/CheckoutUrl")<CheckoutUrl, (paymentId: PaymentId) => string>() {
  static readonly layer = Layer.effect(
    CheckoutUrl,
    Effect.gen(function* () {
      const vault = yield* Vault
      const { publicUrl } = yield* Settings
      return (paymentId) => `${publicUrl}/checkout/${paymentId}?t=${vault.hmac(paymentId, "checkout").slice(0, 32)}`
    })
  )
}

/** Data of an order that is not stored with the payment. */
export interface OrderInput {
  readonly card?: Redacted.Redacted<Card> | null
  readonly browser?: Browser | null
  /** Whose payment it is, who sends what is paid out. */
  readonly organization: Option.Option<Pick<Organization, "country" | "name">>
  readonly checkoutUrl: string
}

type OrderFields = Pick<
  Payment,
  | "payment_id"
  | "org_id"
  | "direction"
  | "payment_method"
  | "country"
  | "amount"
  | "target"
  | "description"
  | "beneficiary_id"
  | "payer_details"
  | "mobile_money_details"
  | "recipient_info"
  | "ramp"
  | "expires_at"
>

/** As it is known before it has a name. */
export type RoutedFields = Omit<OrderFields, "payment_id" | "org_id" | "ramp" | "expires_at"> &
  Partial<Pick<OrderFields, "ramp">>

/** The sides that a provider may act on; at most one of them is there. */
type Side = Pick<PaymentOrder, "bank" | "mobileMoney" | "walletAddress">

/** The beneficiary as it was at initiation, which is when it was checked. */
type Recipient = Parameters<typeof destinationOf>[0] & {
  readonly fname: string
  readonly lname: string
  readonly email: string | null
  readonly phone_number: string | null
}

const nowhere: Side = { bank: null, mobileMoney: null, walletAddress: null }

const nullable = Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null })

// As it is stored: what requests may hold changes, and an order that is sent again, or late, has the payer that it had.
const payerIn = Schema.decodeUnknownOption(
  Schema.Struct({ name: Schema.String, email: nullable, phone: Schema.String })
)

const payerOf = ({ payer_details }: RoutedFields): PaymentOrder["payer"] => Option.getOrNull(payerIn(payer_details))

/** Payers may leave it out for mobile money on a payment link. */
export const payerHasEmail = (payment: RoutedFields): boolean => Boolean(payerOf(payment)?.email)

const bankIn = Schema.decodeUnknownOption(
  Schema.Struct({
    account_name: nullable,
    account_number: Schema.String,
    bank_code: nullable,
    bank_name: nullable,
    country: nullable
  })
)

const phoneIn = Schema.decodeUnknownOption(Schema.Struct({ provider: Schema.String, phone_number: Schema.String }))

const recipientOf = ({ beneficiary_id, recipient_info }: RoutedFields): Recipient | null =>
  beneficiary_id === null ? null : (recipient_info as unknown as Recipient)

const payersBank = ({ payer_details }: RoutedFields): BankAccount | null =>
  Option.getOrNull(
    Option.map(bankIn(payer_details["bank_details"]), (bank) => ({
      accountName: bank.account_name,
      accountNumber: bank.account_number,
      bankCode: bank.bank_code,
      bankName: bank.bank_name,
      country: bank.country
    }))
  )

const international = (text: string, country: CountryCode): string =>
  Either.getOrElse(readPhoneNumberOf(text, country), () => text)

const payersPhone = ({ country, mobile_money_details }: RoutedFields): MobileMoney | null =>
  Option.getOrNull(
    Option.flatMap(phoneIn(mobile_money_details), ({ phone_number, provider }) =>
      Option.map(findNetwork(country, provider), ({ code }) => ({
        network: code,
        phoneNumber: international(phone_number, country)
      }))
    )
  )

/** The payer's side. The provider names the address for crypto; only the network is known. */
const payersSide = (payment: RoutedFields, method: PaymentOrder["method"]): Side => {
  switch (method) {
    case "bank_transfer":
      return { ...nowhere, bank: payersBank(payment) }
    case "mobile_money":
      return { ...nowhere, mobileMoney: payersPhone(payment) }
    case "crypto":
      return payment.ramp === undefined || payment.ramp === null
        ? nowhere
        : { ...nowhere, walletAddress: { address: "", network: payment.ramp.network } }
    default:
      return nowhere
  }
}

const paidSide = (destination: Destination): Side => {
  switch (destination._tag) {
    case "Bank":
      return { ...nowhere, bank: destination.account }
    case "MobileMoney":
      return { ...nowhere, mobileMoney: destination.account }
    case "CryptoWallet":
      return { ...nowhere, walletAddress: destination.account }
    case "PayPal":
      return nowhere
  }
}

const recipientsSide = ({ ramp }: RoutedFields, recipient: Recipient | null): Side => {
  if (recipient !== null) return paidSide(destinationOf(recipient))
  const address = ramp?.wallet_address ?? null
  return ramp === undefined || ramp === null || address === null
    ? nowhere
    : { ...nowhere, walletAddress: { address, network: ramp.network } }
}

const recipientOfOrder = (recipient: Recipient): NonNullable<PaymentOrder["recipient"]> => {
  const { email, fname, lname, momo_details, phone_number, wallet_details } = recipient
  return {
    name: `${fname} ${lname}`,
    email: wallet_details.email ?? email ?? null,
    phone: phone_number ?? momo_details.phone_number ?? null
  }
}

interface Facts {
  readonly flow: PaymentOrder["flow"]
  readonly method: PaymentOrder["method"]
  readonly money: PaymentOrder["money"]
}

const factsOf = (payment: RoutedFields, leg: PaidLeg): Facts => {
  const { direction, payment_method, ramp } = payment
  if (ramp === undefined || ramp === null || leg === "payment") {
    return { flow: direction, method: payment_method, money: moneyAtProvider(payment) }
  }
  return leg === "collection"
    ? { flow: "inbound", method: ramp.collection, money: payment.amount }
    : { flow: "outbound", method: ramp.settlement, money: payment.target }
}

const sideOf = (payment: RoutedFields, leg: PaidLeg, { flow, method }: Facts): Side =>
  flow === "inbound"
    ? payersSide(payment, method)
    : recipientsSide(payment, leg === "collection" ? null : recipientOf(payment))

/** Facts of an order that decide on its route and on later polls. */
export const orderFacts = (payment: RoutedFields, leg: PaidLeg): Facts & { readonly network: string | null } => {
  const facts = factsOf(payment, leg)
  const { mobileMoney, walletAddress } = sideOf(payment, leg, facts)
  return { ...facts, network: mobileMoney?.network ?? walletAddress?.network ?? null }
}

/** Page below the checkout to which a provider returns the customer. */
const returnUrlOf = (checkoutUrl: string): string => checkoutUrl.replace("?", "/return?")

const senderIn = ({ organization }: OrderInput): Sender | null =>
  Option.getOrNull(Option.map(organization, ({ country, name }) => ({ name, country })))

export const buildOrder = (payment: OrderFields, leg: PaidLeg, unstored: OrderInput): Order => {
  const { browser = null, card = null, checkoutUrl } = unstored
  const facts = factsOf(payment, leg)
  const recipient = leg === "collection" ? null : recipientOf(payment)
  const side = sideOf(payment, leg, facts)
  return {
    paymentId: payment.payment_id,
    orgId: payment.org_id,
    ...facts,
    country: payment.country,
    description: payment.description,
    payer: leg === "settlement" ? null : payerOf(payment),
    ...side,
    card,
    recipient: recipient === null ? null : recipientOfOrder(recipient),
    sender: facts.flow === "outbound" ? senderIn(unstored) : null,
    browser,
    checkoutUrl,
    returnUrl: returnUrlOf(checkoutUrl),
    expiresAt: payment.expires_at
  }
}

const isPaidLeg = (leg: Attempt["leg"]): leg is PaidLeg => leg !== "refund" && leg !== "return"

const brings = ({ leg }: Attempt): boolean => leg === "payment" || leg === "collection"

/**
 * Attempt that collected the money which a refund or return gives back. Of a returned refund or an unpaid ramp, it is
 * another one than `of_attempt`: the attempt of the same provider that collected.
 */
const broughtBy = (attempt: Attempt, all: ReadonlyArray<Attempt>): Attempt | undefined => {
  const of = all.find(({ attempt_id }) => attempt_id === attempt.of_attempt)
  if (of !== undefined && brings(of)) return of
  return all.find((one) => brings(one) && one.provider === attempt.provider && one.outcome !== "declined")
}

const givenBack = ({ amount, refunds }: Payment, { attempt_id }: Attempt): Money =>
  refunds.find(({ refund_id }) => refund_id === attempt_id)?.amount ?? amount

/** `now`: by the store's clock. The provider may know the attempt since its start. */
export const sentTimes = ({ sent_at, started_at }: Attempt, now: Date): Sent => ({
  first: started_at < sent_at ? started_at : sent_at,
  last: sent_at,
  now
})

/** `all`: of the payment; only of money on its way back are the others needed. */
export const attemptContext = (
  payment: Payment,
  attempt: Attempt,
  all: ReadonlyArray<Attempt>,
  hintedIds: ReadonlyArray<string> = []
): AttemptContext => {
  const { attempt_id, config_id, leg, outcome, provider_payment_id, sent_at } = attempt
  const known = {
    reference: attempt_id,
    providerPaymentId: provider_payment_id,
    hintedIds,
    leg,
    country: payment.country,
    sentAt: sent_at,
    orgId: payment.org_id,
    configId: config_id,
    isWanted: outcome !== "declined" && !isFinal(payment.status)
  }
  if (isPaidLeg(leg)) return { ...known, ...orderFacts(payment, leg), broughtBy: null }
  const brought = broughtBy(attempt, all)
  const facts = orderFacts(payment, brought !== undefined && isPaidLeg(brought.leg) ? brought.leg : "payment")
  return {
    ...known,
    ...facts,
    money: givenBack(payment, attempt),
    broughtBy: brought === undefined ? null : attemptContext(payment, brought, [])
  }
}
