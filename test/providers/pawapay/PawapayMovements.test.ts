/** The examples are those of pawaPay's published definition. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { pawapay } from "../../../src/providers/pawapay/PawapayAdapter.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { amount, attemptOf, refundAttemptOf, refundOf } from "../support/TestOrders.ts"
import { replyOf, type Said, saying } from "../support/ScriptedReplies.ts"
import { zambia } from "./PawapayTestOrders.ts"

const at = (...replies: ReadonlyArray<Said>) => connected(pawapay, saying(...replies).http, { api_token: "t" })

const id = "8917c345-4791-4285-a416-62f24b6982db"
const about = {
  status: "COMPLETED",
  currency: "ZMW",
  country: "ZMB",
  correspondent: "MTN_MOMO_ZMB",
  correspondentIds: { SOME_CORRESPONDENT_ID: "12356789" }
}
const deposit = { ...about, depositId: id, requestedAmount: "200.00", depositedAmount: "1.00" }
const payout = { ...about, payoutId: id, amount: "123.45" }
const refund = { ...about, refundId: id, amount: "123.45" }

const into = { ...zambia("200"), reference: id }
const out = { ...zambia("123.45", { flow: "outbound" }), reference: id }
const back = refundOf(attemptOf(zambia("200")), { reference: id, money: amount("123.45", "ZMW"), reason: "late" })

const moved = (kind: string, text: string) => [{ kind, id, amount: amount(text, "ZMW"), state: "settled" }]

describe("what pawaPay moved is named by its own id, which is ours", () => {
  const cases = [
    ["a deposit, with what was really deposited", attemptOf(into), deposit, moved("collection", "1")],
    ["a payout", attemptOf(out), payout, moved("disbursement", "123.45")],
    ["a refund", refundAttemptOf(back), refund, moved("refund", "123.45")],
    ["what a ramp gives back", refundAttemptOf(back, { leg: "return" }), refund, moved("refund", "123.45")]
  ] as const
  it.effect.each(cases)("%s", ([, attempt, body, movements]) =>
    Effect.gen(function* () {
      expect(yield* at(replyOf(200, [body])).enquire(attempt)).toMatchObject({ state: "completed", movements })
      const failed = yield* at(replyOf(200, [{ ...body, status: "FAILED" }])).enquire(attempt)
      expect(failed).toMatchObject({ state: "failed" })
      expect(failed).not.toHaveProperty("movements")
    })
  )

  it.effect("without an amount where pawaPay repeats none", () =>
    Effect.gen(function* () {
      const { depositedAmount: _, ...silent } = deposit
      expect(yield* at(replyOf(200, [silent])).enquire(attemptOf(into))).toMatchObject({
        movements: [{ kind: "collection", id, amount: null, state: "settled" }]
      })
    })
  )

  it.effect("and by the same one in the answer to an order that pawaPay had before", () =>
    Effect.gen(function* () {
      const known = (name: string) => replyOf(200, { [name]: id, status: "DUPLICATE_IGNORED" })
      expect(yield* at(known("depositId"), replyOf(200, [deposit])).initiate(into)).toMatchObject({
        _tag: "Accepted",
        movements: moved("collection", "1")
      })
      expect(yield* at(known("payoutId"), replyOf(200, [payout])).initiate(out)).toMatchObject({
        movements: moved("disbursement", "123.45")
      })
      expect(yield* at(known("refundId"), replyOf(200, [refund])).refund!(back)).toMatchObject({
        movements: moved("refund", "123.45")
      })
    })
  )
})
