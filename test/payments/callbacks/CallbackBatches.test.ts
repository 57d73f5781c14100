/** Callbacks about several payments at once, and callbacks that arrive before their payment is known. */
import { expect } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { Report } from "../../../src/domain/Outcome.ts"
import { type CallbackEvent, type CallbackRequest, VerifiedReport } from "../../../src/providers/port/Callback.ts"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { RecordOutcome } from "../../../src/payments/settlement/RecordOutcome.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { idFrom } from "../../support/AnyId.ts"
import { send } from "../../support/Send.ts"
import { callBack, initiate, recordOf, untilStatus } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, PROOF, scripted } from "../support/ScriptedProvider.ts"

const FOUL = "foul"

/** More than any column takes. */
const beyond = new Money({ currency: CurrencyCode.make("KES"), minor: 10n ** 140_000n })
const collection = { kind: "collection", id: "beyond", amount: beyond, state: "settled" } as const

const fouled = (event: CallbackEvent): CallbackEvent =>
  event._tag === "VerifiedReport" && event.key === FOUL
    ? new VerifiedReport({ ...event, report: new Report({ ...event.report, movements: [collection] }) })
    : event

const make = () => {
  const one = scripted("adyen")
  const adyen = {
    ...one,
    callback: (request: CallbackRequest) =>
      Effect.forEach(JSON.parse(request.body.toString("utf8")) as ReadonlyArray<unknown>, (words) =>
        one.callback({ ...request, body: Buffer.from(JSON.stringify(words)) })
      ).pipe(Effect.map((all) => ({ events: all.flatMap(({ events }) => events.map(fouled)) })))
  }
  const stripe = scripted("stripe")
  return { adyen, stripe, providers: [adyen, stripe] }
}

onDatabasePaymentServer("a callback", make, (it, { adyen, stripe }) => {
  const taken = (country: string) =>
    Effect.gen(function* () {
      yield* serveCountry(country, ["adyen"])
      adyen.on(`in ${country}`, accepts())
      const { payment_id } = yield* initiate({ ...byCard(), country, description: `in ${country}` })
      return { payment_id, reference: adyen.orders.find((order) => order.paymentId === payment_id)!.reference }
    })

  it.effect("of which one part cannot be written down is not taken, and the other parts are", () =>
    Effect.gen(function* () {
      const [before, foul, after] = [yield* taken("FR"), yield* taken("DE"), yield* taken("ES")]
      const parts = [
        { key: "before", reference: before.reference, state: "completed" },
        { key: FOUL, reference: foul.reference, state: "completed" },
        { key: "after", reference: after.reference, state: "completed" }
      ]
      const call = send("/callbacks/adyen", {
        method: "POST",
        headers: { "content-type": "application/json", ...PROOF },
        body: JSON.stringify(parts)
      })
      expect((yield* call).status, "it is to come again").toBe(500)
      expect(yield* recordOf(before.payment_id)).toMatchObject({ status: "completed" })
      expect(yield* recordOf(after.payment_id)).toMatchObject({ status: "completed" })
      const reference = foul.reference
      yield* send("/callbacks/adyen", {
        method: "POST",
        headers: { "content-type": "application/json", ...PROOF },
        body: JSON.stringify([{ key: "short", reference, state: "completed" }])
      })
      yield* untilStatus(foul.payment_id, "completed")
    })
  )

  it.effect("that names an attempt of another provider says nothing of it", () =>
    Effect.gen(function* () {
      const { payment_id, reference } = yield* taken("PT")
      const words = { key: "of another", reference, state: "failed" }
      expect((yield* callBack("stripe", words)).status).toBe(202)
      expect((yield* callBack("stripe", { ...words, key: "both", providerPaymentId: "pi_other" })).status).toBe(202)
      const { applyMatched } = yield* Callbacks
      yield* applyMatched
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "processing" })
      const { findAttempt: known } = yield* PaymentStore
      const read = yield* Effect.flatten(known(idFrom(reference), null))
      const { record } = yield* RecordOutcome
      const failed = new Report({ state: "failed", reason: null, providerPaymentId: null, providerStatus: null })
      const misled = record(read, failed, { cause: "", callback: { provider: "stripe", key: "misled" } })
      expect(Exit.isFailure(yield* Effect.exit(misled)), "a caller that passes it on by mistake fails").toBe(true)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "processing" })
    })
  )

  it.effect("that comes too early is applied later, with the provider's costs and its receipts", () =>
    Effect.gen(function* () {
      yield* serveCountry("IT", ["stripe"])
      const fee = { amount: "12.50", currency: "KES" }
      const ids = { latest_charge: "ch_early" }
      const early = { key: "early", reference: null, providerPaymentId: "pi_early", state: "completed", fee, ids }
      expect((yield* callBack("stripe", early)).status).toBe(202)
      const providerData = { payment_intent: "pi_early" }
      stripe.on("early", accepts({ providerPaymentId: "pi_early", providerData }))
      const { payment_id } = yield* initiate({ ...byCard(), country: "IT", description: "early" })
      stripe.funds.reported(stripe.orders.find((order) => order.paymentId === payment_id)!.reference, "completed")
      yield* untilStatus(payment_id, "completed")
      const { provider_data } = yield* recordOf(payment_id)
      expect(provider_data).toEqual({ payment_intent: "pi_early", latest_charge: "ch_early", provider_fee: fee })
    })
  )
})
