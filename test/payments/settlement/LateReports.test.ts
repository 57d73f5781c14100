/** Reports that come twice, late, or not at all. */
import { describe, expect, it as test } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { unallocatedSums } from "../../../src/payments/store/UnallocatedMoney.ts"
import { backends } from "../../support/OnBothStores.ts"
import type { TestServer } from "../../support/TestServer.ts"
import { act } from "../support/ActionCalls.ts"
import { attemptsOf, callBack, eventually, initiate, untilStatus } from "../support/PaymentCalls.ts"
import { cardPayer } from "../support/CardPayer.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, declines, isLost, PROOF, reports } from "../support/ScriptedProvider.ts"
import { giveBack, itemsOf, resolve } from "../support/OperatorActions.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { threeProviders } from "../support/PayinBalances.ts"

onDatabasePaymentServer("signals", threeProviders, (it, { adyen, circle, clock, stripe }) => {
  const later = (seconds: number) =>
    Effect.zipRight(
      timePasses(clock, `${seconds} seconds`),
      // Other payments that are due by then come first.
      Effect.flatMap(StatusPoller, ({ runOnce }) => Effect.repeat(runOnce, { until: (asked) => asked === 0 }))
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
        expect(yield* itemsAtLast(payment_id), "stripe has 1500 that are in no record").toHaveLength(1)
      })
  )

  it.effect("an operator can settle what a refused attempt of a completed payment left open", () =>
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

  it.effect("an attempt that is being sent again cannot be decided", () =>
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
      const context = yield* Effect.context<TestServer | StatusPoller>()
      stripe.on("hinted", (order) =>
        Effect.gen(function* () {
          yield* callBack("stripe", { key: "hinted", reference: order.reference, state: null })
          yield* Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce)
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
})

/** Money that this account's own provider proves to have, under an id other than the attempt's: nothing real is dropped. */
describe.each(backends)("a proved payment under another id, on %s", (backend) => {
  test.live("of a payin that failed waits for an operator", () =>
    Effect.gen(function* () {
      const { here, pay, store, stripe, world } = yield* cardPayer(backend)
      stripe.otherwise(
        accepts({
          state: "pending",
          providerPaymentId: "own",
          nextAction: "redirect",
          actionData: { redirect_url: "https://pay.example/1" }
        })
      )
      const { payment_id } = yield* pay
      const [attempt] = yield* store.attemptsOf(payment_id)
      const reference = attempt!.attempt_id
      stripe.says(reference, reports("failed"))
      const callBack = (words: object) =>
        Effect.flatMap(Callbacks, ({ receive }) =>
          receive(stripe, {
            method: "POST",
            query: {},
            authority: "",
            path: "/callbacks/stripe",
            headers: PROOF,
            body: Buffer.from(JSON.stringify({ reference, ...words }))
          })
        ).pipe(Effect.provide(here))
      yield* callBack({ key: "1", providerPaymentId: "own", state: "failed" })
      yield* callBack({ key: "2", providerPaymentId: "another", state: "completed" })
      for (let n = 0; n < 12; n++) {
        yield* timePasses(world.clock, "25 hours").pipe(Effect.provide(world.stores))
        yield* Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce).pipe(Effect.provide(here))
      }
      const payment = Option.getOrThrow(yield* store.find(Option.none(), payment_id))
      expect(payment.status).toBe("failed")
      const waits = unallocatedSums(payment, yield* store.history(payment)).map(({ money }) => money.toString())
      expect(waits, "12 days later").toEqual(["1500.00 KES"])
    }).pipe(Effect.scoped)
  )
})
