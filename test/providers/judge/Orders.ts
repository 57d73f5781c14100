/** Orders and attempts as adapters are given them, and accounts that talk to a fake or to a script. */
import { randomUUID } from "node:crypto"
import { Effect, Either, Redacted } from "effect"
import { CountryCode } from "../../../src/domain/Country.ts"
import type { AnyCurrencyCode } from "../../../src/domain/CryptoAsset.ts"
import { OrgId, PaymentId } from "../../../src/domain/Identifiers.ts"
import { Money } from "../../../src/domain/Money.ts"
import {
  type CallFailed,
  MaybeSent,
  type ProviderCall,
  type ProviderHttp,
  type ProviderReply
} from "../../../src/providers/client/ProviderHttp.ts"
import type { FakeCallback } from "../../../src/providers/fakes/Fake.ts"
import type { FakeBooks } from "../../../src/providers/fakes/FakeBooks.ts"
import type { CallbackRequest } from "../../../src/providers/port/Callback.ts"
import type { AttemptContext, PaymentOrder, RefundOrder } from "../../../src/providers/port/Provider.ts"
import type { Account, CredentialFields, Credentials, ThirdParty } from "../../../src/providers/port/ThirdParty.ts"
import { readJson } from "../../../src/providers/port/WireJson.ts"

export const amount = (text: string, currency: string): Money =>
  Either.getOrThrow(Money.fromNumericText(text, currency as AnyCurrencyCode))

type About<A> = Partial<Omit<A, "country">> & { readonly country?: string }

export const orderOf = ({ country = "NG", ...about }: About<PaymentOrder>): PaymentOrder => ({
  reference: randomUUID(),
  paymentId: PaymentId.make(randomUUID()),
  orgId: OrgId.make(randomUUID()),
  flow: "inbound",
  method: "card",
  money: amount("250.00", "NGN"),
  description: "Invoice 42",
  payer: { name: "Ada Obi", email: "ada@example.com", phone: "+2348012345678" },
  mobileMoney: null,
  bank: null,
  card: null,
  walletAddress: null,
  recipient: null,
  checkoutUrl: "https://pay.example/checkout/1",
  returnUrl: "https://pay.example/return/1",
  ...about,
  country: CountryCode.make(country)
})

export const attemptOf = (order: PaymentOrder, about: Partial<AttemptContext> = {}): AttemptContext => ({
  reference: order.reference,
  providerPaymentId: null,
  leg: "payment",
  flow: order.flow,
  method: order.method,
  country: order.country,
  network: order.mobileMoney?.network ?? null,
  money: order.money,
  sentAt: new Date("2025-06-01T10:00:00.000Z"),
  orgId: order.orgId,
  configId: null,
  isWanted: true,
  broughtBy: null,
  ...about
})

export const refundOf = (attempt: AttemptContext, about: Partial<RefundOrder> = {}): RefundOrder => ({
  attempt,
  reference: randomUUID(),
  money: attempt.money,
  reason: null,
  ...about
})

export const refundAttemptOf = (order: RefundOrder, about: Partial<AttemptContext> = {}): AttemptContext => ({
  ...order.attempt,
  reference: order.reference,
  providerPaymentId: null,
  leg: "refund",
  money: order.money,
  broughtBy: order.attempt,
  ...about
})

export const replyOf = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
): ProviderReply => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return { status, headers, text, json: Either.getOrUndefined(readJson(text)) }
}

export interface Recorded {
  readonly http: ProviderHttp
  readonly calls: Array<ProviderCall>
  readonly replies: Array<ProviderReply>
}

const recording = (answer: (call: ProviderCall) => Effect.Effect<ProviderReply, CallFailed>): Recorded => {
  const calls: Array<ProviderCall> = []
  const replies: Array<ProviderReply> = []
  const call: ProviderHttp["call"] = (one) =>
    Effect.suspend(() => {
      calls.push(one)
      return Effect.tap(answer(one), (reply) => Effect.sync(() => replies.push(reply)))
    })
  return { http: { call }, calls, replies }
}

/** Answers by a script instead of a provider. */
export const scripted = (answer: (call: ProviderCall) => ProviderReply | CallFailed): Recorded =>
  recording((call) => {
    const said = answer(call)
    return "_tag" in said ? Effect.fail(said) : Effect.succeed(said)
  })

/** Talks to whatever listens there. */
export const overHttp = (url: string): Recorded =>
  recording(({ body, headers, method, path }) =>
    Effect.tryPromise({
      try: async () => {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: { ...headers },
          ...(body === undefined ? {} : { body })
        })
        return replyOf(response.status, await response.text(), Object.fromEntries(response.headers))
      },
      catch: (error) => new MaybeSent({ reason: String(error) })
    })
  )

export const accountOf = <Fields extends CredentialFields>(
  _of: ThirdParty<Fields>,
  { http }: Pick<Recorded, "http">,
  credentials: Readonly<Record<string, string>>,
  baseUrl = "https://provider.example"
): Account<Fields> => ({
  configId: null,
  mode: "sandbox",
  credentials: Object.fromEntries(
    Object.entries(credentials).map(([name, value]) => [name, Redacted.make(value)])
  ) as Credentials<Fields>,
  baseUrl,
  callbackUrl: "https://pay.example/callbacks",
  rawCards: false,
  http
})

/** What a fake really holds, by currency. */
export const heldBy = (books: FakeBooks): ReadonlyMap<string, bigint> => books.holdings()

export const callbackRequest = ({ body, headers, method = "POST" }: FakeCallback): CallbackRequest => ({
  method,
  path: "/callbacks",
  query: {},
  authority: "pay.example",
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  body: Buffer.from(body)
})
