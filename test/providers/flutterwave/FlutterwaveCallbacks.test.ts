import { Effect, Either } from "effect"
import { describe, expect, it } from "vitest"
import { flutterwave } from "../../../src/providers/flutterwave/FlutterwaveAdapter.ts"
import { type CallbackRequest, Hint } from "../../../src/providers/port/Callback.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { atFlutterwave } from "./FlutterwaveTestOrders.ts"
import { callbackRequest } from "../support/CallbackFixtures.ts"
import { connected } from "../support/ConnectedAdapter.ts"

const { http } = scripted(() => replyOf(500))
const provider = atFlutterwave(http)

describe("a callback from Flutterwave", () => {
  const reference = "0198c0de-7a11-4c0d-8f00-0123456789ab"
  const secret = "fake-flutterwave-secret-hash"
  const hint = (providerPaymentId: string | null) => new Hint({ attempt: { reference, providerPaymentId } })

  const callback = (body: unknown, hash: string | undefined = secret): CallbackRequest =>
    callbackRequest(typeof body === "string" ? body : JSON.stringify(body), { "verif-hash": hash })
  const read = (request: CallbackRequest) => Effect.runPromise(Effect.either(provider.callback(request)))

  it.each([
    [{ event: "charge.completed", data: { id: 285959875, tx_ref: reference, status: "successful" } }, "285959875"],
    [{ event: "transfer.completed", data: { id: 33286, reference, status: "SUCCESSFUL" } }, "33286"],
    [{ event: "something.new", data: { tx_ref: reference } }, null],
    [{ id: 77, txRef: reference, status: "successful", "event.type": "CARD_TRANSACTION" }, "77"],
    [{ "event.type": "Transfer", transfer: { id: 3455, reference, status: "SUCCESSFUL" } }, "3455"]
  ])("is a hint and nothing more, though it has the secret: %j", async (body, id) => {
    expect(await read(callback(body))).toEqual(Either.right({ events: [hint(id)] }))
  })

  it.each([
    [{ event: "test_assess" }],
    [{ event: "charge.completed", data: null }],
    [{ event: "refund.completed", data: { id: 1, status: "completed" } }],
    ["not JSON"],
    [[]]
  ])("is about nothing of ours: %j", async (body) => {
    expect(await read(callback(body))).toEqual(Either.right({ events: [] }))
  })

  it.each([["another"], [`${secret}x`], [""], [secret.toUpperCase()]])("is not let in with %j", async (hash) => {
    const body = { event: "charge.completed", data: { tx_ref: reference } }
    expect(await read(callback(body, hash))).toMatchObject({
      left: { _tag: "NoProof", message: "verif-hash is not our secret hash" }
    })
  })

  it("is not let in without the header", async () => {
    const request = { ...callback({ data: { tx_ref: reference } }), headers: {} }
    expect(Either.isLeft(await read(request))).toBe(true)
  })

  it("is not let in where the account has no secret, and the setting is named", async () => {
    const unset = connected(flutterwave, http, { secret_key: "FLWSECK-x" })
    const answer = await Effect.runPromise(Effect.flip(unset.callback(callback({}))))
    expect(answer.message).toMatch(/^FLUTTERWAVE_WEBHOOK_SECRET is not set/)
  })
})
