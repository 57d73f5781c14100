import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Schema } from "effect"
import { listed } from "../../../src/providers/pawapay/PawapayCorridors.ts"
import { DepositBody, PayoutBody, RefundBody } from "../../fakes/PawapayFakeBodies.ts"
import { creationOf } from "../../../src/providers/pawapay/PawapayRequests.ts"
import { settle } from "../support/AgainstFake.ts"
import { amount, attemptOf, orderOf, refundAttemptOf, refundOf } from "../support/TestOrders.ts"
import { keptBy, leavingOut, publishedContract, unpublished } from "../support/PublishedContract.ts"
import { joined, kenya, zambia } from "./PawapayTestOrders.ts"

const file = "pawapay.openapi.json"
const why = unpublished(file)

describe.skipIf(why !== "")(`what is sent to pawaPay, by its contract${why}`, () => {
  const contract = publishedContract(file)
  const now = new Date("2026-03-01T10:00:00Z")
  const bodyOf = (amount: string): Record<string, unknown> => ({
    ...Either.getOrThrow(creationOf(zambia("15"), now)).body,
    amount
  })
  const post = (path: string, body: unknown) => contract.bodyFlaws("POST", path, JSON.stringify(body))

  const known: ReadonlyArray<readonly [why: string, path: string, body: object, own: Schema.Schema.AnyNoContext]> = [
    ["zeros behind the point", "/deposits", bodyOf("15.00"), DepositBody],
    ["no correspondent", "/deposits", { ...bodyOf("15"), correspondent: undefined }, DepositBody],
    ["a short statement", "/deposits", { ...bodyOf("15"), statementDescription: "abc" }, DepositBody],
    ["signs in the statement", "/deposits", { ...bodyOf("15"), statementDescription: "a-b-c-d" }, DepositBody],
    ["an id that is none", "/deposits", { ...bodyOf("15"), depositId: "1" }, DepositBody],
    ["a number for an amount", "/deposits", { ...bodyOf("15"), amount: 15 }, DepositBody],
    ["no recipient", "/payouts", { ...bodyOf("15"), payoutId: bodyOf("15")["depositId"] }, PayoutBody],
    ["no deposit", "/refunds", { refundId: bodyOf("15")["depositId"], amount: "1" }, RefundBody]
  ]
  it.each(known)("a body with %s is refused by the contract and by the fake", (_why, path, body, own) => {
    expect(post(path, body)).not.toEqual([])
    expect(Schema.is(own)(JSON.parse(JSON.stringify(body)))).toBe(false)
  })

  it("an unknown path or query is refused", () => {
    expect(contract.callFlaws({ operation: "t", method: "GET", path: "/deposit/1" })).not.toEqual([])
    expect(contract.callFlaws({ operation: "t", method: "GET", path: "/deposits/1" })).not.toEqual([])
    expect(contract.callFlaws({ operation: "t", method: "GET", path: "/active-conf?a=1" })).not.toEqual([])
  })

  const everyOrder = listed.flatMap(({ country, currency, network }) =>
    (["inbound", "outbound"] as const).map((flow) =>
      orderOf({
        flow,
        method: "mobile_money",
        country,
        money: amount("1500", currency),
        mobileMoney: { network, phoneNumber: "+254703456789" },
        description: "École n° 7, invoice 12345678901234567890"
      })
    )
  )
  it.each(everyOrder.map((order) => [order.country, order.mobileMoney?.network, order.flow, order] as const))(
    "%s, %s, %s",
    (_country, _network, flow, order) => {
      const { body, kind } = Either.getOrThrow(creationOf(order, now))
      expect(post(`/${kind}s`, body)).toEqual([])
      expect((flow === "inbound" ? Schema.is(DepositBody) : Schema.is(PayoutBody))(body)).toBe(true)
    }
  )

  it.scoped("every call of the adapter, and what the fake answers to it", () =>
    Effect.gen(function* () {
      const at = yield* joined
      const { calls, provider } = at
      const orders = [
        kenya("1500"),
        zambia("15.5"),
        zambia("9.5", { flow: "outbound" }),
        kenya("7.5", { flow: "outbound" })
      ]
      for (const order of orders) {
        yield* provider.initiate(order)
        yield* provider.initiate(order)
        yield* settle(at)
        yield* provider.enquire(attemptOf(order))
      }
      const part = { reference: orders[0]!.reference, money: amount("0.5", "ZMW"), reason: "asked for" }
      const refund = refundOf(attemptOf(orders[1]!), part)
      yield* provider.refund!(refund)
      yield* provider.enquire(refundAttemptOf(refund))
      yield* provider.test!
      expect(calls.length).toBeGreaterThan(12)
      keptBy(contract, leavingOut(at, "read balances"))
    })
  )

  it.scoped("the fake's callbacks have the contract's shape", () =>
    Effect.gen(function* () {
      const at = yield* joined
      const { callbacks, provider } = at
      const deposit = zambia("20")
      yield* provider.initiate(deposit)
      yield* settle(at)
      yield* provider.initiate(zambia("9", { flow: "outbound" }))
      yield* settle(at)
      yield* provider.refund!(refundOf(attemptOf(deposit), { money: amount("5", "ZMW") }))
      yield* settle(at)
      const [ofDeposit, ofPayout, ofRefund] = callbacks
      const read = (body: Buffer | undefined): unknown => JSON.parse(String(body))
      expect(contract.schemaFlaws("DepositCallback", read(ofDeposit?.body))).toEqual([])
      expect(contract.schemaFlaws("PayoutCallback", read(ofPayout?.body))).toEqual([])
      expect(contract.schemaFlaws("RefundCallback", read(ofRefund?.body))).toEqual([])
      expect(contract.schemaFlaws("RefundCallback", read(ofPayout?.body))).not.toEqual([])
    })
  )
})
