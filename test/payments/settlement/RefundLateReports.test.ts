/** Reports about a refund that overtake each other, or contradict earlier ones. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { act } from "../support/ActionCalls.ts"
import { callBack, recordOf, eventsOfType } from "../support/PaymentCalls.ts"
import { itemsOf, resolve } from "../support/OperatorActions.ts"
import { attemptsFor, paysIn, threeProviders, watched } from "../support/PayinBalances.ts"
import { onPaymentServer } from "../support/PaymentServer.ts"
import { accepts } from "../support/ScriptedProvider.ts"

const made = threeProviders()
const { stripe } = made

onPaymentServer("A refund", "memory", made, (it) => {
  /** 500 of 1500 on their way back, and what is called back about them. */
  const refunding = (country: string, state: "processing" | "completed" = "processing") =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      const { callsBack, payment_id } = yield* paysIn(stripe, country)
      yield* callsBack("yes", "completed")
      stripe.will({ refund: accepts({ state }) })
      yield* act(payment_id, { action: "refund", amount: 500 })
      const [reference = ""] = yield* attemptsFor(payment_id, "refund")
      const says = (key: string, said: string) =>
        callBack("stripe", { key: `${country} refund ${key}`, reference, state: said })
      const part = Effect.map(recordOf(payment_id), ({ refunds }) => refunds)
      return { gained, part, payment_id, says }
    })

  it.effect("whose return is reported before its success has gone and come back", () =>
    Effect.gen(function* () {
      const { gained, part, payment_id, says } = yield* refunding("FR")
      yield* says("back", "returned")
      yield* says("late", "completed")
      yield* says("late, by another event", "completed")
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
      expect(yield* part).toMatchObject([{ state: "failed" }])
      expect(yield* itemsOf(payment_id)).toEqual([])
      expect(yield* eventsOfType(payment_id, "payment.refunded")).toEqual([])
    })
  )

  it.effect("that bounced is the organisation's again, and is not gone by an older report that it went", () =>
    Effect.gen(function* () {
      const { gained, part, payment_id, says } = yield* refunding("DE", "completed")
      expect(yield* gained).toEqual({ stripe: -1000, settlement: 1000 })
      yield* says("back", "returned")
      yield* says("late", "completed")
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
      expect(yield* part).toMatchObject([{ state: "failed" }])
      expect(yield* eventsOfType(payment_id, "payment.refund_failed")).toMatchObject([
        { amount: 500, refunded_amount: 0 }
      ])
      expect(yield* itemsOf(payment_id)).toEqual([])
      expect((yield* act(payment_id, { action: "refund", amount: 1500 })).status, "all of it can go back").toBe(200)
    })
  )

  it.effect("that failed after it had gone is for an operator to find out about", () =>
    Effect.gen(function* () {
      const { gained, part, payment_id, says } = yield* refunding("ES", "completed")
      yield* says("no", "failed")
      expect(yield* gained).toEqual({ stripe: -1000, settlement: 1000 })
      expect(yield* part).toMatchObject([{ state: "completed" }])
      expect(yield* itemsOf(payment_id)).toMatchObject([
        { kind: "unknown_outcome", detail: expect.stringContaining("after it had been completed") as string }
      ])
      const again = yield* act(payment_id, { action: "refund", amount: 100 })
      expect(again.status, "nothing goes back meanwhile").toBe(409)
      yield* resolve(payment_id, "completed")
      expect(yield* gained).toEqual({ stripe: -1000, settlement: 1000 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("that did not go after all, as an operator found, is the organisation's again", () =>
    Effect.gen(function* () {
      const { gained, part, payment_id, says } = yield* refunding("IT", "completed")
      yield* says("no", "failed")
      yield* resolve(payment_id, "failed")
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
      expect(yield* part).toMatchObject([{ state: "failed" }])
      expect(yield* eventsOfType(payment_id, "payment.refund_failed")).toMatchObject([{ amount: 500 }])
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("that came back in parts is the organisation's again once, though an operator gave it the first part", () =>
    Effect.gen(function* () {
      const { gained, part, payment_id } = yield* refunding("NL", "completed")
      const [reference = ""] = yield* attemptsFor(payment_id, "refund")
      const comesBack = (amount: string) =>
        callBack("stripe", {
          ...{ key: `NL back ${amount}`, reference, state: "completed" },
          movements: [
            { kind: "reinstatement", id: `NL back ${amount}`, amount: { amount, currency: "KES" }, state: "settled" }
          ]
        })
      yield* comesBack("200.00")
      yield* resolve(payment_id, "completed")
      expect(yield* gained).toEqual({ stripe: -1200, settlement: 1200 })
      yield* comesBack("300.00")
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
      expect(yield* part).toMatchObject([{ state: "failed" }])
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )
})
