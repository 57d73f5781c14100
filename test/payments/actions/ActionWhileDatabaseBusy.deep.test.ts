/** Actions whose result cannot be written because the database is busy: no answer says that nothing was done. */
import { SqlClient } from "@effect/sql"
import { expect } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { initiate, recordOf } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts } from "../support/ScriptedProvider.ts"
import { act, actable } from "../support/ActionCalls.ts"

const make = () => {
  const stripe = actable("stripe")
  return { providers: [stripe], stripe }
}

onDatabasePaymentServer("An action that a provider was asked about", make, (it, { stripe }) => {
  const waiting = Effect.gen(function* () {
    yield* serveCountry("FR", ["stripe"])
    stripe.otherwise(accepts({ state: "pending", nextAction: "collect_otp" }))
    const { payment_id } = yield* initiate({ ...byCard(), country: "FR" })
    return payment_id
  })

  /** Holds the payment's row from the call to the provider until the test ends. */
  const whileHeld = <Verdict>(id: string, verdict: Verdict) =>
    Effect.gen(function* () {
      const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
      const [taken, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holding = sql.withTransaction(
        sql`select from payments where payment_id = ${id} for update`.pipe(
          Effect.zipRight(Deferred.succeed(taken, undefined)),
          Effect.zipRight(Deferred.await(over))
        )
      )
      const lateAnswer = Effect.forkDaemon(holding).pipe(Effect.zipRight(Deferred.await(taken)), Effect.as(verdict))
      return { lateAnswer, release: Deferred.succeed(over, undefined) }
    })

  const expectUnknownOutcome = (answer: Effect.Effect.Success<ReturnType<typeof act>>) => {
    expect(answer).toMatchObject({ status: 503, body: { code: "SERVICE_UNAVAILABLE" } })
    expect(answer.body["message"]).toMatch(/whether it was is unknown\. Look it up before you send it again/)
    expect(answer.headers["retry-after"]).toMatch(/^[1-9]\d*$/)
  }

  for (const verdict of ["accepted", "unknown"] as const) {
    it.effect(`does not claim that nothing was done for a one-time password that is ${verdict}`, () =>
      Effect.gen(function* () {
        const id = yield* waiting
        const { lateAnswer, release } = yield* whileHeld(id, verdict)
        stripe.will({ otp: lateAnswer })
        expectUnknownOutcome(yield* Effect.ensuring(act(id, { action: "submit_otp", otp: "123456" }), release))
        expect(yield* recordOf(id)).toMatchObject({ status: "pending" })
      })
    )
  }

  it.effect("does not claim that nothing was done for a cancellation that its provider confirmed", () =>
    Effect.gen(function* () {
      const id = yield* waiting
      const { lateAnswer, release } = yield* whileHeld(id, "canceled" as const)
      stripe.will({ cancel: lateAnswer })
      expectUnknownOutcome(yield* Effect.ensuring(act(id, { action: "cancel" }), release))
      expect(yield* recordOf(id)).toMatchObject({ status: "pending" })
    })
  )
})
