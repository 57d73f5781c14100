/** Payments whose provider keeps silent: polled, believed with care, and handed to an operator. */
import { SqlClient } from "@effect/sql"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Unknown } from "../../../src/domain/Outcome.ts"
import { attemptsOf, callBack, eventually, initiate, ofKind, recordOf, timelineOf } from "../support/PaymentCalls.ts"
import { eventsOf, movableClock } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, type Act, isLost, reports, scripted } from "../support/ScriptedProvider.ts"
import { later } from "../support/PayinBalances.ts"
import { itemsOf } from "../support/OperatorActions.ts"

const delays = ["10 seconds", "30 seconds", "2 minutes"] as const

const make = () => {
  const stripe = scripted("stripe")
  const clock = movableClock()
  return { stripe, clock, providers: [stripe], variables: { STATUS_ENQUIRY_DELAYS: delays.join(", ") } }
}

const held = Effect.flatMap(
  Effect.orDie(Effect.serviceOptional(SqlClient.SqlClient)),
  (sql) => sql`select 1 from attempts where lease_token is not null`
)

onDatabasePaymentServer("Enquiries", make, (it, { clock, stripe }) => {
  const silentIn = (country: string, act: Act = isLost()) =>
    Effect.gen(function* () {
      yield* serveCountry(country, ["stripe"])
      const description = `silent in ${country}`
      stripe.on(description, act)
      const { payment_id } = yield* initiate({ ...byCard(), country, description })
      const [attempt] = yield* attemptsOf(payment_id)
      const reference = String(attempt?.["attempt_id"])
      const asked = () => stripe.enquiries.filter((one) => one.reference === reference).length
      // The server's own worker may be the one who asks: time passes for what it has written, and not for its answer.
      const askedTimes = (n: number) =>
        eventually(
          Effect.map(held, (rows) => asked() >= n && rows.length === 0),
          (isSettled) => isSettled
        )
      return { payment_id, reference, asked, askedTimes }
    })

  it.effect("find out what became of a lost answer, and ask no more", () =>
    Effect.gen(function* () {
      const { asked, askedTimes, payment_id, reference } = yield* silentIn("FR")
      stripe.says(reference, reports("processing"))
      yield* later(clock, 9)
      expect(asked(), "not before its time").toBe(0)
      yield* later(clock, 2)
      yield* askedTimes(1)
      stripe.says(reference, reports("completed"))
      yield* later(clock, 31)
      yield* askedTimes(2)
      yield* later(clock, 3600)
      expect(asked()).toBe(2)
      expect(yield* recordOf(payment_id)).toMatchObject({
        status: "completed",
        provider: "stripe",
        provider_status: "completed"
      })
      const items = yield* timelineOf(payment_id)
      expect(ofKind(items, "attempt"), "one item however often it was looked up").toHaveLength(1)
      expect(ofKind(items, "attempt")[0]).toMatchObject({ outcome: "accepted" })
      expect(ofKind(items, "status").map((item) => [item["to"], item["cause"]])).toEqual([
        ["initiated", "initiated by the caller"],
        ["pending", "no verdict from stripe: connection lost"],
        ["processing", "status enquiry at stripe"],
        ["completed", "status enquiry at stripe"]
      ])
      expect(stripe.timesAsked(payment_id)).toBe(1)
    })
  )

  it.effect("do not believe an absence while the call may still be on its way", () =>
    Effect.gen(function* () {
      const { askedTimes, payment_id } = yield* silentIn("DE")
      yield* later(clock, 11)
      yield* askedTimes(1)
      yield* later(clock, 31)
      yield* askedTimes(2)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending" })
      yield* later(clock, 121)
      yield* askedTimes(3)
      yield* later(clock, 0)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "failed" })
      expect(yield* attemptsOf(payment_id)).toMatchObject([
        { outcome: "declined", reason: "the provider never had it" }
      ])
      expect(stripe.timesAsked(payment_id), "no other provider, no second try").toBe(1)
    })
  )

  it.effect("never fail a payment for silence, and hand it to an operator after the last one", () =>
    Effect.gen(function* () {
      const { asked, askedTimes, payment_id, reference } = yield* silentIn("IT")
      stripe.says(reference, new Unknown({ reason: "try later" }))
      for (const [nth, seconds] of [11, 31, 121].entries()) {
        expect(yield* itemsOf(payment_id)).toEqual([])
        yield* later(clock, seconds)
        yield* askedTimes(nth + 1)
        yield* later(clock, 0)
      }
      yield* later(clock, 86_400)
      expect(asked(), "as often as the setting says").toBe(3)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending" })
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "unknown_outcome", attempt_id: reference }])
      expect((yield* eventsOf(payment_id)).map((event) => event.event_type)).not.toContain("payment.failed")
      yield* callBack("stripe", { key: `woke up ${payment_id}`, reference, state: "completed" })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* itemsOf(payment_id), "no operator has to look at it any more").toEqual([])
      const [item] = ofKind(yield* timelineOf(payment_id), "operator")
      expect(item).toMatchObject({ item: "unknown_outcome", closed_by: "callback from stripe" })
    })
  )

  it.effect("leave no accepted payment unattended after the last one", () =>
    Effect.gen(function* () {
      const { askedTimes, payment_id } = yield* silentIn("ES", accepts())
      for (const [nth, seconds] of [11, 31, 121].entries()) {
        yield* later(clock, seconds)
        yield* askedTimes(nth + 1)
        yield* later(clock, 0)
      }
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "processing" })
      expect(yield* itemsOf(payment_id), "an operator, since no machine looks after it").toHaveLength(1)
    })
  )
})
