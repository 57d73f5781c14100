/** Orders as the payments service would send them, and accounts at a third party that only remember what they are asked. */
import { Effect, Either, Redacted } from "effect"
import type { CountryCode } from "../../../src/domain/Country.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import type { OrgId, PaymentId } from "../../../src/domain/Identifiers.ts"
import { Money } from "../../../src/domain/Money.ts"
import type {
  CallFailed,
  ProviderCall,
  ProviderHttp,
  ProviderReply
} from "../../../src/providers/client/ProviderHttp.ts"
import type { AttemptContext, Card, PaymentOrder, RefundOrder } from "../../../src/providers/port/Provider.ts"
import type { Account, CredentialFields, ThirdParty } from "../../../src/providers/port/ThirdParty.ts"
import { readJson } from "../../../src/providers/port/WireJson.ts"

export const reference = "0194c3a8-11aa-4b2b-8c3c-0123456789ab"

export const referenceNo = (n: number): string => `0194c3a8-11aa-4b2b-8c3c-${n.toString().padStart(12, "0")}`

export const sentAt = new Date("2030-05-06T07:08:09Z")

export const money = (currency: string, minor: bigint): Money =>
  new Money({ currency: CurrencyCode.make(currency), minor })

export const cardNumbered = (number: string): PaymentOrder["card"] =>
  Redacted.make<Card>({ number, expiryMonth: "03", expiryYear: "2030", cvv: "737", holder: "Ada Obi" })

export const newOrder = (about: Partial<PaymentOrder> = {}): PaymentOrder => ({
  reference,
  paymentId: "0194c3a8-0000-7000-8000-000000000001" as PaymentId,
  orgId: "0194c3a8-0000-7000-8000-000000000002" as OrgId,
  flow: "inbound",
  method: "card",
  country: "DE" as CountryCode,
  money: money("EUR", 12_300n),
  description: "Two tickets",
  payer: { name: "Ada Obi", email: "ada@example.com", phone: "+254712345678" },
  mobileMoney: null,
  bank: null,
  card: null,
  walletAddress: null,
  recipient: null,
  checkoutUrl: "https://pay.example.com/checkout/p1?t=abc",
  returnUrl: "https://pay.example.com/checkout/p1/return?t=abc",
  ...about
})

export const contextOf = (order: PaymentOrder, about: Partial<AttemptContext> = {}): AttemptContext => ({
  reference: order.reference,
  providerPaymentId: null,
  leg: "payment",
  flow: order.flow,
  method: order.method,
  country: order.country,
  network: null,
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
  reference: referenceNo(77),
  money: attempt.money,
  reason: "not as described",
  ...about
})

/** About a refund, once it is sent. */
export const refundContext = (order: RefundOrder, about: Partial<AttemptContext> = {}): AttemptContext => ({
  ...order.attempt,
  reference: order.reference,
  providerPaymentId: null,
  leg: "refund",
  money: order.money,
  broughtBy: order.attempt,
  ...about
})

export const replyOf = (status: number, body: unknown): ProviderReply => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return { status, headers: {}, text, json: Either.getOrUndefined(readJson(text)) }
}

/** Answers as it is told, and keeps what it was asked. */
export const listening = (answer: (call: ProviderCall) => ProviderReply | CallFailed) => {
  const calls: Array<ProviderCall> = []
  const http: ProviderHttp = {
    call: (call) =>
      Effect.suspend(() => {
        calls.push(call)
        const said = answer(call)
        return "_tag" in said ? Effect.fail(said) : Effect.succeed(said)
      })
  }
  return { calls, http }
}

export const connected = <Fields extends CredentialFields>(
  party: ThirdParty<Fields>,
  credentials: Readonly<Record<string, string>>,
  about: Pick<Account<Fields>, "http"> & Partial<Omit<Account<Fields>, "credentials">>
) =>
  party.connect({
    configId: null,
    mode: "sandbox",
    baseUrl: party.baseUrls.sandbox,
    callbackUrl: "https://corridor.example.com/callbacks",
    rawCards: false,
    ...about,
    credentials: Object.fromEntries(
      Object.entries(credentials).map(([name, value]) => [name, Redacted.make(value)])
    ) as Account<Fields>["credentials"]
  })
