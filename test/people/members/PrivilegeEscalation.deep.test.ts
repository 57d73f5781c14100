/** Operations that each granted permission opens, as a table; none escalates privileges. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { OrgId } from "../../../src/domain/Ids.ts"
import { type Permission, type Role, roleAtLeast, roles } from "../../../src/domain/Access.ts"
import { UserStore } from "../../../src/people/users/UserStore.ts"
import { createKey, KEYS } from "../../contract/api/Keys.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { freshAddress, invite, invited, joined, membersOf } from "./InvitationFixtures.ts"

type Ask = ReturnType<typeof statusOf>

const statusOf = (credential: Credential, method: string, path: string, body?: object) =>
  Effect.map(
    send(path, {
      method,
      headers: { ...credential, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    }),
    ({ status }) => status
  )

onDatabaseServer("What was granted", (it) => {
  const granted = (org_id: OrgId, role: Role, permission: Permission) =>
    Effect.gen(function* () {
      const users = yield* UserStore
      const person = yield* joined(org_id, role)
      yield* users.grant(org_id, person.user_id, permission, "the test")
      return person
    })

  /** Someone of that role with a key of the role below; to make keys they need the permission, whatever their role. */
  const keyOf = (org_id: OrgId, owner: Role, role: Role) =>
    Effect.gen(function* () {
      const { credential } = yield* granted(org_id, owner, "api_keys")
      return yield* createKey(credential, { role })
    })

  const pairs = roles.flatMap((own) => roles.map((theirs) => [own, theirs] as const))

  it.effect.each(pairs)("api_keys: %s touches a key of %s", ([own, theirs]) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { credential } = yield* granted(acme.org_id, own, "api_keys")
      const allowed = roleAtLeast(own, theirs)
      for (const keyRole of roles.filter((role) => roleAtLeast(theirs, role))) {
        const key = yield* keyOf(acme.org_id, theirs, keyRole)
        const at = `${KEYS}/${key.api_key_id}`
        const why = `${own} on a ${keyRole} key of a ${theirs}`
        expect(yield* statusOf(credential, "POST", `${at}/rotate`, { grace_seconds: 60 }), why).toBe(
          allowed ? 200 : 403
        )
        expect(yield* statusOf(credential, "DELETE", at), why).toBe(allowed ? 204 : 403)
      }
      expect(yield* statusOf(credential, "POST", KEYS, { name: "New", role: theirs })).toBe(allowed ? 201 : 403)
      const listed = yield* send(`${KEYS}?limit=100`, { headers: { ...credential } })
      expect(listed.status).toBe(200)
      expect(listed.text).not.toMatch(/"(api_key|hash|secret)"/)
    })
  )

  it.effect("is enough to end one's own key, even one above the role that is left", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const users = yield* UserStore
      const person = yield* granted(acme.org_id, "org-admin", "api_keys")
      const own = yield* createKey(person.credential, { role: "org-admin" })
      yield* users.putMember({ org_id: acme.org_id, user_id: person.user_id, role: "member" })
      const at = `${KEYS}/${own.api_key_id}`
      expect(yield* statusOf(person.credential, "POST", `${at}/rotate`, {}), "a new one would be above them").toBe(403)
      expect(yield* statusOf(person.credential, "DELETE", at)).toBe(204)
    })
  )

  it.effect.each(pairs)("members: %s touches a %s", ([own, theirs]) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const actor = yield* granted(acme.org_id, own, "members")
      const { credential } = actor
      const allowed = roleAtLeast(own, theirs)
      const target = yield* granted(acme.org_id, theirs, "payouts")
      const at = `${membersOf(acme.org_id)}/${target.user_id}`
      const asks: ReadonlyArray<readonly [string, Ask, number]> = [
        ["demote", statusOf(credential, "PATCH", at, { role: "member" }), 200],
        ["revoke", statusOf(credential, "DELETE", `${at}/permissions/payouts`), 204],
        ["grant", statusOf(credential, "POST", `${at}/permissions`, { permission: "members" }), 200],
        ["replace", statusOf(credential, "PUT", `${at}/permissions`, { permissions: [] }), 200],
        ["remove", statusOf(credential, "DELETE", at), 204]
      ]
      for (const [what, ask, status] of asks) expect(yield* ask, what).toBe(allowed ? status : 403)
      const raise = yield* granted(acme.org_id, "member", "payouts")
      expect(
        yield* statusOf(credential, "PATCH", `${membersOf(acme.org_id)}/${raise.user_id}`, { role: theirs }),
        "raise"
      ).toBe(allowed ? 200 : 403)
      const self = `${membersOf(acme.org_id)}/${actor.user_id}`
      expect(yield* statusOf(credential, "PATCH", self, { role: theirs }), "oneself").toBe(allowed ? 200 : 403)
    })
  )

  it.effect.each(pairs)("members: %s withdraws what a %s offered, to every role that they could", ([own, theirs]) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { credential } = yield* granted(acme.org_id, own, "members")
      const inviter = yield* granted(acme.org_id, theirs, "members")
      for (const role of roles.filter((one) => roleAtLeast(theirs, one))) {
        const { invitation_id } = yield* invited(inviter.credential, acme.org_id, yield* freshAddress("x"), role)
        const at = `/v1/organizations/${acme.org_id}/invitations/${invitation_id}`
        const why = `${own} on a ${theirs}'s invitation to ${role}`
        expect(yield* statusOf(credential, "DELETE", at), why).toBe(roleAtLeast(own, theirs) ? 204 : 403)
      }
      const offered = yield* invite(credential, acme.org_id, yield* freshAddress("y"), theirs)
      expect(offered.status).toBe(roleAtLeast(own, theirs) ? 201 : 403)
    })
  )

  it.effect("goes by the offered role alone where the platform's admin made the offer", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const { credential } = yield* granted(acme.org_id, "staff", "members")
      const high = yield* invited(admin, acme.org_id, yield* freshAddress("high"), "org-admin")
      const low = yield* invited(admin, acme.org_id, yield* freshAddress("low"), "member")
      const at = (id: string) => `/v1/organizations/${acme.org_id}/invitations/${id}`
      expect(yield* statusOf(credential, "DELETE", at(high.invitation_id))).toBe(403)
      expect(yield* statusOf(credential, "DELETE", at(low.invitation_id))).toBe(204)
    })
  )
})
