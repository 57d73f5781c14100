/** Payloads of real events, validated against the OpenAPI document. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { eventTypes } from "../../src/domain/EventTypes.ts"
import { type Document, fetchDocument } from "../contract/api/DocumentedOperations.ts"
import { validatorOf } from "../contract/api/Validator.ts"
import { act, actable, setThreshold } from "../payments/support/ActionCalls.ts"
import { callBack, eventually, get, initiate, type Json, jsonOf } from "../payments/support/PaymentCalls.ts"
import { onPaymentServer, serveCountry } from "../payments/support/PaymentServer.ts"
import { byCard, byPhone, kenyanPhone } from "../payments/support/Requests.ts"
import { accepts, declines } from "../payments/support/ScriptedProvider.ts"
import { type Credential, people } from "../support/TestCredentials.ts"
import { post, send } from "../support/Send.ts"
import { ask, bodyFor, close } from "../people/verification/VerificationFixtures.ts"
import { notify } from "./WebhookFixtures.ts"

const stripe = actable("stripe")

interface Event {
  readonly event_type: string
  readonly data: Json
}

const made = (credential: Credential, path: string, body: object) =>
  Effect.map(post(path, { ...credential }, body), (answer) => {
    expect([200, 201], answer.text).toContain(answer.status)
    return jsonOf(answer)["data"] as Json
  })

const payments = Effect.gen(function* () {
  const { acme } = yield* people
  yield* serveCountry("FR", ["stripe"])
  const pay = (description: string) => initiate({ ...byCard(), country: "FR", description })
  stripe.on("paid", accepts({ state: "completed" }))
  const { payment_id } = yield* pay("paid")
  stripe.will({ refund: declines("the card is closed") })
  yield* act(payment_id, { action: "refund", amount: 100 })
  stripe.will({ refund: accepts({ state: "completed" }) })
  yield* act(payment_id, { action: "refund" })
  stripe.on("declined", declines("the card is stolen"))
  yield* pay("declined")
  stripe.on("under way", accepts())
  yield* pay("under way")
  yield* setThreshold(acme.org_id, "1000")
  const held = yield* initiate(byPhone())
  yield* act(held.payment_id, { action: "cancel" })
  yield* setThreshold(acme.org_id, null)
  const reference = stripe.orders.at(-1)?.reference ?? ""
  yield* callBack("stripe", { key: "failed", reference, state: "failed" })
})

const accounts = Effect.gen(function* () {
  const { acme, admin } = yield* people
  const owner = { org_id: acme.org_id, user_id: acme.userId("org-admin"), currency: "KES" }
  const { account_id } = yield* made(acme.key, "/v1/virtual-accounts/internal/bank", owner)
  const path = `/v1/virtual-accounts/${String(account_id)}`
  const { beneficiary_id } = yield* made(acme.key, "/v1/beneficiaries", kenyanPhone())
  yield* made(acme.key, `${path}/simulate-deposit`, { amount: 100 })
  yield* made(acme.key, `${path}/withdraw`, { amount: 70, beneficiary_id })
  yield* made(admin, `${path}/freeze`, { reason: "A suspicion" })
  yield* made(admin, `${path}/unfreeze`, {})
})

const checks = Effect.gen(function* () {
  const { acme, admin } = yield* people
  const headers = { "content-type": "application/json", ...admin }
  for (const kyb_status of ["approved", "rejected"]) {
    const body = JSON.stringify({ kyb_status })
    yield* send(`/v1/organizations/${acme.org_id}`, { method: "PATCH", headers, body })
  }
  const asked = jsonOf(yield* ask(acme.key, yield* bodyFor(acme)))["results"] as ReadonlyArray<Json>
  const [first, second] = asked.map((one) => String(one["request_id"]))
  yield* close(acme.token("staff"), first ?? "", "approved")
  yield* close(acme.token("staff"), second ?? "", "rejected")
  yield* notify(acme.key, acme.org_id)
})

onPaymentServer("Every event", "memory", { providers: [stripe] }, (it) => {
  it.effect("has the data that the document says, and no field more", () =>
    Effect.gen(function* () {
      yield* payments
      yield* accounts
      yield* checks
      const events = Effect.map(
        get("/public/events?limit=100"),
        (answer) => jsonOf(answer)["data"] as ReadonlyArray<Event>
      )
      const seen = yield* eventually(events, (all) => {
        const types = new Set(all.map(({ event_type }) => event_type))
        return eventTypes.every((type) => types.has(type))
      })
      // Fails on undocumented fields.
      const open = JSON.stringify(yield* fetchDocument)
      const document = JSON.parse(
        open.replaceAll('"additionalProperties":true', '"additionalProperties":false')
      ) as Document
      const { complaints, flaws } = validatorOf(document)
      for (const event of seen) {
        const media = document.webhooks[event.event_type]?.["post"]?.requestBody?.content?.["application/json"]
        expect(flaws(media?.schema, [event]), JSON.stringify(event)).toEqual([])
      }
      expect(complaints).toEqual([])
    })
  )
})
