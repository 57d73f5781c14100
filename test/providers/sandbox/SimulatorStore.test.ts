import { expect } from "@effect/vitest"
import { type Duration, Effect, Option } from "effect"
import { Ids, nilUuid } from "../../../src/domain/Ids.ts"
import {
  type NewSimulatorTimer,
  type SimulatorPayment,
  type SimulatorTimer,
  SimulatorStore
} from "../../../src/providers/sandbox/SimulatorStore.ts"
import { WorkQueues } from "../../../src/platform/database/WorkQueues.ts"
import { shillings } from "./SimulatorOrders.ts"
import { onBothSimulatorStores } from "./SimulatorStores.ts"

const nextId = Effect.flatMap(Ids, (ids) => ids.next)

const newPayment = (about: Partial<SimulatorPayment> = {}) =>
  Effect.map(nextId, (reference): SimulatorPayment => ({
    reference,
    rail: "fiat",
    kind: "collection",
    state: "processing",
    behaviour: "completes",
    money: shillings(150_010n),
    reason: null,
    answer: { state: "processing", nextAction: "redirect", actionData: { redirect_url: "http://x" } },
    wrongPasswords: 0,
    ...about
  }))

const newTimer = (about: Partial<NewSimulatorTimer> = {}) =>
  Effect.map(nextId, (id): NewSimulatorTimer => ({
    timerId: id,
    eventId: id,
    report: "completed",
    reason: null,
    occursInMillis: -1000,
    dueInMillis: -1000,
    ...about
  }))

/** A payment with its timers; the default is due. */
const opened = (timers: ReadonlyArray<Partial<NewSimulatorTimer>> = [{}], about: Partial<SimulatorPayment> = {}) =>
  Effect.gen(function* () {
    const store = yield* SimulatorStore
    const made = yield* Effect.forEach(timers, newTimer)
    return { payment: yield* store.open(yield* newPayment(about), made), timers: made }
  })

const LONG = 60_000

/** All tests of a suite share one database, so each looks only at its own timers. */
const claimed = (reference: string, lease = LONG) =>
  Effect.gen(function* () {
    const store = yield* SimulatorStore
    const token = yield* nextId
    const own: Array<SimulatorTimer> = []
    const { timers } = yield* store.claim({ token, limit: 1000, leaseMillis: lease })
    own.push(...timers.filter((timer) => timer.reference === reference))
    return { token, own, ids: own.map((timer) => timer.timerId) }
  })

const stateOf = (reference: string) =>
  Effect.flatMap(SimulatorStore, (store) =>
    Effect.map(
      store.find(reference),
      Option.map(({ state, reason }) => [state, reason])
    )
  )

