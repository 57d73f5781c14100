import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Schema, TestClock } from "effect"
import { serves, intentOf, recipientOf, transferOf, derivedUuid } from "../../../src/providers/circle/CircleRequests.ts"
import { IntentBody, RecipientBody, TransferBody } from "../../fakes/CircleFakeBodies.ts"
import { asTimePasses, settle, talkedThrough } from "../support/AgainstFake.ts"
import { NOW } from "../support/CryptoOrders.ts"
import { attemptOf } from "../support/TestOrders.ts"
import { keptBy, leavingOut, publishedContract, unpublished } from "../support/PublishedContract.ts"
import { joined, payin, payout } from "./CircleTestOrders.ts"

const file = "circle.openapi.json"
const why = unpublished(file)

describe.skipIf(why !== "")(`what is sent to Circle, by its contract${why}`, () => {
  const contract = publishedContract(file)
  const post = (path: string, body: unknown) => contract.bodyFlaws("POST", path, JSON.stringify(body))
  const intents = "/v1/paymentIntents"
  const recipients = "/v1/businessAccount/wallets/addresses/recipient"
  const transfers = "/v1/businessAccount/transfers"

  const intent = Either.getOrThrow(intentOf(payin("10"), undefined))
  const { body: recipient } = Either.getOrThrow(recipientOf(payout("10")))
  const transfer = transferOf(payout("10"), derivedUuid("an address"))

  const known: ReadonlyArray<readonly [why: string, path: string, body: object, own: Schema.Schema.AnyNoContext]> = [
    ["USDC for a currency", intents, { ...intent, amount: { amount: "10.00", currency: "USDC" } }, IntentBody],
    ["no key", intents, { ...intent, idempotencyKey: undefined }, IntentBody],
    ["a key that is none", intents, { ...intent, idempotencyKey: "1" }, IntentBody],
    [
      "a chain that it does not have",
      intents,
      { ...intent, paymentMethods: [{ type: "blockchain", chain: "TRX" }] },
      IntentBody
    ],
    ["a number for an amount", intents, { ...intent, amount: { amount: 10, currency: "USD" } }, IntentBody],
    ["no address", recipients, { ...recipient, address: undefined }, RecipientBody],
    ["no description", recipients, { ...recipient, description: undefined }, RecipientBody],
    ["no destination", transfers, { ...transfer, destination: undefined }, TransferBody],
    ["a destination of another kind", transfers, { ...transfer, destination: { type: "blockchain" } }, TransferBody],
    ["USDC", transfers, { ...transfer, amount: { amount: "10.00", currency: "USDC" } }, TransferBody]
  ]
  it.each(known)("a body with %s is refused by the contract and by the fake", (_why, path, body, own) => {
    expect(post(path, body)).not.toEqual([])
    expect(Schema.is(own)(JSON.parse(JSON.stringify(body)))).toBe(false)
  })

  it.each(serves[0]!.networks!)("%s, in and out", (network) => {
    for (const amount of ["10", "0.000001", "1234567.891"]) {
      const created = Either.getOrThrow(intentOf(payin(amount, network), "1000999922"))
      expect(post(intents, created)).toEqual([])
      expect(Schema.is(IntentBody)(created)).toBe(true)
      const { body } = Either.getOrThrow(recipientOf(payout(amount, network)))
      expect(post(recipients, body)).toEqual([])
      expect(Schema.is(RecipientBody)(body)).toBe(true)
      const moved = transferOf(payout(amount, network), derivedUuid(network))
      expect(post(transfers, moved)).toEqual([])
      expect(Schema.is(TransferBody)(moved)).toBe(true)
    }
  })

  it.scoped("every call of the adapter, and what the fake answers to it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const at = yield* joined
      const orders = [payin("10"), payin("25.5", "SOLANA"), payout("7"), payout("8.123456", "POLYGON")]
      yield* talkedThrough(
        at,
        orders,
        (order, providerPaymentId) => [attemptOf(order, { providerPaymentId })],
        asTimePasses
      )
      const paid = at.books.all()[0]!
      const again = { id: "again", reference: derivedUuid("again"), money: paid.asked, of: paid.id, kept: paid.kept }
      at.world.take({ ...again, kind: "payin" })
      yield* settle(at)
      yield* at.provider.enquire(attemptOf(orders[0]!, { providerPaymentId: paid.id }))
      expect(at.calls.at(-1)?.path).toContain("/v1/payments?")
      expect(
        new Set(at.calls.map(({ method, path }) => `${method} ${path.split("/").slice(0, 5).join("/")}`)).size
      ).toBeGreaterThan(6)
      keptBy(contract, leavingOut(at, "read configuration"))
    })
  )

  it("the list of recipients is asked for as the contract has it", () => {
    const path = `${recipients}?pageSize=50&pageAfter=${derivedUuid("last")}`
    expect(contract.callFlaws({ operation: "test", method: "GET", path })).toEqual([])
    expect(contract.callFlaws({ operation: "test", method: "GET", path: `${recipients}?page=2` })).not.toEqual([])
  })

  it("an error of the fake has the contract's shape", () => {
    expect(contract.answerFlaws("POST", intents, 400, '{"code":2,"message":"No."}')).toEqual([])
    expect(contract.answerFlaws("POST", intents, 400, '{"error":"No."}')).not.toEqual([])
  })
})
