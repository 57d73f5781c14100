/** Callbacks of providers: verified, applied once, in any order, and never lost when they come too late. */
import { connect } from "node:net"
import { expect } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { people } from "../../support/TestCredentials.ts"
import { send } from "../../support/Send.ts"
import { TestServer } from "../../support/TestServer.ts"
import {
  attemptsOf,
  callBack,
  eventually,
  get,
  initiate,
  type Json,
  jsonOf,
  ofKind,
  queueOf,
  recordOf,
  timelineOf,
  untilStatus
} from "../support/PaymentCalls.ts"
import { suspenseOf } from "../support/PayinBalances.ts"
import { eventsOf } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard, byPhone } from "../support/Requests.ts"
import { accepts, isLost, PROOF, reports, scripted } from "../support/ScriptedProvider.ts"

const inCountry = (country: string, description: string) => ({ ...byCard(), country, description })

const messageOf = (answer: Parameters<typeof jsonOf>[0]) => jsonOf(answer)["message"]

onDatabasePaymentServer(
  "Callbacks",
  () => {
    const stripe = scripted("stripe")
    return { stripe, providers: [stripe] }
  },
  (it, { stripe }) => {
    /** A payment that stripe has, and the reference under which it has it. */
    const accepted = (country: string) =>
      Effect.gen(function* () {
        yield* serveCountry(country, ["stripe"])
        stripe.on(`accepted in ${country}`, accepts({ providerPaymentId: `pi_${country}` }))
        const { payment_id } = yield* initiate(inCountry(country, `accepted in ${country}`))
        const [attempt] = yield* attemptsOf(payment_id)
        return { payment_id, reference: String(attempt?.["attempt_id"]) }
      })

    it.effect("are refused without a signature, and accepted for payments we do not know", () =>
      Effect.gen(function* () {
        const { payment_id, reference } = yield* accepted("FR")
        const words = { key: "refused", reference, state: "completed" }
        const forgeries = [{}, { "x-proof": "forged" }]
        for (const headers of forgeries) {
          const answer = yield* callBack("stripe", words, { headers })
          expect(answer.status).toBe(401)
          expect(jsonOf(answer)).toEqual({ status: "error", message: expect.any(String) as unknown })
        }
        expect((yield* send("/callbacks/fiat", { method: "POST", body: "{}" })).status).toBe(401)
        for (const provider of ["adyen", "nobody", "STRIPE", "constructor"]) {
          expect((yield* callBack(provider, words)).status, provider).toBe(404)
        }
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "processing" })
        const unmatched = { key: "stray", reference: "0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88", state: "completed" }
        expect((yield* callBack("stripe", unmatched)).status).toBe(202)
        expect(messageOf(yield* callBack("stripe", unmatched))).toBe("seen before")
        expect((yield* callBack("stripe", { ...unmatched, key: "stray 2", reference: "not an id" })).status).toBe(202)
      })
    )

    it.effect("with proof are to come again where what they are about cannot be looked up now", () =>
      Effect.gen(function* () {
        const { payment_id, reference } = yield* accepted("MC")
        const words = { key: "later", reference, state: "completed" }
        const failing = callBack("stripe", words, { headers: { ...PROOF, "x-look-up": "fails" } })
        const answer = yield* failing
        expect([answer.status, Number(answer.headers["retry-after"]) > 0]).toEqual([503, true])
        expect(jsonOf(answer)).toEqual({
          status: "error",
          message: expect.stringMatching(/[Ss]end it again/) as unknown
        })
        expect((yield* callBack("stripe", words, { headers: { "x-look-up": "fails" } })).status).toBe(401)
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "processing" })
        expect(messageOf(yield* callBack("stripe", words))).toBe("applied")
      })
    )

    it.effect("of one provider do not reach another's attempts", () =>
      Effect.gen(function* () {
        const { payment_id } = yield* initiate(byPhone("+254712340002"))
        const [attempt] = yield* attemptsOf(payment_id)
        const reference = String(attempt?.["attempt_id"])
        expect((yield* callBack("stripe", { key: "foreign", reference, state: "completed" })).status).toBe(202)
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending" })
      })
    )

    it.effect("are applied once, whether sent by POST or PUT", () =>
      Effect.gen(function* () {
        const { payment_id, reference } = yield* accepted("DE")
        const words = { key: "once", reference, state: "completed" }
        const first = yield* callBack("stripe", words, { method: "PUT" })
        expect([first.status, messageOf(first)]).toEqual([200, "applied"])
        const record = yield* recordOf(payment_id)
        expect(record).toMatchObject({ status: "completed", webhook_metadata: { event_id: "once" } })
        const again = yield* callBack("stripe", words)
        expect([again.status, messageOf(again)]).toEqual([200, "seen before"])
        expect(yield* recordOf(payment_id)).toEqual(record)
        const items = yield* timelineOf(payment_id)
        expect(ofKind(items, "callback")).toMatchObject([{ event_id: "once", report: "completed", effect: "applied" }])
        const types = (yield* eventsOf(payment_id)).map((event) => event.event_type)
        expect(types.filter((type) => type === "payment.completed")).toHaveLength(1)
      })
    )

    it.effect("are applied once when twenty of one come at once", () =>
      Effect.gen(function* () {
        const { payment_id, reference } = yield* accepted("IT")
        const bystander = yield* accepted("CZ")
        const words = { key: "twenty", reference, state: "completed" }
        const other = callBack("stripe", { key: "bystander", reference: bystander.reference, state: "completed" })
        const answers = yield* Effect.all([...Array.from({ length: 20 }, () => callBack("stripe", words)), other], {
          concurrency: "unbounded"
        })
        expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 21 }, () => 200))
        expect(answers.slice(0, 20).filter((answer) => messageOf(answer) === "applied")).toHaveLength(1)
        const items = yield* timelineOf(payment_id)
        expect(ofKind(items, "callback")).toHaveLength(1)
        expect(items.filter((item) => item["to"] === "completed")).toHaveLength(1)
        const types = (yield* eventsOf(payment_id)).map((event) => event.event_type)
        expect(types.filter((type) => type === "payment.completed")).toHaveLength(1)
        expect(yield* recordOf(bystander.payment_id)).toMatchObject({ status: "completed" })
      })
    )

    it.effect("that all differ and come at once end where the story ends", () =>
      Effect.gen(function* () {
        const { payment_id, reference } = yield* accepted("ES")
        const states = ["pending", "processing", "completed", "pending", "processing", "completed"]
        const answers = yield* Effect.forEach(
          states,
          (state, index) => callBack("stripe", { key: `mixed ${index}`, reference, state }),
          { concurrency: "unbounded" }
        )
        expect(answers.map((answer) => answer.status)).toEqual(states.map(() => 200))
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed", provider_status: "completed" })
        const items = yield* timelineOf(payment_id)
        expect(ofKind(items, "callback")).toHaveLength(6)
        expect(items.filter((item) => item["to"] === "completed")).toHaveLength(1)
      })
    )

    it.effect("find the attempt by the provider's own id, and may be mere hints", () =>
      Effect.gen(function* () {
        const { payment_id, reference } = yield* accepted("PT")
        stripe.says(reference, reports("completed"))
        const hint = { key: "hint", reference: null, providerPaymentId: "pi_PT", state: null }
        const answer = yield* callBack("stripe", hint)
        expect([answer.status, messageOf(answer)]).toEqual([200, "provider asked"])
        yield* untilStatus(payment_id, "completed")
        expect(stripe.enquiries.map((one) => one.reference)).toContain(reference)
      })
    )

    it.effect("that report success after a failure leave the failure and show the money to an operator", () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* people
        const { payment_id, reference } = yield* accepted("NL")
        yield* callBack("stripe", { key: "late: failed", reference, state: "failed" })
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "failed", comments: null })
        for (const key of ["late: success", "late: success, again"]) {
          expect((yield* callBack("stripe", { key, reference, state: "completed" })).status).toBe(200)
        }
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "failed", provider: "stripe" })
        expect(yield* suspenseOf(payment_id)).toEqual(["1500.00 KES"])
        const waiting = (yield* queueOf(acme.token("staff"))).filter((item) => item["payment_id"] === payment_id)
        expect(waiting).toMatchObject([{ kind: "suspense", attempt_id: reference }])
        expect((yield* queueOf(globex.key)).filter((item) => item["payment_id"] === payment_id)).toEqual([])
        const items = yield* timelineOf(payment_id)
        expect(ofKind(items, "callback").map((item) => item["effect"])).toEqual([
          "applied",
          "suspense",
          "nothing to change"
        ])
        expect(ofKind(items, "operator")).toMatchObject([{ item: "suspense", closed_at: null }])
        expect(ofKind(items, "status").map((item) => item["to"])).toEqual(["initiated", "processing", "failed"])
        const types = (yield* eventsOf(payment_id)).map((event) => event.event_type)
        expect(types).not.toContain("payment.completed")
      })
    )

    it.effect("that overtake the provider's own answer are not undone by it", () =>
      Effect.gen(function* () {
        yield* serveCountry("BE", ["stripe"])
        const { port } = yield* TestServer
        const overtaking = (state: string) => (order: { readonly reference: string }) =>
          Effect.promise(async () => {
            const answer = await fetch(`http://127.0.0.1:${port}/callbacks/stripe`, {
              method: "POST",
              headers: PROOF,
              body: JSON.stringify({ key: `overtakes ${order.reference}`, reference: order.reference, state })
            })
            expect(answer.status).toBe(200)
            return accepts({ nextAction: "wait" })
          })
        stripe.on("completed before the answer", overtaking("completed"))
        const fast = yield* initiate(inCountry("BE", "completed before the answer"))
        expect(fast.response).toMatchObject({ success: true, status: "completed", provider: "stripe" })
        expect(fast.response).not.toHaveProperty("next_action")
        expect(yield* recordOf(fast.payment_id)).toMatchObject({ status: "completed", provider_status: "completed" })
        expect(yield* attemptsOf(fast.payment_id)).toMatchObject([{ outcome: "accepted" }])

        stripe.on("failed before the answer", overtaking("failed"))
        const failing = yield* initiate(inCountry("BE", "failed before the answer"))
        expect(yield* recordOf(failing.payment_id)).toMatchObject({ status: "failed" })

        stripe.on("processing, then silence", (order) => Effect.as(overtaking("processing")(order), isLost()))
        const lost = yield* initiate(inCountry("BE", "processing, then silence"))
        expect(lost.response).toMatchObject({ status: "processing", provider: "stripe" })
        expect(yield* attemptsOf(lost.payment_id)).toMatchObject([{ outcome: "accepted" }])
      })
    )

    it.effect("of a returned payout refund it once it was completed", () =>
      Effect.gen(function* () {
        const { payment_id, reference } = yield* accepted("AT")
        yield* callBack("stripe", { key: "paid", reference, state: "completed" })
        yield* callBack("stripe", { key: "returned", reference, state: "returned" })
        yield* callBack("stripe", { key: "returned again", reference, state: "returned" })
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded" })
      })
    )

    it.effect("are not needed by a caller who hung up: the dispatch goes on", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const { port } = yield* TestServer
        yield* serveCountry("LU", ["stripe"])
        const release = yield* Deferred.make<void>()
        stripe.on("hung up", Effect.as(Deferred.await(release), accepts({ state: "completed" })))
        const body = JSON.stringify({ ...inCountry("LU", "hung up"), client_reference: "hung up" })
        const head = [
          "POST /v1/payments-init/initiate HTTP/1.1",
          "host: corridor.test",
          "authorization: NONE",
          `x-api-key: ${acme.api_key}`,
          "content-type: application/json",
          `content-length: ${Buffer.byteLength(body)}`
        ]
        const socket = connect(port, "127.0.0.1")
        socket.write(`${head.join("\r\n")}\r\n\r\n${body}`)
        const order = yield* eventually(
          Effect.sync(() => stripe.orders.find((one) => one.description === "hung up")),
          (found) => found !== undefined
        )
        const closed = Effect.async<void>((resume) => void socket.once("close", () => resume(Effect.void)))
        socket.resetAndDestroy()
        yield* closed
        yield* get("/payments/nothing")
        yield* Deferred.succeed(release, undefined)
        yield* untilStatus(order!.paymentId, "completed")
        expect(stripe.timesAsked(order!.paymentId)).toBe(1)
        const found = jsonOf(yield* get(`/transactions?client_reference=${encodeURIComponent("hung up")}`))
        expect((found["data"] as ReadonlyArray<Json>).map((one) => one["status"])).toEqual(["completed"])
      })
    )
  }
)
