/** Events of a charge at Stripe about refunds, also about those that were ordered here. Each is one refund. */
import { expect } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { stripe } from "../../../src/providers/stripe/StripeAdapter.ts"
import { stripeFake } from "../../fakes/StripeFake.ts"
import { act } from "../support/ActionCalls.ts"
import { itemsOf } from "../support/OperatorActions.ts"
import { eventually, initiate, recordOf, eventsOfType, untilStatus } from "../support/PaymentCalls.ts"
import { atServer } from "../support/FakeAtServer.ts"
import { later, suspenseOf, watched } from "../support/PayinBalances.ts"
import { movableClock } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"

const make = () => {
  const at = atServer(stripe, stripeFake, { rawCards: true })
  return { clock: movableClock(), at, providers: [at.provider] }
}

/** Amount of a refund that the fake takes without sending its answer. */
const LOST = 500.04

onDatabasePaymentServer("events of a charge and its refunds", make, (it, { at, clock }) => {
  const paid = (country: string) =>
    Effect.gen(function* () {
      const fake = yield* at.opened
      yield* serveCountry(country, ["stripe"])
      const { gained } = yield* watched
      const { payment_id } = yield* initiate({ ...byCard(), country })
      yield* fake.settled
      yield* Effect.forEach(yield* fake.fresh, fake.handOver)
      yield* untilStatus(payment_id, "completed")
      /** Hands over what was called back, all of it twice, and lets the payment be asked about. */
      const callsBack = (type = "") =>
        Effect.gen(function* () {
          yield* fake.settled
          const all = (yield* fake.fresh).filter(({ body }) => body.toString("utf8").includes(type))
          yield* Effect.forEach([...all, ...all], fake.handOver)
          yield* later(clock, 61)
          return all
        })
      const refund = (amount: number) => act(payment_id, { action: "refund", amount })
      const shown = Effect.gen(function* () {
        const { refunded_amount, refunds, status } = yield* recordOf(payment_id)
        return {
          status,
          refunded_amount,
          refunds: (refunds as ReadonlyArray<{ readonly state: string }>).map(({ state }) => state),
          events: (yield* eventsOfType(payment_id, "payment.refunded")).map(({ amount, refund_id }) => [
            amount,
            typeof refund_id
          ]),
          disputes: (yield* eventsOfType(payment_id, "transaction.updated")).flatMap(({ dispute }) => dispute ?? []),
          items: [...(yield* itemsOf(payment_id)), ...(yield* suspenseOf(payment_id))]
        }
      })
      return { fake, gained, callsBack, payment_id, refund, shown }
    })

  for (const [country, amount, status] of [
    ["FR", 500, "completed"],
    ["DE", 1500, "refunded"]
  ] as const) {
    it.scoped(`${amount} of 1500 is one refund, whose charge's event comes before its answer`, () =>
      Effect.gen(function* () {
        const { fake, gained, callsBack, refund, shown } = yield* paid(country)
        const [made, answered] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        fake.around((call, reply) =>
          call.operation === "create refund"
            ? Effect.tap(reply, () => Effect.zipRight(Deferred.succeed(made, undefined), Deferred.await(answered)))
            : reply
        )
        const asked = yield* Effect.fork(refund(amount))
        yield* Deferred.await(made)
        const all = yield* callsBack("charge.refunded")
        expect(all).toHaveLength(1)
        const before = yield* shown
        expect(before).toMatchObject({ disputes: [], items: [] })
        // The refund itself may have been asked about meanwhile.
        expect(before.events.filter(([, refundId]) => refundId !== "string")).toEqual([])
        yield* Deferred.succeed(answered, undefined)
        expect((yield* Fiber.join(asked)).status).toBe(200)
        yield* later(clock, 61)
        yield* eventually(shown, ({ refunds }) => refunds[0] === "completed")
        yield* Effect.forEach(all, fake.handOver)
        yield* later(clock, 61)
        expect(yield* shown).toEqual({
          ...{ status, refunded_amount: amount, refunds: ["completed"] },
          ...{ events: [[amount, "string"]], disputes: [], items: [] }
        })
        expect(yield* gained).toEqual(amount === 1500 ? {} : { settlement: 1000, stripe: -1000 })
      })
    )

    it.scoped(`${amount} of 1500 is one refund, whose charge's event comes after its answer`, () =>
      Effect.gen(function* () {
        const { gained, callsBack, refund, shown } = yield* paid(country)
        expect((yield* refund(amount)).status).toBe(200)
        yield* callsBack()
        expect(yield* eventually(shown, ({ refunds }) => refunds[0] === "completed")).toEqual({
          ...{ status, refunded_amount: amount, refunds: ["completed"] },
          ...{ events: [[amount, "string"]], disputes: [], items: [] }
        })
        expect(yield* gained).toEqual(amount === 1500 ? {} : { settlement: 1000, stripe: -1000 })
      })
    )
  }

  it.scoped("two parts at once are two refunds", () =>
    Effect.gen(function* () {
      const { gained, callsBack, refund, shown } = yield* paid("ES")
      yield* Effect.all([refund(500), refund(400)], { concurrency: "unbounded" })
      yield* callsBack("charge.refunded")
      yield* later(clock, 61)
      const seen = yield* eventually(shown, ({ refunds }) => refunds.every((state) => state === "completed"))
      expect(seen).toMatchObject({ status: "completed", disputes: [], items: [] })
      expect(seen.events).toHaveLength(seen.refunds.length)
      expect(1500 - Number(seen.refunded_amount)).toBe((yield* gained)["settlement"])
    })
  )

  it.scoped("one whose answer was lost is one refund", () =>
    Effect.gen(function* () {
      const { gained, callsBack, refund, shown } = yield* paid("IT")
      yield* refund(LOST)
      yield* callsBack("charge.refunded")
      yield* later(clock, 61)
      yield* later(clock, 61)
      expect(yield* eventually(shown, ({ refunds }) => refunds[0] === "completed")).toEqual({
        ...{ status: "completed", refunded_amount: LOST, refunds: ["completed"] },
        ...{ events: [[LOST, "string"]], disputes: [], items: [] }
      })
      expect(yield* gained).toEqual({ settlement: 1500 - LOST, stripe: LOST - 1500 })
    })
  )
})
