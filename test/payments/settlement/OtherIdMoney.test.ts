/** Money that this account's own provider proves to have, under an id other than the attempt's: nothing real is dropped. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { Enquiries } from "../../../src/payments/callbacks/Enquiries.ts"
import { backends } from "../../support/Stores.ts"
import { cardPayer } from "../support/CardPayer.ts"
import { timePasses } from "../support/PaymentServices.ts"
import { accepts, PROOF, reports } from "../support/ScriptedProvider.ts"

describe.each(backends)("a proved payment under another id, on %s", (backend) => {
  it.live("of a payin that failed waits in suspense for a person", () =>
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
        yield* Effect.flatMap(Enquiries, ({ runOnce }) => runOnce).pipe(Effect.provide(here))
      }
      const payment = Option.getOrThrow(yield* store.find(Option.none(), payment_id))
      expect(payment.status).toBe("failed")
      expect((yield* store.story(payment)).items, "12 days later").toMatchObject([{ kind: "suspense" }])
    }).pipe(Effect.scoped)
  )
})
