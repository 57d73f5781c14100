/** The transfer is the example of Coinbase's published definition. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { coinbase } from "../../../src/providers/coinbase/CoinbaseAdapter.ts"
import { coinbaseFake } from "../../fakes/CoinbaseFake.ts"
import { settle } from "../support/AgainstFake.ts"
import { NOW } from "../support/CryptoOrders.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { amount, attemptOf, idIn } from "../support/TestOrders.ts"
import { replyOf, type Said, saying } from "../support/ScriptedReplies.ts"
import { joined, payin, payout } from "./CoinbaseTestOrders.ts"

const at = (...replies: ReadonlyArray<Said>) => connected(coinbase, saying(...replies).http, coinbaseFake.credentials)

const transfer = {
  transferId: "transfer_af2937b0-9846-4fe7-bfe9-ccc22d935114",
  status: "completed",
  source: { accountId: "account_af2937b0-9846-4fe7-bfe9-ccc22d935114", asset: "usd" },
  target: { address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", network: "base", asset: "usdc" },
  sourceAmount: "103.50",
  sourceAsset: "usd",
  targetAmount: "100.00",
  targetAsset: "usdc",
  completedAt: "2025-01-01T00:05:00Z",
  createdAt: "2025-01-01T00:00:00Z",
  updatedAt: "2025-01-01T00:05:00Z"
}
const moved = (kind: string, id: string, text: string) => ({
  kind,
  id,
  amount: amount(text, "USDC"),
  state: "settled"
})

describe("what Coinbase paid out is named by the id of its transfer", () => {
  const out = payout("100")
  const movements = [moved("disbursement", transfer.transferId, "100")]

  it.effect("in the answer, and when asked by its id or by our reference", () =>
    Effect.gen(function* () {
      expect(yield* at(replyOf(200, transfer)).initiate(out)).toMatchObject({ _tag: "Accepted", movements })
      const named = attemptOf(out, { providerPaymentId: transfer.transferId })
      expect(yield* at(replyOf(200, transfer)).enquire(named)).toMatchObject({ movements })
      const ours = { ...transfer, metadata: { reference: out.reference } }
      expect(yield* at(replyOf(200, { transfers: [ours] })).enquire(attemptOf(out))).toMatchObject({ movements })
      for (const status of ["quoted", "processing", "failed"]) {
        expect(yield* at(replyOf(200, { ...transfer, status })).enquire(named)).not.toHaveProperty("movements")
      }
    })
  )

  it.scoped("and in a callback", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const fake = yield* joined
      const id = idIn(yield* fake.provider.initiate(out))
      yield* settle(fake)
      const paid = [moved("disbursement", id, "100")]
      expect(yield* fake.events).toMatchObject([{ _tag: "VerifiedReport", report: { movements: paid } }])
      const known = attemptOf(out, { providerPaymentId: id, sentAt: new Date(NOW) })
      expect(yield* fake.provider.enquire(known)).toMatchObject({ movements: paid })
    })
  )
})

describe("what was paid to an address at Coinbase", () => {
  const destinationId = "depositDestination_af2937b0-9846-4fe7-bfe9-ccc22d935114"
  const deposit = {
    ...transfer,
    source: { address: "0x742d35Cc6634C0532925a3b844Bc454e4438f44e", network: "base", asset: "usdc" },
    details: {
      depositDestination: { id: destinationId },
      onchainTransactions: [
        {
          transactionHash: "0x363cd3b3d4f49497cf5076150cd709307b90e9fc897fdd623546ea7b9313cecb",
          network: "base"
        }
      ]
    }
  }
  const again = { ...deposit, transferId: "transfer_bf3948c1-ab57-5gf8-cde3-ddd33e046225" }
  const known = attemptOf(payin("100"), { providerPaymentId: destinationId })
  const first = moved("collection", deposit.transferId, "100")
  const second = moved("collection", again.transferId, "100")

  const lists: ReadonlyArray<readonly [string, ReadonlyArray<object>, object]> = [
    ["once", [deposit], { movements: [first] }],
    ["twice, of one amount", [deposit, again], { movements: [first, second] }],
    ["once, on two pages of a list that grew", [deposit, deposit], { movements: [first] }],
    ["once, and another is under way", [deposit, { ...again, status: "processing" }], { movements: [first] }],
    ["once, and another failed", [deposit, { ...again, status: "failed" }], { movements: [first] }],
    ["without an id", [{ ...deposit, transferId: undefined }], { _tag: "Unknown" }]
  ]
  it.effect.each(lists)("%s", ([, transfers, expected]) =>
    Effect.gen(function* () {
      expect(yield* at(replyOf(200, { transfers })).enquire(known)).toMatchObject(expected)
    })
  )

  it.scoped("at the fake: each payment under its own id, and a callback leads to all of them", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const fake = yield* joined
      const order = payin("200")
      const id = idIn(yield* fake.provider.initiate(order))
      yield* settle(fake)
      const paid = attemptOf(order, { providerPaymentId: id, sentAt: new Date(NOW) })
      const before = yield* fake.provider.enquire(paid)
      const { kept } = fake.books.byId(id)!
      fake.world.take({ id: "again", reference: "again", kind: "payin", money: order.money, of: id, kept })
      yield* settle(fake)
      const found = yield* fake.provider.enquire(paid)
      expect(found).toMatchObject({ state: "completed", movements: [{ amount: order.money }, { amount: order.money }] })
      const movements = Reflect.get(found, "movements") as ReadonlyArray<{ readonly id: string }>
      expect(new Set(movements.map((one) => one.id)).size).toBe(2)
      expect(movements).toEqual(expect.arrayContaining(Reflect.get(before, "movements")))
      const { events } = yield* fake.provider.callback(fake.callbacks.at(-1)!)
      expect(events).toMatchObject([{ _tag: "Hint", attempt: { providerPaymentId: id } }])
      const unnamed = { ...paid, providerPaymentId: null }
      expect(yield* fake.provider.enquire(unnamed)).toMatchObject({ providerPaymentId: id, movements })
    })
  )
})
