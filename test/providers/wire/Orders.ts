/** Orders, attempts and accounts as the shell of the port hands them to an adapter. */
import { randomUUID } from "node:crypto"
import { Either, Redacted } from "effect"
import { CountryCode } from "../../../src/domain/Country.ts"
import type { AnyCurrencyCode } from "../../../src/domain/CryptoAsset.ts"
import { OrgId, PaymentId } from "../../../src/domain/Identifiers.ts"
import { Money } from "../../../src/domain/Money.ts"
import type { ProviderHttp } from "../../../src/providers/client/ProviderHttp.ts"
import type { AttemptContext, PaymentOrder } from "../../../src/providers/port/Provider.ts"
import type { Account, CredentialFields, Credentials } from "../../../src/providers/port/ThirdParty.ts"
import { callbackUrl, fakeUrl } from "./MemoryWire.ts"

export const money = (text: string, currency: string): Money =>
  Either.getOrThrow(Money.fromNumericText(text, currency as AnyCurrencyCode))

export const orderOf = (about: Partial<PaymentOrder>): PaymentOrder => ({
  reference: randomUUID(),
  paymentId: PaymentId.make(randomUUID()),
  orgId: OrgId.make(randomUUID()),
  flow: "inbound",
  method: "mobile_money",
  country: CountryCode.make("KE"),
  money: money("1500", "KES"),
  description: null,
  payer: { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" },
  mobileMoney: null,
  bank: null,
  card: null,
  walletAddress: null,
  recipient: null,
  checkoutUrl: "https://corridor.example/checkout/p1",
  returnUrl: "https://corridor.example/checkout/p1/back",
  ...about
})

export const attemptOf = (order: PaymentOrder, about: Partial<AttemptContext> = {}): AttemptContext => ({
  reference: order.reference,
  providerPaymentId: null,
  leg: "payment",
  flow: order.flow,
  method: order.method,
  country: order.country,
  network: order.mobileMoney?.network ?? order.walletAddress?.network ?? null,
  money: order.money,
  sentAt: new Date(0),
  orgId: order.orgId,
  configId: null,
  isWanted: true,
  broughtBy: null,
  ...about
})

export const refundAttemptOf = (
  brought: AttemptContext,
  reference: string,
  about: Partial<AttemptContext> = {}
): AttemptContext => ({ ...brought, reference, providerPaymentId: null, leg: "refund", broughtBy: brought, ...about })

export const accountOf = <Fields extends CredentialFields>(
  http: ProviderHttp,
  credentials: Readonly<Record<string, string>>,
  baseUrl: string = fakeUrl
): Account<Fields> => ({
  configId: null,
  mode: "sandbox",
  credentials: Object.fromEntries(
    Object.entries(credentials).map(([name, value]) => [name, Redacted.make(value)])
  ) as Credentials<Fields>,
  baseUrl,
  callbackUrl,
  rawCards: false,
  http
})
