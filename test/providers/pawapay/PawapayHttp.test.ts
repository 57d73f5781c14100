import { randomUUID } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { pawapayFake } from "../../../src/providers/pawapay/Fake.ts"
import { pawapay } from "../../../src/providers/pawapay/Pawapay.ts"
import { attemptOf, money } from "../wire/Orders.ts"
import { realWire } from "../wire/RealWire.ts"
import { zambia } from "./Pawapay.ts"

describe("pawaPay over real HTTP", () => {
  it.scopedLive("money in, a part of it back, money out: every word of it is signed and believed", () =>
    Effect.gen(function* () {
      const { heard, provider, refused, running } = yield* realWire(pawapay, pawapayFake)
      const payin = zambia("200")
      expect(yield* provider.initiate(payin)).toMatchObject({ _tag: "Accepted" })
      yield* running.settled
      const refund = { attempt: attemptOf(payin), reference: randomUUID(), money: money("50", "ZMW"), reason: null }
      expect(yield* provider.refund!(refund)).toMatchObject({ _tag: "Accepted" })
      const payout = zambia("30.13", { flow: "outbound" })
      expect(yield* provider.initiate(payout)).toMatchObject({ _tag: "Accepted" })
      yield* running.settled
      expect(refused).toEqual([])
      expect(heard.map(({ _tag, attempt: { reference } }) => [_tag, reference]).toSorted()).toEqual(
        [payin, refund, payout].map(({ reference }) => ["Statement", reference]).toSorted()
      )
      expect(running.books.holdings().get("ZMW" as never)).toBe(20_000n - 5_000n - 3_013n)
    })
  )

  it.scopedLive("a lost answer is asked for again, and moves nothing twice", () =>
    Effect.gen(function* () {
      const { provider, running } = yield* realWire(pawapay, pawapayFake)
      for (const amount of ["200.03", "200.04", "200.05", "200.06"]) {
        const payin = zambia(amount)
        expect([amount, (yield* provider.initiate(payin))._tag]).toEqual([amount, "Unknown"])
        expect([amount, (yield* provider.initiate(payin))._tag]).toEqual([amount, "Accepted"])
        yield* running.settled
        expect(yield* provider.enquire(attemptOf(payin))).toMatchObject({
          state: "completed",
          received: money(amount, "ZMW")
        })
      }
      expect(running.books.holdings().get("ZMW" as never)).toBe(80_018n)
    })
  )
})
