/** Order of a timeline: causes before effects, whether each step has a millisecond of its own or all share one. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people } from "../../support/TestCredentials.ts"
import { act, actable, setThreshold } from "../support/ActionCalls.ts"
import { initiate, ofKind, timelineOf, untilStatus } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { movableClock, type MovableClock } from "../support/PaymentServices.ts"
import { byCard, byPhone } from "../support/Requests.ts"
import { accepts, declines } from "../support/ScriptedProvider.ts"
import { onRamp } from "../support/RampCalls.ts"

/** Every look at it is so many milliseconds after the last one. */
const steppingClock = (step: number): MovableClock => {
  const clock = movableClock()
  let now = clock.unsafeCurrentTimeMillis()
  const millis = () => (now += step)
  return { ...clock, unsafeCurrentTimeMillis: millis, currentTimeMillis: Effect.sync(millis) }
}

const madeWith = (step: number) => () => {
  const stripe = actable("stripe")
  const adyen = actable("adyen")
  return { providers: [stripe, adyen], stripe, adyen, clock: steppingClock(step) }
}

/** Each change by the status it led to, each attempt by its leg and provider. */
const entriesOf = (paymentId: string) =>
  Effect.map(timelineOf(paymentId), (items) =>
    items.flatMap((item) => {
      if (item["kind"] === "status") return [String(item["to"])]
      return item["kind"] === "attempt" ? [`${String(item["leg"])} at ${String(item["provider"])}`] : []
    })
  )

for (const [name, step] of [
  ["A timeline of one millisecond", 0],
  ["A timeline of many milliseconds", 1]
] as const) {
  onDatabasePaymentServer(name, madeWith(step), (it, { adyen, stripe }) => {
    it.effect("puts an attempt between what led to it and what it led to", () =>
      Effect.gen(function* () {
        yield* serveCountry("FR", ["stripe", "adyen"])
        stripe.otherwise(accepts())
        const taken = yield* initiate({ ...byCard(), country: "FR" })
        expect(yield* entriesOf(taken.payment_id)).toEqual(["initiated", "payment at stripe", "processing"])
        stripe.otherwise(declines())
        adyen.otherwise(accepts({ state: "completed" }))
        const second = yield* initiate({ ...byCard(), country: "FR" })
        const entries = ["initiated", "payment at stripe", "payment at adyen", "completed"]
        expect(yield* entriesOf(second.payment_id)).toEqual(entries)
        const { acme } = yield* people
        adyen.will({ refund: accepts({ state: "completed" }) })
        yield* act(second.payment_id, { action: "refund" }, acme.token("staff"))
        expect(yield* entriesOf(second.payment_id)).toEqual([...entries, "refund at adyen", "refunded"])
      })
    )

    it.effect("puts the attempt of a reviewed payment after its confirmation", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        yield* serveCountry("KE", ["stripe"], "mobile_money")
        stripe.otherwise(accepts())
        yield* setThreshold(acme.org_id, "1000")
        const { payment_id } = yield* Effect.ensuring(initiate(byPhone()), setThreshold(acme.org_id, null))
        expect(yield* entriesOf(payment_id)).toEqual(["initiated"])
        expect(yield* act(payment_id, { action: "review" }, acme.token("staff"))).toMatchObject({ status: 200 })
        const entries = ["initiated", "reviewed", "confirmed", "payment at stripe", "processing"]
        expect(yield* entriesOf(payment_id)).toEqual(entries)
      })
    )

    it.effect("puts the second leg of a ramp after the first has arrived", () =>
      Effect.gen(function* () {
        yield* serveCountry("FI", ["stripe"], "bank_transfer")
        yield* serveCountry("FI", ["adyen"], "crypto", "outbound")
        stripe.otherwise(accepts({ state: "completed" }))
        adyen.otherwise(accepts({ state: "completed" }))
        const { payment_id } = yield* onRamp("FI")
        yield* untilStatus(payment_id, "completed")
        expect(yield* entriesOf(payment_id)).toEqual([
          "initiated",
          "collection at stripe",
          "processing",
          "settlement at adyen",
          "completed"
        ])
      })
    )
  })
}

onDatabasePaymentServer("A timeline on a clock that is set back", madeWith(-7), (it, { stripe }) => {
  it.effect("has no answer that took less than no time", () =>
    Effect.gen(function* () {
      yield* serveCountry("FR", ["stripe"])
      stripe.otherwise(accepts())
      const { payment_id } = yield* initiate({ ...byCard(), country: "FR" })
      const attempts = ofKind(yield* timelineOf(payment_id), "attempt")
      expect(attempts.map((attempt) => attempt["latency_ms"])).toEqual([0])
    })
  )
})
