/** Operators who settle the same item at the same moment: one decision is accepted, the other is refused. */
import { expect } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { AuditLog } from "../../../src/platform/audit/AuditLog.ts"
import { Resolution } from "../../../src/payments/settlement/Resolution.ts"
import { act, actable } from "../support/ActionCalls.ts"
import { attemptsOf, callBack, initiate, queueOf, recordOf, timelineOf, ofKind } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, isLost } from "../support/ScriptedProvider.ts"

const make = () => {
  const stripe = actable("stripe")
  return { stripe, providers: [stripe], variables: { STATUS_ENQUIRY_DELAYS: "1 hour" } }
}

const people = ["amina", "brice", "chidi", "dalia"] as const

/** Alternates the verdict from one operator to the next. */
const allAtOnce = (paymentId: PaymentId) =>
  Effect.forEach(
    people,
    (person, at) =>
      Effect.flatMap(Resolution, (resolution) =>
        resolution.resolve(operatorPermit("platform", person), paymentId, {
          outcome: at % 2 === 0 ? "failed" : "completed",
          reason: `${person} looked it up`
        })
      ).pipe(Effect.either),
    { concurrency: "unbounded" }
  )

const auditedOf = (paymentId: PaymentId) =>
  Effect.gen(function* () {
    const log = yield* AuditLog
    const rows = yield* log.list(
      operatorPermit("audit", "test"),
      { action: "payment.resolved" },
      {
        after: Option.none(),
        take: 100
      }
    )
    return rows.filter((one) => one.subject_id === paymentId)
  })

onDatabasePaymentServer("Settling by hand, several operators at once", make, (it, { stripe }) => {
  it.effect.each(["FR", "DE", "IT", "ES", "PT", "NL"])(
    "in %s one verdict on an unknown outcome is accepted",
    (country) =>
      Effect.gen(function* () {
        yield* serveCountry(country, ["stripe"])
        const description = `unknown in ${country}`
        stripe.on(description, isLost())
        const { payment_id } = yield* initiate({ ...byCard(), country, description })
        const said = yield* allAtOnce(payment_id)
        const accepted = said.filter(Either.isRight)
        expect(accepted).toHaveLength(1)
        for (const refused of said.filter(Either.isLeft)) expect(refused.left).toMatchObject({ _tag: "Conflict" })
        const record = yield* recordOf(payment_id)
        expect(record["status"]).toBe(accepted[0]?.right.status)
        expect(ofKind(yield* timelineOf(payment_id), "operator")).toHaveLength(1)
        expect(yield* auditedOf(payment_id)).toMatchObject([{ detail: { outcome: record["status"] } }])
        expect((yield* queueOf()).filter((item) => item["payment_id"] === payment_id)).toEqual([])
      })
  )

  it.effect.each(["BE", "AT", "FI", "GR"])("in %s one verdict on a refund is accepted", (country) =>
    Effect.gen(function* () {
      yield* serveCountry(country, ["stripe"])
      const description = `paid in ${country}`
      stripe.on(description, accepts({ state: "completed" }))
      const { payment_id } = yield* initiate({ ...byCard(), country, description })
      stripe.will({ refund: isLost("no route to host") })
      yield* act(payment_id, { action: "refund", amount: 400 })
      const said = yield* allAtOnce(payment_id)
      expect(said.filter(Either.isRight)).toHaveLength(1)
      const [audited, ...others] = yield* auditedOf(payment_id)
      expect(others).toEqual([])
      expect(yield* recordOf(payment_id)).toMatchObject({ refunds: [{ state: audited?.detail["outcome"] }] })
      expect((yield* queueOf()).filter((item) => item["payment_id"] === payment_id)).toEqual([])
    })
  )

  it.effect.each(["SE", "DK", "IE", "LU", "PL", "CZ"])("in %s one verdict on money that waits is accepted", (country) =>
    Effect.gen(function* () {
      yield* serveCountry(country, ["stripe"])
      const description = `disputed in ${country}`
      stripe.on(description, accepts({ state: "completed" }))
      const { payment_id } = yield* initiate({ ...byCard(), country, description })
      const [attempt] = yield* attemptsOf(payment_id)
      const reference = String(attempt?.["attempt_id"])
      const taken = { amount: "400.00", currency: "KES" }
      yield* callBack("stripe", { key: `dp ${country}`, reference, state: "returned", taken })
      const said = yield* allAtOnce(payment_id)
      expect(said.filter(Either.isRight)).toHaveLength(1)
      for (const refused of said.filter(Either.isLeft)) expect(refused.left).toMatchObject({ _tag: "Conflict" })
      expect(yield* auditedOf(payment_id)).toHaveLength(1)
      expect((yield* queueOf()).filter((item) => item["payment_id"] === payment_id)).toEqual([])
    })
  )
})
