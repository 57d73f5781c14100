/** Resolutions by an operator: once, with a reason, and saved. */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { AuditLog } from "../../../src/platform/audit/AuditLog.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { Resolution } from "../../../src/payments/settlement/Resolution.ts"
import type { ResolutionRequest } from "../../../src/payments/settlement/ResolutionRules.ts"
import {
  attemptsOf,
  callBack,
  initiate,
  ofKind,
  queueOf,
  recordOf,
  timelineOf,
  eventsOfType
} from "../support/PaymentCalls.ts"
import { eventsOf } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, isLost } from "../support/ScriptedProvider.ts"
import { act, actable } from "../support/ActionCalls.ts"
import { nilId } from "../../support/AnyId.ts"

const make = () => {
  const stripe = actable("stripe")
  return { stripe, providers: [stripe], variables: { STATUS_ENQUIRY_DELAYS: "1 hour" } }
}

const operator = operatorPermit("platform", "amina")

const resolve = (paymentId: PaymentId, verdict: ResolutionRequest) =>
  Effect.flatMap(Resolution, (resolution) => resolution.resolve(operator, paymentId, verdict))

onDatabasePaymentServer("Settling by hand", make, (it, { stripe }) => {
  const unknownIn = (country: string) =>
    Effect.gen(function* () {
      yield* serveCountry(country, ["stripe"])
      const description = `unknown in ${country}`
      stripe.on(description, isLost())
      const { payment_id } = yield* initiate({ ...byCard(), country, description })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending" })
      return payment_id
    })

  it.effect.each([
    ["FR", "completed", "payment.completed"],
    ["DE", "failed", "payment.failed"]
  ] as const)("in %s an unknown outcome becomes %s, with its event and an audit row", ([country, outcome, event]) =>
    Effect.gen(function* () {
      const payment_id = yield* unknownIn(country)
      const settled = yield* resolve(payment_id, { outcome, reason: "seen in the provider's books" })
      const comments = "Settled by amina: seen in the provider's books"
      expect(settled).toMatchObject({ status: outcome, comments })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: outcome, comments })
      expect((yield* eventsOf(payment_id)).map(({ event_type }) => event_type)).toContain(event)
      const last = (yield* timelineOf(payment_id)).findLast((item) => item["kind"] === "status")
      expect(last).toMatchObject({ to: outcome, cause: "settled by amina: seen in the provider's books" })
      const log = yield* AuditLog
      const rows = yield* log.list(
        operatorPermit("audit", "test"),
        { action: "payment.resolved" },
        {
          after: Option.none(),
          take: 100
        }
      )
      const row = rows.find((one) => one.subject_id === payment_id)
      expect(row).toMatchObject({ actor_type: "operator", actor_id: "amina", detail: { outcome, provider: "stripe" } })
      expect(yield* Effect.flip(resolve(payment_id, { outcome, reason: "again" }))).toMatchObject({ _tag: "Conflict" })
    })
  )

  it.effect("why nothing was known stays, and the decision stands beside it", () =>
    Effect.gen(function* () {
      const payment_id = yield* unknownIn("IT")
      const before = yield* timelineOf(payment_id)
      yield* resolve(payment_id, { outcome: "failed", reason: "not in the provider's books" })
      const after = yield* timelineOf(payment_id)
      expect(ofKind(before, "attempt")).toMatchObject([{ outcome: "unknown", reason: "connection lost" }])
      expect(ofKind(after, "attempt"), "an operator decided, and not the provider").toMatchObject([
        { outcome: "declined", reason: "connection lost; settled by amina: not in the provider's books" }
      ])
      const note = "Settled by amina: not in the provider's books"
      expect(ofKind(after, "operator")).toMatchObject([{ item: "resolution", detail: note, closed_by: "amina" }])
      expect(yield* recordOf(payment_id)).toMatchObject({
        failure: { code: "RESOLVED_AS_FAILED", message: note, provider: "stripe" }
      })
    })
  )

  it.effect("so does that of a refund, whose event comes all the same", () =>
    Effect.gen(function* () {
      yield* serveCountry("PT", ["stripe"])
      stripe.on("paid in PT", accepts({ state: "completed" }))
      const { payment_id } = yield* initiate({ ...byCard(), country: "PT", description: "paid in PT" })
      stripe.will({ refund: isLost("no route to host") })
      yield* act(payment_id, { action: "refund", amount: 400 })
      const before = yield* attemptsOf(payment_id)
      expect(before[1]).toMatchObject({ leg: "refund", outcome: "unknown", reason: "no route to host", amount: 400 })
      yield* resolve(payment_id, { outcome: "failed", reason: "never left" })
      expect((yield* attemptsOf(payment_id))[1]).toMatchObject({
        leg: "refund",
        reason: "no route to host; settled by amina: never left"
      })
      const note = "Settled by amina: never left"
      const operators = ofKind(yield* timelineOf(payment_id), "operator")
      expect(operators).toMatchObject([{ item: "resolution", detail: note, closed_by: "amina" }])
      expect(yield* recordOf(payment_id)).toMatchObject({
        status: "completed",
        comments: note,
        failure: null,
        refunds: [{ refund_id: before[1]?.["attempt_id"], state: "failed", amount: 400 }]
      })
      expect(yield* eventsOfType(payment_id, "payment.refund_failed")).toMatchObject([
        { amount: 400, refunded_amount: 0 }
      ])
    })
  )

  it.effect("money in suspense is closed with a reason on the record, and the state stays", () =>
    Effect.gen(function* () {
      const payment_id = yield* unknownIn("ES")
      yield* resolve(payment_id, { outcome: "failed", reason: "not in the provider's books" })
      const [attempt] = yield* attemptsOf(payment_id)
      yield* callBack("stripe", {
        key: `late ${payment_id}`,
        reference: String(attempt?.["attempt_id"]),
        state: "completed"
      })
      const waiting = Effect.map(queueOf(), (items) => items.filter((item) => item["payment_id"] === payment_id))
      expect(yield* waiting).toMatchObject([{ kind: "suspense" }])
      yield* resolve(payment_id, { outcome: "failed", reason: "sent back by wire" })
      expect(yield* waiting).toEqual([])
      const record = yield* recordOf(payment_id)
      expect(record["status"]).toBe("failed")
      for (const why of ["not in the provider's books", "sent back by wire"]) {
        expect(record["comments"]).toContain(`amina: ${why}`)
      }
    })
  )

  it.effect("what does not exist cannot be settled", () =>
    Effect.gen(function* () {
      const nowhere = resolve(nilId, { outcome: "failed", reason: "x" })
      expect(yield* Effect.flip(nowhere)).toMatchObject({ _tag: "NotFound" })
    })
  )
})
