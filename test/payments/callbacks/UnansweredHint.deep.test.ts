/** Hints about a payment that has ended, whose provider did not answer the enquiry: it is asked again. */
import { describe, expect, it } from "@effect/vitest"
import { type Duration, Effect, HashMap, Logger, LogLevel, Option } from "effect"
import { Absent } from "../../../src/domain/Outcome.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { backends } from "../../support/OnBothStores.ts"
import { cardPayer } from "../support/CardPayer.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { accepts, declines, isLost, reports } from "../support/ScriptedProvider.ts"

describe.each(backends)("a hint whose provider does not answer, on %s", (backend) => {
  it.live("stands until it does", () =>
    Effect.gen(function* () {
      const { here, pay, store, stripe, world } = yield* cardPayer(backend)
      stripe.otherwise(accepts({ state: "completed" }))
      const paid = yield* pay
      expect(paid.status).toBe("completed")
      const [attempt] = yield* store.attemptsOf(paid.payment_id)
      const round = Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce).pipe(Effect.provide(here))
      const later = timePasses(world.clock, "1 minute").pipe(Effect.provide(world.stores))
      stripe.says(attempt!.attempt_id, isLost())
      expect(yield* store.hint(attempt!.attempt_id)).toBe(true)
      yield* later
      expect(yield* round).toBe(1)
      stripe.says(attempt!.attempt_id, reports("returned"))
      expect(yield* round, "not at once").toBe(0)
      yield* later
      expect(yield* round).toBe(1)
      const found = yield* store.find(Option.none(), paid.payment_id)
      expect(Option.getOrThrow(found).status).toBe("refunded")
      yield* later
      expect(yield* round, "nothing is left to ask").toBe(0)
    }).pipe(Effect.scoped)
  )

  it.live("is asked about less and less often, and at last no more, until there is another one", () =>
    Effect.gen(function* () {
      const { here, pay, store, stripe, world } = yield* cardPayer(backend)
      stripe.otherwise(accepts({ state: "completed" }))
      const payment = yield* pay
      const [attempt] = yield* store.attemptsOf(payment.payment_id)
      const { attempt_id } = attempt!
      const noises: Array<unknown> = []
      const listening = Logger.make(({ annotations }) => {
        const kind = HashMap.get(annotations, "operator_alert")
        if (Option.isSome(kind)) noises.push(kind.value)
      })
      const round = Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce).pipe(
        Effect.provide(Logger.add(listening)),
        Logger.withMinimumLogLevel(LogLevel.All),
        Effect.provide(here)
      )
      const passes = (time: Duration.DurationInput) => timePasses(world.clock, time).pipe(Effect.provide(world.stores))
      stripe.says(attempt_id, isLost())
      expect(yield* store.hint(attempt_id)).toBe(true)
      const asked = { first: 0, second: 0, later: 0 }
      for (const [part, times, time] of [
        ["first", 40, "15 seconds"],
        ["second", 40, "15 minutes"],
        ["later", 40, "3 hours"]
      ] as const) {
        for (let n = 0; n < times; n++) {
          yield* passes(time)
          asked[part] += yield* round
        }
      }
      expect(asked).toEqual({ first: 4, second: 4, later: 1 })
      yield* passes("30 days")
      expect(yield* round, "a day after the last time").toBe(0)
      const open = Effect.map(store.history(payment), ({ items }) =>
        items.filter(({ closed_at }) => closed_at === null)
      )
      expect(yield* open, "and then it is for an operator to find out").toMatchObject([
        { kind: "unknown_outcome", attempt_id, detail: expect.stringContaining("hint") as string }
      ])
      expect(noises, "whose callback it is").toEqual(["outcome_abandoned"])
      stripe.says(attempt_id, reports("completed"))
      expect(yield* store.hint(attempt_id)).toBe(true)
      expect(yield* store.hint(attempt_id), "one is enough").toBe(false)
      yield* passes("15 seconds")
      expect(yield* round).toBe(1)
      expect(yield* open).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("is not asked about again where its provider has no trace of what it refused", () =>
    Effect.gen(function* () {
      const { here, pay, store, stripe, world } = yield* cardPayer(backend, { provesAbsence: false })
      stripe.otherwise(declines())
      yield* Effect.exit(pay)
      const found = yield* store.find(Option.none(), stripe.orders[0]!.paymentId)
      const payment = Option.getOrThrow(found)
      expect(payment.status).toBe("failed")
      const [attempt] = yield* store.attemptsOf(payment.payment_id)
      const round = Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce).pipe(Effect.provide(here))
      stripe.says(attempt!.attempt_id, new Absent())
      expect(yield* store.hint(attempt!.attempt_id)).toBe(true)
      let asked = 0
      for (let n = 0; n < 20; n++) {
        yield* timePasses(world.clock, "25 hours").pipe(Effect.provide(world.stores))
        asked += yield* round
      }
      expect(asked).toBeGreaterThan(1)
      expect(asked).toBeLessThan(20)
      expect((yield* store.history(payment)).items).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("stands although its provider was to be asked at that time anyway", () =>
    Effect.gen(function* () {
      const { here, pay, store, stripe, world } = yield* cardPayer(backend)
      stripe.otherwise(accepts({ state: "processing" }))
      const [attempt] = yield* store.attemptsOf((yield* pay).payment_id)
      const round = Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce).pipe(Effect.provide(here))
      const later = timePasses(world.clock, "20 seconds").pipe(Effect.provide(world.stores))
      stripe.says(attempt!.attempt_id, isLost())
      expect(yield* store.hint(attempt!.attempt_id)).toBe(true)
      yield* later
      expect(yield* round).toBe(1)
      yield* later
      expect(yield* round, "whatever an older report has made of the plan meanwhile").toBe(1)
    }).pipe(Effect.scoped)
  )

  it.live("is asked about at once when there is another, however long it was to wait", () =>
    Effect.gen(function* () {
      const { here, pay, store, stripe, world } = yield* cardPayer(backend)
      stripe.otherwise(accepts({ state: "completed" }))
      const [attempt] = yield* store.attemptsOf((yield* pay).payment_id)
      const { attempt_id } = attempt!
      const round = Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce).pipe(Effect.provide(here))
      const passes = (time: Duration.DurationInput) => timePasses(world.clock, time).pipe(Effect.provide(world.stores))
      stripe.says(attempt_id, isLost())
      yield* store.hint(attempt_id)
      for (let n = 0; n < 20; n++) {
        yield* passes("2 minutes")
        yield* round
      }
      expect(yield* round, "not for a quarter of an hour").toBe(0)
      expect(yield* store.hint(attempt_id)).toBe(true)
      expect(yield* round).toBe(1)
    }).pipe(Effect.scoped)
  )

  it.live("is asked about again where the instance that asked has died", () =>
    Effect.gen(function* () {
      const { here, pay, store, stripe, world } = yield* cardPayer(backend)
      stripe.otherwise(accepts({ state: "completed" }))
      const paid = yield* pay
      const [attempt] = yield* store.attemptsOf(paid.payment_id)
      const round = Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce).pipe(Effect.provide(here))
      const later = timePasses(world.clock, "2 minutes").pipe(Effect.provide(world.stores))
      stripe.says(attempt!.attempt_id, reports("returned"))
      expect(yield* store.hint(attempt!.attempt_id)).toBe(true)
      yield* later
      expect(yield* store.claimEnquiries([{ provider: "stripe", room: 1 }])).toHaveLength(1)
      expect(yield* round, "as long as it may live").toBe(0)
      yield* later
      expect(yield* round).toBe(1)
      const found = yield* store.find(Option.none(), paid.payment_id)
      expect(Option.getOrThrow(found).status).toBe("refunded")
      yield* later
      expect(yield* round, "nothing is left to ask").toBe(0)
    }).pipe(Effect.scoped)
  )
})
