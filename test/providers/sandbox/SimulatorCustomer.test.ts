import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import type { BuiltInRail } from "../../../src/domain/Corridor.ts"
import { Ids, nilUuid } from "../../../src/domain/Ids.ts"
import { Money } from "../../../src/domain/Money.ts"
import { Accepted, Declined } from "../../../src/domain/Outcome.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { SimulatorCustomer } from "../../../src/providers/sandbox/SimulatorCustomer.ts"
import {
  attemptAt,
  card,
  listening,
  newOrder,
  phone,
  simulatorNamed,
  SimulatorsAndCustomer,
  shillings
} from "./SimulatorOrders.ts"

const GOOD = card("4111111111111111")
const OTP = phone("+254712340002")
const REDIRECT = card("4000000000003220")
const LINK = phone("+254712340005")

const started = (details: Partial<PaymentOrder>, name: BuiltInRail = "fiat") =>
  Effect.gen(function* () {
    const simulator = yield* simulatorNamed(name)
    const customer = yield* SimulatorCustomer
    const { reference } = yield* Effect.tap(newOrder(details), (order) => simulator.initiate(order))
    const enquiry = simulator.enquire(attemptAt(reference))
    /** States in the simulator's callbacks once everything that is due has been delivered. */
    const reported = Effect.gen(function* () {
      yield* TestClock.adjust("5 seconds")
      const { received } = yield* listening
      yield* TestClock.adjust("50 millis")
      return received
        .filter(({ event }) => event.attempt.reference === reference)
        .map(({ event }) => [event.report?.state, event.report?.reason])
    }).pipe(Effect.scoped)
    return { customer, enquiry, simulator, reference, reported }
  })

