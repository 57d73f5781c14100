import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Schema, TestClock } from "effect"
import { depositOf, serves, transferOf } from "../../../src/providers/coinbase/CoinbaseRequests.ts"
import { accountId, DestinationBody, TransferBody } from "../../fakes/CoinbaseFakeBodies.ts"
import { settle, talkedThrough } from "../support/AgainstFake.ts"
import { NOW } from "../support/CryptoOrders.ts"
import { attemptOf, recipientNamed } from "../support/TestOrders.ts"
import { keptBy, leavingOut, publishedContract, unpublished } from "../support/PublishedContract.ts"
import { joined, payin, payout } from "./CoinbaseTestOrders.ts"

const file = "coinbase-cdp.openapi.json"
const why = unpublished(file)

describe.skipIf(why !== "")(`what is sent to Coinbase, by its contract${why}`, () => {
  const contract = publishedContract(file)
  const post = (path: string, body: unknown) => contract.bodyFlaws("POST", path, JSON.stringify(body))
  const deposit = Either.getOrThrow(depositOf(payin("10"), accountId))
  const transfer = Either.getOrThrow(transferOf(payout("10"), accountId))
  const [into, out] = [deposit.path, transfer.path]

  const known: ReadonlyArray<readonly [why: string, path: string, body: object, own: Schema.Schema.AnyNoContext]> = [
    ["no amount", out, { ...transfer.body, amount: undefined }, TransferBody],
    ["an amount of nothing", out, { ...transfer.body, amount: "0.00" }, TransferBody],
    ["a number for an amount", out, { ...transfer.body, amount: 10 }, TransferBody],
    ["an account that is none", out, { ...transfer.body, source: { accountId: "1", asset: "usdc" } }, TransferBody],
    ["no word whether to carry it out", out, { ...transfer.body, execute: undefined }, TransferBody],
    [
      "a network in our own words",
      out,
      { ...transfer.body, target: { address: "0x1", network: "ETHEREUM", asset: "usdc" } },
      TransferBody
    ],
    [
      "too much metadata",
      out,
      { ...transfer.body, metadata: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`k${at}`, "v"])) },
      TransferBody
    ],
    ["no account", into, { ...deposit.body, accountId: undefined }, DestinationBody],
    ["no network", into, { ...deposit.body, crypto: {} }, DestinationBody],
    ["a kind that there is not", into, { ...deposit.body, type: "gold" }, DestinationBody]
  ]
  it.each(known)("a body with %s is refused by the contract and by the fake", (_why, path, body, own) => {
    expect(post(path, body)).not.toEqual([])
    expect(Schema.is(own)(JSON.parse(JSON.stringify(body)))).toBe(false)
  })

  const recipient = recipientNamed("Jane Smith")
  it.each(serves[0]!.networks!)("%s, in and out", (network) => {
    for (const amount of ["10", "0.000001", "1234567.891"]) {
      const { body } = Either.getOrThrow(depositOf(payin(amount, network), accountId))
      expect(post(into, body)).toEqual([])
      expect(Schema.is(DestinationBody)(body)).toBe(true)
      for (const about of [{}, { recipient }]) {
        const moved = Either.getOrThrow(transferOf(payout(amount, network, about), accountId)).body
        expect(post(out, moved)).toEqual([])
        expect(Schema.is(TransferBody)(moved)).toBe(true)
      }
    }
  })

  it.scoped("every call of the adapter, and what the fake answers to it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const at = yield* joined
      const orders = [payin("10"), payin("25.5", "SOLANA"), payout("7"), payout("8.123456", "ETHEREUM")]
      yield* talkedThrough(at, orders, (order, providerPaymentId) => {
        const attempt = attemptOf(order, { sentAt: new Date(NOW) })
        return [{ ...attempt, providerPaymentId }, attempt]
      })
      expect(new Set(at.calls.map(({ operation }) => operation)).size).toBe(8)
      keptBy(contract, leavingOut(at, "read balances"))
    })
  )

  it.scoped("the fake's callbacks have the contract's shape", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const at = yield* joined
      for (const order of [payin("10"), payout("7"), payout("7.09")]) {
        yield* at.provider.initiate(order)
        yield* settle(at)
      }
      const bodies = at.callbacks.map(({ body }) => JSON.parse(body.toString()) as { eventType: string })
      expect(bodies.map(({ eventType }) => eventType)).toEqual([
        "payments.transfers.completed",
        "payments.transfers.completed",
        "payments.transfers.failed"
      ])
      for (const body of bodies) {
        const failed = body.eventType.endsWith("failed")
        const [right, wrong] = ["PaymentsTransfersFailedEvent", "PaymentsTransfersCompletedEvent"]
        expect(contract.schemaFlaws((failed ? right : wrong)!, body)).toEqual([])
        expect(contract.schemaFlaws((failed ? wrong : right)!, body)).not.toEqual([])
      }
    })
  )
})
