/** A provider that refuses a payment, completes it after all, and calls it by nothing but its own id. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { attemptsOf, callBack, initiate, ofKind, recordOf, timelineOf } from "../support/PaymentCalls.ts"
import { itemsOf } from "../support/OperatorActions.ts"
import { suspenseOf, threeProviders } from "../support/PayinBalances.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, declines } from "../support/ScriptedProvider.ts"

onDatabasePaymentServer("refused, and called by its own id", threeProviders, (it, { adyen, stripe }) => {
  const refusedIn = (country: string, id: string) =>
    Effect.gen(function* () {
      yield* serveCountry(country, ["stripe", "adyen"])
      stripe.on(`refused in ${country}`, declines("insufficient funds", id))
      adyen.on(`refused in ${country}`, accepts({ state: "completed" }))
      const { payment_id } = yield* initiate({ ...byCard(), country, description: `refused in ${country}` })
      return payment_id
    })

  it.effect("its money waits for an operator, and no other provider is asked for it", () =>
    Effect.gen(function* () {
      const payment_id = yield* refusedIn("FR", "pi_refused")
      const asked = [stripe, adyen].map((one) => one.timesAsked(payment_id))
      expect(asked).toEqual([1, 1])
      const answer = yield* callBack("stripe", {
        key: "after all",
        reference: null,
        providerPaymentId: "pi_refused",
        state: "completed"
      })
      expect(answer.status).toBe(200)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed", provider: "adyen" })
      expect(yield* suspenseOf(payment_id)).toEqual(["1500.00 KES"])
      const [refused] = yield* attemptsOf(payment_id)
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "suspense", attempt_id: refused?.["attempt_id"] }])
      expect(ofKind(yield* timelineOf(payment_id), "callback")).toMatchObject([{ effect: "suspense" }])
      expect([stripe, adyen].map((one) => one.timesAsked(payment_id))).toEqual(asked)
    })
  )

  it.effect("nor is what came before the refusal lost", () =>
    Effect.gen(function* () {
      const early = { key: "early", reference: null, providerPaymentId: "pi_early", state: "completed" }
      expect((yield* callBack("stripe", early)).status, "it is kept").toBe(202)
      const payment_id = yield* refusedIn("DE", "pi_early")
      yield* Effect.flatMap(Callbacks, ({ applyMatched }) => applyMatched)
      expect(yield* suspenseOf(payment_id)).toEqual(["1500.00 KES"])
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "suspense" }])
      const [refused] = yield* attemptsOf(payment_id)
      stripe.funds.reported(String(refused?.["attempt_id"]), "completed")
    })
  )
})
