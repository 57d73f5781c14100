import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { type OrgId, nilUuid } from "../../../src/domain/Ids.ts"
import { EventStore } from "../../../src/webhooks/EventStore.ts"
import { AuditStore } from "../../../src/platform/audit/AuditLog.ts"
import { type Cast, people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { ask, bodyFor, close, REQUESTS } from "./VerificationFixtures.ts"

const everything = { after: Option.none(), take: 100 }

const pending = (org: Cast) =>
  Effect.gen(function* () {
    const body = { ...(yield* bodyFor(org)), target_type: "beneficiary" }
    const answer = yield* ask(org.key, body)
    expect(answer.status, answer.text).toBe(200)
    return { ...body, request_id: (bodyOf(answer) as { readonly request_id: string }).request_id }
  })

const eventsAbout = (orgId: OrgId, id: string) =>
  Effect.gen(function* () {
    const store = yield* EventStore
    const events = yield* store.list(Option.some(orgId), {}, everything)
    return events
      .filter(({ event_type, payload }) => event_type.startsWith("kyc.") && payload.includes(id))
      .map(({ payload }) => JSON.parse(payload) as Record<string, unknown>)
  })

onDatabaseServer("Closing a verification request", (it) => {
  it.effect("sets its status and sends the event, with the four facts", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      for (const status of ["approved", "rejected"] as const) {
        const { beneficiary_id, request_id } = yield* pending(acme)
        const answer = yield* close(acme.token("staff"), request_id, status)
        expect(answer.status, answer.text).toBe(200)
        expect(bodyOf(answer)).toMatchObject({ status: "success", data: { request_id, status } })
        expect(yield* eventsAbout(acme.org_id, request_id)).toEqual([
          {
            event_id: expect.any(String),
            event_type: `kyc.${status}`,
            org_id: acme.org_id,
            created_at: expect.any(String),
            data: { user_id: beneficiary_id, request_id, verification_type: "bvn", status }
          }
        ])
        const audit = yield* Effect.flatMap(AuditStore, (store) =>
          store.list(Option.some(acme.org_id), { action: `verification.${status}` }, everything)
        )
        expect(audit.map(({ subject_id }) => subject_id)).toContain(request_id)
      }
    })
  )

  it.effect("works once, whatever is said the second time", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { request_id } = yield* pending(acme)
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? "approved" : "rejected")),
        (status) => close(acme.key, request_id, status),
        { concurrency: "unbounded" }
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(19).fill(409)])
      expect(yield* eventsAbout(acme.org_id, request_id)).toHaveLength(1)
      expect((yield* close(acme.key, request_id, "approved")).status).toBe(409)
    })
  )

  it.effect("takes approved and rejected only", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { request_id } = yield* pending(acme)
      for (const status of ["pending", "failed", "APPROVED", null, undefined, 1]) {
        const answer = yield* close(acme.key, request_id, status)
        expect(answer.status).toBe(400)
        expect(answer.text).toContain("status: ")
      }
      expect(yield* eventsAbout(acme.org_id, request_id)).toEqual([])
    })
  )

  it.effect("is for staff of the organisation; others find nothing there", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      const { request_id } = yield* pending(acme)
      expect((yield* close(acme.token("member"), request_id, "approved")).status).toBe(403)
      const foreign = yield* close(globex.key, request_id, "approved")
      const missing = yield* close(globex.key, nilUuid, "approved")
      expect([foreign.status, foreign.text]).toEqual([404, missing.text])
      const read = yield* send(`${REQUESTS}/${request_id}`, { headers: { ...globex.key } })
      expect([read.status, read.text]).toEqual([404, missing.text])
      expect((yield* close(admin, request_id, "approved")).status).toBe(200)
    })
  )
})
