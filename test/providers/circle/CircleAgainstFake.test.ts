import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import type { Outcome } from "../../../src/domain/Outcome.ts"
import { asTimePasses, settle } from "../support/AgainstFake.ts"
import { NOW } from "../support/CryptoOrders.ts"
import { amount, attemptOf } from "../support/TestOrders.ts"
import { joined, payin, payout } from "./CircleTestOrders.ts"

const idOf = (outcome: Outcome): string | null => (outcome._tag === "Accepted" ? outcome.providerPaymentId : null)

describe("Circle and its fake", () => {
  it.scoped("a payin by its own address, and a payout: adapter and fake agree", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const at = yield* joined
      const { held, provider } = at
      const order = payin("200.5", "SOLANA")
      const outcome = yield* asTimePasses(provider.initiate(order))
      expect(outcome).toMatchObject({
        _tag: "Accepted",
        state: "pending",
        actionData: { address: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{40,44}$/), network: "SOLANA" }
      })
      const attempt = attemptOf(order, { providerPaymentId: idOf(outcome) })
      expect(yield* provider.enquire(attempt)).toMatchObject({
        state: "pending",
        waitsFor: { actionData: Reflect.get(outcome, "actionData") }
      })
      yield* settle(at)
      expect(yield* at.events).toMatchObject([{ _tag: "Hint", attempt: { providerPaymentId: idOf(outcome) } }])
      const came = { state: "completed", movements: [{ amount: amount("200.5", "USDC") }] }
      expect(yield* provider.enquire(attempt)).toMatchObject(came)

      for (const text of ["30", "20"]) {
        const out = payout(text)
        const sent = yield* asTimePasses(provider.initiate(out))
        expect(sent).toMatchObject({ _tag: "Accepted", state: "processing", nextAction: null })
        yield* settle(at)
        const known = { providerPaymentId: idOf(sent) }
        expect((yield* at.events).at(-1)).toMatchObject({ _tag: "Hint", attempt: known })
        expect(yield* provider.enquire(attemptOf(out, known))).toMatchObject({ state: "completed" })
      }
      expect(held().get("USDC")).toBe(150_500_000n)
    })
  )

  it.scoped("a key is one order, and another body under it is a conflict that nobody takes for a refusal", () =>
    Effect.gen(function* () {
      const at = yield* joined
      const { provider } = at
      const order = payin("200")
      const first = yield* asTimePasses(provider.initiate(order))
      expect(idOf(yield* asTimePasses(provider.initiate(order)))).toBe(idOf(first))
      expect(yield* asTimePasses(provider.initiate({ ...order, money: amount("300", "USDC") }))).toMatchObject({
        _tag: "Unknown"
      })
      const out = payout("20")
      expect(idOf(yield* asTimePasses(provider.initiate(out)))).toBe(idOf(yield* asTimePasses(provider.initiate(out))))
      expect(at.books.all()).toHaveLength(2)
    })
  )
})
