/** money on its way back, and verdicts on suspense. Each test states what should be so. */
import { expect } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { RecordOutcome } from "../../../src/payments/settlement/RecordOutcome.ts"
import { Resolution } from "../../../src/payments/settlement/Resolution.ts"
import type { TestServer } from "../../support/TestServer.ts"
import { attemptsOf, callBack, eventually, initiate, recordOf } from "../support/PaymentCalls.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, declines, isLost, reports } from "../support/ScriptedProvider.ts"
import { giveBack, itemsOf, resolve } from "../support/OperatorActions.ts"
import { attemptsFor, later, paysIn, settlement, clearingOf, threeProviders } from "../support/PayinBalances.ts"

onDatabasePaymentServer("returns", threeProviders, (it, { adyen, clock, stripe }) => {
  const payin = (country: string) =>
    paysIn(
      stripe,
      country,
      accepts({ state: "pending", nextAction: "redirect", actionData: { redirect_url: "https://x.example" } })
    )

  it.effect("a return that is sent again is for the amount that it was committed with", () =>
    Effect.gen(function* () {
      const { arrives, payment_id, reference } = yield* payin("FR")
      yield* arrives("900.00")
      stripe.will({ refund: isLost() })
      yield* Effect.flip(giveBack(payment_id))
      // Where it was shown never to have arrived, another return would be the right thing to do.
      const [back] = yield* attemptsFor(payment_id, "return")
      stripe.says(back!, isLost())
      yield* arrives("1100.00")
      yield* timePasses(clock, "2 minutes")
      stripe.will({ refund: accepts({ state: "completed" }) })
      // An enquiry about it may be under way: then the command says that the payment changed, and is given again.
      yield* Effect.retry(giveBack(payment_id), { schedule: Schedule.spaced("100 millis"), times: 50 })
      const sent = stripe.refunds.filter(({ attempt }) => attempt.reference === reference)
      expect
        .soft(
          new Set(sent.map(({ money, reference: name }) => `${name} ${money.toString()}`)).size,
          "one reference, one amount"
        )
        .toBe(1)
      const left = yield* clearingOf(payment_id)
      if (left.length > 0) expect(yield* itemsOf(payment_id), `${left.join()} is left in suspense`).toHaveLength(1)
    })
  )

  it.effect("a return that is refused when it is sent again may have gone the first time", () =>
    Effect.gen(function* () {
      const { arrives, payment_id, reference } = yield* payin("LU")
      yield* arrives("900.00")
      stripe.will({ refund: isLost() })
      yield* Effect.flip(giveBack(payment_id))
      const [back] = yield* attemptsFor(payment_id, "return")
      stripe.says(back!, isLost())
      yield* timePasses(clock, "2 minutes")
      const sentBefore = stripe.refunds.length
      stripe.will({ refund: declines("this reference was used before") })
      // An enquiry about it may be under way: then the command says that the payment changed, and is given again.
      yield* Effect.repeat(Effect.flip(giveBack(payment_id)), {
        schedule: Schedule.spaced("100 millis"),
        times: 50,
        until: () => stripe.refunds.length > sentBefore
      })
      const [attempt] = (yield* attemptsOf(payment_id)).filter((one) => one["leg"] === "return")
      expect(attempt?.["outcome"], "the outcome of the first sending is unknown").toBe("unknown")
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* Effect.exit(giveBack(payment_id))
      const orders = stripe.refunds.filter((one) => one.attempt.reference === reference)
      expect(new Set(orders.map((one) => one.reference)).size, "no second return beside it").toBe(1)
    })
  )

  it.effect("what arrives while a return is under way keeps its item", () =>
    Effect.gen(function* () {
      const { arrives, payment_id } = yield* payin("DE")
      const context = yield* Effect.context<TestServer>()
      yield* arrives("900.00")
      stripe.will({
        refund: () =>
          Effect.as(Effect.orDie(Effect.provide(arrives("1100.00"), context)), accepts({ state: "completed" }))
      })
      yield* giveBack(payment_id)
      expect(yield* clearingOf(payment_id)).toEqual(["200.00 KES"])
      expect(yield* itemsOf(payment_id), "200.00 KES wait in suspense").toHaveLength(1)
    })
  )

  it.effect("an unexplained movement of a provider waits for an operator when the rest has gone back", () =>
    Effect.gen(function* () {
      const { arrives, payment_id, reference } = yield* payin("PT")
      yield* arrives("900.00")
      const dollars = {
        kind: "reversal",
        id: "du_1",
        amount: { amount: "3.00", currency: "USD" },
        state: "settled"
      } as const
      yield* callBack("stripe", { key: "PT taken", reference, state: "returned", movements: [dollars] })
      const items = yield* itemsOf(payment_id)
      expect(items).toHaveLength(2)
      const came = items.find(({ detail }) => String(detail).includes("KES"))
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* giveBack(payment_id, "paid too little", String(came?.["item_id"]))
      expect(yield* clearingOf(payment_id)).toEqual(["-3.00 USD"])
      expect(yield* itemsOf(payment_id), "it took dollars that were never reported").toHaveLength(1)
    })
  )

  it.effect("what was taken while a return was under way is not held again with what comes back of it", () =>
    Effect.gen(function* () {
      const { arrives, payment_id, reference } = yield* payin("CZ")
      yield* arrives("900.00")
      stripe.will({ refund: accepts({ state: "processing" }) })
      yield* giveBack(payment_id)
      const [back] = yield* attemptsFor(payment_id, "return")
      const taken = { amount: "400.00", currency: "KES" }
      yield* callBack("stripe", { key: "CZ taken", reference, state: "returned", taken })
      expect(yield* clearingOf(payment_id), "it is held to go back, and is not all there").toEqual(["-400.00 KES"])
      yield* callBack("stripe", { key: "CZ bounced", reference: back!, state: "returned" })
      expect(yield* clearingOf(payment_id)).toEqual(["500.00 KES"])
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "suspense" }])
    })
  )

  it.effect("a return that went after it was given up is put before an operator", () =>
    Effect.gen(function* () {
      const { arrives, payment_id } = yield* payin("BE")
      yield* arrives("900.00")
      stripe.will({ refund: isLost() })
      yield* Effect.flip(giveBack(payment_id))
      const [back] = yield* attemptsFor(payment_id, "return")
      const before = yield* settlement
      yield* resolve(payment_id, "failed") // the return, says an operator, never went
      yield* resolve(payment_id, "completed") // so the organisation keeps the money
      expect((yield* settlement) - before).toBe(900)
      expect(yield* itemsOf(payment_id)).toEqual([])
      yield* callBack("stripe", { key: "BE went", reference: back!, state: "completed" })
      expect(yield* clearingOf(payment_id)).toEqual(["-900.00 KES"])
      expect(yield* itemsOf(payment_id), "it was given away twice").toHaveLength(1)
    })
  )

  it.effect("a return that went after it was refused, while its money still waited, leaves nothing to settle", () =>
    Effect.gen(function* () {
      const { arrives, payment_id } = yield* payin("EE")
      yield* arrives("900.00")
      stripe.will({ refund: declines() })
      yield* Effect.flip(giveBack(payment_id))
      const [back] = yield* attemptsFor(payment_id, "return")
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
      yield* callBack("stripe", { key: "EE went", reference: back!, state: "completed" })
      expect(yield* clearingOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("a return that came back is not gone again by an older report that it went", () =>
    Effect.gen(function* () {
      const { arrives, payment_id } = yield* payin("AT")
      yield* arrives("900.00")
      const returning = Effect.gen(function* () {
        stripe.will({ refund: accepts({ state: "processing" }) })
        yield* giveBack(payment_id)
        const back = (yield* attemptsFor(payment_id, "return")).at(-1)!
        return (key: string, state: string) => callBack("stripe", { key: `AT ${back} ${key}`, reference: back, state })
      })
      const first = yield* returning
      yield* first("back", "returned")
      for (const [key, state] of [
        ["late", "completed"],
        ["later", "processing"],
        ["twice", "returned"]
      ] as const) {
        yield* first(key, state)
        expect(yield* clearingOf(payment_id), key).toEqual(["900.00 KES"])
        expect(yield* itemsOf(payment_id), key).toMatchObject([{ kind: "suspense" }])
      }
      const second = yield* returning
      yield* second("went", "completed")
      expect(yield* clearingOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id)).toEqual([])
      const sums = (yield* attemptsOf(payment_id)).filter((one) => one["leg"] === "return")
      expect(sums).toMatchObject([{ amount: 900 }, { amount: 900 }])
    })
  )

  it.effect("a return with an unknown outcome is not refused by a late second sending, and goes once", () =>
    Effect.gen(function* () {
      const { arrives, payment_id, reference } = yield* payin("NL")
      yield* arrives("900.00")
      // Moves the money, loses its answer, and gives none to enquiries either.
      stripe.will({ refund: isLost() })
      yield* Effect.flip(giveBack(payment_id))
      const back = (yield* attemptsOf(payment_id)).find((one) => one["leg"] === "return")
      stripe.says(String(back?.["attempt_id"]), isLost())
      yield* timePasses(clock, "2 minutes")
      const slow = Layer.effect(
        PaymentStore,
        Effect.map(PaymentStore, (store) => ({
          ...store,
          renewSend: (...args: Parameters<typeof store.renewSend>) =>
            Effect.zipLeft(store.renewSend(...args), timePasses(clock, "25 seconds"))
        }))
      )
      yield* Effect.flatMap(Resolution, (resolution) =>
        resolution.giveBack(operatorPermit("platform", "amina"), payment_id, { reason: "again" })
      ).pipe(
        Effect.provide(Resolution.layer.pipe(Layer.provide(RecordOutcome.layer), Layer.provide(slow))),
        Effect.flip
      )
      yield* timePasses(clock, "2 minutes")
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* Effect.either(giveBack(payment_id))
      const sent = stripe.refunds.filter(({ attempt }) => attempt.reference === reference)
      expect(
        Array.from(new Set(sent.map(({ reference: name }) => name))),
        "references under which 900.00 KES went back"
      ).toHaveLength(1)
    })
  )

  const twoProviders = (country: string) =>
    Effect.gen(function* () {
      yield* serveCountry(country, ["stripe", "adyen"])
      stripe.on(`two ${country}`, declines())
      adyen.on(
        `two ${country}`,
        accepts({ state: "pending", nextAction: "redirect", actionData: { redirect_url: "https://x.example" } })
      )
      const { payment_id } = yield* initiate({ ...byCard(), country, description: `two ${country}` })
      const [first] = yield* attemptsOf(payment_id)
      const reference = String(first?.["attempt_id"])
      yield* callBack("stripe", { key: `two ${country}`, reference, state: "completed" })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending", provider: "adyen" })
      return payment_id
    })

  it.effect("giving back what a refusing provider took does not fail the payment that another collects", () =>
    Effect.gen(function* () {
      stripe.will({ refund: accepts({ state: "completed" }) })
      const payment_id = yield* twoProviders("ES")
      yield* Effect.either(giveBack(payment_id))
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending" })
    })
  )

  it.effect("nor does settling it", () =>
    Effect.gen(function* () {
      const payment_id = yield* twoProviders("IT")
      const kept = yield* Effect.either(resolve(payment_id, "completed"))
      expect.soft(kept._tag, "settled as the organisation's").toBe("Right")
      yield* Effect.either(resolve(payment_id, "failed"))
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending" })
    })
  )

  it.effect("an enquiry without an answer leaves the item of an unknown outcome open", () =>
    Effect.gen(function* () {
      yield* serveCountry("PT", ["stripe"])
      stripe.on("aimless", isLost())
      const { payment_id } = yield* initiate({ ...byCard(), country: "PT", description: "aimless" })
      const [attempt] = yield* attemptsOf(payment_id)
      const reference = String(attempt?.["attempt_id"])
      stripe.says(reference, reports("pending"))
      yield* later(clock, 11)
      const items = yield* eventually(itemsOf(payment_id), (all) => all.length > 0)
      expect(items).toMatchObject([{ kind: "unknown_outcome" }])
      stripe.says(reference, isLost())
      for (const seconds of [31, 121, 601, 1801, 7201, 21601, 86401]) yield* later(clock, seconds)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending" })
      expect(yield* itemsOf(payment_id), "no provider is asked any more, and no event is published").toHaveLength(1)
    })
  )

  it.effect("a late report that a return is under way does not undo that it failed", () =>
    Effect.gen(function* () {
      const { arrives, payment_id } = yield* payin("SE")
      yield* arrives("900.00")
      stripe.will({ refund: accepts({ state: "pending" }) })
      yield* giveBack(payment_id)
      const [back] = yield* attemptsFor(payment_id, "return")
      yield* callBack("stripe", { key: "SE no", reference: back!, state: "failed" })
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
      yield* callBack("stripe", { key: "SE late", reference: back!, state: "processing" })
      expect(yield* clearingOf(payment_id)).toEqual(["900.00 KES"])
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
    })
  )
})
