/** words that come twice, late, or not at all. Each test states what should be so. */
import { expect } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Either, Option } from "effect"
import type { PaymentId } from "../../../src/domain/Identifiers.ts"
import { Enquiries } from "../../../src/payments/callbacks/Enquiries.ts"
import type { TestServer } from "../../support/TestServer.ts"
import { act } from "../support/Acting.ts"
import { attemptsOf, callBack, eventually, initiate, untilStatus } from "../support/Calls.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, declines, isLost, reports } from "../support/ScriptedProvider.ts"
import { giveBack, itemsOf, resolve } from "../support/ByHand.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { settlement, suspenseOf, threeProviders } from "../support/InTheBooks.ts"

onDatabasePaymentServer("signals", threeProviders, (it, { adyen, circle, clock, stripe }) => {
  const later = (seconds: number) =>
    Effect.zipRight(
      timePasses(clock, `${seconds} seconds`),
      // Whatever else is due by then stands before it.
      Effect.flatMap(Enquiries, ({ runOnce }) => Effect.repeat(runOnce, { until: (asked) => asked === 0 }))
    )

  /** The server's own worker may be the one that asks, and hold it while time passes here: then there is a day too few. */
  const itemsAtLast = (paymentId: PaymentId) =>
    eventually(
      Effect.tap(itemsOf(paymentId), (all) => (all.length > 0 ? Effect.void : later(86_401))),
      (all) => all.length > 0
    )

  it.effect(
    "a refused attempt that resurfaced is asked about until it is known, though one look-up has no answer",
    () =>
      Effect.gen(function* () {
        yield* serveCountry("IE", ["stripe", "adyen"])
        stripe.on("resurfaces", declines())
        adyen.on("resurfaces", accepts({ state: "completed" }))
        const { payment_id } = yield* initiate({ ...byCard(), country: "IE", description: "resurfaces" })
        const [first] = yield* attemptsOf(payment_id)
        const reference = String(first?.["attempt_id"])
        yield* callBack("stripe", { key: "resurfaces", reference, state: "processing" })
        stripe.says(reference, isLost())
        yield* later(11)
        stripe.says(reference, reports("completed"))
        for (const seconds of [31, 121, 601, 1801, 7201, 21601, 86401, 86401]) yield* later(seconds)
        expect(yield* itemsAtLast(payment_id), "stripe has 1500 that nobody knows of").toHaveLength(1)
      })
  )

  it.effect("a person can settle what a refused attempt of a completed payment left open", () =>
    Effect.gen(function* () {
      yield* serveCountry("GB", ["stripe", "adyen"])
      stripe.on("resurfaces b", declines())
      adyen.on("resurfaces b", accepts({ state: "completed" }))
      const { payment_id } = yield* initiate({ ...byCard(), country: "GB", description: "resurfaces b" })
      const [first] = yield* attemptsOf(payment_id)
      const reference = String(first?.["attempt_id"])
      yield* callBack("stripe", { key: "resurfaces b", reference, state: "processing" })
      stripe.says(reference, reports("processing"))
      for (const seconds of [11, 31, 121, 601, 1801, 7201, 21601, 86401, 86401]) yield* later(seconds)
      const items = yield* itemsAtLast(payment_id)
      expect(items).toMatchObject([{ kind: "unknown_outcome" }])
      const said = yield* Effect.either(resolve(payment_id, "failed"))
      expect(Either.isLeft(said) ? said.left.message : "settled").toBe("settled")
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("nor is a refund that resurfaced forgotten", () =>
    Effect.gen(function* () {
      yield* serveCountry("SE", ["stripe"])
      stripe.on("refund resurfaces", accepts({ state: "completed" }))
      stripe.will({ refund: declines() })
      const { payment_id } = yield* initiate({ ...byCard(), country: "SE", description: "refund resurfaces" })
      yield* act(payment_id, { action: "refund", amount: 500 })
      const refund = (yield* attemptsOf(payment_id)).find((one) => one["leg"] === "refund")
      const reference = String(refund?.["attempt_id"])
      yield* callBack("stripe", { key: "refund resurfaces", reference, state: "processing" })
      stripe.says(reference, isLost())
      yield* later(11)
      stripe.says(reference, reports("completed"))
      for (const seconds of [31, 121, 601, 1801, 7201, 21601, 86401, 86401]) yield* later(seconds)
      const items = yield* itemsAtLast(payment_id)
      expect(items, "stripe gave 500 back").toMatchObject([{ kind: "suspense" }])
    })
  )

  it.effect("what a ramp could not settle can be given back, though more came afterwards", () =>
    Effect.gen(function* () {
      circle.otherwise(() => Effect.succeed(declines("sanctioned address")))
      const { payment_id, reference } = yield* paidRamp(stripe, "FI", "13000.00")
      yield* untilStatus(payment_id, "failed")
      yield* callBack("stripe", {
        key: "FI more",
        reference,
        state: "completed",
        received: { amount: "13500.00", currency: "KES" }
      })
      const items = yield* itemsOf(payment_id)
      expect(items).toHaveLength(2)
      stripe.will({ refund: accepts({ state: "completed" }) })
      for (const { item_id } of items) {
        const said = yield* Effect.either(giveBack(payment_id, "not settled", String(item_id)))
        expect(Either.isLeft(said) ? said.left.message : "given back").toBe("given back")
      }
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("what is being sent again at this moment is nobody's to decide", () =>
    Effect.gen(function* () {
      yield* serveCountry("NO", ["stripe"])
      stripe.on("again", accepts())
      const { payment_id } = yield* initiate({ ...byCard(), country: "NO", description: "again" })
      const [attempt] = yield* attemptsOf(payment_id)
      yield* callBack("stripe", { key: "again no", reference: String(attempt?.["attempt_id"]), state: "failed" })
      yield* callBack("stripe", { key: "again yes", reference: String(attempt?.["attempt_id"]), state: "completed" })
      stripe.will({ refund: isLost() })
      yield* Effect.flip(giveBack(payment_id))
      const context = yield* Effect.context<never>()
      let verdict = "none"
      stripe.will({
        refund: () =>
          resolve(payment_id, "failed").pipe(
            Effect.either,
            Effect.tap((said) => Effect.sync(() => (verdict = said._tag))),
            Effect.provide(context as never),
            Effect.as(accepts({ state: "completed" }))
          ) as never
      })
      yield* Effect.either(giveBack(payment_id))
      expect(verdict, "the verdict on a call that is under way").toBe("Left")
    })
  )

  it.effect("a hint during the call does not keep a refused payment from the next candidate", () =>
    Effect.gen(function* () {
      yield* serveCountry("PL", ["stripe", "adyen"])
      const context = yield* Effect.context<TestServer | Enquiries>()
      stripe.on("hinted", (order) =>
        Effect.gen(function* () {
          yield* callBack("stripe", { key: "hinted", reference: order.reference, state: null })
          yield* Effect.flatMap(Enquiries, ({ runOnce }) => runOnce)
          return declines()
        }).pipe(Effect.orDie, Effect.provide(context))
      )
      adyen.on("hinted", accepts({ state: "completed" }))
      const answer = yield* initiate({ ...byCard(), country: "PL", description: "hinted" })
      expect
        .soft(
          adyen.orders.filter(({ description }) => description === "hinted"),
          "orders at the next candidate"
        )
        .toHaveLength(1)
      expect.soft(answer.status).toBe(200)
      expect(answer.response).toMatchObject({ status: "completed" })
    })
  )

  it.effect("suspense that an earlier version settled is not settled once more", () =>
    Effect.gen(function* () {
      const sql = Option.getOrThrow(yield* Effect.serviceOption(SqlClient.SqlClient))
      yield* serveCountry("DK", ["stripe"])
      stripe.on("old", accepts())
      const { payment_id } = yield* initiate({ ...byCard(), country: "DK", description: "old" })
      const [attempt] = yield* attemptsOf(payment_id)
      const reference = String(attempt?.["attempt_id"])
      const before = yield* settlement
      yield* callBack("stripe", { key: "old no", reference, state: "failed" })
      yield* callBack("stripe", { key: "old yes", reference, state: "completed" })
      yield* resolve(payment_id, "completed")
      expect((yield* settlement) - before).toBe(1500)
      // As earlier versions had written them.
      yield* sql`alter table ledger_postings disable trigger user`
      yield* sql`update ledger_postings set reference = ${reference} where payment_id = ${payment_id} and kind = 'suspense'`
      yield* sql`update ledger_postings set reference = ${`${payment_id} 3`} where payment_id = ${payment_id} and kind = 'adjustment'`
      yield* sql`alter table ledger_postings enable trigger user`
      yield* callBack("stripe", {
        key: "old more",
        reference,
        state: "completed",
        received: { amount: "1600.00", currency: "KES" }
      })
      yield* resolve(payment_id, "completed")
      expect(yield* suspenseOf(payment_id)).toBeDefined()
      expect((yield* settlement) - before, "1600 came in all").toBe(1600)
    })
  )
})
