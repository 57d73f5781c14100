import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
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

  it.scopedLive("a customer who does not come back is charged when the order is asked about", () =>
    Effect.gen(function* () {
      const { held, provider } = yield* atFake
      const order = byCard()
      const { actionData, providerPaymentId } = taken(yield* provider.initiate(order))
      yield* visited(actionData["redirect_url"])
      expect(yield* provider.enquire(attemptOf(order, { providerPaymentId }))).toMatchObject({ state: "completed" })
      expect(held().get("USD")).toBe(order.money.minor)
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

  it.scopedLive("payouts are paid, once for a reference", () =>
    Effect.gen(function* () {
      const { callbacks, held, provider, settled } = yield* atFake
      const order = toWallet()
      const { providerPaymentId } = taken(yield* provider.initiate(order))
      expect(taken(yield* provider.initiate(order)).providerPaymentId).toBe(providerPaymentId)
      yield* settled
      expect(yield* provider.initiate(order)).toMatchObject({ _tag: "Accepted", state: "completed" })
      const attempt = attemptOf(order, { providerPaymentId })
      expect(yield* provider.enquire(attempt)).toMatchObject({
        state: "completed",
        movements: [{ amount: order.money }]
      })
      expect((yield* provider.callback(callbacks[0]!)).events).toMatchObject([
        { _tag: "Hint", attempt: { reference: order.reference, providerPaymentId } }
      ])
      expect([...held()]).toEqual([["USD", -order.money.minor]])
    })
  )

  it.scopedLive("payouts that are declined, or fail later, pay nothing", () =>
    Effect.gen(function* () {
      const { callbacks, held, provider, settled } = yield* atFake
      expect(yield* provider.initiate(toWallet({ money: amount("5.01", "USD") }))).toMatchObject({
        _tag: "Declined",
        code: "ACCOUNT_INVALID"
      })
      expect(yield* provider.initiate(toWallet({ money: amount("5.02", "USD") }))).toMatchObject({
        _tag: "Declined",
        code: "PROVIDER_BALANCE_LOW"
      })
      const failing = toWallet({ money: amount("5.09", "USD") })
      const { providerPaymentId } = taken(yield* provider.initiate(failing))
      yield* settled
      const said = yield* provider.enquire(attemptOf(failing, { providerPaymentId }))
      expect(said).toMatchObject({ state: "failed", code: "ACCOUNT_INVALID" })
      expect((yield* provider.callback(callbacks.at(-1)!)).events).toMatchObject([
        { _tag: "Hint", attempt: { reference: failing.reference, providerPaymentId } }
      ])
      expect(held().size).toBe(0)
    })
  )

  it.scopedLive("a later end is reported when it comes, also in the wrong order", () =>
    Effect.gen(function* () {
      const { callbacks, provider, settled } = yield* atFake
      for (const [text, times, state] of [
        ["10.09", 1, "failed"],
        ["10.11", 2, "completed"],
        ["10.13", 2, "completed"]
      ] as const) {
        const before = callbacks.length
        const order = byCard({ money: amount(text, "USD") })
        const { actionData, providerPaymentId } = taken(yield* provider.initiate(order))
        yield* visited(actionData["redirect_url"])
        const attempt = attemptOf(order, { providerPaymentId })
        yield* provider.resume!(attempt, {})
        yield* settled
        const reported = yield* Effect.forEach(callbacks.slice(before), (one) => provider.callback(one))
        const hint = { _tag: "Hint", attempt: { reference: order.reference, providerPaymentId } }
        expect(reported.flatMap(({ events }) => events)).toMatchObject(Array.from({ length: times }, () => hint))
        expect(yield* provider.enquire(attempt)).toMatchObject({ state })
      }
    })
  )

  it.scopedLive("another secret is not taken, and one token serves many", () =>
    Effect.gen(function* () {
      const { calls, connectedWith, provider } = yield* atFake
      const stranger = connectedWith({ client_secret: "another" })
      expect(yield* stranger.initiate(byCard())).toMatchObject({ _tag: "Declined", code: "CREDENTIALS_REFUSED" })
      expect(Either.isLeft(yield* stranger.test!)).toBe(true)
      expect(Either.isRight(yield* provider.test!)).toBe(true)
      calls.length = 0
      yield* Effect.forEach([byCard(), byCard(), toWallet()], provider.initiate, { concurrency: "unbounded" })
      expect(calls.filter(({ path }) => path === "/v1/oauth2/token")).toHaveLength(1)
    })
  )
})
