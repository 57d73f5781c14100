import { expect, layer } from "@effect/vitest"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { Effect, Layer, Option, Scope } from "effect"
import { Screening } from "../../../src/payments/rules/Screening.ts"
import { startWatchmanFake } from "../../fakes/WatchmanFake.ts"
import { people } from "../../support/TestCredentials.ts"
import { post, send } from "../../support/Send.ts"
import { testSettings, type Variables } from "../../support/TestSettings.ts"
import { act } from "../support/ActionCalls.ts"
import { itemsOf } from "../support/OperatorActions.ts"
import { initiate, type Json, jsonOf, recordOf } from "../support/PaymentCalls.ts"
import { onPaymentServer } from "../support/PaymentServer.ts"
import { byPhone, kenyanPhone, payoutByPhone } from "../support/Requests.ts"

const sdn = { name: "OKAFOR, Ada", sourceList: "us_ofac", match: 0.97 }

const fake = await Effect.runPromise(Scope.extend(startWatchmanFake([sdn]), Effect.runSync(Scope.make())))

const screeningOf = (variables: Variables) =>
  Effect.provide(
    Screening,
    Screening.layer.pipe(Layer.provide([testSettings(variables), FetchHttpClient.layer]), Layer.orDie)
  )

layer(Layer.empty, { excludeTestServices: true })("The screening adapter", (it) => {
  const screen = (name: string, variables: Variables = {}) =>
    Effect.flatMap(screeningOf({ SCREENING_URL: fake.url, ...variables }), Effect.orDie).pipe(
      Effect.flatMap((service) => Effect.either(service.screen(name)))
    )

  it.effect("is off without its address", () =>
    Effect.gen(function* () {
      expect(yield* screeningOf({})).toEqual(Option.none())
    })
  )

  it.effect("asks for a name and the least score, and reads the closest entity", () =>
    Effect.gen(function* () {
      const found = yield* screen("Ada Okafor", { SCREENING_MIN_MATCH: "0.95" })
      expect(found).toMatchObject({ right: { value: { name: "OKAFOR, Ada", list: "us_ofac", score: 0.97 } } })
      expect(Object.fromEntries(fake.asked.at(-1)!)).toMatchObject({ name: "Ada Okafor", minMatch: "0.95" })
      expect(yield* screen("Ada Okafor", { SCREENING_MIN_MATCH: "0.98" })).toMatchObject({ right: Option.none() })
      expect(yield* screen("Wanjiru & Söhne")).toMatchObject({ right: Option.none() })
      expect(fake.asked.at(-1)!.get("name")).toBe("Wanjiru & Söhne")
    })
  )

  it.effect("says why it has no answer", () =>
    Effect.gen(function* () {
      const reasonWhen = (mood: Parameters<typeof fake.feels>[0], variables: Variables = {}) =>
        Effect.gen(function* () {
          fake.feels(mood)
          return yield* Effect.ensuring(
            screen("Ada Okafor", variables),
            Effect.sync(() => fake.feels("well"))
          )
        })
      expect(yield* reasonWhen("down")).toMatchObject({ left: { reason: "it answered with 503" } })
      expect(yield* reasonWhen("garbage")).toMatchObject({ left: { reason: "its answer was not understood" } })
      expect(yield* reasonWhen("silent")).toMatchObject({ left: { reason: "it did not answer in time" } })
      expect(yield* reasonWhen("moved")).toMatchObject({ left: { reason: "it answered with 302" } })
      expect(yield* reasonWhen("other")).toMatchObject({ left: { reason: "its answer was not understood" } })
      const unreachable = { SCREENING_URL: "http://127.0.0.1:9" }
      expect(yield* reasonWhen("well", unreachable)).toMatchObject({ left: { reason: "it was not reached" } })
    })
  )
})

const newBeneficiary = Effect.gen(function* () {
  const { acme } = yield* people
  const made = yield* post("/v1/beneficiaries", { ...acme.key }, kenyanPhone())
  return String((jsonOf(made)["data"] as Json)["beneficiary_id"])
})

