/** Session of a credential: who it is, and what it may do. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { accessTable } from "../../src/domain/Access.ts"
import { type Credential, people } from "../support/TestCredentials.ts"
import { bodyOf, post, send } from "../support/Send.ts"
import { onServer } from "../support/TestServer.ts"

interface SessionData {
  readonly credential: string
  readonly role: string
  readonly access: ReadonlyArray<string>
  readonly email: string | null
  readonly organization: { readonly org_id: string } | null
}

const me = (credential: Credential, query = "") =>
  Effect.map(send(`/v1/users/me${query}`, { headers: { ...credential } }), (answer) => {
    expect(answer.status, answer.text).toBe(200)
    return (bodyOf(answer) as { readonly data: SessionData }).data
  })

onServer("A session", "memory", {}, (it) => {
  it.effect("names the person, their organisation and what their role opens", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const staff = yield* me(acme.token("staff"))
      expect(staff).toMatchObject({ credential: "user", role: "staff", organization: { org_id: acme.org_id } })
      expect(staff.email).toContain("@")
      expect(staff.access).toEqual(expect.arrayContaining(["any", "refunds", "operations"]))
      expect(staff.access.filter((access) => ["webhooks", "platform", "audit", "person"].includes(access))).toEqual([])
    })
  )

  it.effect("has what was granted to the person, and not to their key", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const path = `/v1/organizations/${acme.org_id}/members/${acme.userId("member")}/permissions`
      yield* post(path, { ...acme.key }, { permission: "webhooks" })
      expect((yield* me(acme.token("member"))).access).toEqual(["any", "webhooks", "webhook_log"])
    })
  )

  it.effect("knows a key by its role, and a feature by the organisation that has it", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const key = yield* me(acme.key)
      expect(key).toMatchObject({ credential: "api_key", role: "org-admin" })
      expect(key.access).toContain("escrow")
      expect((yield* me(globex.key)).access).not.toContain("escrow")
    })
  )

  it.effect("lets a platform admin do everything, in the organisation that they name or in none", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const nowhere = yield* me(admin)
      expect(nowhere).toMatchObject({ role: "admin", organization: null })
      expect([...nowhere.access, "person"].toSorted()).toEqual(Object.keys(accessTable).toSorted())
      expect((yield* me(admin, `?org_id=${acme.org_id}`)).organization?.org_id).toBe(acme.org_id)
    })
  )
})
