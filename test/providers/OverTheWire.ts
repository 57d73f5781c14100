/** Orders and attempts as adapters are handed them, and accounts that speak to a fake over real HTTP or to a script. */
import { randomUUID } from "node:crypto"
import { Duration, Effect, Either, Redacted } from "effect"
import type { AnyCurrencyCode } from "../../src/domain/CryptoAsset.ts"
import { CountryCode } from "../../src/domain/Country.ts"
import { OrgId, PaymentId } from "../../src/domain/Identifiers.ts"
import { Money } from "../../src/domain/Money.ts"
import {
  MaybeSent,
  type ProviderCall,
  type ProviderHttp,
  type ProviderReply
} from "../../src/providers/client/ProviderHttp.ts"
import type { Fake } from "../../src/providers/fakes/Fake.ts"
import { startFake } from "../../src/providers/fakes/FakeServer.ts"
import type { AttemptContext, PaymentOrder } from "../../src/providers/port/Provider.ts"
import type { Account, CredentialFields, Credentials, ThirdParty } from "../../src/providers/port/ThirdParty.ts"
import { readJson } from "../../src/providers/port/WireJson.ts"
import { newMailbox } from "./support/Mailbox.ts"

export const amount = (text: string, currency: string): Money =>
  Either.getOrThrow(Money.fromNumericText(text, currency as AnyCurrencyCode))

export const orderOf = (about: Partial<PaymentOrder>): PaymentOrder => ({
  reference: randomUUID(),
  paymentId: PaymentId.make(randomUUID()),
  orgId: OrgId.make(randomUUID()),
  flow: "inbound",
  method: "mobile_money",
  country: CountryCode.make("UG"),
  money: amount("1500", "UGX"),
  description: "Invoice 7",
  payer: { name: "Nakato Aisha", email: "nakato@example.com", phone: "+256772123456" },
  mobileMoney: { network: "mtn", phoneNumber: "+256772123456" },
  bank: null,
  card: null,
  walletAddress: null,
  recipient: null,
  checkoutUrl: "https://pay.example.com/checkout/p1",
  returnUrl: "https://pay.example.com/back/p1",
  ...about
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
  sentAt: new Date("2026-05-04T10:00:00Z"),
  orgId: order.orgId,
  configId: null,
  isWanted: true,
  broughtBy: null,
  ...about
})

export const replyOf = (status: number, body?: unknown): ProviderReply => {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body)
  return { status, headers: {}, text, json: Either.getOrUndefined(readJson(text)) }
}

/** Keeps every call, and answers with what the script says to it. */
export const scripted = (answer: (call: ProviderCall) => ProviderReply) => {
  const calls: Array<ProviderCall> = []
  const http: ProviderHttp = {
    call: (call) =>
      Effect.sync(() => {
        calls.push(call)
        return answer(call)
      })
  }
  return { http, calls }
}

/** What it got is kept, so that the fake's answers can be judged too. */
export const overHttp = (url: string) => {
  const heard: Array<{ readonly call: ProviderCall; readonly reply: ProviderReply }> = []
  const http: ProviderHttp = {
    call: (call) =>
      Effect.tryPromise({
        try: async (): Promise<ProviderReply> => {
          const response = await fetch(`${url}${call.path}`, {
            method: call.method,
            headers: { ...call.headers },
            ...(call.body === undefined ? {} : { body: call.body })
          })
          const text = await response.text()
          const json = Either.getOrUndefined(readJson(text))
          return { status: response.status, headers: Object.fromEntries(response.headers), text, json }
        },
        catch: (error) => new MaybeSent({ reason: String(error) })
      }).pipe(Effect.tap((reply) => Effect.sync(() => heard.push({ call, reply }))))
  }
  return { http, heard }
}

export const accountOf = <Fields extends CredentialFields>(
  _of: ThirdParty<Fields>,
  http: ProviderHttp,
  credentials: Readonly<Record<string, string>>,
  about: Partial<Account<Fields>> = {}
): Account<Fields> => ({
  configId: null,
  mode: "sandbox",
  credentials: Object.fromEntries(
    Object.entries(credentials).map(([name, value]) => [name, Redacted.make(value)])
  ) as Credentials<Fields>,
  baseUrl: "https://unused.example.com",
  callbackUrl: "https://pay.example.com/callbacks",
  rawCards: false,
  http,
  ...about
})

/** A fake that is as quick as a test wants it, an account there, and whoever hears its callbacks. */
export const startedFake = (fake: Fake) =>
  Effect.gen(function* () {
    const mailbox = yield* newMailbox
    const paces = { pace: Duration.millis(2), late: Duration.millis(20), slow: Duration.millis(20) }
    const running = yield* startFake(fake, { callbackUrl: mailbox.url, ...paces })
    return { ...running, ...overHttp(running.url), callbackUrl: mailbox.url, arrived: mailbox.callbacks }
  })
