import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Schema, TestClock } from "effect"
import { circleServes, intentOf, recipientOf, transferOf } from "../../../src/providers/circle/CircleRequests.ts"
import { derivedUuid } from "../../../src/providers/circle/DerivedUuid.ts"
import { IntentBody, RecipientBody, TransferBody } from "../../../src/providers/circle/FakeBodies.ts"
import { missingContract, openContract } from "../wire/Contract.ts"
import { attemptOf } from "../wire/Orders.ts"
import { joined, NOW, payin, payout } from "./Circle.ts"

const file = "circle.openapi.json"
const missing = missingContract(file)

describe.skipIf(missing !== undefined)(
  `what is sent to Circle, by its contract${missing ? ` (${missing})` : ""}`,
  () => {
    const contract = openContract(file)
    const post = (path: string, body: unknown) =>
      contract.problemsOf({ operation: "test", method: "POST", path, body: JSON.stringify(body) })
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

    it.each(circleServes[0]!.networks!)("%s, in and out", (network) => {
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

    it.effect("every call of the adapter, and what the fake answers to it", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW)
        const { provider, wire } = joined()
        for (const order of [payin("10"), payin("25.5", "SOLANA"), payout("7"), payout("8.123456", "POLYGON")]) {
          const fiber = yield* Effect.fork(provider.initiate(order))
          yield* TestClock.adjust("3 seconds")
          const outcome = yield* fiber
          if (outcome._tag !== "Accepted") throw new Error(`it is ${outcome._tag}`)
          const attempt = attemptOf(order, { providerPaymentId: outcome.providerPaymentId })
          yield* provider.enquire(attempt)
          wire.settle()
          yield* provider.enquire(attempt)
        }
        yield* provider.test!
        expect(
          new Set(wire.calls.map(({ method, path }) => `${method} ${path.split("/").slice(0, 5).join("/")}`)).size
        ).toBeGreaterThan(6)
        for (const call of wire.calls) expect([call.path, ...contract.problemsOf(call)]).toEqual([call.path])
        for (const { call, reply } of wire.answers) {
          const problems = contract.problemsOfAnswer(call.method, call.path, reply.status, JSON.parse(reply.text))
          expect([call.path, ...problems]).toEqual([call.path])
        }
      })
    )

    it("the list of recipients is asked for as the contract has it", () => {
      const path = `${recipients}?pageSize=50&pageAfter=${derivedUuid("last")}`
      expect(contract.problemsOf({ operation: "test", method: "GET", path })).toEqual([])
      expect(contract.problemsOf({ operation: "test", method: "GET", path: `${recipients}?page=2` })).not.toEqual([])
    })

    it("an error of the fake has the contract's shape", () => {
      expect(contract.problemsOfAnswer("POST", intents, 400, { code: 2, message: "No." })).toEqual([])
      expect(contract.problemsOfAnswer("POST", intents, 400, { error: "No." })).not.toEqual([])
    })
  }
)
