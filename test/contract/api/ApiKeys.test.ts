import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { parseApiKey } from "../../../src/domain/ApiKeyFormat.ts"
import { byKey, type Credential, people } from "../../support/TestCredentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { createKey, KEYS, listKeys, revokeKey, rotateKey } from "./Keys.ts"

const statusOf = (credential: Credential) =>
  Effect.map(send(KEYS, { headers: { ...credential } }), (answer) => answer.status)

const revoke = (id: string, credential: Credential) =>
  send(`${KEYS}/${id}`, { method: "DELETE", headers: { ...credential } })

const rotate = (id: string, credential: Credential, body: unknown = {}) =>
  post(`${KEYS}/${id}/rotate`, { ...credential }, body)

onDatabaseServer("API keys", (it) => {
  it.effect("are made, and shown in full this once", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const made = yield* createKey(acme.key, { name: "Till 7", role: "staff" })
      expect(parseApiKey(made.api_key)).toMatchObject({ _tag: "Some", value: { mode: "test", prefix: made.prefix } })
      expect(made).toMatchObject({ name: "Till 7", role: "staff", status: "active", expires_at: null })
      expect(made).toMatchObject({ org_id: acme.org_id, user_id: acme.userId("org-admin") })
      const { data: listed } = yield* listKeys(acme.key)
      const { api_key, ...shown } = made
      expect(listed[0]).toEqual(shown)
      const raw = yield* send(KEYS, { headers: { ...acme.key } })
      expect(raw.text).not.toContain(api_key)
      expect(raw.text).toContain(api_key.slice(0, 12))
      expect(raw.text).not.toContain(api_key.slice(0, 13))
    })
  )

  it.effect("have the role org-admin unless another is asked for, and answer 201", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answer = yield* post(KEYS, { ...acme.key }, { name: "  Default  ", unknown: [1] })
      expect(answer.status).toBe(201)
      expect(bodyOf(answer)).toMatchObject({ status: "success", data: { name: "  Default  ", role: "org-admin" } })
    })
  )

  it.effect("work, rotate with a grace time, then without one, and end revoked", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const first = yield* createKey(acme.key, { name: "Rotated", role: "org-admin" })
      expect(yield* statusOf(byKey(first.api_key))).toBe(200)

      const second = yield* rotateKey(acme.key, first.api_key_id, 600)
      expect(second).toMatchObject({ name: "Rotated", role: first.role, user_id: first.user_id, status: "active" })
      expect(second.api_key).not.toBe(first.api_key)
      expect([yield* statusOf(byKey(first.api_key)), yield* statusOf(byKey(second.api_key))]).toEqual([200, 200])
      const { data: listed } = yield* listKeys(acme.key)
      const old = listed.find((key) => key.api_key_id === first.api_key_id)
      expect(old?.status).toBe("expiring")
      expect(Math.abs((old?.expires_at?.getTime() ?? 0) - second.created_at.getTime() - 600_000)).toBeLessThan(1000)

      const third = yield* rotateKey(acme.key, second.api_key_id)
      expect([yield* statusOf(byKey(second.api_key)), yield* statusOf(byKey(third.api_key))]).toEqual([401, 200])

      yield* revokeKey(acme.key, third.api_key_id)
      expect(yield* statusOf(byKey(third.api_key))).toBe(401)
      const { data: after } = yield* listKeys(acme.key)
      expect(after.find((key) => key.api_key_id === third.api_key_id)).toMatchObject({
        status: "revoked",
        expires_at: null
      })
    })
  )

  it.effect("may be revoked twice, but not rotated once they are revoked or expiring", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const key = yield* createKey(acme.key)
      yield* rotateKey(acme.key, key.api_key_id, 60)
      expect((yield* rotate(key.api_key_id, acme.key)).status, "expiring").toBe(409)
      for (const _ of [1, 2]) {
        const answer = yield* revoke(key.api_key_id, acme.key)
        expect([answer.status, answer.text]).toEqual([204, ""])
      }
      const answer = yield* rotate(key.api_key_id, acme.key)
      expect(answer.status, "revoked").toBe(409)
      expect(bodyOf(answer)).toEqual({ status: "error", message: expect.stringContaining("revoked") })
    })
  )

  it.effect("let a key end itself", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const key = yield* createKey(acme.key)
      expect((yield* revoke(key.api_key_id, byKey(key.api_key))).status).toBe(204)
      expect((yield* revoke(key.api_key_id, byKey(key.api_key))).status).toBe(401)
    })
  )

  it.effect("rotate once only, however many ask at the same moment", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const key = yield* createKey(acme.key)
      const answers = yield* Effect.replicateEffect(rotate(key.api_key_id, acme.key), 8, { concurrency: "unbounded" })
      expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, ...Array(7).fill(409)])
    })
  )

  it.effect("answer alike for another organisation's id, a made-up one and no id at all", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const { data } = yield* listKeys(globex.key)
      const foreign = data[0]!.api_key_id
      const ids = [foreign, "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77", "not-an-id", "%20", "%F0%9F%94%91", `${foreign}x`]
      for (const ask of [rotate, revoke]) {
        const answers = yield* Effect.forEach(ids, (id) => ask(id, acme.key))
        expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
          new Set([`404 {"status":"error","message":"No API key with this id."}`])
        )
      }
      expect(yield* statusOf(globex.key), "and nothing happened to it").toBe(200)
    })
  )

  it.effect.each([
    [{}, "name"],
    [{ name: "" }, "name"],
    [{ name: "   " }, "name"],
    [{ name: "x".repeat(101) }, "name"],
    [{ name: 7 }, "name"],
    [{ name: null }, "name"],
    [{ name: "x", role: "admin" }, "role"],
    [{ name: "x", role: "ORG-ADMIN" }, "role"],
    [{ name: "x", org_id: 7 }, "org_id"]
  ] as const)("refuse to be made with %j, naming the field", ([body, field]) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answer = yield* post(KEYS, { ...acme.key }, body)
      expect(answer.status).toBe(400)
      expect(bodyOf(answer)).toEqual({ status: "error", message: expect.stringMatching(new RegExp(`^${field}: `)) })
    })
  )

  it.effect.each([-1, 0.5, "60", null, 30 * 24 * 3600 + 1, 1e18])("refuse a grace time of %j", (grace_seconds) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answer = yield* rotate("0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77", acme.key, { grace_seconds })
      expect(answer.status).toBe(400)
      expect(bodyOf(answer)).toEqual({ status: "error", message: expect.stringMatching(/^grace_seconds: /) })
    })
  )
})
