import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { KybRequests } from "../../../src/people/kyb/KybRequests.ts"
import { people } from "../../support/TestCredentials.ts"
import { post, send } from "../../support/Send.ts"
import { newOrganization } from "../../support/StoreFixtures.ts"
import { testServer, type ServerServices } from "../../support/TestServer.ts"
import { newReceiver, type Receiver, withStatus } from "../../webhooks/delivery/Receiver.ts"
import { callBack, SECRET, sign, startedAgain, statusOf } from "./KybFixtures.ts"

const onProvider = <A, E>(
  test: (provider: Receiver) => Effect.Effect<A, E, ServerServices>,
  more: Readonly<Record<string, string>> = {}
) =>
  Effect.scoped(
    Effect.flatMap(newReceiver(), (provider) => {
      const variables = {
        KYB_PROVIDER: "webhook",
        KYB_WEBHOOK_SECRET: SECRET,
        KYB_REQUEST_URL: provider.url,
        WEBHOOK_RETRY_DELAYS: "1 millis",
        ...more
      }
      return Effect.provide(test(provider), testServer("PostgreSQL", { variables }))
    })
  )

const document = { type: "tax", name: "PIN certificate", url: "https://files.example/pin.pdf" }

const applied = Effect.flatMap(newOrganization(), ({ org_id }) => startedAgain(org_id, { documents: [document] }))

const sendDue = Effect.zipRight(
  Effect.sleep("5 millis"),
  Effect.flatMap(KybRequests, (requests) => requests.sendDue)
)

describe("Requests to the KYB provider", () => {
  it.live("are signed, sent once, and decided by the callback", () =>
    onProvider((provider) =>
      Effect.gen(function* () {
        const { kyb_customer_id: customer_id, org_id } = yield* applied
        const counts = yield* Effect.all([sendDue, sendDue, sendDue], { concurrency: "unbounded" })
        expect(counts.toSorted()).toEqual([0, 0, 1])
        expect(yield* sendDue).toBe(0)
        const [hook, ...others] = provider.hooks
        expect(others).toEqual([])
        expect(hook!.headers["x-kyb-signature"]).toBe(sign(hook!.body))
        expect(JSON.parse(hook!.body)).toEqual({
          customer_id,
          organization: { org_id, name: "Initech", country: "KE", email: "hello@initech.example" },
          documents: [document],
          callback_url: expect.stringMatching(/\/v1\/organizations\/webhook\/kyb$/),
          requested_at: expect.any(String)
        })
        expect((yield* callBack({ customer_id, status: "approved" })).status).toBe(200)
        expect(yield* statusOf(org_id)).toBe("approved")
      })
    )
  )

  it.live("are sent again until the provider takes them, and not at all once decided", () =>
    onProvider((provider) =>
      Effect.gen(function* () {
        provider.answer(withStatus(503))
        const { kyb_customer_id: customer_id } = yield* applied
        for (let attempt = 1; attempt <= 4; attempt++) {
          expect(yield* sendDue).toBe(1)
          expect(provider.hooks).toHaveLength(attempt)
        }
        provider.answer(withStatus(302, { location: "https://elsewhere.example" }))
        expect(yield* sendDue).toBe(1)
        expect((yield* callBack({ customer_id, status: "rejected" })).status).toBe(200)
        expect(yield* sendDue).toBe(0)
      })
    )
  )

  it.live("do not reach an address that webhooks may not reach", () =>
    onProvider(
      (provider) =>
        Effect.gen(function* () {
          yield* applied
          expect(yield* sendDue).toBe(1)
          expect(provider.hooks).toEqual([])
        }),
      { KYB_REQUEST_URL: "http://169.254.169.254/latest" }
    )
  )

  it.live("leave the decision to the provider: people cannot approve", () =>
    onProvider(() =>
      Effect.gen(function* () {
        const { admin } = yield* people
        const { kyb_customer_id: id } = yield* applied
        const answer = yield* post(`/v1/kyb/applications/${id}/approve`, { ...admin }, {})
        expect([answer.status, answer.text]).toEqual([409, expect.stringContaining("the KYB provider decides")])
        expect((yield* send(`/v1/kyb/applications/${id}`, { headers: { ...admin } })).status).toBe(200)
      })
    )
  )
})
