/**
 * Refunds by hand, disputes, partial disputes and disputes that were won, in any order and repeated: the books have what
 * the provider has, and an item is there exactly where money waits.
 */
import { expect } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { backends } from "../../support/OnBothStores.ts"
import { giveBack, itemsOf, resolve } from "../support/OperatorActions.ts"
import { callBack, ofKind, recordOf, timelineOf, eventsOfType } from "../support/PaymentCalls.ts"
import { threeProviders } from "../support/PayinBalances.ts"
import { onPaymentServer } from "../support/PaymentServer.ts"
import { accepts } from "../support/ScriptedProvider.ts"
import {
  came,
  paid,
  payinAt,
  payinScenarios,
  refunded,
  taken,
  won,
  type NamedTransfer
} from "../support/TransferReports.ts"

const ordersOf = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  all.length === 0
    ? [[]]
    : all.flatMap((first, place) => ordersOf(Arr.remove(all, place)).map((rest) => [first, ...rest]))

/** All orders of a few transfers, and some of many. */
const ordersTried = (transfers: ReadonlyArray<NamedTransfer>): ReadonlyArray<ReadonlyArray<NamedTransfer>> => {
  const all = ordersOf(transfers)
  return all.length <= 6 ? all : all.filter((_, nth) => nth % Math.floor(all.length / 8) === 0)
}

const named = (transfers: ReadonlyArray<NamedTransfer>) =>
  transfers.map(({ amount, id, kind }) => `${kind} ${id} ${amount}`).join(", ")

