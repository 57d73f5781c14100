/** Money that a provider's callback says was taken back, and that the account may not look up. */
import { expect } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { act } from "../support/ActionCalls.ts"
import { itemsOf, resolve } from "../support/OperatorActions.ts"
import { callBack, eventually, jsonOf, recordOf, timelineOf } from "../support/PaymentCalls.ts"
import { at, later, paysIn, threeProviders } from "../support/PayinBalances.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { accepts, reports } from "../support/ScriptedProvider.ts"

/** Decides again where the provider's answer to the hint came in between. */
const resolvesAs = (...verdict: Parameters<typeof resolve>) =>
  Effect.retry(resolve(...verdict), {
    while: ({ message }) => message.startsWith("The payment changed just now"),
    schedule: Schedule.spaced("20 millis")
  })

const detail = "Its callback says that dispute PP-D-1 was lost, and it is not shown to the app."

onDatabasePaymentServer("Unseen disputes", threeProviders, (it, { clock, stripe }) => {
  const disputed = (country: string, state: "completed" | "processing" = "completed") =>
    Effect.gen(function* () {
      const paid = yield* paysIn(stripe, country, accepts({ state, providerPaymentId: `order ${country}` }))
      const reportDispute = (unseen = detail, key = `${country} dispute`) =>
        callBack("stripe", { key, reference: null, providerPaymentId: `order ${country}`, state: null, unseen })
      return { ...paid, reportDispute }
    })

  it.effect("wait for an operator, whatever the provider says of the payment later", () =>
    Effect.gen(function* () {
      const { payment_id, reference, reportDispute } = yield* disputed("FR")
      expect((yield* reportDispute()).status).toBe(200)
      const open = [{ kind: "unknown_outcome", attempt_id: null, detail }]
      expect(yield* itemsOf(payment_id)).toMatchObject(open)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed", comments: detail })
      const asked = () => stripe.enquiries.filter((one) => one.reference === reference).length
      stripe.says(reference, reports("completed"))
      yield* later(clock, 16)
      yield* eventually(Effect.sync(asked), (times) => times > 0)
      yield* callBack("stripe", { key: "FR again", reference, state: "completed" })
      expect(yield* itemsOf(payment_id), "that it was paid says nothing of the dispute").toMatchObject(open)
      expect(jsonOf(yield* reportDispute())["message"]).toBe("seen before")
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
      const second = "Its callback says that dispute PP-D-2 was lost, and it is not shown to the app."
      yield* reportDispute(second, "FR second dispute")
      expect(yield* recordOf(payment_id), "both are on the record").toMatchObject({ comments: `${detail} ${second}` })
    })
  )

  it.effect("are settled by the operator's decision, and stay settled when the callback comes again", () =>
    Effect.gen(function* () {
      const before = yield* at("stripe")
      const { payment_id, reportDispute } = yield* disputed("DE")
      yield* reportDispute()
      yield* resolvesAs(payment_id, "failed", "the dispute is lost")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
      expect((yield* at("stripe")) - before, "stripe has nothing of it any more").toBe(0)
      yield* reportDispute()
      expect((yield* itemsOf(payment_id)).map(({ kind }) => kind)).toEqual(["suspense"])

      const kept = yield* disputed("NL")
      yield* kept.reportDispute()
      yield* resolvesAs(kept.payment_id, "completed", "the dispute is of another payment")
      expect(yield* recordOf(kept.payment_id)).toMatchObject({ status: "completed" })
      expect(yield* itemsOf(kept.payment_id)).toEqual([])
      yield* kept.reportDispute()
      expect(yield* itemsOf(kept.payment_id)).toEqual([])
    })
  )

  it.effect("are named by their item where a refund waits for an operator as well", () =>
    Effect.gen(function* () {
      const { payment_id, reportDispute } = yield* disputed("BE")
      stripe.will({ refund: accepts() })
      expect((yield* act(payment_id, { action: "refund", amount: 500 })).status).toBe(200)
      yield* reportDispute()
      const [item] = yield* itemsOf(payment_id)
      yield* resolvesAs(payment_id, "completed", "the dispute is of another payment", String(item?.["item_id"]))
      expect(yield* itemsOf(payment_id)).toEqual([])
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
    })
  )

  it.effect("wait for an operator beside a payment that is still under way", () =>
    Effect.gen(function* () {
      const { callsBack, payment_id, reportDispute } = yield* disputed("AT", "processing")
      yield* reportDispute()
      yield* callsBack("yes", "completed")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "unknown_outcome", detail }])
      const callbacks = (yield* timelineOf(payment_id)).filter(({ kind }) => kind === "callback")
      expect(callbacks.length).toBeGreaterThan(1)
    })
  )
})
