/** Payins that were paid more than once, or by two transfers in one report: events, and what goes back where. */
import { expect } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { backends } from "../../support/OnBothStores.ts"
import { giveBack, itemsOf, resolve } from "../support/OperatorActions.ts"
import { callBack, recordOf, eventsOfType } from "../support/PaymentCalls.ts"
import { attemptsFor, later, threeProviders } from "../support/PayinBalances.ts"
import { onPaymentServer } from "../support/PaymentServer.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { accepts, isLost } from "../support/ScriptedProvider.ts"
import { came, paid, payinAt, refunded, taken } from "../support/TransferReports.ts"

for (const backend of backends) {
  const made = threeProviders()
  const { clock, stripe } = made

  onPaymentServer("Surplus", backend, made, (it) => {
    const completed = Effect.tap(payinAt(stripe), ({ says }) => says(paid))

    const allEvents = (payment_id: string, name: "dispute" | "adjustment") =>
      Effect.map(eventsOfType(payment_id, "transaction.updated"), (all) => all.flatMap((one) => one[name] ?? []))

    it.effect("a refund counts as refunded while a second collection waits", () =>
      Effect.gen(function* () {
        const { payment_id, refund, says } = yield* completed
        yield* says(came(1500, "c2"))
        stripe.will({ refund: accepts({ state: "completed" }) })
        expect((yield* refund(500)).status).toBe(200)
        expect(yield* recordOf(payment_id)).toMatchObject({ refunded_amount: 500, status: "completed" })
        expect(yield* eventsOfType(payment_id, "payment.refunded")).toMatchObject([
          { amount: 500, refunded_amount: 500 }
        ])
        yield* giveBack(payment_id)
        expect(yield* recordOf(payment_id)).toMatchObject({ refunded_amount: 500 })
      })
    )

    it.effect("a refund counts as refunded after the organisation got a second collection", () =>
      Effect.gen(function* () {
        const { payment_id, refund, says } = yield* completed
        yield* says(came(1500, "c2"))
        yield* resolve(payment_id, "completed")
        stripe.will({ refund: accepts({ state: "completed" }) })
        expect((yield* refund(500)).status).toBe(200)
        expect(yield* recordOf(payment_id)).toMatchObject({ refunded_amount: 500 })
        expect((yield* refund(1000)).status).toBe(200)
        expect(yield* recordOf(payment_id)).toMatchObject({ refunded_amount: 1500, status: "refunded" })
      })
    )

    it.effect("each of two transfers that one report names is published", () =>
      Effect.gen(function* () {
        const { payment_id, says } = yield* completed
        yield* says(taken(400, "x1"), refunded(300, "r1"))
        expect(yield* allEvents(payment_id, "dispute")).toMatchObject([
          { kind: "returned", amount: 400 },
          { kind: "returned", amount: 300 }
        ])
      })
    )

    it.effect("a return that is sent again names the collection that it named before", () =>
      Effect.gen(function* () {
        const { payment_id, reference, says } = yield* completed
        yield* says(came(1500, "c2"))
        stripe.will({ refund: isLost() })
        yield* Effect.flip(giveBack(payment_id))
        const [back] = yield* attemptsFor(payment_id, "return")
        stripe.says(back!, isLost())
        yield* says(came(1500, "c3"))
        yield* timePasses(clock, "2 minutes")
        stripe.will({ refund: accepts({ state: "completed" }) })
        yield* Effect.retry(giveBack(payment_id), { schedule: Schedule.spaced("100 millis"), times: 50 })
        const sent = stripe.refunds.filter(({ attempt }) => attempt.reference === reference)
        const named = sent.filter((one) => one.reference === back).map(({ collectionId }) => collectionId)
        expect(named.length).toBeGreaterThan(1)
        expect(new Set(named)).toEqual(new Set([`${reference} c2`]))
        expect(yield* itemsOf(payment_id)).toHaveLength(1)
      })
    )

    it.effect("an operator's decision that a payin went through adds what was not reported, and no more", () =>
      Effect.gen(function* () {
        const { payment_id, says, stands } = yield* payinAt(stripe)
        yield* says(came(500))
        // Another amount under the same id: an operator must find out.
        yield* says(came(600))
        const question = (yield* itemsOf(payment_id)).find(({ kind }) => kind === "unknown_outcome")
        yield* resolve(payment_id, "completed", "the dashboard shows all of it", String(question?.["item_id"]))
        expect(yield* stands).toMatchObject({ has: 1500, own: 1500, waits: [], items: [], status: "completed" })
        yield* says(came(1000, "c2"))
        expect(yield* stands, "its provider names it").toMatchObject({ has: 1500, own: 1500, waits: [], items: [] })
      })
    )

    it.effect(
      "a refund that its provider announced, and an operator says went, is one when its provider says so too",
      () =>
        Effect.gen(function* () {
          const { payment_id, refund, says, stands } = yield* completed
          yield* refund(500, "processing")
          const [part] = yield* attemptsFor(payment_id, "refund")
          const reports = (state: "pending" | "settled") =>
            callBack("stripe", {
              ...{ key: `${part} ${state}`, reference: part!, state: state === "settled" ? "completed" : "processing" },
              movements: [{ kind: "refund", id: `${part} re`, amount: { amount: "500.00", currency: "KES" }, state }]
            })
          yield* reports("pending")
          stripe.says(part!, isLost())
          yield* Effect.repeat(later(clock, 100_000), {
            until: () => Effect.map(itemsOf(payment_id), (all) => all.length > 0)
          })
          yield* resolve(payment_id, "completed", "the dashboard shows it")
          expect(yield* stands).toMatchObject({ has: 1000, own: 1000, waits: [], items: [], refunded: 500 })
          yield* reports("settled")
          expect(yield* stands).toMatchObject({ has: 1000, own: 1000, waits: [], items: [], refunded: 500 })
          yield* says(taken(1000))
        })
    )

    it.effect("parts of a payin that came in two transfers each go back to one that has enough left", () =>
      Effect.gen(function* () {
        const { reference, refund, says, stands } = yield* payinAt(stripe)
        yield* says(came(900))
        yield* says(came(600, "c2"))
        stripe.will({ refund: accepts({ state: "completed" }) })
        const parts = [500, 400, 600]
        yield* Effect.forEach(parts, (amount) =>
          Effect.map(refund(amount), ({ status }) => expect(status, String(amount)).toBe(200))
        )
        const sent = stripe.refunds.filter(({ attempt }) => attempt.reference === reference)
        expect(sent.map(({ collectionId }) => collectionId)).toEqual(
          ["c1", "c1", "c2"].map((id) => `${reference} ${id}`)
        )
        expect(yield* stands).toMatchObject({ has: 0, own: 0, waits: [], items: [], status: "refunded" })
      })
    )
  })
}
