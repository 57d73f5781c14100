import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { nilUuid } from "../../../src/domain/Ids.ts"
import { UserStore } from "../../../src/people/users/UserStore.ts"
import { byKey, type Credential, people } from "../../support/TestCredentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { createKey, KEYS, listKeys, revokeKey } from "./Keys.ts"

const list = (credential: Credential, query = "") => send(`${KEYS}${query}`, { headers: { ...credential } })

const create = (credential: Credential, body: Readonly<Record<string, unknown>> = {}) =>
  post(KEYS, { ...credential }, { name: "Made", ...body })

onDatabaseServer("Roles", (it) => {
  it.effect("open API keys and the audit log to org-admins, by token and by key", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      for (const credential of [acme.key, acme.token("org-admin")]) {
        expect((yield* list(credential)).status).toBe(200)
        expect((yield* create(credential)).status).toBe(201)
        expect((yield* send("/v1/audit-log", { headers: { ...credential } })).status).toBe(200)
      }
    })
  )

  it.effect("close them to staff and members, whatever they ask", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const made = yield* Effect.forEach(["staff", "member"] as const, (role) => createKey(acme.key, { role }))
      const { api_key_id } = made[0]!
      const limited = [acme.token("staff"), acme.token("member"), ...made.map((key) => byKey(key.api_key))]
      for (const credential of limited) {
        const headers = { ...credential }
        const answers = yield* Effect.all([
          list(credential),
          create(credential, { role: "member" }),
          post(`${KEYS}/${api_key_id}/rotate`, headers, {}),
          send(`${KEYS}/${api_key_id}`, { method: "DELETE", headers }),
          send("/v1/audit-log", { headers })
        ])
        expect(answers.map((answer) => answer.status)).toEqual([403, 403, 403, 403, 403])
        expect(bodyOf(answers[0])).toEqual({ status: "error", message: expect.stringContaining("org-admin") })
      }
    })
  )

  it.effect("let someone with a granted permission hand out no more than their own role", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      const users = yield* UserStore
      const { org_id } = globex
      yield* users.grant(org_id, globex.userId("staff"), "api_keys", "the test")
      const staff = globex.token("staff")
      expect((yield* create(staff, { role: "org-admin" })).status).toBe(403)
      expect((yield* create(staff)).status, "org-admin is the default").toBe(403)
      expect((yield* create(staff, { role: "staff" })).status).toBe(201)
      const { data } = yield* listKeys(globex.key)
      const above = data.find((key) => key.role === "org-admin")!
      expect((yield* post(`${KEYS}/${above.api_key_id}/rotate`, { ...staff }, {})).status, "nor take over").toBe(403)
      expect((yield* list(globex.key)).status, "and the key is untouched").toBe(200)
    })
  )

  it.effect("follow the maker: a key does what its maker may do now", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const users = yield* UserStore
      const maker = { org_id: acme.org_id, user_id: acme.userId("staff") }
      yield* users.putMember({ ...maker, role: "org-admin" })
      const credential = byKey((yield* createKey(acme.token("staff"))).api_key)
      expect((yield* list(credential)).status).toBe(200)
      yield* users.putMember({ ...maker, role: "staff" })
      expect((yield* list(credential)).status).toBe(403)
      expect((yield* list(acme.token("staff"))).status, "as does a token").toBe(403)
    })
  )

  it.effect("refuse to name another organisation outright, in a query or a body, before anything else", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      for (const credential of [acme.key, acme.token("org-admin")]) {
        for (const other of [globex.org_id, nilUuid, "nonsense", ""]) {
          expect((yield* list(credential, `?org_id=${other}`)).status, `query ${other}`).toBe(403)
          expect((yield* create(credential, { org_id: other })).status, `body ${other}`).toBe(403)
        }
        expect((yield* list(credential, `?org_id=${acme.org_id}`)).status).toBe(200)
        expect((yield* list(credential, `?org_id=${acme.org_id.toUpperCase()}`)).status).toBe(200)
        expect((yield* create(credential, { org_id: acme.org_id })).status).toBe(201)
      }
    })
  )

  it.effect("let the platform's admin see all organisations, or the one that is named", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      const orgsOf = (page: { readonly data: ReadonlyArray<{ readonly org_id: string }> }) =>
        new Set(page.data.map((key) => key.org_id))
      const everything = yield* listKeys(admin)
      expect(orgsOf(everything)).toEqual(new Set([acme.org_id, globex.org_id]))
      const one = yield* listKeys(admin, { org_id: globex.org_id })
      expect(orgsOf(one)).toEqual(new Set([globex.org_id]))
      const other = yield* listKeys(admin, { org_id: acme.org_id })
      expect(everything.meta.total_count).toBe(one.meta.total_count + other.meta.total_count)
      for (const unknown of [nilUuid, "nonsense"]) {
        const answer = yield* list(admin, `?org_id=${unknown}`)
        expect([answer.status, bodyOf(answer)]).toEqual([
          404,
          { status: "error", message: expect.stringContaining("organisation") }
        ])
      }
    })
  )

  it.effect("make the platform's admin say for whom a key is", () =>
    Effect.gen(function* () {
      const { admin, adminId, globex } = yield* people
      const nameless = yield* create(admin)
      expect([nameless.status, bodyOf(nameless)]).toEqual([
        400,
        { status: "error", message: expect.stringMatching(/^org_id: /) }
      ])
      expect((yield* create(admin, { org_id: nilUuid })).status).toBe(404)
      const key = yield* createKey(admin, { org_id: globex.org_id })
      expect(key).toMatchObject({ org_id: globex.org_id, user_id: adminId })
      const own = yield* list(byKey(key.api_key), "?limit=100")
      expect(own.status).toBe(200)
      const seen = bodyOf(own) as { readonly data: ReadonlyArray<{ readonly org_id: string }> }
      expect(new Set(seen.data.map((key) => key.org_id)), "the key is held to it").toEqual(new Set([globex.org_id]))
    })
  )

  it.effect("let the platform's admin act on any organisation's key without naming it", () =>
    Effect.gen(function* () {
      const { admin, globex } = yield* people
      const { api_key, api_key_id } = yield* createKey(globex.key)
      yield* revokeKey(admin, api_key_id)
      expect((yield* list(byKey(api_key))).status).toBe(401)
    })
  )
})
