/** Payments at the manual provider: processing at once, and settled by an operator alone. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { Resolution } from "../../../src/payments/settlement/Resolution.ts"
import { act } from "../support/ActionCalls.ts"
import { attemptsOf, eventually, initiate, ofKind, queueOf, recordOf, timelineOf } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { movableClock, timePasses } from "../support/PaymentServices.ts"
import { byBank, byPhone } from "../support/Requests.ts"

const make = () => ({ clock: movableClock(), variables: { STATUS_ENQUIRY_DELAYS: "1 minute" } })

const rwandan = {
  ...byPhone(),
  ...{ currency: "RWF", target_currency: "RWF", country: "RW" },
  mobile_money_details: { provider: "mtn", phone_number: "+250788123456" }
}

const itemsOf = (id: string) => Effect.map(queueOf(), (all) => all.filter((item) => item["payment_id"] === id))

const resolveAs = (id: PaymentId, outcome: "completed" | "failed", movementId?: string) =>
  Effect.flatMap(Resolution, ({ resolve }) =>
    resolve(operatorPermit("platform", "amina"), id, { outcome, reason: "seen at the bank", movementId })
  )

onDatabasePaymentServer("The manual provider", make, (it, { clock }) => {
  it.effect.each([
    ["RW", "mobile_money", "completed"],
    ["TZ", "bank_transfer", "failed"]
  ] as const)("in %s by %s asks nothing of the customer, until an operator says %s", ([country, method, end]) =>
    Effect.gen(function* () {
      yield* serveCountry(country, ["manual"], method)
      const request = method === "bank_transfer" ? byBank() : rwandan
      const { payment_id, response } = yield* initiate({ ...request, country })
      expect(response).toMatchObject({
        success: true,
        status: "processing",
        next_action: "wait",
        provider: "manual",
        message: "The payment is being processed."
      })
      expect(yield* itemsOf(payment_id)).toEqual([])
      yield* timePasses(clock, "2 minutes")
      const items = yield* eventually(itemsOf(payment_id), (all) => all.length > 0)
      expect(items).toMatchObject([{ kind: "unknown_outcome" }])
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "processing", provider_status: "processing" })
      yield* resolveAs(payment_id, end)
      expect(yield* itemsOf(payment_id)).toEqual([])
      expect(ofKind(yield* timelineOf(payment_id), "status").map((item) => item["to"])).toEqual([
        "initiated",
        "processing",
        end
      ])
      expect(yield* attemptsOf(payment_id)).toMatchObject([{ provider: "manual", outcome: "accepted" }])
    })
  )

  it.effect("need not be looked up before an operator settles it", () =>
    Effect.gen(function* () {
      yield* serveCountry("ZM", ["manual"], "bank_transfer")
      const { payment_id } = yield* initiate({ ...byBank(), country: "ZM" })
      yield* resolveAs(payment_id, "completed")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
    })
  )

  it.effect("is not settled by a transfer of another payment", () =>
    Effect.gen(function* () {
      yield* serveCountry("ZM", ["manual"], "bank_transfer")
      const one = yield* initiate({ ...byBank(), country: "ZM" })
      const other = yield* initiate({ ...byBank(), country: "ZM" })
      yield* resolveAs(one.payment_id, "completed", "statement line 1")
      const refused = yield* Effect.flip(resolveAs(other.payment_id, "completed", "statement line 1"))
      expect(refused).toMatchObject({
        _tag: "Conflict",
        message: expect.stringMatching(/\btransfer\b.*\banother payment\b/)
      })
      expect(yield* recordOf(other.payment_id)).toMatchObject({ status: "processing" })
      yield* resolveAs(other.payment_id, "completed", "statement line 2")
      expect(yield* recordOf(other.payment_id)).toMatchObject({ status: "completed" })
    })
  )

  it.effect("gives money back when the operator says that it is done", () =>
    Effect.gen(function* () {
      yield* serveCountry("RW", ["manual"], "mobile_money")
      const { payment_id } = yield* initiate(rwandan)
      yield* resolveAs(payment_id, "completed")
      expect((yield* act(payment_id, { action: "refund" })).response).toMatchObject({ status: "completed" })
      expect(yield* resolveAs(payment_id, "completed")).toMatchObject({ status: "refunded" })
    })
  )
})