describe("RailCustomer", () => {
  it.effect("completes a payment whose one-time password is right, once", () =>
    Effect.gen(function* () {
      const { customer, enquiry, reference, reported } = yield* started(OTP)
      expect(yield* customer.resendOtp(reference)).toBe(true)
      expect(yield* customer.submitOtp(reference, "654321")).toBe("wrong")
      expect(yield* customer.submitOtp(reference, "123456")).toBe("accepted")
      expect(yield* customer.submitOtp(reference, "123456")).toBe("not_expected")
      expect(yield* customer.resendOtp(reference)).toBe(false)
      expect(yield* enquiry).toMatchObject({ state: "processing" })
      expect(yield* reported).toEqual([["completed", null]])
      expect(yield* enquiry).toMatchObject({ state: "completed" })
    }).pipe(Effect.scoped, Effect.provide(SimulatorsAndCustomer))
  )

  it.effect("fails a payment at the fifth wrong password", () =>
    Effect.gen(function* () {
      const { customer, enquiry, reference, reported } = yield* started(OTP)
      for (let n = 0; n < 4; n++) expect(yield* customer.submitOtp(reference, "000000")).toBe("wrong")
      expect(yield* enquiry).toMatchObject({ state: "pending" })
      expect(yield* customer.submitOtp(reference, "")).toBe("wrong")
      const reason = "The one-time password was wrong too often"
      expect(yield* enquiry).toMatchObject({ state: "failed", reason })
      expect(yield* customer.submitOtp(reference, "123456")).toBe("not_expected")
      expect(yield* reported).toEqual([["failed", reason]])
    }).pipe(Effect.scoped, Effect.provide(SimulatorsAndCustomer))
  )

  it.effect("knows nothing of other references and other payments", () =>
    Effect.gen(function* () {
      const { customer, reference, reported } = yield* started(GOOD)
      for (const named of [reference, nilUuid, "no id at all"]) {
        expect(yield* customer.submitOtp(named, "123456")).toBe("not_expected")
        expect(yield* customer.resendOtp(named)).toBe(false)
        expect(yield* customer.pay(named)).toBe(false)
        expect(yield* customer.abandon(named)).toBe(false)
      }
      expect(yield* customer.cancel(nilUuid)).toBe(false)
      expect(yield* reported).toEqual([["completed", null]])
    }).pipe(Effect.scoped, Effect.provide(SimulatorsAndCustomer))
  )

  for (const [name, details] of [
    ["redirect", REDIRECT],
    ["link", LINK]
  ] as const) {
    it.effect(`completes a payment that is paid at the checkout (${name}), once`, () =>
      Effect.gen(function* () {
        const { customer, reference, reported } = yield* started(details)
        expect(yield* customer.pay(reference)).toBe(true)
        expect(yield* customer.pay(reference)).toBe(false)
        expect(yield* customer.abandon(reference)).toBe(false)
        expect(yield* reported).toEqual([["completed", null]])
      }).pipe(Effect.scoped, Effect.provide(SimulatorsAndCustomer))
    )

    it.effect(`fails a payment that is abandoned at the checkout (${name}), once`, () =>
      Effect.gen(function* () {
        const { customer, enquiry, reference, reported } = yield* started(details)
        expect(yield* customer.abandon(reference)).toBe(true)
        expect(yield* customer.abandon(reference)).toBe(false)
        expect(yield* customer.pay(reference)).toBe(false)
        expect(yield* enquiry).toMatchObject({ state: "failed" })
        expect(yield* reported).toEqual([["failed", "The customer cancelled at the checkout"]])
      }).pipe(Effect.scoped, Effect.provide(SimulatorsAndCustomer))
    )
  }

  for (const [name, details] of [
    ["on its way", GOOD],
    ["waiting for a password", OTP],
    ["waiting at the checkout", REDIRECT]
  ] as const) {
    it.effect(`confirms the cancellation of a payment ${name}, which then never completes`, () =>
      Effect.gen(function* () {
        const { customer, reference, reported } = yield* started(details)
        expect(yield* customer.cancel(reference)).toBe(true)
        expect(yield* customer.cancel(reference)).toBe(true)
        expect(yield* customer.pay(reference)).toBe(false)
        expect(yield* customer.submitOtp(reference, "123456")).toBe("not_expected")
        expect(yield* reported).toEqual([["failed", "The payment was cancelled"]])
      }).pipe(Effect.scoped, Effect.provide(SimulatorsAndCustomer))
    )
  }

  it.effect("does not confirm the cancellation of what is over, or of what never answers", () =>
    Effect.gen(function* () {
      const { customer, simulator, reference, reported } = yield* started(GOOD)
      expect(yield* reported).toEqual([["completed", null]])
      expect(yield* customer.cancel(reference)).toBe(false)
      const declined = yield* started(card("4000000000000002"))
      expect(yield* customer.cancel(declined.reference)).toBe(false)
      const silent = yield* newOrder(card("4000000000000119"))
      const asking = yield* Effect.fork(simulator.initiate(silent))
      yield* TestClock.adjust("1 second")
      expect(yield* customer.cancel(silent.reference)).toBe(false)
      yield* Fiber.interrupt(asking)
    }).pipe(Effect.scoped, Effect.provide(SimulatorsAndCustomer))
  )

  it.effect("refunds what was paid: a payment of its own that completes a second later", () =>
    Effect.gen(function* () {
      const { customer, enquiry, simulator, reference, reported } = yield* started(GOOD)
      const refundReference = yield* Effect.flatMap(Ids, (ids) => ids.next)
      const refund = customer.refund(reference, refundReference, shillings(50_000n))
      expect(yield* refund).toEqual(new Declined({ reason: "There is no completed payment to refund" }))
      yield* reported
      const first = yield* refund
      expect(first).toMatchObject({ _tag: "Accepted", state: "processing", nextAction: null })
      expect(yield* refund).toEqual(first)
      const asked = attemptAt(refundReference)
      expect(yield* simulator.enquire(asked)).toMatchObject({ state: "processing" })
      const { received } = yield* listening
      yield* TestClock.adjust("1 second")
      expect(received.map(({ event }) => [event.attempt.reference, event.report?.state])).toEqual([
        [refundReference, "completed"]
      ])
      expect(yield* simulator.enquire(asked)).toMatchObject({ state: "completed" })
      expect(yield* enquiry).toMatchObject({ state: "completed" })
    }).pipe(Effect.scoped, Effect.provide(SimulatorsAndCustomer))
  )

  it.effect("refuses to refund more than was paid, nothing, or another currency", () =>
    Effect.gen(function* () {
      const { customer, reference, reported } = yield* started(GOOD)
      yield* reported
      const refused = [shillings(150_001n), shillings(0n), new Money({ currency: "USDT", minor: 1n })]
      for (const money of refused) expect(yield* customer.refund(reference, nilUuid, money)).toBeInstanceOf(Declined)
      expect(yield* customer.refund(reference, nilUuid, shillings(150_000n))).toBeInstanceOf(Accepted)
    }).pipe(Effect.scoped, Effect.provide(SimulatorsAndCustomer))
  )

  it.effect("leaves a refund at the manual provider to the operator", () =>
    Effect.gen(function* () {
      const { customer, simulator, reference } = yield* started(GOOD, "manual")
      expect(yield* customer.refund(reference, nilUuid, shillings(1n))).toMatchObject({ state: "processing" })
      const { received } = yield* listening
      yield* TestClock.adjust("3 seconds")
      expect(received).toEqual([])
      expect(yield* simulator.enquire(attemptAt(nilUuid))).toMatchObject({
        state: "processing"
      })
    }).pipe(Effect.scoped, Effect.provide(SimulatorsAndCustomer))
  )
})
