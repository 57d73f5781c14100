import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { makerPermit, operatorPermit } from "../../../src/domain/Access.ts"
import { Kyb } from "../../../src/people/kyb/Kyb.ts"
import { KybStore } from "../../../src/people/kyb/KybStore.ts"
import { UserStore } from "../../../src/people/users/UserStore.ts"
import { AuditStore } from "../../../src/platform/audit/AuditLog.ts"
import type { OrgId } from "../../../src/domain/Ids.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"
import { newOrganization, newUser, nextId } from "../../support/StoreFixtures.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { kybEvents, startedAgain, statusOf } from "./KybFixtures.ts"

const document = { type: "registration", name: "Certificate", url: "https://files.example/c.pdf?token=hidden" }

const applied = (body?: object) => Effect.flatMap(newOrganization(), ({ org_id }) => startedAgain(org_id, body))

/** Started by an operator of the database. */
const appliedBy = (name: string) =>
  Effect.gen(function* () {
    const { org_id } = yield* newOrganization()
    return yield* Effect.flatMap(Kyb, (kyb) => kyb.initiate(operatorPermit("organization", name), org_id))
  })

const patch = (orgId: OrgId, body: object) =>
  Effect.flatMap(people, ({ admin }) =>
    send(`/v1/organizations/${orgId}`, {
      method: "PATCH",
      headers: { "content-type": "application/json", ...admin },
      body: JSON.stringify(body)
    })
  )

const decide = (id: string, decision: "approve" | "reject", body: object = {}) =>
  Effect.flatMap(people, ({ admin }) => post(`/v1/kyb/applications/${id}/${decision}`, { ...admin }, body))

const auditOf = (orgId: OrgId, action: string) =>
  Effect.flatMap(AuditStore, (store) => store.list(Option.some(orgId), { action }, { after: Option.none(), take: 5 }))

