import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import type { ProviderCall } from "../../../src/providers/client/ProviderHttp.ts"
import type { FakeRequest } from "../../fakes/Fake.ts"
import {
  bodyAs,
  Charge,
  Initialize,
  Password,
  Recipient,
  RefundBody,
  Transfer
} from "../../fakes/PaystackFakeBodies.ts"
import * as requests from "../../../src/providers/paystack/PaystackRequests.ts"
import { visited } from "../support/AgainstFake.ts"
import { attemptOf, refundAttemptOf, refundOf } from "../support/TestOrders.ts"
import { publishedContract, unpublished } from "../support/PublishedContract.ts"
import { atFake, byCard, byMobile, byMpesa, byTransfer, toBank, toMobile, toMpesa } from "./PaystackTestOrders.ts"

const FILE = "paystack.openapi.json"
const why = unpublished(FILE)

const NOW = Date.UTC(2025, 5, 1)

const attempt = attemptOf(byCard())

const bodies = {
  "/transaction/initialize": bodyAs(Initialize),
  "/charge": bodyAs(Charge),
  "/charge/submit_otp": bodyAs(Password),
  "/transferrecipient": bodyAs(Recipient),
  "/transfer": bodyAs(Transfer),
  "/refund": bodyAs(RefundBody)
} as const

const fakeTakes = ({ body = "", path }: ProviderCall): boolean => {
  const read: (request: FakeRequest) => Either.Either<unknown, unknown> = bodies[path as keyof typeof bodies]
  return Either.isRight(read({ method: "POST", path, params: {}, query: new URLSearchParams(), headers: {}, body }))
}

const posted: ReadonlyArray<readonly [name: string, call: Either.Either<ProviderCall, unknown>]> = [
  ["a card's page", requests.hostedPage(byCard())],
  ["a charge of MTN", requests.mobileCharge(byMobile("mtn"))],
  ["a charge of Telecel", requests.mobileCharge(byMobile("telecel"))],
  ["a charge of AirtelTigo", requests.mobileCharge(byMobile("airteltigo"))],
  ["a charge of M-PESA", requests.mobileCharge(byMpesa())],
  ["a bank transfer", requests.bankTransferCharge(byTransfer(), NOW)],
  ["a recipient at a bank in Nigeria", requests.transferRecipient(toBank("NG"))],
  ["a recipient at a bank in Ghana", requests.transferRecipient(toBank("GH"))],
  ["a recipient at a bank in South Africa", requests.transferRecipient(toBank("ZA"))],
  ["a recipient with MTN", requests.transferRecipient(toMobile("mtn"))],
  ["a recipient with M-PESA", requests.transferRecipient(toMpesa())],
  ["a transfer", requests.transfer(toBank(), "RCP_1a25w1h3n0xctjg")],
  ["a transfer without a description", requests.transfer(toMpesa({ description: null }), "RCP_1a25w1h3n0xctjg")],
  ["a refund", requests.refund(refundOf(attempt, { reason: "The customer returned it" }))],
  ["a one-time password", Either.right(requests.submitOtp(attempt.reference, "123456"))]
]

const asked: ReadonlyArray<readonly [name: string, call: ProviderCall]> = [
  ["about a transaction", requests.verify("transaction", attempt.reference)],
  ["about a transfer", requests.verify("transfer", attempt.reference)],
  ["about the balance", requests.balance]
]

/** The document at hand is an excerpt, which leaves these out; their paths stand in the whole of it. */
const leftOut: ReadonlyArray<ProviderCall> = [
  requests.fetchRefund("3018284"),
  requests.listRefunds(refundAttemptOf(refundOf(attempt))),
  requests.refundsOfTransaction("4099260516")
]

const spoilt: ReadonlyArray<readonly [path: keyof typeof bodies, body: unknown]> = [
  ["/transaction/initialize", { amount: 10_000, currency: "NGN", reference: "a" }],
  ["/transaction/initialize", { email: "a@b.c", amount: "a lot", currency: "NGN", reference: "a" }],
  ["/transaction/initialize", { email: "a@b.c", amount: 1, currency: "EUR", reference: "a" }],
  ["/charge", { email: "a@b.c", mobile_money: { phone: "0551234987", provider: "mtn" } }],
  ["/charge/submit_otp", { reference: "a" }],
  [
    "/transferrecipient",
    { type: "iban", name: "Ada", account_number: "0123456789", bank_code: "058", currency: "NGN" }
  ],
  ["/transferrecipient", { type: "nuban", name: "Ada", account_number: "0123456789", currency: "NGN" }],
  ["/transfer", { source: "balance", amount: 100, currency: "NGN", reference: "a".repeat(20) }],
  ["/refund", { amount: 100 }]
]

describe.skipIf(why !== "")(`what Paystack is asked, by its own contract${why}`, () => {
  const judge = publishedContract(FILE)

  it.each(spoilt)("refuses what is wrong, as the fake does: %s %j", (path, body) => {
    const call = { operation: "spoilt", method: "POST" as const, path, body: JSON.stringify(body) }
    expect(judge.bodyFlaws(call.method, path, call.body)).not.toEqual([])
    expect(fakeTakes(call)).toBe(false)
  })

  it.each(posted)("%s is right by the contract and by the fake", (_name, call) => {
    const one = Either.getOrThrow(call)
    expect(judge.callFlaws(one)).toEqual([])
    expect(fakeTakes(one)).toBe(true)
  })

  it.each(asked)("a question %s is right", (_name, call) => {
    expect(judge.callFlaws(call)).toEqual([])
  })

  it("knows nothing of how refunds are asked about", () => {
    for (const call of leftOut) expect(judge.callFlaws(call)).toHaveLength(1)
  })

  it.scopedLive("the fake answers in the shapes of the contract, where those are reliable", () =>
    Effect.gen(function* () {
      const { exchanged, provider, settled, url } = yield* atFake
      const received = (): ReadonlyArray<string> => {
        const { call, reply } = exchanged.at(-1)!
        return judge.answerFlaws(call.method, call.path, reply.status, reply.text)
      }
      const order = byCard()
      const accepted = yield* provider.initiate(order)
      expect(received()).toEqual([])
      yield* provider.initiate(toBank())
      expect(received()).toEqual([])
      const page = accepted._tag === "Accepted" ? accepted.actionData["redirect_url"] : undefined
      yield* visited(page)
      yield* settled
      yield* provider.refund!(refundOf(attemptOf(order)))
      expect(received()).toEqual([])
      yield* provider.test!
      expect(received()).toEqual([])
      yield* provider.enquire(attemptOf(byCard()))
      expect(exchanged.at(-1)!.reply.status).toBe(404)
      const duplicate = yield* Effect.promise(() =>
        fetch(`${url}/transaction/initialize`, {
          method: "POST",
          headers: { authorization: "Bearer sk_test_corridor_fake" },
          body: Either.getOrThrow(requests.hostedPage(order)).body!
        }).then((response) => response.text())
      )
      expect(judge.answerFlaws("POST", "/transaction/initialize", 400, duplicate)).toEqual([])
      expect(judge.answerFlaws("POST", "/transaction/initialize", 400, '{"type":"mood"}')).not.toEqual([])
    })
  )
})
