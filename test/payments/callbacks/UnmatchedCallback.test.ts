/** Callbacks that came too early are recorded once, however many instances match their payment at the same moment. */
import { expect } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Deferred, Effect, Fiber, Option, Schedule, TestServices } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { RecordOutcome } from "../../../src/payments/settlement/RecordOutcome.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { callBack, initiate, eventsOfType } from "../support/PaymentCalls.ts"
import { suspenseOf, threeProviders } from "../support/PayinBalances.ts"
import { onPaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts } from "../support/ScriptedProvider.ts"

for (const backend of ["memory", "PostgreSQL"] as const) {
  const made = threeProviders()
  const { stripe } = made
  onPaymentServer("an unmatched callback", backend, made, (it) => {
    /** A part was taken back before anybody knew the payment by its provider's id. */
    const disputed = (country: string, credential?: Credential) =>
      Effect.gen(function* () {
        yield* serveCountry(country, ["stripe"])
        const providerPaymentId = `pi_${country}`
        const taken = { amount: "400.00", currency: "KES" }
        yield* callBack("stripe", { key: country, reference: null, providerPaymentId, state: "returned", taken })
        stripe.on(country, accepts({ providerPaymentId, state: "completed" }))
        const initiated = yield* initiate({ ...byCard(), country, description: country }, credential)
        const { reference } = stripe.orders.find(({ paymentId }) => paymentId === initiated.payment_id)!
        stripe.funds.shrank(reference, country, moneyOf(taken.amount, CurrencyCode.make(taken.currency)))
        return initiated
      })

    it.effect("is recorded once by instances that look at the same time", () =>
      Effect.gen(function* () {
        const { payment_id } = yield* disputed("IT")
        const { applyMatched } = yield* Callbacks
        yield* Effect.all([applyMatched, applyMatched, applyMatched], { concurrency: "unbounded" })
        expect(yield* suspenseOf(payment_id)).toEqual(["-400.00 KES"])
        const reported = (yield* eventsOfType(payment_id, "transaction.updated")).filter((one) => "dispute" in one)
        expect(reported).toHaveLength(1)
      })
    )

    it.effect("is recorded once by an instance that was held up after finding it", () =>
      Effect.gen(function* () {
        const { payment_id } = yield* disputed("ES")
        const { matchedCallbacks } = yield* PaymentStore
        const found = yield* matchedCallbacks(100)
        const { applyMatched } = yield* Callbacks
        yield* applyMatched
        const { recordByAttempt } = yield* RecordOutcome
        for (const { attempt_id, callback: unmatched } of found) {
          const callback = {
            provider: unmatched.provider,
            key: unmatched.event_key,
            unmatchedId: unmatched.callback_id
          }
          const recorded = yield* recordByAttempt({ attempt_id, org_id: null }, unmatched.signal, {
            cause: "held up",
            callback
          })
          expect(recorded.payment).toMatchObject({ payment_id, status: "completed" })
        }
        expect(yield* suspenseOf(payment_id)).toEqual(["-400.00 KES"])
      })
    )

    if (backend === "memory") return
    it.effect("is recorded while the row of another organisation's payment is locked", () =>
      Effect.gen(function* () {
        const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
        const { acme, globex } = yield* people
        const held = yield* disputed("DE", globex.key)
        const others = yield* Effect.forEach(["FR", "NL", "BE", "PT", "AT", "IE", "FI"], (country) =>
          disputed(country, acme.key)
        )
        const [taken, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holding = sql.withTransaction(
          sql`select from payments where payment_id = ${held.payment_id} for update`.pipe(
            Effect.zipRight(Deferred.succeed(taken, undefined)),
            Effect.zipRight(Deferred.await(over))
          )
        )
        const holder = yield* Effect.forkDaemon(holding)
        yield* Deferred.await(taken)
        const { applyMatched } = yield* Callbacks
        const applying = yield* Effect.forkDaemon(applyMatched)
        const suspense = Effect.forEach(others, ({ payment_id }) => suspenseOf(payment_id))
        const recorded = yield* TestServices.provideLive(
          suspense.pipe(
            Effect.repeat({
              until: (entries) => entries.every((one) => one.length === 1),
              schedule: Schedule.spaced("50 millis")
            }),
            Effect.timeoutOption("3 seconds")
          )
        )
        yield* Deferred.succeed(over, undefined)
        expect(Option.isSome(recorded)).toBe(true)
        yield* Fiber.join(holder)
        yield* Fiber.join(applying)
        expect(yield* suspenseOf(held.payment_id)).toEqual(["-400.00 KES"])
      })
    )
  })
}
