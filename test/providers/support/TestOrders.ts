/** Orders, attempts and refunds as adapters are handed them: whole, until a test says what is special about its own. */
import { randomUUID } from "node:crypto"
import { Either, Redacted } from "effect"
import { CountryCode } from "../../../src/domain/Country.ts"
import type { AnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { OrgId, PaymentId } from "../../../src/domain/Ids.ts"
import { Money } from "../../../src/domain/Money.ts"
import type { Accepted } from "../../../src/domain/Outcome.ts"
import type {
  AttemptContext,
  Card,
  PaymentOrder,
  Recipient,
  RefundOrder
} from "../../../src/providers/port/Provider.ts"

export const amount = (text: string, currency: string): Money =>
  Either.getOrThrow(Money.fromNumericText(text, currency as AnyCurrencyCode))

export const inMinor = (currency: string, count: bigint): Money =>
  new Money({ currency: currency as AnyCurrencyCode, minor: count })

/** The same with every run, where a test names it. */
export const referenceNo = (n: number): string => `0194c3a8-11aa-4b2b-8c3c-${n.toString().padStart(12, "0")}`

export const cardNumbered = (number: string): PaymentOrder["card"] =>
  Redacted.make<Card>({ number, expiryMonth: "03", expiryYear: "2030", cvv: "737", holder: "Ada Obi" })

export const recipientNamed = (name: string, about: Partial<Recipient> = {}): Recipient => ({
  name,
  email: null,
  phone: null,
  ...about
})

export type About = Partial<Omit<PaymentOrder, "country">> & { readonly country?: string }

export const orderOf = ({ country = "DE", ...about }: About = {}): PaymentOrder => ({
  reference: randomUUID(),
  paymentId: PaymentId.make(randomUUID()),
  orgId: OrgId.make(randomUUID()),
  flow: "inbound",
  method: "card",
  money: amount("123", "EUR"),
  description: "Two tickets",
  payer: { name: "Ada Obi", email: "ada@example.com", phone: "+254712345678" },
  mobileMoney: null,
  bank: null,
  card: null,
  walletAddress: null,
  recipient: null,
  sender: about.flow === "outbound" ? { name: "Acme Ltd", country: "GB" } : null,
  browser: null,
  checkoutUrl: "https://pay.example.com/checkout/p1",
  returnUrl: "https://pay.example.com/back/p1",
  expiresAt: null,
  ...about,
  country: CountryCode.make(country)
})

export const sentAt = new Date("2030-05-06T07:08:09Z")

export const attemptOf = (order: PaymentOrder, about: Partial<AttemptContext> = {}): AttemptContext => ({
  reference: order.reference,
  providerPaymentId: null,
  hintedIds: [],
  leg: "payment",
  flow: order.flow,
  method: order.method,
  country: order.country,
  network: order.mobileMoney?.network ?? order.walletAddress?.network ?? null,
  money: order.money,
  sentAt,
  orgId: order.orgId,
  configId: null,
  isWanted: true,
  broughtBy: null,
  ...about
})

export const refundOf = (attempt: AttemptContext, about: Partial<RefundOrder> = {}): RefundOrder => ({
  attempt,
  reference: randomUUID(),
  collectionId: null,
  money: attempt.money,
  reason: null,
  ...about
})

/** Attempt of a refund, once it is sent. */
export const refundAttemptOf = (order: RefundOrder, about: Partial<AttemptContext> = {}): AttemptContext => ({
  ...order.attempt,
  reference: order.reference,
  providerPaymentId: null,
  leg: "refund",
  money: order.money,
  broughtBy: order.attempt,
  ...about
})

/** The provider's own id of what it took. */
export const idIn = (outcome: unknown): string => (outcome as Accepted).providerPaymentId!
