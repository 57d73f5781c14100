/** A refused card is refused everywhere: no other provider is asked, and the record keeps the reason. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Declined } from "../../../src/domain/Outcome.ts"
import { attemptsOf, initiate, recordOf } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, scripted } from "../support/ScriptedProvider.ts"

onDatabasePaymentServer(
  "a refused instrument",
  () => {
    const [stripe, adyen] = [scripted("stripe"), scripted("adyen")]
    return { stripe, adyen, providers: [stripe, adyen] }
  },
  (it, { adyen, stripe }) => {
    it.effect("ends the payment", () =>
      Effect.gen(function* () {
        yield* serveCountry("FR", ["stripe", "adyen"])
        const stolen = { reason: "the card was reported stolen", providerCode: "stolen_card" }
        stripe.on("stolen", new Declined({ ...stolen, code: "CARD_DECLINED", instrument: true }))
        adyen.on("stolen", accepts())
        const { body, payment_id, status } = yield* initiate({ ...byCard(), country: "FR", description: "stolen" })
        expect(status).toBe(502)
        expect(body).toMatchObject({ code: "ALL_PROVIDERS_FAILED" })
        expect(adyen.timesAsked(payment_id)).toBe(0)
        expect(yield* recordOf(payment_id)).toMatchObject({
          status: "failed",
          failure: { code: "CARD_DECLINED", provider: "stripe" }
        })
        const [attempt] = yield* attemptsOf(payment_id)
        expect(attempt).toMatchObject({
          outcome: "declined",
          reason: expect.stringMatching(/reported stolen.*\bstolen_card\b/)
        })
      })
    )

    it.effect("is not the reason where another provider had declined before", () =>
      Effect.gen(function* () {
        yield* serveCountry("ES", ["stripe", "adyen"])
        stripe.on("second", new Declined({ reason: "asked too often", code: "PROVIDER_BUSY" }))
        adyen.on("second", new Declined({ reason: "the card was reported lost", instrument: true }))
        const { body, payment_id } = yield* initiate({ ...byCard(), country: "ES", description: "second" })
        expect([stripe.timesAsked(payment_id), adyen.timesAsked(payment_id)]).toEqual([1, 1])
        expect(body["message"]).toContain("the card was reported lost")
      })
    )

    it.effect("is distinguished from a fault of the provider itself", () =>
      Effect.gen(function* () {
        yield* serveCountry("DE", ["stripe", "adyen"])
        stripe.on("busy", new Declined({ reason: "asked too often", code: "PROVIDER_BUSY", providerCode: "429" }))
        adyen.on("busy", accepts())
        const { payment_id, response } = yield* initiate({ ...byCard(), country: "DE", description: "busy" })
        expect(response).toMatchObject({ provider: "adyen" })
        expect(adyen.timesAsked(payment_id)).toBe(1)
      })
    )
  }
)