onDatabaseServer("KYB decided by one person", (it) => {
  it.effect("lists applications for admins, with documents that are sealed in the database", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const { kyb_customer_id: id, org_id } = yield* applied({ documents: [document] })
      for (const path of ["/v1/kyb/applications", `/v1/kyb/applications/${id}`]) {
        expect((yield* send(path, { headers: { ...acme.token("org-admin") } })).status).toBe(403)
      }
      const listed = yield* send("/v1/kyb/applications?status=pending&limit=1", { headers: { ...admin } })
      expect(bodyOf(listed)).toMatchObject({ data: [{ org_id, kyb_customer_id: id, kyb_status: "pending" }] })
      expect(listed.text).not.toContain("files.example")
      const shown = yield* send(`/v1/kyb/applications/${id}`, { headers: { ...admin } })
      expect(bodyOf(shown)).toMatchObject({ data: { kyb_customer_id: id, documents: [document], approvals_needed: 1 } })
      const stored = Option.getOrThrow(yield* Effect.flatMap(KybStore, (store) => store.find(id)))
      expect(stored.documents).toMatch(/^v1\./)
      expect((yield* send("/v1/kyb/applications/kyb_nobody", { headers: { ...admin } })).status).toBe(404)
    })
  )

  it.effect("approves and rejects once, with an event, and the person in the audit log", () =>
    Effect.gen(function* () {
      const { adminId } = yield* people
      for (const [decision, status, reason] of [
        ["approve", "approved", null],
        ["reject", "rejected", "No such business"]
      ] as const) {
        const { kyb_customer_id: id, org_id } = yield* applied()
        const answers = yield* Effect.replicateEffect(decide(id, decision, reason === null ? {} : { reason }), 8, {
          concurrency: "unbounded"
        })
        expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, ...Array<number>(7).fill(409)])
        const won = answers.find((answer) => answer.status === 200)!
        expect(bodyOf(won)).toMatchObject({ data: { kyb_status: status, decided_by: adminId, reason } })
        expect(yield* statusOf(org_id)).toBe(status)
        expect(yield* kybEvents(org_id)).toMatchObject([
          { event_type: `kyb.${status}`, data: { org_id, kyb_status: status, reason } }
        ])
        expect(yield* auditOf(org_id, `kyb.${status}`)).toMatchObject([{ actor_id: adminId, detail: { reason } }])
      }
    })
  )

  it.effect(
    "lets an organisation apply again after a rejection, and refuses decisions about the older application",
    () =>
      Effect.gen(function* () {
        const { kyb_customer_id: first, org_id } = yield* applied()
        expect((yield* decide(first, "reject", { reason: "Blurred" })).status).toBe(200)
        const { kyb_customer_id: second } = yield* startedAgain(org_id)
        const late = yield* decide(first, "approve")
        expect([late.status, late.text]).toEqual([409, expect.stringContaining("newer application")])
        expect((yield* decide(second, "approve")).status).toBe(200)
        expect(yield* statusOf(org_id)).toBe("approved")
      })
  )

  it.effect("is not for a platform admin who is a member of the organisation", () =>
    Effect.gen(function* () {
      const { adminId } = yield* people
      const { kyb_customer_id: id, org_id } = yield* applied()
      yield* Effect.flatMap(UserStore, (store) => store.putMember({ org_id, user_id: adminId, role: "staff" }))
      for (const decision of ["approve", "reject"] as const) {
        const answer = yield* decide(id, decision, { reason: "mine" })
        expect([answer.status, answer.text]).toEqual([403, expect.stringContaining("member of this organisation")])
      }
      expect(yield* statusOf(org_id)).toBe("pending")
    })
  )

  it.effect("names the field of a bad request", () =>
    Effect.gen(function* () {
      const { admin } = yield* people
      const { org_id } = yield* newOrganization()
      const start = (body: object) => post(`/v1/organizations/${org_id}/kyb`, { ...admin }, body)
      for (const [body, field] of [
        [{ documents: [{ ...document, url: "javascript:alert(1)" }] }, "documents[0].url"],
        [{ documents: [{ ...document, url: "http://files.example/c.pdf" }] }, "documents[0].url"],
        [{ documents: [{ ...document, type: "selfie" }] }, "documents[0].type"],
        [{ documents: Array<object>(21).fill(document) }, "documents"],
        [{ documents: "all" }, "documents"]
      ] as const) {
        const answer = yield* start(body)
        expect([answer.status, (bodyOf(answer) as { message: string }).message]).toEqual([
          400,
          expect.stringContaining(field)
        ])
      }
      const { kyb_customer_id: id } = yield* startedAgain(org_id, {})
      expect((yield* decide(id, "reject", {})).status).toBe(400)
      for (const odd of ["%00", "a%20b", "%F0%9F%98%80"]) {
        const path = `/v1/kyb/applications/${odd}`
        const answers = [
          yield* send(path, { headers: { ...admin } }),
          yield* post(`${path}/approve`, { ...admin }, {}),
          yield* post(`${path}/reject`, { ...admin }, { reason: "no" })
        ]
        for (const answer of answers) {
          expect([answer.status, (bodyOf(answer) as { message: string }).message]).toEqual([
            400,
            expect.stringContaining("kyb_customer_id")
          ])
        }
      }
    })
  )
})