onBothSimulatorStores("RailStore", (it) => {
  it.effect("gives back the payment as it was opened", () =>
    Effect.gen(function* () {
      const store = yield* SimulatorStore
      const { payment } = yield* opened([], { reason: "Café", wrongPasswords: 3, behaviour: "asks_password" })
      expect(yield* store.find(payment.reference)).toEqual(Option.some(payment))
      expect(yield* store.find(nilUuid)).toEqual(Option.none())
    })
  )

  it.effect("keeps the first of two payments of one reference, and its timers alone", () =>
    Effect.gen(function* () {
      const store = yield* SimulatorStore
      const { payment, timers } = yield* opened()
      const other = { ...payment, behaviour: "fails_later", money: shillings(1n) } as const
      expect(yield* store.open(other, [yield* newTimer()])).toEqual(payment)
      expect((yield* claimed(payment.reference)).ids).toEqual(timers.map((timer) => timer.timerId))
    })
  )

  it.effect("keeps one of forty that come at once, and returns it to all of them", () =>
    Effect.gen(function* () {
      const store = yield* SimulatorStore
      const payment = yield* newPayment()
      const one = (n: number) =>
        Effect.flatMap(newTimer(), (timer) => store.open({ ...payment, wrongPasswords: n }, [timer]))
      const kept = yield* Effect.all(
        Array.from({ length: 40 }, (_, n) => one(n)),
        { concurrency: "unbounded" }
      )
      expect(new Set(kept.map(({ wrongPasswords }) => wrongPasswords)).size).toBe(1)
      expect((yield* claimed(payment.reference)).own).toHaveLength(1)
    })
  )

  it.effect("claims what is due, in order, with everything that a callback says", () =>
    Effect.gen(function* () {
      const { payment, timers } = yield* opened([
        { dueInMillis: -100, report: "processing" },
        { dueInMillis: -300, report: "failed", reason: "Café closed" },
        { dueInMillis: -200, eventId: nilUuid },
        { dueInMillis: 600_000 }
      ])
      const { own } = yield* claimed(payment.reference)
      const [late, first, second] = timers
      expect(own.map(({ dueInMillis: _due, occurredAt: _at, ...timer }) => timer)).toEqual(
        [first!, second!, late!].map(({ dueInMillis: _due, occursInMillis: _occurs, ...timer }) => ({
          ...timer,
          rail: "fiat",
          reference: payment.reference,
          kind: payment.kind,
          money: payment.money
        }))
      )
      for (const [i, due] of [-300, -200, -100].entries()) {
        expect(own[i]!.dueInMillis).toBeLessThanOrEqual(due)
        expect(own[i]!.dueInMillis).toBeGreaterThan(due - 30_000)
      }
      const spread = own.map(({ occurredAt }) => occurredAt.getTime() - own[0]!.occurredAt.getTime())
      expect(spread).toEqual([0, 0, 0])
    })
  )

  it.effect("takes no more than asked for, and says when the next is due", () =>
    Effect.gen(function* () {
      const store = yield* SimulatorStore
      yield* Effect.replicateEffect(opened(), 3)
      yield* opened([{ dueInMillis: 20_000 }])
      const two = yield* store.claim({ token: yield* nextId, limit: 2, leaseMillis: LONG })
      expect(two.timers).toHaveLength(2)
      const rest = yield* store.claim({ token: yield* nextId, limit: 100, leaseMillis: LONG })
      expect(rest.timers.length).toBeGreaterThanOrEqual(1)
      const { nextDueInMillis } = yield* store.claim({ token: yield* nextId, limit: 100, leaseMillis: LONG })
      const wait = Option.getOrThrow(nextDueInMillis)
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(20_000)
    })
  )

  it.effect("moves the payment to what its claimed timers report, and never out of a final state", () =>
    Effect.gen(function* () {
      const failing = yield* opened([{ report: "failed", reason: "Late" }])
      const straight = yield* opened([{ report: "processing" }], { state: "pending" })
      const reordered = yield* opened([{ dueInMillis: -200 }, { report: "processing", dueInMillis: -100 }])
      const over = yield* opened([{ report: "failed", reason: "Late" }], { state: "completed" })
      yield* claimed(failing.payment.reference)
      expect(yield* stateOf(failing.payment.reference)).toEqual(Option.some(["failed", "Late"]))
      expect(yield* stateOf(straight.payment.reference)).toEqual(Option.some(["processing", null]))
      expect(yield* stateOf(reordered.payment.reference)).toEqual(Option.some(["completed", null]))
      expect(yield* stateOf(over.payment.reference)).toEqual(Option.some(["completed", null]))
    })
  )

  it.effect("claims nothing that is held, until the lease has run out", () =>
    Effect.gen(function* () {
      const { payment } = yield* opened()
      expect((yield* claimed(payment.reference)).own).toHaveLength(1)
      expect((yield* claimed(payment.reference)).own).toEqual([])
      const short = yield* opened()
      expect((yield* claimed(short.payment.reference, -1)).own).toHaveLength(1)
      expect((yield* claimed(short.payment.reference)).own).toHaveLength(1)
    })
  )

  it.effect(
    "claims nothing of a payment of which something is held, so that callbacks do not overtake each other",
    () =>
      Effect.gen(function* () {
        const store = yield* SimulatorStore
        const { payment, timers } = yield* opened([{ dueInMillis: -200 }])
        const first = yield* claimed(payment.reference)
        const late = yield* newTimer({ report: "processing", dueInMillis: -100 })
        yield* store.change(payment.reference, () => [null, { timers: [late] }])
        expect((yield* claimed(payment.reference)).ids).toEqual([])
        yield* store.done(first.token, first.ids)
        expect(first.ids).toEqual(timers.map(({ timerId }) => timerId))
        expect((yield* claimed(payment.reference)).ids).toEqual([late.timerId])
      })
  )

  it.effect("lets only the holder of the lease finish or postpone a timer", () =>
    Effect.gen(function* () {
      const store = yield* SimulatorStore
      const { payment } = yield* opened()
      const late = yield* claimed(payment.reference, -1)
      const holder = yield* claimed(payment.reference)
      yield* store.done(late.token, late.ids)
      yield* store.postpone(late.token, late.ids, -1000)
      expect((yield* claimed(payment.reference)).own).toEqual([])
      yield* store.postpone(holder.token, holder.ids, -1000)
      const again = yield* claimed(payment.reference, -1)
      expect(again.ids).toEqual(late.ids)
      yield* store.done(again.token, again.ids)
      expect((yield* claimed(payment.reference)).own).toEqual([])
    })
  )

  it.effect("claims ahead of time what it is asked to, and says how long it is early", () =>
    Effect.gen(function* () {
      const store = yield* SimulatorStore
      const { payment, timers } = yield* opened([
        { dueInMillis: 40_000 },
        { dueInMillis: 55_000 },
        { dueInMillis: 100_000 }
      ])
      const claim = { token: yield* nextId, limit: 1000, leaseMillis: 1000 }
      const ahead = yield* store.claim({ ...claim, aheadMillis: 60_000 })
      const own = ahead.timers.filter(({ reference }) => reference === payment.reference)
      expect(own.map(({ timerId }) => timerId)).toEqual(timers.slice(0, 2).map(({ timerId }) => timerId))
      expect(own[0]!.dueInMillis).toBeGreaterThan(10_000)
      expect(own[0]!.dueInMillis).toBeLessThanOrEqual(40_000)
      expect(own[1]!.dueInMillis - own[0]!.dueInMillis).toBeCloseTo(15_000, -2)
      expect(Option.getOrThrow(ahead.nextDueInMillis)).toBeGreaterThan(60_000)
      const again = yield* store.claim({ ...claim, token: yield* nextId, aheadMillis: 60_000 })
      expect(again.timers.filter(({ reference }) => reference === payment.reference)).toEqual([])
    })
  )

  it.effect("finishes only the given timers", () =>
    Effect.gen(function* () {
      const store = yield* SimulatorStore
      const { payment } = yield* opened([{}, {}])
      const { ids, token } = yield* claimed(payment.reference, -1)
      yield* store.done(token, ids.slice(0, 1))
      yield* store.postpone(token, [], 0)
      expect((yield* claimed(payment.reference)).ids).toEqual(ids.slice(1))
    })
  )

  it.effect("never gives one timer to two of many who claim at once", () =>
    Effect.gen(function* () {
      const store = yield* SimulatorStore
      const made = yield* Effect.all(
        Array.from({ length: 60 }, () => opened([{}, {}])),
        { concurrency: 10 }
      )
      // The second of a payment waits for the first, where a batch ends between them.
      const claim = Effect.gen(function* () {
        const token = yield* nextId
        const { timers } = yield* store.claim({ token, limit: 16, leaseMillis: LONG })
        const ids = timers.map(({ timerId }) => timerId)
        yield* store.done(token, ids)
        return ids
      })
      const own = new Set(made.flatMap(({ timers }) => timers.map((timer) => timer.timerId)))
      const seen: Array<string> = []
      for (let round = 0; seen.length < own.size && round < 50; round++) {
        const claims = yield* Effect.all(
          Array.from({ length: 8 }, () => claim),
          { concurrency: "unbounded" }
        )
        seen.push(...claims.flat().filter((id) => own.has(id)))
      }
      expect(seen.toSorted()).toEqual([...own].toSorted())
    })
  )

  it.effect("changes a payment by one decision at a time", () =>
    Effect.gen(function* () {
      const store = yield* SimulatorStore
      const { payment } = yield* opened([])
      const count = store.change(payment.reference, ({ wrongPasswords }) => [
        wrongPasswords,
        { wrongPasswords: wrongPasswords + 1 }
      ])
      const seen = yield* Effect.all(
        Array.from({ length: 20 }, () => count),
        { concurrency: "unbounded" }
      )
      expect(seen.map(Option.getOrThrow).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n))
      const changed = { ...payment, wrongPasswords: 20 }
      expect(yield* store.find(payment.reference)).toEqual(Option.some(changed))
      expect(yield* store.change(payment.reference, () => ["untouched", null])).toEqual(Option.some("untouched"))
      expect(yield* store.find(payment.reference)).toEqual(Option.some(changed))
      expect(yield* store.change(nilUuid, () => [1, null])).toEqual(Option.none())
    })
  )

  it.effect("replaces the timers to come along with the change", () =>
    Effect.gen(function* () {
      const store = yield* SimulatorStore
      const [{ payment }, other] = [yield* opened(), yield* opened()]
      const timer = yield* newTimer({ report: "failed", reason: "Gone" })
      yield* store.change(payment.reference, () => [
        null,
        { state: "failed", reason: "Gone", dropTimers: true, timers: [timer] }
      ])
      expect(yield* stateOf(payment.reference)).toEqual(Option.some(["failed", "Gone"]))
      const token = yield* nextId
      const { timers } = yield* store.claim({ token, limit: 1000, leaseMillis: LONG })
      expect(timers.filter(({ reference }) => reference === payment.reference).map(({ timerId }) => timerId)).toEqual([
        timer.timerId
      ])
      expect(timers.filter(({ reference }) => reference === other.payment.reference)).toHaveLength(1)
    })
  )

  it.effect("decides between a completion and a cancellation that come at once", () =>
    Effect.gen(function* () {
      const store = yield* SimulatorStore
      for (let n = 0; n < 20; n++) {
        const { payment } = yield* opened()
        const cancel = store.change(payment.reference, ({ state }) =>
          state === "completed" ? [false, null] : [true, { state: "failed", reason: "Gone", dropTimers: true }]
        )
        const [canceled, claim] = yield* Effect.all([cancel, claimed(payment.reference)], { concurrency: "unbounded" })
        const wasCanceled = Option.getOrThrow(canceled)
        const own = [...claim.own, ...(yield* claimed(payment.reference)).own]
        expect(own).toHaveLength(wasCanceled ? 0 : 1)
        const expected = wasCanceled ? ["failed", "Gone"] : ["completed", null]
        expect(yield* stateOf(payment.reference)).toEqual(Option.some(expected))
      }
    })
  )

  it.effect("wakes the worker for a timer when it is due, and after a change", () =>
    Effect.gen(function* () {
      const store = yield* SimulatorStore
      const queues = WorkQueues.make()
      // Due times are read: the worker does not poll.
      yield* queues.read([])
      const due = Effect.provideService(
        Effect.repeat(queues.rest("simulator"), { until: (isDue) => isDue }),
        WorkQueues,
        queues
      )
      const isDueWithin = (time: Duration.DurationInput) => Effect.map(Effect.timeoutOption(due, time), Option.isSome)
      const here = Effect.provideService(WorkQueues, queues)
      yield* here(opened([{ dueInMillis: 100 }]))
      expect(yield* isDueWithin("20 millis")).toBe(false)
      expect(yield* isDueWithin("5 seconds")).toBe(true)
      yield* here(opened([{ dueInMillis: 0 }]))
      expect(yield* isDueWithin("5 seconds")).toBe(true)
      const { payment } = yield* here(opened([]))
      yield* here(store.change(payment.reference, () => [null, { reason: "Changed" }]))
      expect(yield* isDueWithin("5 seconds")).toBe(true)
    })
  )
})
