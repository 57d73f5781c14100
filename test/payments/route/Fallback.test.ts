/** Fallback between providers: only after a refusal, never after silence, and past an open circuit. */
import { expect } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import { type Cast, people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import {
  attemptsOf,
  callBack,
  eventually,
  initiate,
  type Json,
  jsonOf,
  queueOf,
  recordOf,
  timelineOf,
  untilStatus
} from "../support/PaymentCalls.ts"
import { eventsOf, movableClock, timePasses } from "../support/PaymentServices.ts"
import { suspenseOf } from "../support/PayinBalances.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard, kenyanPhone, payoutByPhone } from "../support/Requests.ts"
import { accepts, declines, isLost, scripted } from "../support/ScriptedProvider.ts"

const KES = CurrencyCode.make("KES")

const inCountry = (country: string, description: string) => ({ ...byCard(), country, description })

const make = () => ({
  clock: movableClock(),
  stripe: scripted("stripe"),
  adyen: scripted("adyen"),
  paypal: scripted("paypal", { honoursReference: true }),
  variables: { PROVIDER_TIMEOUT: "2 seconds" }
})

const preview = (request: object, org?: Cast) =>
  Effect.gen(function* () {
    const { key } = org ?? (yield* people).acme
    const answer = yield* post("/v1/payments-init/route-preview", { ...key }, request)
    expect(answer.status).toBe(200)
    const { data } = jsonOf(answer) as unknown as {
      readonly data: { readonly candidates: ReadonlyArray<Json>; readonly excluded: ReadonlyArray<Json> }
    }
    return data
  })

const whoIsAsked = ({ candidates }: { readonly candidates: ReadonlyArray<Json> }) =>
  candidates.map((candidate) => candidate["provider"])

onDatabasePaymentServer(
  "Fallback",
  () => {
    const made = make()
    return { ...made, providers: [made.stripe, made.adyen, made.paypal] }
  },
  (it, { adyen, clock, paypal, stripe }) => {
    it.effect("goes on to the next provider after a refusal, with both attempts in the timeline", () =>
      Effect.gen(function* () {
        yield* serveCountry("FR", ["stripe", "fiat"])
        stripe.on("declined first", declines("do not honour"))
        const { payment_id, response, status } = yield* initiate(inCountry("FR", "declined first"))
        expect(status).toBe(200)
        expect(response).toMatchObject({ status: "processing", provider: "fiat" })
        expect(stripe.timesAsked(payment_id)).toBe(1)
        const attempts = yield* attemptsOf(payment_id)
        expect(attempts.map((one) => [one["provider"], one["outcome"], one["reason"]])).toEqual([
          ["stripe", "declined", "do not honour"],
          ["fiat", "accepted", null]
        ])
        expect(yield* untilStatus(payment_id, "completed")).toMatchObject({
          provider: "fiat",
          payment_path_method: "direct"
        })
        const types = (yield* eventsOf(payment_id)).map((event) => event.event_type)
        expect(types.toSorted()).toEqual([
          "payment.completed",
          "payment.processing",
          "transaction.updated",
          "transaction.updated"
        ])
      })
    )

    it.effect("asks every provider in turn, and fails only when all declined", () =>
      Effect.gen(function* () {
        yield* serveCountry("DE", ["stripe", "adyen", "paypal"])
        for (const provider of [stripe, adyen, paypal]) provider.on("all decline", declines(`no from ${provider.name}`))
        const { body, payment_id, status } = yield* initiate(inCountry("DE", "all decline"))
        expect(status).toBe(502)
        expect(body["code"]).toBe("ALL_PROVIDERS_FAILED")
        const attempts = yield* attemptsOf(payment_id)
        expect(attempts.map((one) => one["reason"])).toEqual(["no from stripe", "no from adyen", "no from paypal"])
        expect(yield* recordOf(payment_id)).toMatchObject({
          status: "failed",
          provider: null,
          payment_path_method: null
        })
        const types = (yield* eventsOf(payment_id)).map((event) => event.event_type)
        expect(types.toSorted()).toEqual(["payment.failed", "transaction.updated"])
      })
    )

    it.effect("never asks another after silence, a lost answer or an answer that cannot be read", () =>
      Effect.gen(function* () {
        yield* serveCountry("IT", ["stripe", "adyen"])
        const acts = {
          "never answers": Effect.never,
          "loses the answer": isLost("socket hang up"),
          "is broken": Effect.die(new Error("unexpected token < in JSON"))
        }
        for (const [description, act] of Object.entries(acts)) {
          stripe.on(description, act)
          adyen.on(description, accepts())
        }
        const asked = yield* Effect.forEach(
          Object.keys(acts),
          (description) => initiate(inCountry("IT", description)),
          { concurrency: "unbounded" }
        )
        for (const { payment_id, response, status } of asked) {
          expect(status).toBe(200)
          expect(response).toMatchObject({
            status: "pending",
            next_action: "check_status",
            provider: "stripe",
            success: true
          })
          expect(stripe.timesAsked(payment_id)).toBe(1)
          expect(adyen.timesAsked(payment_id)).toBe(0)
          expect(yield* attemptsOf(payment_id)).toMatchObject([{ provider: "stripe", outcome: "unknown" }])
          const types = (yield* eventsOf(payment_id)).map((event) => event.event_type)
          expect(types.toSorted()).toEqual(["payment.processing", "transaction.updated"])
        }
        const reasons = yield* Effect.forEach(asked, ({ payment_id }) =>
          Effect.map(attemptsOf(payment_id), (all) => all[0]?.["reason"])
        )
        expect(reasons).toEqual(["no answer within 2s", "socket hang up", "its answer could not be read"])
      })
    )

    it.effect("asks again with the same reference where the provider honours it, and only there", () =>
      Effect.gen(function* () {
        yield* serveCountry("ES", ["paypal"])
        let times = 0
        paypal.on("lost once", () => Effect.sync(() => (++times === 1 ? isLost() : accepts())))
        const { payment_id, response } = yield* initiate(inCountry("ES", "lost once"))
        expect(response).toMatchObject({ status: "processing", provider: "paypal" })
        const references = paypal.orders
          .filter((order) => order.paymentId === payment_id)
          .map((order) => order.reference)
        expect(references).toHaveLength(2)
        expect(new Set(references).size).toBe(1)
        expect(yield* attemptsOf(payment_id)).toHaveLength(1)
      })
    )

    it.effect("gives a provider the reference of an attempt that is already committed", () =>
      Effect.gen(function* () {
        yield* serveCountry("PT", ["stripe", "adyen"])
        const release = yield* Deferred.make<void>()
        stripe.on("watched", declines())
        adyen.on("watched", Effect.as(Deferred.await(release), accepts()))
        const waiting = yield* Effect.fork(initiate({ ...inCountry("PT", "watched"), client_reference: "watched" }))
        const order = yield* eventually(
          Effect.sync(() => adyen.orders.find((one) => one.description === "watched")),
          (found) => found !== undefined
        )
        const attempts = yield* attemptsOf(order!.paymentId)
        expect(attempts.map((one) => [one["attempt_id"], one["outcome"]])).toContainEqual([order!.reference, null])
        yield* Deferred.succeed(release, undefined)
        expect((yield* waiting).response).toMatchObject({ status: "processing", provider: "adyen" })
      })
    )

    it.effect("answers with the payment's state where a callback had failed it before the refusal", () =>
      Effect.gen(function* () {
        yield* serveCountry("FI", ["stripe", "adyen"])
        const release = yield* Deferred.make<void>()
        stripe.on("called back first", Effect.as(Deferred.await(release), declines()))
        const waiting = yield* Effect.fork(initiate(inCountry("FI", "called back first")))
        const order = yield* eventually(
          Effect.sync(() => stripe.orders.find((one) => one.description === "called back first")),
          (found) => found !== undefined
        )
        const { paymentId, reference } = order!
        yield* callBack("stripe", { key: "early failure", reference, state: "failed" })
        expect(yield* recordOf(paymentId)).toMatchObject({ status: "failed" })
        yield* Deferred.succeed(release, undefined)
        const { response, status } = yield* waiting
        expect(adyen.timesAsked(paymentId), "the payment is over").toBe(0)
        expect(status, "not every provider declined").toBe(200)
        expect(response).toMatchObject({ payment_id: paymentId, status: "failed" })
      })
    )

    it.effect("lets a refused provider's later reports change nothing of the payment that another has", () =>
      Effect.gen(function* () {
        yield* serveCountry("NL", ["stripe", "adyen"])
        stripe.on("second thoughts", declines())
        adyen.on("second thoughts", accepts({ providerPaymentId: "adyen-1", providerStatus: "Authorised" }))
        const { payment_id } = yield* initiate(inCountry("NL", "second thoughts"))
        const [refused, taken] = (yield* attemptsOf(payment_id)).map((one) => String(one["attempt_id"]))
        const say = (state: string) =>
          callBack("stripe", { key: `${payment_id} ${state}`, reference: refused!, state, providerPaymentId: "pi_1" })
        for (const state of ["failed", "pending", "processing"]) {
          expect((yield* say(state)).status).toBe(200)
          expect(yield* recordOf(payment_id)).toMatchObject({
            status: "processing",
            provider: "adyen",
            provider_payment_id: "adyen-1",
            provider_status: "Authorised",
            comments: null
          })
        }
        expect(
          (yield* callBack("adyen", { key: `${payment_id} ok`, reference: taken!, state: "completed" })).status
        ).toBe(200)
        expect((yield* say("completed")).status, "money that a refusal had ruled out").toBe(200)
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed", provider: "adyen" })
        expect(yield* suspenseOf(payment_id)).toEqual(["1500.00 KES"])
        const items = (yield* queueOf()).filter((item) => item["payment_id"] === payment_id)
        expect(items).toMatchObject([{ kind: "suspense", attempt_id: refused }])
        const outcomes = (yield* attemptsOf(payment_id)).map((one) => one["outcome"])
        expect(outcomes).toEqual(["declined", "accepted"])
      })
    )

    it.effect("leaves a provider alone after ten silences in a row, says why, and tries it once after 30 s", () =>
      Effect.gen(function* () {
        yield* serveCountry("BE", ["paypal", "adyen"])
        const request = inCountry("BE", "silent for a while")
        let answers = false
        let calls = 0
        const probe = yield* Deferred.make<void>()
        paypal.on("silent for a while", () =>
          Effect.suspend(() => {
            calls += 1
            return answers ? Effect.as(Deferred.await(probe), accepts()) : Effect.die("no verdict")
          })
        )
        adyen.on("silent for a while", accepts())
        for (let nth = 1; nth <= 9; nth++) yield* initiate(request)
        expect(whoIsAsked(yield* preview(request)), "nine are not ten").toEqual(["paypal", "adyen"])
        expect((yield* initiate(request)).response["provider"]).toBe("paypal")
        const open = yield* preview(request)
        expect(whoIsAsked(open)).toEqual(["adyen"])
        expect(open.excluded).toMatchObject([
          { provider: "paypal", reason: "The provider paypal did not answer repeatedly: its circuit breaker is open." }
        ])
        expect((yield* initiate(request)).response["provider"]).toBe("adyen")
        expect(calls).toBe(10)
        const { globex } = yield* people
        expect(whoIsAsked(yield* preview(request, globex)), "what one organisation met is nothing to another").toEqual([
          "paypal",
          "adyen"
        ])

        yield* timePasses(clock, "31 seconds")
        answers = true
        expect(whoIsAsked(yield* preview(request))).toEqual(["paypal", "adyen"])
        const first = yield* Effect.fork(initiate(request))
        yield* eventually(
          Effect.sync(() => calls),
          (seen) => seen === 11
        )
        expect((yield* initiate(request)).response["provider"], "one probe at a time").toBe("adyen")
        yield* Deferred.succeed(probe, undefined)
        expect((yield* first).response["provider"]).toBe("paypal")
        expect((yield* initiate(request)).response["provider"], "closed again").toBe("paypal")
      })
    )

    it.effect(
      "has a provider that is left alone tried by the next payment where the one that was to try it is refused",
      () =>
        Effect.gen(function* () {
          const { acme } = yield* people
          const ledger = yield* LedgerStore
          yield* serveCountry("KE", ["paypal"], "mobile_money", "outbound")
          const made = jsonOf(yield* post("/v1/beneficiaries", { ...acme.key }, kenyanPhone()))["data"] as Json
          const request = { ...payoutByPhone(String(made["beneficiary_id"])), description: "paid out" }
          paypal.on("paid out", isLost())
          for (let nth = 1; nth <= 10; nth++) yield* initiate(request)
          expect(whoIsAsked(yield* preview(request))).toEqual(["fiat"])
          yield* timePasses(clock, "31 seconds")
          paypal.on("paid out", accepts({ state: "completed" }))
          const limit = (amount: string | null) =>
            ledger.setLimit({
              org_id: acme.org_id,
              currency: KES,
              credit_limit: amount === null ? null : moneyOf(amount, KES)
            })
          yield* limit("20000")
          const tooMuch = { ...request, amount: 10_000, target_amount: 10_000 }
          expect(yield* initiate(tooMuch)).toMatchObject({ status: 409, body: { code: "INSUFFICIENT_FUNDS" } })
          yield* limit(null)
          expect((yield* initiate(request)).response["provider"]).toBe("paypal")
        })
    )

    it.effect("still asks a provider that is left alone when there is no other", () =>
      Effect.gen(function* () {
        yield* serveCountry("AT", ["stripe"])
        stripe.on("alone", isLost())
        for (let nth = 0; nth < 11; nth++) yield* initiate(inCountry("AT", "alone"))
        stripe.on("alone", accepts())
        const { payment_id, response } = yield* initiate(inCountry("AT", "alone"))
        expect(response).toMatchObject({ status: "processing", provider: "stripe" })
        const reported = yield* timelineOf(payment_id)
        expect(reported.at(0)).toMatchObject({ kind: "status", to: "initiated" })
      })
    )

    it.effect("previews without a payment or a call to a provider", () =>
      Effect.gen(function* () {
        yield* serveCountry("CH", ["adyen", "coinbase"])
        const before = adyen.orders.length
        const route = yield* preview(inCountry("CH", "preview"))
        expect(whoIsAsked(route)).toEqual(["adyen"])
        expect(route.excluded).toMatchObject([
          { provider: "coinbase", reason: expect.stringContaining("not switched on") as unknown }
        ])
        expect(adyen.orders.length).toBe(before)
      })
    )

    it.effect("says of no two providers that they were asked at the same time", () =>
      Effect.gen(function* () {
        yield* serveCountry("SE", ["stripe", "adyen", "paypal"])
        for (const provider of [stripe, adyen, paypal]) provider.on("one by one", declines("no"))
        const all = yield* Effect.replicateEffect(initiate(inCountry("SE", "one by one")), 12, { concurrency: 12 })
        for (const { payment_id } of all) {
          const attempts = yield* attemptsOf(payment_id)
          expect(attempts).toHaveLength(3)
          const times = attempts.flatMap((one) => {
            const at = Date.parse(String(one["at"]))
            return [at, at + Number(one["latency_ms"])]
          })
          expect(times).toEqual(times.toSorted((a, b) => a - b))
        }
      })
    )
  }
)
