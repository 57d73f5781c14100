/** A payin that waits for its customer has an end: closed at its provider where that can be done, then failed as EXPIRED. */
import { describe, expect, it } from "@effect/vitest"
import { type Duration, Effect, Option } from "effect"
import { Absent, type Accepted, type Enquiry, type Report, Unknown } from "../../../src/domain/Outcome.ts"
import { Actions } from "../../../src/payments/actions/Actions.ts"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import type { Payment } from "../../../src/payments/store/Payment.ts"
import type { CancelAnswer } from "../../../src/providers/port/Provider.ts"
import { backends } from "../../support/OnBothStores.ts"
import { cardPayer } from "../support/CardPayer.ts"
import { eventsOf, timePasses } from "../support/PaymentServices.ts"
import { accepts, isLost, PROOF, reports } from "../support/ScriptedProvider.ts"

const HOUR = 3_600_000

const onAPage = (about: Partial<Accepted> = {}) =>
  accepts({ state: "pending", nextAction: "redirect", actionData: { redirect_url: "https://pay.example/1" }, ...about })

describe.each(backends)("a payin that waits for its customer, on %s", (backend) => {
  const begin = (answer = onAPage(), promises: Parameters<typeof cardPayer>[1] = {}) =>
    Effect.gen(function* () {
      const { here, pay, permit, store, stripe, world } = yield* cardPayer(backend, promises)
      stripe.otherwise(answer)
      const { payment_id } = yield* pay
      const payment = Effect.map(store.find(Option.none(), payment_id), Option.getOrThrow)
      const attempt = Effect.map(store.attemptsOf(payment_id), ([one]) => one!)
      const { attempt_id } = yield* attempt
      const round = Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce).pipe(Effect.provide(here))
      const passes = (time: Duration.DurationInput) => timePasses(world.clock, time).pipe(Effect.provide(world.stores))
      const items = Effect.flatMap(payment, (one) =>
        Effect.map(store.openItems(Option.some(one.org_id), { after: Option.none(), take: 10 }), (all) =>
          all.filter(({ payment_id }) => payment_id === one.payment_id)
        )
      )
      const callBack = (state: Report["state"]) =>
        Effect.flatMap(Callbacks, ({ receive }) =>
          receive(stripe, {
            method: "POST",
            query: {},
            authority: "",
            path: "/callbacks/stripe",
            headers: PROOF,
            body: Buffer.from(JSON.stringify({ key: `late ${state}`, reference: attempt_id, state }))
          })
        ).pipe(Effect.provide(here))
      const events = (one: Payment) => eventsOf(one.payment_id).pipe(Effect.provide(world.stores))
      return {
        attempt,
        attempt_id,
        callBack,
        events,
        here,
        items,
        passes,
        payment,
        permit,
        round,
        store,
        stripe,
        world
      }
    })

  type Begun = Effect.Effect.Success<ReturnType<typeof begin>>

  /** Asked about for as long as it is asked about before its end. */
  const untilItsEnd = ({ passes, payment, round }: Begun) =>
    Effect.gen(function* () {
      for (let asked = 0; asked < 9 && (yield* payment).status === "pending"; asked++) {
        yield* passes("3 hours")
        yield* round
      }
      return yield* payment
    })

  it.live("fails as EXPIRED after a day, with its events, and its page is closed first", () =>
    Effect.gen(function* () {
      const begun = yield* begin()
      const { attempt, events, items, passes, payment, round, store, stripe } = begun
      stripe.will({ cancel: "canceled" })
      const { expires_at } = yield* payment
      expect(expires_at!.getTime() - (yield* store.now).getTime()).toBeGreaterThan(23.9 * HOUR)
      yield* passes("23 hours")
      yield* round
      expect((yield* payment).status).toBe("pending")
      expect((yield* attempt).next_enquiry_at!.getTime(), "the timer is a row").toBeLessThanOrEqual(
        (yield* payment).expires_at!.getTime() + 2000
      )
      yield* passes("61 minutes")
      expect(yield* round).toBe(1)
      const ended = yield* payment
      expect(ended).toMatchObject({ status: "failed", next_action: null, failure: { code: "EXPIRED" } })
      expect(yield* items).toEqual([])
      const reported = (yield* events(ended)).map(({ event_type, payload }) => [
        event_type,
        JSON.parse(payload!).data.failure
      ])
      expect(reported.slice(-2)).toEqual([
        ["payment.failed", expect.objectContaining({ code: "EXPIRED" })],
        ["transaction.updated", expect.objectContaining({ code: "EXPIRED" })]
      ])
      expect((yield* attempt).next_enquiry_at, "what is confirmed never completes").toBeNull()
    }).pipe(Effect.scoped)
  )

  it.live.each<[CancelAnswer, Enquiry]>([
    ["refused", reports("pending")],
    ["asked", reports("pending")],
    ["unknown", new Absent()],
    ["refused", new Absent()],
    ["refused", new Unknown({ reason: "the customer has not tried to pay on its page", untried: true })]
  ])("fails although its provider closes nothing (%s), and is asked for late money", ([cancel, says]) =>
    Effect.gen(function* () {
      const begun = yield* begin()
      const { attempt_id, attempt, items, passes, payment, round, stripe } = begun
      stripe.will({ cancel })
      stripe.says(attempt_id, says)
      expect(yield* untilItsEnd(begun)).toMatchObject({ status: "failed", failure: { code: "EXPIRED" } })
      expect(yield* items).toEqual([])
      const asked: Array<number> = []
      for (let hour = 1; hour <= 80; hour++) {
        yield* passes("1 hour")
        if ((yield* round) > 0) asked.push(hour)
      }
      expect(asked.length, "after 1, 24 and 72 hours").toBe(3)
      expect((yield* attempt).next_enquiry_at).toBeNull()
      expect((yield* payment).status).toBe("failed")
      expect(yield* items).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live.each<[Enquiry]>([
    [reports("pending")],
    [new Unknown({ reason: "the customer has not tried to pay on its page", untried: true })]
  ])("does not end while its page may be open: the page is closed again", ([says]) =>
    Effect.gen(function* () {
      const begun = yield* begin()
      const { attempt_id, items, passes, payment, round, stripe } = begun
      stripe.says(attempt_id, says)
      stripe.will({ cancel: "unknown" })
      yield* passes("25 hours")
      expect(yield* round).toBe(1)
      expect(yield* payment).toMatchObject({ status: "pending", failure: null })
      stripe.will({ cancel: "canceled" })
      yield* passes("2 hours")
      expect(yield* round).toBe(1)
      expect(yield* payment).toMatchObject({ status: "failed", failure: { code: "EXPIRED" } })
      expect(yield* items).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("completes where it is paid on a page that could not be closed", () =>
    Effect.gen(function* () {
      const begun = yield* begin()
      const { callBack, items, passes, payment, round, stripe } = begun
      stripe.will({ cancel: "unknown" })
      yield* passes("25 hours")
      yield* round
      yield* callBack("completed")
      expect(yield* payment).toMatchObject({ status: "completed", failure: null })
      expect(yield* items).toEqual([])
    }).pipe(Effect.scoped)
  )

  it.live("is left to an operator where its page cannot be closed for a day", () =>
    Effect.gen(function* () {
      const begun = yield* begin()
      const { attempt, items, passes, payment, round, stripe } = begun
      stripe.will({ cancel: "unknown" })
      yield* passes("24 hours")
      let asked = 0
      for (let minutes = 1; minutes < 60 * 72; minutes *= 2) {
        yield* passes(`${minutes + 1} minutes`)
        asked += yield* round
      }
      expect(asked).toBeGreaterThan(5)
      expect(yield* payment).toMatchObject({ status: "pending", failure: null })
      expect((yield* attempt).next_enquiry_at).toBeNull()
      expect(yield* items).toMatchObject([
        { kind: "unknown_outcome", detail: expect.stringContaining("whether its page is closed") }
      ])
    }).pipe(Effect.scoped)
  )

  it.live("names the end of its time to pay in the order, so that its page closes by itself", () =>
    Effect.gen(function* () {
      const { payment, stripe } = yield* begin()
      const { created_at } = yield* payment
      expect(stripe.orders.map(({ expiresAt }) => expiresAt)).toEqual([new Date(created_at.getTime() + 24 * HOUR)])
    }).pipe(Effect.scoped)
  )

  it.live("has EXPIRED where its page closes by itself a moment before its end", () =>
    Effect.gen(function* () {
      const begun = yield* begin()
      const { callBack, payment, passes, store } = begun
      const { expires_at } = yield* payment
      yield* passes(`${expires_at!.getTime() - (yield* store.now).getTime() - 20_000} millis`)
      yield* callBack("failed")
      expect(yield* payment).toMatchObject({ status: "failed", failure: { code: "EXPIRED" } })
    }).pipe(Effect.scoped)
  )

  it.live("completes where it was paid just before its page could be closed", () =>
    Effect.gen(function* () {
      const begun = yield* begin()
      const { attempt_id, stripe } = begun
      stripe.will({
        cancel: Effect.sync(() => {
          stripe.says(attempt_id, reports("completed"))
          return "refused" as const
        })
      })
      expect(yield* untilItsEnd(begun)).toMatchObject({ status: "completed", failure: null })
    }).pipe(Effect.scoped)
  )

  it.live("keeps money that comes after its end for an operator, by callback", () =>
    Effect.gen(function* () {
      const begun = yield* begin()
      const { callBack, items, payment, stripe } = begun
      stripe.will({ cancel: "canceled" })
      yield* untilItsEnd(begun)
      expect((yield* callBack("completed")).received).toEqual(["applied"])
      expect(yield* payment).toMatchObject({ status: "failed", failure: { code: "EXPIRED" } })
      expect(yield* items).toMatchObject([{ kind: "suspense" }])
    }).pipe(Effect.scoped)
  )

  it.live("keeps money that comes after its end for an operator, by an enquiry alone", () =>
    Effect.gen(function* () {
      const begun = yield* begin()
      const { attempt, attempt_id, items, passes, payment, round, stripe } = begun
      stripe.will({ cancel: "refused" })
      yield* untilItsEnd(begun)
      stripe.says(attempt_id, reports("completed"))
      yield* passes("25 hours")
      expect(yield* round).toBe(1)
      expect(yield* payment).toMatchObject({ status: "failed", failure: { code: "EXPIRED" } })
      expect(yield* items).toMatchObject([{ kind: "suspense" }])
      expect((yield* attempt).next_enquiry_at).toBeNull()
    }).pipe(Effect.scoped)
  )

  it.live("does not end while its provider gives no answer: it is asked again, then an operator decides", () =>
    Effect.gen(function* () {
      const begun = yield* begin()
      const { attempt, attempt_id, items, passes, payment, round, stripe } = begun
      yield* passes("10 seconds")
      yield* round
      stripe.says(attempt_id, isLost())
      yield* passes("24 hours")
      expect(yield* round).toBe(1)
      expect((yield* payment).status).toBe("pending")
      let asked = 0
      for (let minutes = 1; minutes < 60 * 72; minutes *= 2) {
        yield* passes(`${minutes + 1} minutes`)
        asked += yield* round
      }
      expect(asked).toBeGreaterThan(5)
      expect(yield* payment).toMatchObject({ status: "pending", failure: null })
      expect((yield* attempt).next_enquiry_at).toBeNull()
      expect(yield* items).toMatchObject([{ kind: "unknown_outcome" }])
    }).pipe(Effect.scoped)
  )

  it.live("does not end where what became of it is not known", () =>
    Effect.gen(function* () {
      const { here, pay, store, stripe, world } = yield* cardPayer(backend)
      stripe.otherwise(isLost())
      const { payment_id } = yield* pay
      const [attempt] = yield* store.attemptsOf(payment_id)
      stripe.says(attempt!.attempt_id, isLost())
      for (let n = 0; n < 12; n++) {
        yield* timePasses(world.clock, "25 hours").pipe(Effect.provide(world.stores))
        yield* Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce).pipe(Effect.provide(here))
      }
      const payment = Option.getOrThrow(yield* store.find(Option.none(), payment_id))
      expect(payment).toMatchObject({ status: "pending", failure: null, expires_at: null })
      expect((yield* store.history(payment)).items).toMatchObject([{ kind: "unknown_outcome", closed_at: null }])
    }).pipe(Effect.scoped)
  )

  it.live("does not end while its provider works on it", () =>
    Effect.gen(function* () {
      const begun = yield* begin()
      const { attempt_id, items, stripe } = begun
      stripe.says(attempt_id, reports("processing"))
      yield* untilItsEnd(begun)
      for (let n = 0; n < 9; n++) {
        yield* begun.passes("25 hours")
        yield* begun.round
      }
      expect(yield* begun.payment).toMatchObject({ status: "processing", failure: null })
      expect(yield* items).toMatchObject([{ kind: "unknown_outcome" }])
    }).pipe(Effect.scoped)
  )

  it.live("has EXPIRED where the report of its closed page comes first", () =>
    Effect.gen(function* () {
      const begun = yield* begin()
      const { callBack, passes, payment } = begun
      yield* passes("25 hours")
      yield* callBack("failed")
      expect(yield* payment).toMatchObject({ status: "failed", failure: { code: "EXPIRED" } })
    }).pipe(Effect.scoped)
  )

  it.live("shows the expiry that holds with its instructions", () =>
    Effect.gen(function* () {
      const reported = (expires_at: string | null) =>
        begin(onAPage({ nextAction: "bank_transfer", actionData: { account_number: "1", expires_at } }))
      const sooner = yield* (yield* reported(new Date(Date.now() + HOUR).toISOString())).payment
      expect(sooner.expires_at!.getTime() - Date.now()).toBeLessThanOrEqual(HOUR)
      expect(sooner.action_data["expires_at"]).toBe(sooner.expires_at!.toISOString())
      for (const later of [null, "soon", new Date(Date.now() + 100 * HOUR).toISOString()]) {
        const payment = yield* (yield* reported(later)).payment
        expect(payment.expires_at!.getTime() - Date.now()).toBeGreaterThan(23 * HOUR)
        expect(payment.action_data["expires_at"]).toBe(payment.expires_at!.toISOString())
      }
    }).pipe(Effect.scoped)
  )

  it.live("shows its expiry to callers who cannot cancel it", () =>
    Effect.gen(function* () {
      const { here, payment, permit, stripe } = yield* begin()
      stripe.will({ cancel: "refused" })
      const { expires_at, payment_id } = yield* payment
      const refused = yield* Effect.flatMap(Actions, ({ cancel }) => cancel(permit, payment_id, undefined)).pipe(
        Effect.provide(here),
        Effect.flip
      )
      expect(refused).toMatchObject({ code: "INVALID_STATE" })
      expect(refused.message).toContain(`it ends by itself at ${expires_at!.toISOString()}`)
    }).pipe(Effect.scoped)
  )

  it.live("has its end although a hint is asked about only after the last enquiry", () =>
    Effect.gen(function* () {
      const begun = yield* begin(accepts({ state: "processing" }))
      const { attempt_id, passes, payment, round, store, stripe } = begun
      stripe.will({ cancel: "canceled" })
      for (let n = 0; n < 9; n++) {
        yield* passes("25 hours")
        yield* round
      }
      stripe.says(attempt_id, reports("pending"))
      expect(yield* store.hint(attempt_id)).toBe(true)
      yield* passes("1 minute")
      expect(yield* round).toBe(1)
      expect((yield* payment).expires_at).not.toBeNull()
      yield* passes("25 hours")
      expect(yield* round).toBe(1)
      expect(yield* payment).toMatchObject({ status: "failed", failure: { code: "EXPIRED" } })
    }).pipe(Effect.scoped)
  )
})
