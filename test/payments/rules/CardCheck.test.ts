/** Cards that are entered at the hosted checkout, after a review: rules, lists and screening apply there too. */
import { expect } from "@effect/vitest"
import { Effect, Scope } from "effect"
import { startWatchmanFake } from "../../fakes/WatchmanFake.ts"
import { pathOf, submit, typedCard, withoutCard } from "../../hosted/pages/PageVisits.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { send } from "../../support/Send.ts"
import { backends } from "../../support/OnBothStores.ts"
import { act, setThreshold } from "../support/ActionCalls.ts"
import { itemsOf } from "../support/OperatorActions.ts"
import { initiate, recordOf, untilStatus } from "../support/PaymentCalls.ts"
import { onPaymentServer } from "../support/PaymentServer.ts"
import { byBank, byCard } from "../support/Requests.ts"

const VISA = "4242424242424242"
const MASTERCARD = "5555555555554444"

const limit = { subject: "card", max_count: 1, window_seconds: 3600, action: "hold", is_active: true }

const withRule = <A, E, R>(terms: object, test: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const path = `/v1/organizations/${acme.org_id}/rules/test`
    const headers = { "content-type": "application/json", ...acme.key }
    const set = yield* send(path, { method: "PUT", headers, body: JSON.stringify(terms) })
    expect(set.status, set.text).toBe(200)
    return yield* Effect.ensuring(test, Effect.orDie(send(path, { method: "DELETE", headers })))
  })

/** A payment that was held and approved; its payer is at the hosted checkout. */
const approved = (request: object, reason: string, by?: Credential) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const held = yield* initiate(request)
    expect((yield* itemsOf(held.payment_id))[0]?.["detail"]).toContain(reason)
    const { response } = yield* act(held.payment_id, { action: "review" }, by ?? acme.token("staff"))
    return { payment_id: held.payment_id, path: pathOf(response["redirect_url"]) }
  })

const refusedAt = (paymentId: string, reason: string) =>
  Effect.map(recordOf(paymentId), (record) =>
    expect(record).toMatchObject({
      status: "failed",
      provider: null,
      failure: { code: "REJECTED", message: expect.stringContaining(reason) }
    })
  )

for (const backend of backends) {
  onPaymentServer("A card at the hosted checkout", backend, {}, (it) => {
    it.effect("passes a rule whose hold was approved, and no other card does", () =>
      withRule(
        limit,
        Effect.gen(function* () {
          for (const number of [VISA, MASTERCARD]) expect((yield* initiate(byCard(number))).status).toBe(200)
          const same = yield* approved(byCard(VISA), 'Held by the rule "test"')
          yield* submit(same.path, typedCard(VISA))
          yield* untilStatus(same.payment_id, "completed")
          const other = yield* approved(byCard(VISA), 'Held by the rule "test"')
          yield* submit(other.path, typedCard(MASTERCARD))
          yield* refusedAt(other.payment_id, 'Held by the rule "test": more than 1 payment of this card')
        })
      )
    )

    it.effect("passes a rule about IP addresses whose hold was approved, and not without the approval", () =>
      withRule(
        { ...limit, subject: "ip_address", max_count: 0 },
        Effect.gen(function* () {
          const { card_details, ...request } = byCard()
          const screen = { color_depth: 24, screen_height: 800, screen_width: 600, time_zone_offset: 0 }
          const reported = { ip_address: "127.0.0.1", user_agent: "test", accept_header: "*/*", language: "en" }
          const browser = { ...reported, ...screen }
          const held = { ...request, card_details: { ...card_details, browser } }
          const { path, payment_id } = yield* approved(held, "this IP address")
          yield* submit(path, typedCard())
          yield* untilStatus(payment_id, "completed")
          const unseen = yield* withoutCard()
          yield* submit(unseen.path, typedCard())
          yield* refusedAt(unseen.payment_id, "this IP address")
        })
      )
    )

    it.effect("counts for sums just under the organisation's review threshold", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        yield* setThreshold(acme.org_id, "2500")
        const terms = { kind: "structuring", subject: "card", window_seconds: 3600, action: "refuse", is_active: true }
        const test = Effect.gen(function* () {
          expect((yield* initiate(byCard("3566002020360505"))).status).toBe(200)
          const large = { ...byCard("6011111111111117"), amount: 2600, target_amount: 2600 }
          const { path, payment_id } = yield* approved(large, "reaches the review threshold")
          yield* submit(path, typedCard("3566002020360505"))
          yield* refusedAt(payment_id, "reach the review threshold together")
        })
        yield* Effect.ensuring(withRule(terms, test), setThreshold(acme.org_id, null))
      })
    )

    it.effect("leaves an alert on the payment that goes on", () =>
      Effect.gen(function* () {
        const { path, payment_id } = yield* withoutCard()
        yield* withRule({ ...limit, max_count: 0, action: "alert" }, submit(path, typedCard()))
        yield* untilStatus(payment_id, "completed")
        expect((yield* recordOf(payment_id))["comments"]).toContain('Alert of the rule "test"')
      })
    )
  })
}

const sdn = { name: "OKAFOR, Ada", sourceList: "us_ofac", match: 0.97 }
const fake = await Effect.runPromise(Scope.extend(startWatchmanFake([sdn]), Effect.runSync(Scope.make())))

onPaymentServer("Screening of account holders", "memory", { variables: { SCREENING_URL: fake.url } }, (it) => {
  const typed = { ...typedCard(), holder: "Ada Okafor" }

  it.effect("stops a card whose holder is typed at the hosted checkout", () =>
    Effect.gen(function* () {
      const { path, payment_id } = yield* withoutCard()
      yield* submit(path, typed)
      yield* refusedAt(payment_id, 'sanctions screening: "Ada Okafor" matches "OKAFOR, Ada"')
    })
  )

  it.effect("lets a holder pass who was approved", () =>
    Effect.gen(function* () {
      const { card_details, ...request } = byCard()
      const held = { ...request, card_details: { ...card_details, card_holder_name: "Ada Okafor" } }
      const { admin } = yield* people
      const { path, payment_id } = yield* approved(held, "sanctions screening", admin)
      yield* submit(path, typed)
      yield* untilStatus(payment_id, "completed")
    })
  )

  it.effect("asks the payer to come back while it is not available", () =>
    Effect.gen(function* () {
      const { path, payment_id } = yield* withoutCard()
      fake.feels("down")
      const answer = yield* Effect.ensuring(
        submit(path, typedCard()),
        Effect.sync(() => fake.feels("well"))
      )
      expect(answer.status).toBe(503)
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending", failure: null })
      yield* submit(path, typedCard())
      yield* untilStatus(payment_id, "completed")
    })
  )

  it.effect("holds a bank payin by the name of the account", () =>
    Effect.gen(function* () {
      const { bank_details, ...request } = byBank()
      const held = yield* initiate({ ...request, bank_details: { ...bank_details, account_name: "Ada Okafor" } })
      expect(held.response).toMatchObject({ status: "initiated", next_action: "wait" })
      expect((yield* itemsOf(held.payment_id))[0]?.["detail"]).toContain('"Ada Okafor" matches')
    })
  )
})
