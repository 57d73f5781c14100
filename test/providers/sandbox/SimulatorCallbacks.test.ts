import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { NoProof } from "../../../src/providers/port/Callback.ts"
import { deriveMasterKey } from "../../../src/platform/config/MasterKey.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import {
  simulatorPaymentId,
  readCallback,
  signatureHeader,
  signedCallback
} from "../../../src/providers/sandbox/SimulatorAnswers.ts"
import { shillings } from "./SimulatorOrders.ts"
import type { SimulatorTimer } from "../../../src/providers/sandbox/SimulatorStore.ts"

const vault = Vault.make(deriveMasterKey("test"))
const read = readCallback(vault, "fiat")

const timer: Omit<SimulatorTimer, "dueInMillis"> = {
  timerId: "0190a000-0000-7000-8000-000000000001",
  eventId: "0190a000-0000-7000-8000-000000000002",
  reference: "0190a000-0000-7000-8000-000000000003",
  rail: "fiat",
  kind: "collection",
  money: shillings(150_010n),
  report: "failed",
  reason: "Café closed",
  occurredAt: new Date(1_700_000_000_123)
}

const signed = (text: string) => {
  const body = Buffer.from(text)
  return { headers: { [signatureHeader]: vault.hmac(body, "rail-callback") }, body }
}

describe("a simulator's callback", () => {
  it("has the documented body, signed over its bytes", () => {
    const { body, headers } = signedCallback(vault, timer)
    expect(JSON.parse(body.toString())).toEqual({
      event_id: timer.eventId,
      reference: timer.reference,
      rail: "fiat",
      state: "failed",
      reason: "Café closed",
      kind: "collection",
      amount: "1500.10",
      currency: "KES",
      occurred_at: "2023-11-14T22:13:20.123Z"
    })
    expect(headers["x-corridor-rail-signature"]).toBe(vault.hmac(body, "rail-callback"))
    expect(signedCallback(vault, timer)).toEqual({ headers, body })
  })

  it.effect("is read back by its simulator", () =>
    Effect.gen(function* () {
      const { events } = yield* read(signedCallback(vault, timer))
      expect(events).toHaveLength(1)
      expect(events[0]).toMatchObject({
        _tag: "VerifiedReport",
        key: timer.eventId,
        attempt: { reference: timer.reference },
        report: { state: "failed", reason: "Café closed", providerStatus: "failed" }
      })
    })
  )

  it.effect("names the movement of a payment that completed, and none of one that did not", () =>
    Effect.gen(function* () {
      for (const kind of ["collection", "disbursement", "refund"] as const) {
        const { events } = yield* read(signedCallback(vault, { ...timer, kind, report: "completed", reason: null }))
        const id = simulatorPaymentId("fiat", timer.reference)
        expect(events).toMatchObject([{ report: { movements: [{ kind, id, amount: timer.money, state: "settled" }] } }])
      }
      const [failed] = (yield* read(signedCallback(vault, timer))).events
      expect(failed).not.toHaveProperty("report.movements")
    })
  )

  const { body, headers } = signedCallback(vault, timer)
  const otherVault = Vault.make(deriveMasterKey("another"))
  const unproven = [
    ["without a signature", { body, headers: {} }],
    ["with an empty signature", { body, headers: { [signatureHeader]: "" } }],
    ["with another key's signature", signedCallback(otherVault, timer)],
    ["with another purpose's signature", { body, headers: { [signatureHeader]: vault.hmac(body, "cursor") } }],
    [
      "with its signature in capitals",
      { body, headers: { [signatureHeader]: headers[signatureHeader]!.toUpperCase() } }
    ],
    ["of another simulator", signedCallback(vault, { ...timer, rail: "crypto" })],
    ["that is no JSON", signed("completed")],
    ["without an event id", signed(JSON.stringify({ ...JSON.parse(body.toString()), event_id: undefined }))],
    [
      "with a state that no simulator has",
      signed(JSON.stringify({ ...JSON.parse(body.toString()), state: "returned" }))
    ]
  ] as const
  for (const [name, request] of unproven) {
    it.effect(`${name} proves nothing`, () =>
      Effect.map(Effect.flip(read(request)), (error) => expect(error).toBeInstanceOf(NoProof))
    )
  }

  it.prop(
    "with any byte changed proves nothing",
    [fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 })],
    ([at, by]) => {
      const changed = Buffer.from(body)
      changed[at] = changed[at]! ^ by
      expect(Effect.runSync(Effect.flip(read({ headers, body: changed })))).toBeInstanceOf(NoProof)
    }
  )
})
