import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Accepted, Outcome } from "../../../src/domain/Outcome.ts"
import { visited } from "../support/AgainstFake.ts"
import { amount, attemptOf } from "../support/TestOrders.ts"
import { atFake, byCard, toWallet } from "./PaypalTestOrders.ts"

const taken = (outcome: Outcome): Accepted => {
  expect(outcome._tag).toBe("Accepted")
  return outcome as Accepted
}

describe("PayPal and its fake", () => {
  it.scopedLive("a customer approves on the page of the provider, comes back, and is charged once", () =>
    Effect.gen(function* () {
      const { callbacks, held, provider, settled } = yield* atFake
      const order = byCard()
      const { actionData, nextAction, providerPaymentId } = taken(yield* provider.initiate(order))
      expect(nextAction).toBe("redirect")
      const attempt = attemptOf(order, { providerPaymentId })
      expect(yield* provider.resume!(attempt, {})).toMatchObject({ state: "pending" })
      const back = yield* visited(actionData["redirect_url"])
      expect(`${back.origin}${back.pathname}`).toBe(order.returnUrl)
      expect(held().size).toBe(0)
      const query = Object.fromEntries(back.searchParams)
      for (const _time of [1, 2]) {
        expect(yield* provider.resume!(attempt, query)).toMatchObject({
          state: "completed",
          movements: [{ amount: order.money }]
        })
      }
      expect(yield* provider.enquire(attempt)).toMatchObject({ state: "completed" })
      yield* settled
      expect(callbacks).toHaveLength(1)
      expect((yield* provider.callback(callbacks[0]!)).events).toMatchObject([
        { _tag: "Hint", attempt: { reference: order.reference, providerPaymentId } }
      ])
      expect([...held()]).toEqual([["USD", order.money.minor]])
    })
  )

  it.scopedLive("a card that is declined at the capture takes nothing", () =>
    Effect.gen(function* () {
      const { held, provider } = yield* atFake
      const order = byCard({ money: amount("100.01", "USD") })
      const { actionData, providerPaymentId } = taken(yield* provider.initiate(order))
      yield* visited(actionData["redirect_url"])
      const said = yield* provider.resume!(attemptOf(order, { providerPaymentId }), {})
      expect(said).toMatchObject({ state: "failed", code: "CARD_DECLINED" })
      expect(yield* provider.initiate(byCard({ money: amount("100.02", "USD") }))).toMatchObject({ _tag: "Declined" })
      expect(held().size).toBe(0)
    })
  )

  it.scopedLive("an answer that was lost is had by sending again, and a lost capture by asking again", () =>
    Effect.gen(function* () {
      const { books, held, provider, settled } = yield* atFake
      const order = byCard({ money: amount("50.04", "USD") })
      expect((yield* provider.initiate(order))._tag).toBe("Unknown")
      const { actionData, providerPaymentId } = taken(yield* provider.initiate(order))
      yield* visited(actionData["redirect_url"])
      const attempt = attemptOf(order, { providerPaymentId })
      expect((yield* provider.resume!(attempt, {}))._tag).toBe("Unknown")
      expect(yield* provider.resume!(attempt, {})).toMatchObject({ state: "completed" })
      yield* settled
      expect(books.all()).toHaveLength(1)
      expect(held().get("USD")).toBe(5004n)
    })
  )

  it.scopedLive("one token serves many", () =>
    Effect.gen(function* () {
      const { calls, provider } = yield* atFake
      yield* Effect.forEach([byCard(), byCard(), toWallet()], provider.initiate, { concurrency: "unbounded" })
      expect(calls.filter(({ path }) => path === "/v1/oauth2/token")).toHaveLength(1)
    })
  )
})
