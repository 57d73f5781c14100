import { expect } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import { AuditStore } from "../../../src/platform/audit/AuditLog.ts"
import { nilUuid } from "../../../src/domain/Ids.ts"
import { people } from "../../support/TestCredentials.ts"
import { refusedFields } from "../../support/RefusedFields.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import {
  CALLBACK,
  callBack,
  deliver,
  initiate,
  kybEvents,
  SECRET,
  sign,
  started,
  startedAgain,
  statusOf
} from "./KybFixtures.ts"

const messageOf = (answer: Parameters<typeof bodyOf>[0]) => (bodyOf(answer) as { readonly message: string }).message

onDatabaseServer(
  "KYB",
  (it) => {
    it.effect("starts for org-admins, makes the organisation pending, and shows the provider's id of it", () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* people
        const path = `/v1/organizations/${acme.org_id}/kyb`
        for (const role of ["staff", "member"] as const) {
          expect((yield* send(path, { method: "POST", headers: { ...acme.token(role) } })).status).toBe(403)
        }
        expect((yield* send(path, { method: "POST", headers: { ...globex.key } })).status).toBe(403)
        expect((yield* send(path, { method: "POST" })).status).toBe(401)
        const answer = yield* send(path, { method: "POST", headers: { ...acme.token("org-admin") } })
        expect(answer.status, answer.text).toBe(201)
        expect(bodyOf(answer)).toEqual({
          status: "success",
          message: expect.any(String),
          data: { org_id: acme.org_id, kyb_status: "pending", kyb_customer_id: expect.any(String) }
        })
        const { data } = bodyOf(answer) as { readonly data: { readonly kyb_customer_id: string } }
        const shown = yield* send(`/v1/organizations/${acme.org_id}`, { headers: { ...acme.key } })
        expect(bodyOf(shown)).toMatchObject({
          data: { kyb_status: "pending", kyb_customer_id: data.kyb_customer_id }
        })
        const audit = yield* Effect.flatMap(AuditStore, (store) =>
          store.list(Option.some(acme.org_id), { action: "kyb.started" }, { after: Option.none(), take: 5 })
        )
        expect(audit).toHaveLength(1)
        expect((yield* initiate(nilUuid)).status).toBe(404)
      })
    )

    it.effect("starts once, however many start it, and again only after a rejection", () =>
      Effect.gen(function* () {
        const { kyb_customer_id: first, org_id } = yield* started
        expect((yield* initiate(org_id)).status).toBe(409)
        expect((yield* callBack({ customer_id: first, status: "rejected" })).status).toBe(200)
        const answers = yield* Effect.replicateEffect(initiate(org_id), 10, { concurrency: "unbounded" })
        expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(9).fill(409)])
        const restarted = answers.find(({ status }) => status === 201)!
        const { kyb_customer_id } = (bodyOf(restarted) as { readonly data: { readonly kyb_customer_id: string } }).data
        expect(kyb_customer_id).not.toBe(first)
        expect(messageOf(yield* callBack({ customer_id: kyb_customer_id, status: "approved" }))).toBe("applied")
        expect((yield* initiate(org_id)).status).toBe(409)
      })
    )

    it.effect("is decided by the callback, which publishes an event", () =>
      Effect.gen(function* () {
        for (const [status, given, reason] of [
          ["approved", undefined, null],
          ["rejected", "No registration found", "No registration found"],
          ["rejected", "A statement of 4539 5787 6362 1486", "A statement of [card]"]
        ] as const) {
          const { kyb_customer_id: customer_id, org_id } = yield* started
          const answer = yield* callBack({ customer_id, status, reason: given })
          const data = { org_id, kyb_status: status, kyb_customer_id: customer_id }
          expect([answer.status, bodyOf(answer)]).toEqual([200, { status: "success", message: "applied", data }])
          expect(yield* statusOf(org_id)).toBe(status)
          expect(yield* kybEvents(org_id)).toEqual([
            {
              event_id: expect.any(String),
              event_type: `kyb.${status}`,
              org_id,
              created_at: expect.any(String),
              data: { org_id, kyb_status: status, reason }
            }
          ])
        }
      })
    )

    it.effect("sends one event for a change, under twenty callbacks at once, repeated or each its own", () =>
      Effect.gen(function* () {
        for (const idOf of [() => "evt_1", (index: number) => `evt_${index}`, () => undefined]) {
          const { kyb_customer_id: customer_id, org_id } = yield* started
          const answers = yield* Effect.forEach(
            Array.from({ length: 20 }, (_, index) => idOf(index)),
            (event_id) => callBack({ customer_id, status: "approved", event_id }),
            { concurrency: "unbounded" }
          )
          expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
          expect(answers.filter((answer) => messageOf(answer) === "applied")).toHaveLength(1)
          expect(yield* kybEvents(org_id)).toHaveLength(1)
        }
      })
    )

    it.effect("changes with a newer decision, and not with a repeated or an older one", () =>
      Effect.gen(function* () {
        const { kyb_customer_id: customer_id, org_id } = yield* started
        const at = (hour: number) => `2026-03-02T${String(hour).padStart(2, "0")}:00:00Z`
        const steps = [
          [{ event_id: "a", status: "approved", occurred_at: at(10) }, "applied"],
          [{ event_id: "a", status: "approved", occurred_at: at(10) }, "nothing to change"],
          [{ event_id: "b", status: "rejected", occurred_at: at(9) }, "nothing to change"],
          [{ event_id: "c", status: "approved", occurred_at: at(11) }, "nothing to change"],
          [{ event_id: "d", status: "rejected", occurred_at: at(12) }, "applied"],
          [{ event_id: "a", status: "approved", occurred_at: at(13) }, "nothing to change"],
          [{ status: "approved", occurred_at: at(11) }, "nothing to change"],
          [{ status: "approved", occurred_at: at(14) }, "applied"],
          [{ status: "rejected" }, "applied"],
          [{ status: "approved", occurred_at: at(14) }, "nothing to change"],
          [{ status: "rejected" }, "nothing to change"]
        ] as const
        for (const [callback, message] of steps) {
          const answer = yield* callBack({ customer_id, ...callback })
          expect([answer.status, messageOf(answer)], JSON.stringify(callback)).toEqual([200, message])
        }
        const events = yield* kybEvents(org_id)
        expect(events.map(({ event_type }) => event_type)).toEqual([
          "kyb.approved",
          "kyb.rejected",
          "kyb.approved",
          "kyb.rejected"
        ])
        expect(yield* statusOf(org_id)).toBe("rejected")
      })
    )

    it.effect("is rejected where one moment brought both decisions, in whichever order they came", () =>
      Effect.gen(function* () {
        const occurred_at = "2026-03-02T10:00:00Z"
        for (const statuses of [
          ["approved", "rejected", "approved"],
          ["rejected", "approved"]
        ]) {
          const { kyb_customer_id: customer_id, org_id } = yield* started
          for (const [at, status] of statuses.entries()) {
            yield* callBack({ customer_id, event_id: `at once ${at}`, status, occurred_at })
          }
          expect(yield* statusOf(org_id), statuses.join(", ")).toBe("rejected")
          const later = { customer_id, status: "approved", occurred_at: "2026-03-02T10:00:00.001Z" }
          expect(messageOf(yield* callBack(later))).toBe("applied")
        }
      })
    )

    it.effect("that was started over is not touched by what is said of the first application", () =>
      Effect.gen(function* () {
        const { kyb_customer_id: first, org_id } = yield* started
        yield* callBack({ customer_id: first, status: "rejected" })
        const again = yield* startedAgain(org_id)
        const late = yield* callBack({ customer_id: first, status: "approved", occurred_at: "2026-03-02T00:00:00Z" })
        expect([late.status, bodyOf(late)]).toEqual([
          200,
          { status: "success", message: "nothing to change", data: again }
        ])
        expect(yield* statusOf(org_id)).toBe("pending")
      })
    )

    it.effect("takes no time that others would read as another one, or as none", () =>
      Effect.gen(function* () {
        const { kyb_customer_id: customer_id, org_id } = yield* started
        for (const occurred_at of ["%00", "decided 5", "03/02/2026", "2026-03-02T10:00:00", "2026-02-30T10:00:00Z"]) {
          const answer = yield* callBack({ customer_id, event_id: occurred_at, status: "rejected", occurred_at })
          expect(refusedFields(answer), occurred_at).toEqual([400, "occurred_at"])
        }
        expect(yield* statusOf(org_id)).toBe("pending")
      })
    )

    it.effect("takes no decision that is yet to be made, and the clock of another for a little ahead", () =>
      Effect.gen(function* () {
        const { kyb_customer_id: customer_id, org_id } = yield* started
        const now = yield* Clock.currentTimeMillis
        const within = (minutes: number) => new Date(now + minutes * 60_000).toISOString()
        for (const occurred_at of ["9999-01-01T00:00:00Z", "2099-01-01T00:00:00Z", within(24 * 60), within(7)]) {
          const answer = yield* callBack({ customer_id, event_id: occurred_at, status: "rejected", occurred_at })
          expect(refusedFields(answer)).toEqual([400, "occurred_at"])
        }
        expect(yield* statusOf(org_id)).toBe("pending")
        expect((yield* callBack({ customer_id, status: "rejected", occurred_at: within(4) })).status).toBe(200)
        expect(yield* statusOf(org_id)).toBe("rejected")
      })
    )

    it.effect("believes nothing that is not signed, and says nothing more about it", () =>
      Effect.gen(function* () {
        const { kyb_customer_id: customer_id, org_id } = yield* started
        const { acme } = yield* people
        const body = JSON.stringify({ customer_id, status: "approved" })
        const right = sign(body)
        const withoutCredentials = yield* send(`/v1/organizations/${org_id}`)
        expect(withoutCredentials.status).toBe(401)
        const wrong: ReadonlyArray<Readonly<Record<string, string>>> = [
          {},
          { "x-kyb-signature": "" },
          { "x-kyb-signature": sign(body, "another secret") },
          { "x-kyb-signature": sign(`${body} `) },
          { "x-kyb-signature": right.slice(0, -1) },
          { "x-kyb-signature": `${right}00` },
          { "x-kyb-signature": `${right.slice(0, -1)}${right.endsWith("0") ? "1" : "0"}` },
          { ...acme.key }
        ]
        for (const headers of wrong) {
          const answer = yield* send(CALLBACK, {
            method: "POST",
            headers: { "content-type": "application/json", ...headers },
            body
          })
          expect(answer.status).toBe(401)
          expect(answer.text).toBe(withoutCredentials.text)
        }
        const unsigned = yield* send(CALLBACK, { method: "POST", headers: {}, body: "not json" })
        expect(unsigned.status, "the signature comes before the body").toBe(401)
        expect(yield* statusOf(org_id)).toBe("pending")
        expect((yield* deliver(body, { "x-kyb-signature": right.toUpperCase() })).status).toBe(200)
      })
    )

    it.effect("refuses what it cannot read, and customers that it does not know", () =>
      Effect.gen(function* () {
        const { kyb_customer_id: customer_id } = yield* started
        const malformed: ReadonlyArray<readonly [string | Uint8Array, string]> = [
          ["", "JSON"],
          ["not json", "JSON"],
          ["[]", "object"],
          ['"approved"', "object"],
          [Uint8Array.of(0x7b, 0xff, 0x7d), "UTF-8"],
          [JSON.stringify({ status: "approved" }), "customer_id: "],
          [JSON.stringify({ customer_id: "", status: "approved" }), "customer_id: "],
          [JSON.stringify({ customer_id, status: "pending" }), "status: "],
          [JSON.stringify({ customer_id, status: "approved", reason: 1 }), "reason: "],
          [JSON.stringify({ customer_id, status: "approved", event_id: "x".repeat(256) }), "event_id: "],
          [JSON.stringify({ customer_id, status: "approved", occurred_at: "yesterday" }), "occurred_at: "],
          [JSON.stringify({ customer_id, status: "approved", occurred_at: "-271821-04-20T00:00:00Z" }), "occurred_at: "]
        ]
        for (const [body, words] of malformed) {
          const answer = yield* deliver(body)
          expect(answer.status, `${String(body)}: ${answer.text}`).toBe(400)
          expect(messageOf(answer)).toContain(words)
        }
        const text = JSON.stringify({ customer_id, status: "approved" })
        expect((yield* deliver(text, { "content-type": "text/plain" })).status).toBe(400)
        expect((yield* callBack({ customer_id: "kyb_nobody", status: "approved" })).status).toBe(404)
        expect((yield* deliver("x".repeat(256 * 1024 + 1))).status).toBe(413)
      })
    )
  },
  { KYB_WEBHOOK_SECRET: SECRET }
)

onDatabaseServer("KYB without KYB_WEBHOOK_SECRET", (it) => {
  it.effect("refuses every callback, one signed with nothing too", () =>
    Effect.gen(function* () {
      const { kyb_customer_id: customer_id, org_id } = yield* started
      const body = JSON.stringify({ customer_id, status: "approved" })
      for (const signature of [sign(body), sign(body, ""), ""]) {
        expect((yield* deliver(body, { "x-kyb-signature": signature })).status).toBe(401)
      }
      expect(yield* statusOf(org_id)).toBe("pending")
    })
  )
})