onDatabaseServer(
  "KYB decided by two people",
  (it) => {
    it.effect("stays pending until a second person approves, and one person rejects", () =>
      Effect.gen(function* () {
        const { adminId } = yield* people
        const kyb = yield* Kyb
        const { kyb_customer_id: id, org_id } = yield* appliedBy("ada")
        const first = yield* decide(id, "approve")
        expect([first.status, bodyOf(first)]).toMatchObject([
          200,
          { data: { kyb_status: "pending", approved_by: [adminId], approvals_needed: 2, decided_by: null } }
        ])
        expect(yield* kybEvents(org_id)).toEqual([])
        expect((yield* decide(id, "approve")).status).toBe(409)
        const second = yield* kyb.approve(operatorPermit("platform", "grace"), id, "Checked")
        expect(second).toMatchObject({ kyb_status: "approved", approved_by: [adminId, "operator grace"] })
        expect(yield* kybEvents(org_id)).toHaveLength(1)
        expect(yield* auditOf(org_id, "kyb.approval_given")).toHaveLength(1)
        expect(yield* auditOf(org_id, "kyb.approved")).toMatchObject([{ actor_id: "grace" }])
        const other = yield* applied()
        expect((yield* decide(other.kyb_customer_id, "reject", { reason: "No" })).status).toBe(200)
      })
    )

    it.effect("is not approved by the person who started it", () =>
      Effect.gen(function* () {
        const kyb = yield* Kyb
        const { kyb_customer_id: id, org_id } = yield* applied()
        const own = yield* decide(id, "approve")
        expect([own.status, own.text]).toEqual([403, expect.stringContaining("You started this application")])
        yield* kyb.approve(operatorPermit("platform", "grace"), id, null)
        expect((yield* decide(id, "approve")).status).toBe(403)
        expect(yield* statusOf(org_id)).toBe("pending")
        expect((yield* decide(id, "reject", { reason: "Mine, and wrong" })).status).toBe(200)
      })
    )

    it.effect("does not count an approver who is no platform admin any more, or has joined the organisation", () =>
      Effect.gen(function* () {
        const kyb = yield* Kyb
        const users = yield* UserStore
        const mayApprove = { ...(yield* newUser({ is_admin: true })), joins: true }
        const wasDemoted = { ...(yield* newUser({ is_admin: false })), joins: false }
        const wasDeleted = { user_id: yield* nextId, joins: false }
        for (const { joins, user_id } of [mayApprove, wasDemoted, wasDeleted]) {
          const { kyb_customer_id: id, org_id } = yield* appliedBy("ada")
          const first = yield* kyb.approve(makerPermit("platform", org_id, user_id), id, null)
          expect(first.approved_by).toEqual(joins ? [user_id] : [])
          if (joins) yield* users.putMember({ org_id, user_id, role: "staff" })
          const grace = yield* kyb.approve(operatorPermit("platform", "grace"), id, null)
          expect(grace).toMatchObject({ kyb_status: "pending", approved_by: ["operator grace"] })
          expect(yield* kyb.approve(operatorPermit("platform", "joan"), id, null)).toMatchObject({
            kyb_status: "approved",
            approved_by: ["operator grace", "operator joan"]
          })
        }
      })
    )

    it.effect("does not count approvals from before the organisation changed its name, country or address", () =>
      Effect.gen(function* () {
        const kyb = yield* Kyb
        const { admin } = yield* people
        const grace = operatorPermit("platform", "grace")
        for (const change of [{ name: "Another Ltd" }, { country: "UG" }, { email: "other@shop.example" }]) {
          const { kyb_customer_id: id, org_id } = yield* appliedBy("ada")
          yield* kyb.approve(grace, id, null)
          expect((yield* patch(org_id, change)).status).toBe(200)
          expect(bodyOf(yield* send(`/v1/kyb/applications/${id}`, { headers: { ...admin } }))).toMatchObject({
            data: { approved_by: [] }
          })
          const listed = yield* send("/v1/kyb/applications?limit=1", { headers: { ...admin } })
          expect(bodyOf(listed)).toMatchObject({ data: [{ org_id, approved_by: [] }] })
          expect((yield* decide(id, "approve")).status).toBe(200)
          expect(yield* statusOf(org_id)).toBe("pending")
          expect(yield* kyb.approve(grace, id, null)).toMatchObject({ kyb_status: "approved" })
        }
        const { kyb_customer_id: id, org_id } = yield* appliedBy("ada")
        yield* kyb.approve(grace, id, null)
        expect((yield* patch(org_id, { features: ["escrow"] })).status).toBe(200)
        expect((yield* decide(id, "approve")).status).toBe(200)
        expect(yield* statusOf(org_id)).toBe("approved")
      })
    )

    it.effect("is neither approved nor opened again by one person through the organisation itself", () =>
      Effect.gen(function* () {
        const { kyb_customer_id: id, org_id } = yield* appliedBy("ada")
        const patched = yield* patch(org_id, { kyb_status: "approved" })
        expect([patched.status, patched.text]).toEqual([403, expect.stringContaining("2 people")])
        expect(yield* statusOf(org_id)).toBe("pending")
        yield* decide(id, "approve")
        expect((yield* patch(org_id, { kyb_status: "rejected" })).status).toBe(200)
        expect((yield* patch(org_id, { kyb_status: "pending" })).status).toBe(403)
        expect(yield* statusOf(org_id)).toBe("rejected")
      })
    )
  },
  { KYB_APPROVALS: "2" }
)
