import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { nilUuid } from "../../../src/domain/Ids.ts"
import { UserStore } from "../../../src/people/users/UserStore.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"
import { onDatabaseServer, onServer } from "../../support/TestServer.ts"
import { about, ask, bodyFor, type Fields, newBeneficiary, outbox, REQUESTS } from "./VerificationFixtures.ts"

const resultsOf = (answer: Parameters<typeof bodyOf>[0]) =>
  (bodyOf(answer) as { readonly results: ReadonlyArray<Fields> }).results

onDatabaseServer("A verification request", (it) => {
  it.effect("to both notifies both, and says so for each", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const body = yield* bodyFor(acme)
      const answer = yield* ask(acme.key, body)
      expect(answer.status, answer.text).toBe(200)
      const result = { message: expect.any(String), request_id: expect.any(String), status: "pending", success: true }
      expect(bodyOf(answer)).toEqual({
        message: expect.any(String),
        target_type: "both",
        verification_type: "bvn",
        transaction_id: body.transaction_id,
        request_id: null,
        results: [
          { ...result, target: "beneficiary", user_id: body.beneficiary_id },
          { ...result, target: "sender", user_id: body.sender_id }
        ],
        all_success: true
      })
      const sent = about(yield* outbox(acme.org_id), body.transaction_id)
      expect(sent.map(({ to }) => to).toSorted()).toEqual(["ada@example.com", expect.stringContaining("staff")])
      for (const message of sent) {
        expect(message).toMatchObject({ kind: "verification_request", priority: "high" })
        expect(message.subject).toContain("BVN")
      }
      const ids = resultsOf(answer).map((one) => one["request_id"])
      expect(new Set(ids).size).toBe(2)
      for (const id of ids) expect(about(sent, String(id))).toHaveLength(1)
    })
  )

  it.effect("to one target returns the request id; the message has the caller's text and priority", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const body = yield* bodyFor(acme)
      const wanted = {
        target_type: "sender",
        verification_type: "nin",
        message: "Habari, tafadhali.",
        priority: "urgent"
      }
      const answer = yield* ask(acme.token("staff"), { ...body, ...wanted, beneficiary_id: undefined })
      expect(answer.status, answer.text).toBe(200)
      expect(bodyOf(answer)).toEqual({
        message: expect.any(String),
        target_type: "sender",
        verification_type: "nin",
        transaction_id: body.transaction_id,
        request_id: expect.any(String),
        all_success: true
      })
      const { request_id } = bodyOf(answer) as { readonly request_id: string }
      const [message, ...more] = about(yield* outbox(acme.org_id), request_id)
      expect(more).toEqual([])
      expect(message).toMatchObject({ priority: "urgent", text: expect.stringContaining("Habari, tafadhali.") })
      const kept = yield* send(`${REQUESTS}/${request_id}`, { headers: { ...acme.key } })
      expect(bodyOf(kept)).toMatchObject({
        status: "success",
        data: {
          request_id,
          org_id: acme.org_id,
          requested_by: body.user_id,
          target: "sender",
          user_id: body.sender_id,
          transaction_id: body.transaction_id,
          verification_type: "nin",
          triggered_by: "compliance review",
          priority: "urgent",
          status: "pending"
        }
      })
    })
  )

  it.effect("to both is a partial success when one cannot be found or reached", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const body = yield* bodyFor(acme)
      const silent = yield* newBeneficiary(acme, { email: null })
      const theirs = yield* newBeneficiary(globex)
      const cases: ReadonlyArray<readonly [Fields, string, ReadonlyArray<boolean>]> = [
        [{ beneficiary_id: nilUuid }, "beneficiary", [false, true]],
        [{ beneficiary_id: "nobody" }, "beneficiary", [false, true]],
        [{ beneficiary_id: theirs }, "beneficiary", [false, true]],
        [{ beneficiary_id: silent }, "beneficiary", [false, true]],
        [{ sender_id: nilUuid }, "sender", [true, false]],
        [{ sender_id: globex.userId("staff") }, "sender", [true, false]],
        [{ sender_id: nilUuid, beneficiary_id: nilUuid }, "sender", [false, false]]
      ]
      for (const [change, target, successes] of cases) {
        const answer = yield* ask(acme.key, { ...body, ...change })
        expect(answer.status, answer.text).toBe(207)
        expect(bodyOf(answer)).toMatchObject({ target_type: "both", all_success: false })
        const results = resultsOf(answer)
        expect(results.map((one) => one["success"])).toEqual(successes)
        const failed = results.find((one) => one["target"] === target)
        expect(failed).toEqual({
          target,
          message: expect.any(String),
          user_id: { ...body, ...change }[`${target}_id` as "sender_id"],
          request_id: expect.any(String),
          status: "failed",
          success: false
        })
      }
    })
  )

  it.effect("is 404 if the target is unknown, unreachable or of another organisation", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const body = yield* bodyFor(acme)
      const theirs = yield* bodyFor(globex)
      const to = (target_type: string, change: Fields) =>
        Effect.map(ask(acme.key, { ...body, target_type, ...change }), ({ status, text }) => [status, text])
      const silent = yield* newBeneficiary(acme, { email: null })
      expect((yield* to("beneficiary", { beneficiary_id: silent }))[0]).toBe(404)
      const before = (yield* outbox(acme.org_id)).length
      for (const [target, field, foreign] of [
        ["beneficiary", "beneficiary_id", theirs.beneficiary_id],
        ["sender", "sender_id", theirs.sender_id],
        ["sender", "transaction_id", theirs.transaction_id],
        ["sender", "user_id", theirs.user_id]
      ] as const) {
        const missing = yield* to(target, { [field]: nilUuid })
        expect(missing[0]).toBe(404)
        expect(yield* to(target, { [field]: foreign }), field).toEqual(missing)
      }
      expect(yield* outbox(acme.org_id)).toHaveLength(before)
    })
  )

  it.effect("names the field that is missing or wrong", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const body = yield* bodyFor(acme)
      const wrong: ReadonlyArray<readonly [string, Fields]> = [
        ...["user_id", "target_type", "transaction_id", "verification_type", "triggered_by"].map(
          (field) => [field, { [field]: undefined }] as const
        ),
        ["beneficiary_id", { beneficiary_id: undefined }],
        ["beneficiary_id", { beneficiary_id: null, target_type: "beneficiary" }],
        ["sender_id", { sender_id: undefined }],
        ["sender_id", { sender_id: undefined, target_type: "sender" }],
        ["target_type", { target_type: "all" }],
        ["verification_type", { verification_type: "BVN" }],
        ["priority", { priority: "highest" }],
        ["user_id", { user_id: 7 }],
        ["message", { message: "x".repeat(2001) }],
        ["message", { message: "Your BVN is 22123456789." }],
        ["triggered_by", { triggered_by: "NIN 12345678901" }]
      ]
      for (const [field, change] of wrong) {
        const answer = yield* ask(acme.key, { ...body, ...change })
        expect(answer.status, `${field}: ${answer.text}`).toBe(400)
        expect(bodyOf(answer)).toEqual({ status: "error", message: expect.stringContaining(`${field}: `) })
        expect(answer.text).not.toMatch(/22123456789|12345678901/)
      }
    })
  )

  it.effect("needs staff, or the permission; an admin says for which organisation", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      const body = yield* bodyFor(acme)
      expect((yield* ask(acme.token("member"), body)).status).toBe(403)
      yield* Effect.flatMap(UserStore, (users) =>
        users.grant(acme.org_id, acme.userId("member"), "verification", "the test")
      )
      expect((yield* ask(acme.token("member"), body)).status).toBe(200)
      const nameless = yield* ask(admin, body)
      expect([nameless.status, bodyOf(nameless)]).toEqual([
        400,
        { status: "error", message: expect.stringMatching(/^org_id: /) }
      ])
      expect((yield* ask(admin, { ...body, org_id: acme.org_id })).status).toBe(200)
      expect((yield* ask(admin, { ...body, org_id: globex.org_id })).status).toBe(404)
      expect((yield* ask(acme.key, { ...body, org_id: globex.org_id })).status).toBe(403)
      expect((yield* post("/v1/users/notifications/verification-request", {}, body)).status).toBe(401)
    })
  )

  it.effect("is listed, newest first, within the organisation", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const body = yield* bodyFor(acme)
      yield* ask(acme.key, body)
      yield* ask(acme.key, { ...body, sender_id: nilUuid })
      const list = (credential: typeof acme.key, query: string) =>
        Effect.map(send(`${REQUESTS}?${query}`, { headers: { ...credential } }), (answer) => {
          expect(answer.status, answer.text).toBe(200)
          return bodyOf(answer) as {
            readonly data: ReadonlyArray<Fields>
            readonly meta: { readonly count: number; readonly has_more: boolean }
            readonly last_evaluated_key: string | null
          }
        })
      const mine = `transaction_id=${body.transaction_id}`
      const all = yield* list(acme.key, `${mine}&limit=100`)
      expect(all.data.map((one) => one["status"]).toSorted()).toEqual(["failed", "pending", "pending", "pending"])
      const first = yield* list(acme.key, `${mine}&limit=3`)
      const cursor = encodeURIComponent(first.last_evaluated_key ?? "")
      const second = yield* list(acme.key, `${mine}&limit=3&last_evaluated_key=${cursor}`)
      expect([...first.data, ...second.data]).toEqual(all.data)
      expect(second.last_evaluated_key).toBeNull()
      expect((yield* list(acme.key, `${mine}&status=failed`)).data).toHaveLength(1)
      expect((yield* list(globex.key, `${mine}`)).data).toEqual([])
      expect((yield* send(REQUESTS, { headers: { ...acme.token("staff") } })).status).toBe(200)
      expect((yield* send(REQUESTS, { headers: { ...globex.token("member") } })).status).toBe(403)
    })
  )
})

const variables = { SMTP_URL: "smtp://127.0.0.1:9" }
onServer("A verification request without a mail server that answers", "PostgreSQL", { variables }, (it) => {
  it.effect("fails: 404 for one, 207 for both, and the request cannot be closed", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const body = yield* bodyFor(acme)
      const single = yield* ask(acme.key, { ...body, target_type: "sender" })
      expect([single.status, bodyOf(single)]).toEqual([
        404,
        { status: "error", message: "The sender could not be reached." }
      ])
      const both = yield* ask(acme.key, body)
      expect(both.status).toBe(207)
      expect(resultsOf(both).map((one) => one["status"])).toEqual(["failed", "failed"])
      const [id] = resultsOf(both).map((one) => String(one["request_id"]))
      const closed = yield* send(`${REQUESTS}/${id}`, {
        method: "PATCH",
        headers: { "content-type": "application/json", ...acme.key },
        body: JSON.stringify({ status: "approved" })
      })
      expect(closed.status).toBe(409)
      expect(both.text).not.toContain("ECONNREFUSED")
    })
  )
})
