import { randomUUID } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { settle } from "../support/AgainstFake.ts"
import { amount, attemptOf, refundAttemptOf, refundOf } from "../support/TestOrders.ts"
import { joined, zambia } from "./PawapayTestOrders.ts"

describe("pawaPay and its fake", () => {
  it.scoped("a payin, a part of it back, and a payout: adapter and fake agree", () =>
    Effect.gen(function* () {
      const at = yield* joined
      const { held, provider } = at
      const payin = zambia("200")
      expect(yield* provider.initiate(payin)).toMatchObject({ _tag: "Accepted", state: "processing" })
      expect(yield* provider.enquire(attemptOf(payin))).toMatchObject({ state: "processing" })
      yield* settle(at)
      expect((yield* at.events)[0]).toMatchObject({ _tag: "Hint", attempt: { reference: payin.reference } })
      const came = { state: "completed", movements: [{ amount: amount("200", "ZMW") }] }
      expect(yield* provider.enquire(attemptOf(payin))).toMatchObject(came)
      expect(held().get("ZMW") ?? 0n).toBe(20_000n)

      const refund = refundOf(attemptOf(payin), { money: amount("50", "ZMW") })
      expect(yield* provider.refund!(refund)).toMatchObject({ _tag: "Accepted", state: "processing" })
      expect(yield* provider.refund!(refund)).toMatchObject({ _tag: "Accepted", providerStatus: "SUBMITTED" })
      yield* settle(at)
      expect(
        yield* at.provider.callback(at.callbacks.at(-1)!).pipe(Effect.map(({ events }) => events[0]))
      ).toMatchObject({ _tag: "Hint", attempt: { reference: refund.reference } })
      expect(yield* provider.enquire(refundAttemptOf(refund))).toMatchObject({
        state: "completed"
      })
      expect(held().get("ZMW") ?? 0n).toBe(15_000n)
      const tooMuch = { ...refund, reference: randomUUID(), money: amount("150.5", "ZMW") }
      expect(yield* provider.refund!(tooMuch)).toMatchObject({ _tag: "Declined", providerCode: "AMOUNT_TOO_LARGE" })

      const payout = zambia("30", { flow: "outbound" })
      expect(yield* provider.initiate(payout)).toMatchObject({ _tag: "Accepted", nextAction: null })
      yield* settle(at)
      expect(yield* provider.enquire(attemptOf(payout))).toMatchObject({ state: "completed" })
      expect(held().get("ZMW") ?? 0n).toBe(12_000n)
    })
  )

  it.scoped("refunds of what was not paid are refused", () =>
    Effect.gen(function* () {
      const at = yield* joined
      const { provider } = at
      const payin = zambia("200")
      const refund = refundOf(attemptOf(payin), { money: amount("50", "ZMW") })
      expect(yield* provider.refund!(refund)).toMatchObject({ _tag: "Declined", providerCode: "DEPOSIT_NOT_FOUND" })
      yield* provider.initiate(payin)
      expect(yield* provider.refund!(refund)).toMatchObject({ _tag: "Declined", providerCode: "DEPOSIT_NOT_COMPLETED" })
      yield* settle(at)
      const whole = { ...refund, money: amount("200", "ZMW") }
      expect(yield* provider.refund!(whole)).toMatchObject({ _tag: "Accepted" })
      const more = { ...refund, reference: randomUUID() }
      expect(yield* provider.refund!(more)).toMatchObject({ _tag: "Declined", providerCode: "ALREADY_REFUNDED" })
    })
  )

  it.scoped("its callbacks hold for a minute and no longer", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const at = yield* joined
      const { callbacks, provider } = at
      yield* provider.initiate(zambia("200"))
      yield* settle(at)
      const [callback] = callbacks
      expect((yield* provider.callback(callback!)).events).toHaveLength(1)
      yield* TestClock.adjust("2 minutes")
      expect(yield* Effect.flip(provider.callback(callback!))).toMatchObject({ message: "The signature has expired" })
    })
  )
})
