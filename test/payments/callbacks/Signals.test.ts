/** Reports about an attempt that come early, late, unverified or unreadable: none moves money twice, and none is lost. */
import { expect } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { Accepted, Report } from "../../../src/domain/Outcome.ts"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { StatusPoller } from "../../../src/payments/callbacks/StatusPoller.ts"
import { post } from "../../support/Send.ts"
import { people } from "../../support/TestCredentials.ts"
import type { TestServer } from "../../support/TestServer.ts"
import { act, actable } from "../support/ActionCalls.ts"
import {
  attemptsOf,
  callBack,
  eventually,
  initiate,
  jsonOf,
  queueOf,
  recordOf,
  untilStatus
} from "../support/PaymentCalls.ts"
import { movableClock, timePasses } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard, kenyanPhone, payoutByPhone } from "../support/Requests.ts"
import { accepts, isLost, reports } from "../support/ScriptedProvider.ts"
import { later } from "../support/PayinBalances.ts"

const make = () => {
  const stripe = actable("stripe")
  const clock = movableClock()
  return { stripe, clock, providers: [stripe] }
}

onDatabasePaymentServer("Signals", make, (it, { clock, stripe }) => {
  const newBeneficiary = Effect.gen(function* () {
    const { acme } = yield* people
    const answer = yield* post("/v1/beneficiaries", { ...acme.key }, kenyanPhone())
    return (jsonOf(answer) as { readonly data: { readonly beneficiary_id: string } }).data.beneficiary_id
  })

  /** A payout whose answer is lost: its money is held. */
  const lostPayout = (country: string) =>
    Effect.gen(function* () {
      yield* serveCountry(country, ["stripe"], "mobile_money", "outbound")
      stripe.on(`payout ${country}`, isLost())
      const request = payoutByPhone(yield* newBeneficiary)
      const { payment_id } = yield* initiate({ ...request, country, description: `payout ${country}` })
      const [attempt] = yield* attemptsOf(payment_id)
      return { payment_id, reference: String(attempt?.["attempt_id"]) }
    })

  it.effect("a hint leads to an enquiry in its turn: what the provider has no trace of yet is not failed", () =>
    Effect.gen(function* () {
      const { payment_id, reference } = yield* lostPayout("KE")
      const asked = () => stripe.enquiries.filter((one) => one.reference === reference).length
      const hint = (n: number) => callBack("stripe", { key: `hint ${n}`, reference, state: null })
      expect((yield* hint(1)).status).toBe(200)
      yield* eventually(Effect.sync(asked), (times) => times === 1)
      yield* Effect.forEach(
        Array.from({ length: 10 }, (_, n) => n + 2),
        hint
      )
      yield* later(clock, 0)
      expect(asked(), "hints are not answered one by one").toBe(1)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending" })
      stripe.says(reference, reports("completed"))
      yield* later(clock, 16)
      yield* untilStatus(payment_id, "completed")
    })
  )

  it.effect(
    "an answer after the payment was given up is not reported as a refusal, and its money waits for an operator",
    () =>
      Effect.gen(function* () {
        yield* serveCountry("FR", ["stripe"])
        const before = stripe.orders.length
        // The instance is held up between the commit of its attempt and the call.
        const paused = { ...byCard(), country: "FR", description: "held up" }
        const started = yield* Deferred.make<void>()
        const resumed = yield* Deferred.make<void>()
        stripe.on("held up", () =>
          Effect.gen(function* () {
            yield* Deferred.succeed(started, undefined)
            yield* Deferred.await(resumed)
            return new Accepted({ ...accepts({ state: "completed" }) })
          })
        )
        const call = yield* Effect.fork(initiate(paused))
        yield* Deferred.await(started)
        const [order] = stripe.orders.slice(before)
        yield* timePasses(clock, "75 seconds")
        // Another instance asks meanwhile: the provider has no trace of it, and it is long enough ago to be believed.
        yield* Effect.flatMap(StatusPoller, ({ runOnce }) => runOnce)
        yield* untilStatus(order!.paymentId, "failed")
        yield* Deferred.succeed(resumed, undefined)
        const answer = yield* call
        expect(answer.status, "no answer says that nothing was moved").toBe(200)
        expect(answer.response).toMatchObject({ status: "failed", success: false })
        const items = yield* eventually(queueOf(), (all) => all.some((item) => item["payment_id"] === order!.paymentId))
        expect(items.filter((item) => item["payment_id"] === order!.paymentId)).toMatchObject([{ kind: "suspense" }])
      })
  )

  it.effect("a callback that comes before the provider's own id is known is kept, and applied when it is", () =>
    Effect.gen(function* () {
      yield* serveCountry("DE", ["stripe"])
      const context = yield* Effect.context<TestServer>()
      const callBackHere = (words: Parameters<typeof callBack>[1]) => Effect.provide(callBack("stripe", words), context)
      stripe.on("early", () =>
        Effect.gen(function* () {
          const early = { key: "early bird", reference: null, providerPaymentId: "pi_early", state: "completed" }
          expect((yield* Effect.orDie(callBackHere(early))).status).toBe(202)
          return accepts({ providerPaymentId: "pi_early" })
        })
      )
      const { payment_id } = yield* initiate({ ...byCard(), country: "DE", description: "early" })
      yield* Effect.flatMap(Callbacks, ({ applyMatched }) => applyMatched)
      yield* untilStatus(payment_id, "completed")
      const again = yield* callBack("stripe", {
        key: "early bird",
        reference: null,
        providerPaymentId: "pi_early",
        state: "completed"
      })
      expect(jsonOf(again)["message"]).toBe("seen before")
    })
  )

  it.effect("text that a database refuses is cleaned at the port, in answers, callbacks and look-ups", () =>
    Effect.gen(function* () {
      const bad = "no\u0000 \uD800 funds"
      yield* serveCountry("NL", ["stripe"])
      stripe.on("bad answer", accepts({ providerStatus: bad, providerData: { note: bad } }))
      const { payment_id, status } = yield* initiate({ ...byCard(), country: "NL", description: "bad answer" })
      expect(status).toBe(200)
      const [attempt] = yield* attemptsOf(payment_id)
      const reference = String(attempt?.["attempt_id"])
      const answer = yield* callBack("stripe", { key: `bad ${bad}`, reference, state: "failed", reason: bad })
      expect(answer.status).toBe(200)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "failed" })
      stripe.on("bad look-up", isLost(bad))
      const lost = yield* initiate({ ...byCard(), country: "NL", description: "bad look-up" })
      const [silent] = yield* attemptsOf(lost.payment_id)
      const said = { state: "failed", reason: bad, providerPaymentId: bad, providerStatus: bad } as const
      stripe.says(String(silent?.["attempt_id"]), new Report(said))
      yield* later(clock, 11)
      yield* untilStatus(lost.payment_id, "failed")
    })
  )

  it.effect(
    "a payment that waits for its customer, whose instructions were lost, gets them again or goes to an operator",
    () =>
      Effect.gen(function* () {
        yield* serveCountry("BE", ["stripe"])
        const lostIn = (description: string, report: Report) =>
          Effect.gen(function* () {
            stripe.on(description, isLost())
            const { payment_id } = yield* initiate({ ...byCard(), country: "BE", description })
            const [attempt] = yield* attemptsOf(payment_id)
            stripe.says(String(attempt?.["attempt_id"]), report)
            return payment_id
          })
        const pending = { state: "pending", reason: null, providerPaymentId: null, providerStatus: "waiting" } as const
        const waitsFor = { nextAction: "redirect" as const, actionData: { redirect_url: "https://pay.example/1" } }
        const reported = yield* lostIn("says it again", new Report({ ...pending, waitsFor }))
        const untold = yield* lostIn("cannot say it again", new Report(pending))
        yield* later(clock, 11)
        yield* eventually(
          recordOf(reported),
          (record) => record["instructions"] === "Send the customer to https://pay.example/1."
        )
        const items = yield* eventually(queueOf(), (all) => all.some((item) => item["payment_id"] === untold))
        expect(items.filter((item) => item["payment_id"] === untold)).toMatchObject([{ kind: "unknown_outcome" }])
        expect(items.filter((item) => item["payment_id"] === reported)).toEqual([])
      })
  )

  it.effect("while what became of a refund is not known, no other refund starts", () =>
    Effect.gen(function* () {
      yield* serveCountry("PT", ["stripe"])
      stripe.on("refund me", accepts({ state: "completed" }))
      const { payment_id } = yield* initiate({ ...byCard(), country: "PT", description: "refund me" })
      stripe.will({ refund: isLost() })
      expect((yield* act(payment_id, { action: "refund", amount: 100 })).status).toBe(200)
      const second = yield* act(payment_id, { action: "refund", amount: 100 })
      expect(second.status).toBe(409)
      expect(String(second.body["message"])).toContain("earlier refund")
    })
  )
})
