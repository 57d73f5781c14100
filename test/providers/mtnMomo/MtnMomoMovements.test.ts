/** The examples are those of MTN's published definitions. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { amount, attemptOf, refundAttemptOf, refundOf } from "../support/TestOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { atMtn, ugandan } from "./MtnMomoTestOrders.ts"

const granted = replyOf(200, { access_token: "t", token_type: "access_token", expires_in: 3600 })
const duplicate = replyOf(409, { code: "RESOURCE_ALREADY_EXIST" })

const answering = (body: object) =>
  atMtn(
    scripted(({ method, path }) =>
      path.endsWith("/token/") ? granted : method === "POST" ? duplicate : replyOf(200, body)
    ).http
  )

const payin = ugandan({ money: amount("100", "UGX") })
const payout = ugandan({ flow: "outbound", money: amount("100", "UGX") })
const back = refundOf(attemptOf(payin), { reference: ugandan().reference, money: amount("100", "UGX"), reason: "late" })

const collected = {
  amount: 100,
  currency: "UGX",
  financialTransactionId: 23503452,
  externalId: 947354,
  payer: { partyIdType: "MSISDN", partyId: 4656473839 },
  status: "SUCCESSFUL"
}
const transferred = {
  amount: 100,
  currency: "UGX",
  financialTransactionId: 363440463,
  externalId: 83453,
  payee: { partyIdType: "MSISDN", partyId: 4609274685 },
  status: "SUCCESSFUL"
}

const moved = (kind: string, id: string, text: string | null = "100") => [
  { kind, id, amount: text === null ? null : amount(text, "UGX"), state: "settled" }
]

describe("what MTN moved is named by the reference of its order", () => {
  const cases = [
    ["a request to pay", attemptOf(payin), collected, moved("collection", payin.reference)],
    ["a transfer", attemptOf(payout), transferred, moved("disbursement", payout.reference)],
    ["a refund", refundAttemptOf(back), transferred, moved("refund", back.reference)],
    [
      "a request to pay of which MTN repeats no amount",
      attemptOf(payin),
      { status: "SUCCESSFUL" },
      moved("collection", payin.reference, null)
    ]
  ] as const
  it.each(cases)("%s", async (_what, attempt, body, movements) => {
    expect(await Effect.runPromise(answering(body).enquire(attempt))).toMatchObject({ state: "completed", movements })
    // The contract does not promise the financial id: the name must not depend on it.
    const { financialTransactionId: _, ...without } = { financialTransactionId: 0, ...body }
    expect(await Effect.runPromise(answering(without).enquire(attempt))).toMatchObject({ movements })
  })

  it("and by the same one in the answer to an order that MTN had before", async () => {
    const { initiate, refund } = answering(collected)
    expect(await Effect.runPromise(initiate(payin))).toMatchObject({
      _tag: "Accepted",
      movements: moved("collection", payin.reference)
    })
    expect(await Effect.runPromise(initiate(payout))).toMatchObject({
      movements: moved("disbursement", payout.reference)
    })
    expect(await Effect.runPromise(refund!(back))).toMatchObject({ movements: moved("refund", back.reference) })
  })

  it.each(["PENDING", "FAILED"])("nothing moved by what is %s", async (status) => {
    const found = await Effect.runPromise(answering({ ...collected, status }).enquire(attemptOf(payin)))
    expect(found).toMatchObject({ _tag: "Report" })
    expect(found).not.toHaveProperty("movements")
  })
})
