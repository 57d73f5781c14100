import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type CallbackRequest, Hint } from "../../../src/providers/port/Callback.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { atMtn } from "./MtnMomoTestOrders.ts"
import { callbackRequest } from "../support/CallbackFixtures.ts"

const { http } = scripted(() => replyOf(500))

describe("a callback from MTN", () => {
  const reference = "0198c0de-7a11-4c0d-8f00-0123456789ab"
  const callback = (body: string, about: Partial<CallbackRequest> = {}) =>
    Effect.runPromise(atMtn(http).callback({ ...callbackRequest(body, {}, { method: "PUT" }), ...about }))
  const hint = new Hint({ attempt: { reference, providerPaymentId: null } })

  it.each([
    ["PUT", JSON.stringify({ externalId: reference, status: "SUCCESSFUL", amount: "1", currency: "UGX" })],
    ["POST", JSON.stringify({ externalId: reference, status: "FAILED", reason: "EXPIRED" })],
    ["PUT", JSON.stringify({ referenceId: reference, status: "SUCCESSFUL", externalId: null })],
    ["POST", JSON.stringify({ externalId: reference, status: "SOMETHING_NEW" })]
  ])("by %s is a hint and nothing more: %s", async (method, body) => {
    expect((await callback(body, { method })).events).toEqual([hint])
  })

  it("may name what it is about in a header alone", async () => {
    expect((await callback("", { headers: { "x-reference-id": reference } })).events).toEqual([hint])
  })

  it.each(["", "not JSON", "[]", "{}", "null", JSON.stringify({ externalId: { a: 1 } })])(
    "is about nothing of ours: %j",
    async (body) => {
      expect((await callback(body)).events).toEqual([])
    }
  )

  it("keeps an external id that is not ours as it came", async () => {
    expect((await callback('{"externalId": 947354}')).events).toEqual([
      new Hint({ attempt: { reference: "947354", providerPaymentId: null } })
    ])
  })
})
