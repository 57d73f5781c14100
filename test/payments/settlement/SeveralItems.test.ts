/** A payment of which several things wait for an operator, who settles them one by one. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { attemptsOf, callBack, initiate, untilStatus } from "../support/PaymentCalls.ts"
import { itemsOf, resolve } from "../support/OperatorActions.ts"
import { paysIn, threeProviders, watched } from "../support/PayinBalances.ts"
import { onPaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, declines } from "../support/ScriptedProvider.ts"
import { came, taken, reporter } from "../support/TransferReports.ts"
import { nilId } from "../../support/AnyId.ts"

const made = threeProviders()
const { adyen, circle, stripe } = made

onPaymentServer("One of several items", "memory", made, (it) => {
  it.effect("money that came and money that went are named before either is settled", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      yield* serveCountry("FR", ["stripe", "adyen"])
      stripe.on("both ways", declines())
      adyen.on("both ways", accepts({ state: "completed" }))
      const { payment_id } = yield* initiate({ ...byCard(), country: "FR", description: "both ways" })
      const [refused, paid] = (yield* attemptsOf(payment_id)).map((one) => String(one["attempt_id"]))
      yield* callBack("stripe", { key: "FR late", reference: refused!, state: "completed" })
      yield* callBack("adyen", {
        key: "FR part",
        reference: paid!,
        state: "returned",
        taken: { amount: "400.00", currency: "KES" }
      })
      const items = yield* itemsOf(payment_id)
      const idOf = (attempt: string | undefined) =>
        String(items.find((one) => one["attempt_id"] === attempt)?.["item_id"])
      const { message } = yield* Effect.flip(resolve(payment_id, "completed"))
      for (const one of items) {
        expect(message).toContain(one["item_id"])
        expect(message).toContain(one["detail"])
      }
      const books = { stripe: -1500, adyen: -1100, settlement: 1500, clearing: 1100 }
      expect(yield* gained, "nothing was settled").toEqual(books)
      const wrong = yield* Effect.flip(resolve(payment_id, "completed", "seen", nilId))
      expect(wrong.message).toContain(idOf(paid))
      yield* resolve(payment_id, "completed", "the organisation bears it", idOf(paid))
      expect(yield* gained).toEqual({ stripe: -1500, adyen: -1100, settlement: 1100, clearing: 1500 })
      expect(yield* itemsOf(payment_id)).toMatchObject([{ item_id: idOf(refused) }])
      yield* resolve(payment_id, "failed", "wired back")
      expect(yield* gained).toEqual({ adyen: -1100, settlement: 1100 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("an unknown outcome is not settled by a decision about money", () =>
    Effect.gen(function* () {
      const { callsBack, payment_id } = yield* paysIn(stripe, "DE")
      yield* callsBack("more", "completed", "1600.00")
      yield* callsBack("no", "failed")
      const items = yield* itemsOf(payment_id)
      expect(items.map(({ kind }) => kind).toSorted()).toEqual(["suspense", "unknown_outcome"])
      expect((yield* Effect.flip(resolve(payment_id, "failed"))).message).toContain("--item")
      const money = items.find(({ kind }) => kind === "suspense")
      yield* resolve(payment_id, "completed", "it is theirs", String(money?.["item_id"]))
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "unknown_outcome" }])
    })
  )

  it.effect("what is charged back of a ramp that has ended is not lacking beside what it still holds", () =>
    Effect.gen(function* () {
      circle.otherwise(declines("no such address"))
      const { payment_id, reference } = yield* paidRamp(stripe, "IS", "13000.00")
      yield* untilStatus(payment_id, "failed")
      const says = reporter(stripe, reference)
      yield* says(came(500, "c2"))
      const more = (yield* itemsOf(payment_id)).find(({ detail }) => String(detail).includes("500.00 KES arrived"))
      yield* resolve(payment_id, "completed", "it is theirs", String(more?.["item_id"]))
      yield* says(taken(500))
      const details = (yield* itemsOf(payment_id)).map(({ detail }) => String(detail))
      expect(details).toEqual([expect.stringContaining("12500.00 KES were collected")])
    })
  )

  it.effect("an item that has nothing left to be settled is closed with the one that had it", () =>
    Effect.gen(function* () {
      circle.otherwise(declines("no such address"))
      adyen.otherwise(declines("it does not want it"))
      const { payment_id } = yield* paidRamp(stripe, "NO", "13000.00", ["circle", "adyen"])
      yield* untilStatus(payment_id, "failed")
      const first = (yield* attemptsOf(payment_id)).find(({ provider }) => provider === "circle")
      yield* callBack("circle", { key: "NO late", reference: String(first?.["attempt_id"]), state: "completed" })
      const items = yield* itemsOf(payment_id)
      expect(items).toHaveLength(2)
      const late = items.find((one) => one["attempt_id"] === first?.["attempt_id"])
      yield* resolve(payment_id, "completed", "it was paid after all", String(late?.["item_id"]))
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )
})