for (const backend of backends) {
  const made = threeProviders()
  const { stripe } = made

  onPaymentServer("Disputes", backend, made, (it) => {
    for (const { ends, inAnyOrder, name, transfers } of payinScenarios) {
      const items = ends.waits.map(() => "suspense")

      it.effect(`${name}: in turn, and all of it once more`, () =>
        Effect.gen(function* () {
          const { says, stands } = yield* payinAt(stripe)
          yield* Effect.forEach(transfers, (transfer) => says(transfer), { discard: true })
          expect(yield* stands).toEqual({ ...ends, items })
          yield* Effect.forEach(transfers.toReversed(), (transfer) => says(transfer), { discard: true })
          yield* says(...transfers)
          expect(yield* stands, "the reports are known already").toEqual({ ...ends, items })
        })
      )

      if (backend === "memory") {
        it.effect(`${name}: in any order the books have what its provider has`, () =>
          Effect.gen(function* () {
            for (const order of ordersTried(transfers)) {
              const { says, stands } = yield* payinAt(stripe)
              yield* Effect.forEach(order, (transfer) => says(transfer), { discard: true })
              const { has, items: open, own, waits } = yield* stands
              if (inAnyOrder) expect(yield* stands, named(order)).toEqual({ ...ends, items })
              expect(has, named(order)).toBe(ends.has)
              expect(open, named(order)).toEqual(waits.map(() => "suspense"))
              const inClearing = waits
                .filter((one) => one.endsWith("KES"))
                .reduce((total, one) => total + Number(one.split(" ")[0]), 0)
              expect(own + inClearing, `${named(order)}: all of it has a place or waits`).toBe(ends.has)
            }
          })
        )
      }
    }

    const completed = Effect.tap(payinAt(stripe), ({ says }) => says(paid))

    const allEvents = (payment_id: string, name: "dispute" | "adjustment") =>
      Effect.map(eventsOfType(payment_id, "transaction.updated"), (all) => all.flatMap((one) => one[name] ?? []))

    it.effect("a part that is taken back is in one event, and borne by whom an operator says", () =>
      Effect.gen(function* () {
        const { payment_id, says, stands } = yield* completed
        yield* says(taken(400))
        expect(ofKind(yield* timelineOf(payment_id), "callback").at(-1)).toMatchObject({ effect: "suspense" })
        yield* says(taken(400))
        expect(yield* allEvents(payment_id, "dispute")).toMatchObject([
          { kind: "returned", amount: 400, currency: "KES" }
        ])
        yield* resolve(payment_id, "completed")
        expect(yield* stands).toMatchObject({ has: 1100, own: 1100, waits: [], items: [], status: "completed" })
        expect(yield* allEvents(payment_id, "adjustment")).toMatchObject([
          { amount: -400, currency: "KES", reason: "seen at the bank" }
        ])
      })
    )

    it.effect("what was borne goes back to the organisation when the dispute is won, and an event has its amount", () =>
      Effect.gen(function* () {
        const { payment_id, says, stands } = yield* completed
        yield* says(taken(400))
        yield* resolve(payment_id, "completed")
        yield* says(won(400))
        expect(yield* stands).toMatchObject({ has: 1500, own: 1500, waits: [], items: [], refunded: 0 })
        expect(yield* allEvents(payment_id, "dispute")).toMatchObject([
          { kind: "returned", amount: 400 },
          { kind: "regained", amount: 400 }
        ])
        expect(yield* allEvents(payment_id, "adjustment")).toMatchObject([
          { amount: -400 },
          { amount: 400, currency: "KES" }
        ])
      })
    )

    it.effect("what was borne of two disputes is theirs again when one is won", () =>
      Effect.gen(function* () {
        const { payment_id, says, stands } = yield* completed
        yield* says(taken(1500))
        yield* resolve(payment_id, "completed")
        yield* says(won(1500))
        yield* says(taken(1500, "d2"))
        expect(yield* stands).toMatchObject({ has: 0, own: 1500, waits: ["-1500.00 KES"] })
        yield* resolve(payment_id, "completed")
        expect(yield* stands).toMatchObject({ has: 0, own: 0, waits: [], items: [] })
      })
    )

    it.effect("a dispute that an operator found to be won before its provider said so is won once", () =>
      Effect.gen(function* () {
        for (const order of [
          [won(1500), taken(1500, "d2"), won(1500, "d2")],
          [taken(1500, "d2"), won(1500), won(1500, "d2")],
          [taken(1500, "d2"), won(1500, "d2"), won(1500)]
        ]) {
          const { payment_id, says, stands } = yield* completed
          yield* says(taken(1500))
          yield* resolve(payment_id, "failed", "it was won")
          expect(yield* stands).toMatchObject({ has: 1500, own: 1500, waits: [] })
          yield* Effect.forEach(order, (transfer) => says(transfer), { discard: true })
          expect(yield* stands, named(order)).toMatchObject({ has: 1500, own: 1500, waits: [], items: [] })
        }
      })
    )

    it.effect("a dispute that is won makes the payment refundable again, and what a dispute took is not refunded", () =>
      Effect.gen(function* () {
        const { refund, says, stands } = yield* completed
        yield* says(taken(1500))
        expect((yield* refund(100)).status, "nothing of it is there").toBe(409)
        yield* says(won(1500))
        yield* says(taken(400, "d2"))
        expect((yield* refund(1200)).status, "400 of it is gone").toBe(409)
        expect((yield* refund(1100)).status).toBe(200)
        expect(yield* stands).toMatchObject({ has: 0, own: 400, waits: ["-400.00 KES"], refunded: 1500 })
        yield* says(won(400, "d2"))
        expect((yield* refund(400)).status).toBe(200)
        expect(yield* stands).toMatchObject({ has: 0, own: 0, waits: [], items: [], refunded: 1500 })
      })
    )

    it.effect("what was refunded and is taken by a dispute too is gone twice until it is won", () =>
      Effect.gen(function* () {
        const { payment_id, refund, says, stands } = yield* completed
        yield* refund(1500)
        expect(yield* stands).toMatchObject({ has: 0, own: 0, status: "refunded" })
        yield* says(taken(1500))
        expect(yield* stands).toMatchObject({ has: -1500, own: 0, waits: ["-1500.00 KES"], items: ["suspense"] })
        yield* resolve(payment_id, "completed")
        expect(yield* stands).toMatchObject({ has: -1500, own: -1500, waits: [], items: [] })
        yield* says(won(1500))
        expect(yield* stands).toMatchObject({ has: 0, own: 0, waits: [], items: [] })
      })
    )

    it.effect("a refund that bounces while a dispute has the whole goes back to the organisation", () =>
      Effect.gen(function* () {
        const { payment_id, refund, says, stands } = yield* completed
        const { callsBack } = yield* refund(500)
        yield* says(taken(1500))
        expect(yield* stands).toMatchObject({ has: -500, own: 1000, waits: ["-1500.00 KES"] })
        yield* callsBack("returned")
        expect(yield* stands).toMatchObject({ has: 0, own: 1500, waits: ["-1500.00 KES"], items: ["suspense"] })
        expect((yield* recordOf(payment_id))["refunds"]).toMatchObject([{ state: "failed" }])
        expect((yield* eventsOfType(payment_id, "payment.refund_failed")).at(-1)).toMatchObject({ amount: 500 })
        yield* says(won(1500))
        expect(yield* stands).toMatchObject({ has: 1500, own: 1500, waits: [], items: [], refunded: 0 })
      })
    )

    it.effect("a refund that was given up, goes nevertheless and comes back, leaves nothing to settle", () =>
      Effect.gen(function* () {
        const { refund, stands } = yield* completed
        const { callsBack } = yield* refund(500, "processing")
        yield* callsBack("failed")
        expect(yield* stands).toMatchObject({ has: 1500, own: 1500, items: [] })
        yield* callsBack("completed")
        expect(yield* stands).toMatchObject({ has: 1000, own: 1500, waits: ["-500.00 KES"], items: ["suspense"] })
        yield* callsBack("returned")
        expect(yield* stands).toMatchObject({ has: 1500, own: 1500, waits: [], items: [] })
      })
    )

    it.effect("events of refunds and of what was taken back add up to the payment", () =>
      Effect.gen(function* () {
        const { payment_id, refund, says } = yield* completed
        yield* refund(500)
        yield* says(taken(1000))
        const published = yield* eventsOfType(payment_id, "payment.refunded")
        expect(published.map(({ amount }) => amount)).toEqual([500, 1000])
        expect(published.at(-1)).toMatchObject({ refunded_amount: 1500, refund_id: null })
      })
    )

    it.effect("a second collection for one attempt waits under an item, and goes back to its own id", () =>
      Effect.gen(function* () {
        const { payment_id, reference, refund, says, stands } = yield* completed
        yield* says(came(1500, "c2"))
        stripe.will({ refund: accepts({ state: "completed" }) })
        yield* giveBack(payment_id)
        expect(stripe.refunds.at(-1)).toMatchObject({ collectionId: `${reference} c2` })
        expect(yield* stands).toMatchObject({ has: 1500, own: 1500, waits: [], items: [], status: "completed" })
        expect((yield* refund(1500)).status, "its own money is still refundable").toBe(200)
        expect(stripe.refunds.at(-1)).toMatchObject({ collectionId: `${reference} c1` })
        expect(yield* stands).toMatchObject({ has: 0, own: 0, waits: [], items: [], status: "refunded" })
      })
    )

    it.effect("a transfer that was refunded is not refunded again while another one has the money", () =>
      Effect.gen(function* () {
        const { reference, refund, says, stands } = yield* payinAt(stripe)
        yield* says(came(700))
        yield* says(came(700, "c2"))
        yield* says(came(100, "c3"))
        stripe.will({ refund: accepts({ state: "completed" }) })
        const ids = []
        for (const part of [700, 700, 100]) {
          expect((yield* refund(part)).status, `${part} of what is left`).toBe(200)
          ids.push(stripe.refunds.at(-1)?.collectionId)
        }
        expect(ids).toEqual(["c1", "c2", "c3"].map((id) => `${reference} ${id}`))
        expect(yield* stands).toMatchObject({ has: 0, own: 0, waits: [], items: [], status: "refunded" })
      })
    )

    it.effect("money of several collections goes back one collection at a time, each to its own id", () =>
      Effect.gen(function* () {
        const { payment_id, reference, says, stands } = yield* completed
        yield* says(came(1500, "c2"))
        yield* says(came(1500, "c3"))
        stripe.will({ refund: accepts({ state: "completed" }) })
        expect(yield* stands).toMatchObject({ waits: ["3000.00 KES"] })
        yield* giveBack(payment_id)
        expect(stripe.refunds.at(-1)).toMatchObject({ collectionId: `${reference} c3` })
        expect(yield* stands).toMatchObject({ has: 3000, own: 1500, waits: ["1500.00 KES"], items: ["suspense"] })
        yield* giveBack(payment_id)
        expect(stripe.refunds.at(-1)).toMatchObject({ collectionId: `${reference} c2` })
        expect(yield* stands).toMatchObject({ has: 1500, own: 1500, waits: [], items: [] })
      })
    )

    it.effect("a refund is on the record although another collection still waits", () =>
      Effect.gen(function* () {
        const { payment_id, refund, says } = yield* completed
        yield* says(came(1500, "c2"))
        yield* refund(1500)
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded", refunded_amount: 1500 })
      })
    )

    it.effect("a refund by hand and a dispute that wait together are decided on one by one", () =>
      Effect.gen(function* () {
        const { payment_id, says, stands } = yield* completed
        yield* says(refunded(500))
        yield* says(taken(400))
        expect(yield* stands).toMatchObject({ has: 600, own: 1500, waits: ["-900.00 KES"] })
        const part = (outcome: "completed" | "failed", amount: number, id?: string) =>
          resolve(payment_id, outcome, "seen", undefined, id, amount)
        for (const wrong of [0, 900.01, 0.001]) {
          expect((yield* Effect.flip(part("completed", wrong))).message).toContain("amount:")
        }
        yield* part("completed", 500)
        expect(yield* stands).toMatchObject({ has: 600, own: 1000, waits: ["-400.00 KES"], items: ["suspense"] })
        yield* part("failed", 100)
        expect(yield* stands).toMatchObject({ has: 700, own: 1000, waits: ["-300.00 KES"] })
        yield* part("failed", 300)
        expect(yield* stands).toMatchObject({ has: 1000, own: 1000, waits: [], items: [] })
        expect(yield* allEvents(payment_id, "adjustment")).toMatchObject([{ amount: -500, currency: "KES" }])
      })
    )

    it.effect("a decision about money that came is not taken for one about money that is gone", () =>
      Effect.gen(function* () {
        const { payment_id, says, stands } = yield* completed
        yield* says(came(1500, "c2"))
        const [item] = yield* itemsOf(payment_id)
        yield* says(taken(1700))
        const late = yield* Effect.flip(resolve(payment_id, "completed", "kept", String(item!["item_id"])))
        expect(late).toMatchObject({ _tag: "Conflict" })
        expect(yield* stands).toMatchObject({ has: 1300, own: 1500, waits: ["-200.00 KES"], items: ["suspense"] })
      })
    )

    it.effect("a payin that came in two transfers is refunded one transfer at a time", () =>
      Effect.gen(function* () {
        const { reference, refund, says, stands } = yield* payinAt(stripe)
        yield* says(came(400))
        yield* says(came(1100, "c2"))
        stripe.will({ refund: accepts({ state: "completed" }) })
        expect((yield* refund(1500)).status, "each of them by itself").toBe(409)
        expect((yield* refund(1100)).status).toBe(200)
        expect(stripe.refunds.at(-1)).toMatchObject({ collectionId: `${reference} c2` })
        expect((yield* refund(400)).status).toBe(200)
        expect(stripe.refunds.at(-1)).toMatchObject({ collectionId: `${reference} c1` })
        expect(yield* stands).toMatchObject({ has: 0, own: 0, waits: [], items: [], status: "refunded" })
      })
    )

    it.effect(
      "a second collection that an operator books is in an event with its amount, and is gone if it is disputed",
      () =>
        Effect.gen(function* () {
          const { payment_id, says, stands } = yield* completed
          yield* says(came(1500, "c2"))
          yield* resolve(payment_id, "completed")
          expect(yield* stands).toMatchObject({ has: 3000, own: 3000, items: [] })
          expect(yield* allEvents(payment_id, "adjustment")).toMatchObject([{ amount: 1500, currency: "KES" }])
          yield* says(taken(1500))
          expect(yield* stands).toMatchObject({ has: 1500, own: 3000, waits: ["-1500.00 KES"], items: ["suspense"] })
        })
    )

    it.effect("what an operator gave back at the provider is booked once when the provider names it", () =>
      Effect.gen(function* () {
        const { payment_id, says, stands } = yield* payinAt(stripe)
        yield* says(came(1600))
        yield* resolve(payment_id, "failed", "given back by hand")
        expect(yield* stands).toMatchObject({ has: 1500, own: 1500, items: [] })
        yield* says(refunded(100))
        expect(yield* stands, "its report of it").toMatchObject({ has: 1500, own: 1500, waits: [], items: [] })
        yield* says(won(100, "r1"))
        expect(yield* stands, "it did not reach the payer").toMatchObject({ has: 1600, waits: ["100.00 KES"] })
        yield* says(taken(1500))
        expect(yield* stands, "other money").toMatchObject({ has: 100, own: 1500, waits: ["-1400.00 KES"] })
      })
    )

    it.effect("a transfer that an operator names by its id is distinguished from one of the same amount", () =>
      Effect.gen(function* () {
        const { payment_id, reference, says, stands } = yield* completed
        yield* says(came(1500, "c2"))
        yield* says(taken(3000))
        const named = (id: string) => resolve(payment_id, "failed", "returned by hand", undefined, `${reference} ${id}`)
        expect(yield* Effect.flip(named("c2")), "what came is no return").toMatchObject({ _tag: "Conflict" })
        yield* named("h1")
        expect(yield* stands).toMatchObject({ has: 1500, own: 1500, waits: [], items: [] })
        yield* says(won(1500))
        expect(yield* stands, "another transfer").toMatchObject({ has: 3000, own: 1500, waits: ["1500.00 KES"] })
        yield* says(won(1500, "h1"))
        expect(yield* stands, "the one that was named").toMatchObject({ has: 3000, waits: ["1500.00 KES"] })
        const kept = resolve(payment_id, "completed", "paid twice", undefined, `${reference} h2`)
        expect((yield* Effect.flip(kept)).message).toContain("movement_id")
        yield* named("r9")
        yield* says(taken(1500, "r9"))
        expect(yield* stands, "by another report").toMatchObject({ has: 1500, own: 1500, waits: [], items: [] })
      })
    )

    it.effect("too little that an operator gave back at the provider is booked once when the provider names it", () =>
      Effect.gen(function* () {
        const { payment_id, says, stands } = yield* payinAt(stripe)
        yield* says(came(400))
        expect(yield* stands).toMatchObject({ has: 400, own: 0, waits: ["400.00 KES"], status: "pending" })
        yield* resolve(payment_id, "failed", "given back by hand")
        yield* says(taken(400))
        expect(yield* stands).toMatchObject({ has: 0, own: 0, waits: [], items: [], status: "failed" })
        expect(yield* recordOf(payment_id)).toMatchObject({ failure: { code: "UNDERPAID" } })
      })
    )

    it.effect("money that came late, was given to the organisation and is taken back, is put before an operator", () =>
      Effect.gen(function* () {
        const { payment_id, reference, says, stands } = yield* payinAt(stripe)
        yield* callBack("stripe", { key: `${reference} no`, reference, state: "failed" })
        yield* says(paid)
        expect(yield* stands).toMatchObject({ has: 1500, own: 0, waits: ["1500.00 KES"], status: "failed" })
        yield* resolve(payment_id, "completed")
        yield* says(taken(1500))
        expect(yield* stands).toMatchObject({ has: 0, own: 1500, waits: ["-1500.00 KES"], items: ["suspense"] })
      })
    )

    it.effect("another amount under the id of a transfer is not booked, and an operator is asked which is so", () =>
      Effect.gen(function* () {
        const { payment_id, says, stands } = yield* completed
        yield* says(taken(400))
        yield* says(taken(500))
        const { has, items, own, waits } = yield* stands
        expect({ has, own, waits }).toEqual({ has: 1100, own: 1500, waits: ["-400.00 KES"] })
        expect(items.toSorted()).toEqual(["suspense", "unknown_outcome"])
        const unnamed = yield* Effect.flip(resolve(payment_id, "completed"))
        for (const { item_id } of yield* itemsOf(payment_id)) expect(unnamed.message).toContain(item_id)
      })
    )

    it.effect("a payin that failed after it was completed is for an operator, who settles it either way", () =>
      Effect.gen(function* () {
        const { payment_id, reference, stands } = yield* payinAt(stripe)
        const callsBack = (key: string, state: string) =>
          callBack("stripe", { key: `${reference} ${key}`, reference, state })
        yield* callsBack("yes", "completed")
        yield* callsBack("no", "failed")
        expect(yield* stands).toMatchObject({ has: 1500, own: 1500, status: "completed", items: ["unknown_outcome"] })
        yield* callsBack("late", "processing")
        expect(yield* stands, "a late report settles nothing").toMatchObject({ items: ["unknown_outcome"] })
        yield* resolve(payment_id, "completed")
        expect(yield* stands).toMatchObject({ has: 1500, own: 1500, items: [] })
        yield* callsBack("still not", "failed")
        yield* resolve(payment_id, "failed")
        expect(yield* stands).toMatchObject({ has: 0, own: 1500, status: "refunded", items: ["suspense"] })
        yield* resolve(payment_id, "completed")
        expect(yield* stands).toMatchObject({ has: 0, own: 0, items: [] })
      })
    )

    it.effect("a payin that failed after a part of it was disputed is gone once, if an operator says that it is", () =>
      Effect.gen(function* () {
        const { payment_id, reference, says, stands } = yield* completed
        yield* says(taken(400))
        yield* callBack("stripe", { key: `${reference} no`, reference, state: "failed" })
        const question = (yield* itemsOf(payment_id)).find(({ kind }) => kind === "unknown_outcome")
        yield* resolve(payment_id, "failed", "all of it is gone", String(question?.["item_id"]))
        expect(yield* stands).toMatchObject({ has: 0, own: 1500, waits: ["-1500.00 KES"], status: "refunded" })
        // The provider names the rest.
        yield* says(taken(1100, "d2"))
        expect(yield* stands).toMatchObject({ has: 0, own: 1500, waits: ["-1500.00 KES"] })
      })
    )
  })
}
