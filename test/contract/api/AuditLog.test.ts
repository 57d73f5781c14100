import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { clientFor } from "../../support/Client.ts"
import { byKey, type Credential, people } from "../../support/TestCredentials.ts"
import { post, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { createKey, KEYS, listKeys, revokeKey, rotateKey } from "./Keys.ts"

const entries = (credential: Credential, asked: { readonly action?: string; readonly org_id?: string } = {}) =>
  Effect.flatMap(clientFor(credential), (client) =>
    Effect.map(client.auditLog.list({ urlParams: { limit: 100, ...asked } }), ({ data }) => data)
  )

onDatabaseServer("The audit log", (it) => {
  it.effect("has every change of a key: who, what, to which, and how", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const first = yield* createKey(acme.token("org-admin"), { name: "Audited", role: "staff" })
      const helper = yield* createKey(acme.key)
      const second = yield* rotateKey(byKey(helper.api_key), first.api_key_id, 60)
      yield* revokeKey(acme.token("org-admin"), second.api_key_id)
      const about = (yield* entries(acme.key)).filter(({ subject_id }) =>
        [first.api_key_id, second.api_key_id].some((id) => id === subject_id)
      )
      const user = { actor_type: "user", actor_id: acme.userId("org-admin"), actor_name: "org-admin@acme.example" }
      const common = {
        org_id: acme.org_id,
        subject_type: "api_key",
        audit_id: expect.any(String),
        created_at: expect.any(Date)
      }
      expect(about).toEqual([
        { ...common, ...user, action: "api_key.revoked", subject_id: second.api_key_id, detail: {} },
        {
          ...common,
          actor_type: "api_key",
          actor_id: helper.api_key_id,
          actor_name: helper.name,
          action: "api_key.rotated",
          subject_id: first.api_key_id,
          detail: { new_api_key_id: second.api_key_id, grace_seconds: 60 }
        },
        {
          ...common,
          ...user,
          action: "api_key.created",
          subject_id: first.api_key_id,
          detail: { name: "Audited", role: "staff" }
        }
      ])
    })
  )

  it.effect("names the user when a token and a key come together", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const both = { ...acme.token("org-admin"), "x-api-key": acme.api_key }
      const { api_key_id } = yield* createKey(both)
      const entry = (yield* entries(acme.key)).find(({ subject_id }) => subject_id === api_key_id)
      expect(entry).toMatchObject({ actor_type: "user", actor_id: acme.userId("org-admin") })
    })
  )

  it.effect("holds nothing of what did not happen, and never a key or its hash", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { api_key, api_key_id } = yield* createKey(acme.key)
      yield* revokeKey(acme.key, api_key_id)
      const before = yield* entries(acme.key)
      yield* revokeKey(acme.key, api_key_id)
      yield* post(`${KEYS}/${api_key_id}/rotate`, { ...acme.key }, {})
      yield* post(KEYS, { ...acme.token("staff") }, { name: "Refused" })
      yield* post(KEYS, { ...acme.key }, { name: "" })
      yield* listKeys(acme.key)
      expect(yield* entries(acme.key)).toEqual(before)
      const raw = yield* send("/v1/audit-log?limit=100", { headers: { ...acme.key } })
      expect(raw.text).toContain(api_key_id)
      expect(raw.text).not.toContain(api_key.slice(12))
    })
  )

  it.effect("filters by action", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { api_key_id } = yield* createKey(acme.key)
      yield* revokeKey(acme.key, api_key_id)
      const revoked = yield* entries(acme.key, { action: "api_key.revoked" })
      expect(revoked[0]?.subject_id).toBe(api_key_id)
      expect(new Set(revoked.map(({ action }) => action))).toEqual(new Set(["api_key.revoked"]))
      expect(yield* entries(acme.key, { action: "api_key.none" })).toEqual([])
    })
  )

  it.effect("shows an organisation its own, and the platform's admin all or the one that is named", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      yield* Effect.all([createKey(acme.key), createKey(admin, { org_id: globex.org_id })])
      const orgsOf = (rows: ReadonlyArray<{ readonly org_id: string | null }>) => new Set(rows.map((row) => row.org_id))
      expect(orgsOf(yield* entries(globex.key))).toEqual(new Set([globex.org_id]))
      expect(orgsOf(yield* entries(admin))).toEqual(new Set([acme.org_id, globex.org_id]))
      expect(orgsOf(yield* entries(admin, { org_id: acme.org_id }))).toEqual(new Set([acme.org_id]))
    })
  )

  it.effect("starts with the operator who made the sandbox", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      const oldest = (yield* entries(globex.key)).at(-1)
      expect(oldest).toMatchObject({ actor_type: "operator", actor_id: "sandbox", action: "api_key.created" })
    })
  )
})