onPaymentServer("Screening", "memory", { variables: { SCREENING_URL: fake.url } }, (it) => {
  it.effect("holds a payout to a name on a sanctions list, and says which", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      expect((yield* initiate(byPhone())).response).toMatchObject({ status: "processing" })
      const held = yield* initiate(payoutByPhone(yield* newBeneficiary))
      expect(held.response).toMatchObject({ status: "initiated", next_action: "wait" })
      expect((yield* itemsOf(held.payment_id))[0]?.["detail"]).toBe(
        'Held by sanctions screening: "Ada Okafor" matches "OKAFOR, Ada" of us_ofac, score 0.97.'
      )
      const reviewed = yield* act(held.payment_id, { action: "review" }, acme.token("staff"))
      expect(reviewed).toMatchObject({ status: 403, body: { message: expect.stringContaining("platform admin") } })
      const rejected = yield* act(held.payment_id, { action: "reject" }, acme.token("staff"))
      expect(rejected.response).toMatchObject({ status: "rejected" })

      // A name that the organisation allows is screened all the same; the platform can clear it.
      const entry = { list: "allow", subject: "name", value: "ada  okafor" }
      const own = `/v1/organizations/${acme.org_id}/lists`
      expect((yield* post(own, { ...acme.key }, entry)).status).toBe(201)
      expect((yield* initiate(payoutByPhone(yield* newBeneficiary))).response).toMatchObject({ next_action: "wait" })
      const cleared = yield* post("/v1/lists", { ...admin }, entry)
      expect(cleared.status).toBe(201)
      const sent = yield* initiate(payoutByPhone(yield* newBeneficiary))
      expect(sent.response).toMatchObject({ status: "processing" })
      const id = String((jsonOf(cleared)["data"] as Json)["entry_id"])
      expect((yield* send(`/v1/lists/${id}`, { method: "DELETE", headers: { ...admin } })).status).toBe(204)
    })
  )

  it.effect("keeps odd characters of the service out of the queue", () =>
    Effect.gen(function* () {
      fake.feels("odd")
      const held = yield* Effect.ensuring(
        initiate(byPhone()),
        Effect.sync(() => fake.feels("well"))
      )
      expect(held.response).toMatchObject({ next_action: "wait" })
      const detail = String((yield* itemsOf(held.payment_id))[0]?.["detail"])
      expect(detail).toContain("of us")
      expect(detail).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    })
  )

  it.effect("screens a name without the characters that are not seen", () =>
    Effect.gen(function* () {
      const hidden = { ...byPhone(), payer_details: { ...byPhone().payer_details, name: "Ada Oka\u200bfor" } }
      expect((yield* initiate(hidden)).response).toMatchObject({ next_action: "wait" })
    })
  )

  it.effect("holds what cannot be screened", () =>
    Effect.gen(function* () {
      fake.feels("down")
      const held = yield* Effect.ensuring(
        initiate(byPhone()),
        Effect.sync(() => fake.feels("well"))
      )
      expect(held.response).toMatchObject({ next_action: "wait" })
      expect((yield* itemsOf(held.payment_id))[0]?.["detail"]).toBe(
        "Held by sanctions screening, which is not available: it answered with 503."
      )
      const { acme, admin } = yield* people
      expect(yield* act(held.payment_id, { action: "review" }, acme.token("staff"))).toMatchObject({ status: 403 })
      expect((yield* act(held.payment_id, { action: "review" }, admin)).response).toMatchObject({
        status: "processing"
      })
    })
  )
})

onPaymentServer(
  "Screening that lets payments through while it is down",
  "memory",
  { variables: { SCREENING_URL: "http://127.0.0.1:9", SCREENING_IF_DOWN: "allow" } },
  (it) => {
    it.effect("notes it on the payment", () =>
      Effect.gen(function* () {
        const { payment_id, response } = yield* initiate(byPhone())
        expect(response).toMatchObject({ status: "processing" })
        expect((yield* recordOf(payment_id))["comments"]).toContain("not available: it was not reached")
      })
    )
  }
)

onPaymentServer(
  "Screening that refuses payments while it is down",
  "memory",
  { variables: { SCREENING_URL: "http://127.0.0.1:9", SCREENING_IF_DOWN: "refuse" } },
  (it) => {
    it.effect("refuses them", () =>
      Effect.gen(function* () {
        expect(yield* initiate(byPhone())).toMatchObject({ status: 409, body: { code: "INVALID_STATE" } })
      })
    )
  }
)
