import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Role } from "../../../src/domain/Access.ts"
import { nilUuid } from "../../../src/domain/Ids.ts"
import { createKey } from "../../contract/api/Keys.ts"
import { clientFor } from "../../support/Client.ts"
import { byKey, type Credential, people } from "../../support/TestCredentials.ts"
import { type Answer, bodyOf, post, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { invitedAgain, accept, joined, membersOf, tokenWith } from "./InvitationFixtures.ts"

type Fields = Readonly<Record<string, unknown>>

interface Page {
  readonly data: ReadonlyArray<Fields>
  readonly meta: Fields
  readonly lastEvaluatedKey: string | null
}

const messageOf = (answer: Answer) => (bodyOf(answer) as { readonly message: string }).message

const ask = (method: string, path: string, credential: Credential, body?: unknown) =>
  send(path, {
    method,
    headers: { ...credential, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

const changeRole = (credential: Credential, org_id: string, user_id: string, role: unknown) =>
  ask("PATCH", `${membersOf(org_id)}/${user_id}`, credential, { role })

const remove = (credential: Credential, org_id: string, user_id: string) =>
  ask("DELETE", `${membersOf(org_id)}/${user_id}`, credential)

/** An organisation of the test's own, with one org-admin. */
const ownOrganization = Effect.gen(function* () {
  const { admin } = yield* people
  const { organizations } = yield* clientFor(admin)
  const payload = { name: "Own", country: "KE", currency: "KES", email: "own@people.example", features: [] } as never
  const { data } = yield* organizations.create({ payload })
  const boss = yield* joined(data.org_id, "org-admin")
  return { org_id: data.org_id, boss, admin }
})

const actionsIn = (org_id: string, credential: Credential) =>
  Effect.map(ask("GET", `/v1/audit-log?org_id=${org_id}&limit=100`, credential), (answer) =>
    (bodyOf(answer) as Page).data.map(({ action, detail, subject_id }) => ({ action, detail, subject_id }))
  )

onDatabaseServer("Members", (it) => {
  it.effect("are listed to staff and above, and to members who were granted it", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      for (const credential of [acme.key, acme.token("org-admin"), acme.token("staff")]) {
        const answer = yield* ask("GET", membersOf(acme.org_id), credential)
        expect(answer.status).toBe(200)
        const { data } = bodyOf(answer) as Page
        expect(data.find((row) => row["user_id"] === acme.userId("staff"))).toEqual({
          ...{ user_id: acme.userId("staff"), org_id: acme.org_id, email: "staff@acme.example", role: "staff" },
          ...{ permissions: [], created_at: expect.any(String), updated_at: expect.any(String) }
        })
        expect(answer.text).not.toContain(globex.userId("staff"))
      }
      expect((yield* ask("GET", membersOf(acme.org_id), acme.token("member"))).status).toBe(403)
    })
  )

  it.effect("come page by page under lastEvaluatedKey, in meta and beside it", () =>
    Effect.gen(function* () {
      const { boss, org_id } = yield* ownOrganization
      yield* Effect.replicateEffect(joined(org_id, "member"), 4)
      const page = (query: string) => ask("GET", `${membersOf(org_id)}?${query}`, boss.credential)
      const whole = bodyOf(yield* page("limit=100")) as Page
      expect(whole).toMatchObject({
        meta: { count: 5, has_more: false, lastEvaluatedKey: null },
        lastEvaluatedKey: null
      })
      const seen: Array<unknown> = []
      let cursor: string | null = null
      do {
        const answer: Answer = yield* page(`limit=2${cursor === null ? "" : `&lastEvaluatedKey=${cursor}`}`)
        const { data, lastEvaluatedKey, meta } = bodyOf(answer) as Page
        expect(meta["lastEvaluatedKey"]).toBe(lastEvaluatedKey)
        expect(answer.text).not.toContain("last_evaluated_key")
        seen.push(...data)
        cursor = lastEvaluatedKey
      } while (cursor !== null)
      expect(seen).toEqual(whole.data)
      const { acme } = yield* people
      const good = (bodyOf(yield* page("limit=2")) as Page).lastEvaluatedKey ?? ""
      const foreign = yield* ask("GET", `${membersOf(acme.org_id)}?lastEvaluatedKey=${good}`, acme.key)
      const changed = yield* page(`lastEvaluatedKey=${good.slice(1)}`)
      const elsewhere = yield* ask(
        "GET",
        `/v1/organizations/${org_id}/invitations?lastEvaluatedKey=${good}`,
        boss.credential
      )
      for (const answer of [foreign, changed, elsewhere]) {
        expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringMatching(/^lastEvaluatedKey: /)])
      }
    })
  )

  it.effect("get another role, at once, for their token and their key", () =>
    Effect.gen(function* () {
      const { boss, org_id } = yield* ownOrganization
      const other = yield* joined(org_id, "org-admin")
      const key = byKey((yield* createKey(other.credential)).api_key)
      const reads = (credential: Credential) => ask("GET", "/v1/audit-log", credential)
      expect((yield* reads(key)).status).toBe(200)
      const changed = yield* changeRole(boss.credential, org_id, other.user_id, "staff")
      expect(changed.status, changed.text).toBe(200)
      expect((bodyOf(changed) as { data: Fields }).data).toMatchObject({ user_id: other.user_id, role: "staff" })
      for (const credential of [key, other.credential]) expect((yield* reads(credential)).status).toBe(403)
      expect(yield* actionsIn(org_id, boss.credential)).toContainEqual({
        ...{ action: "member.role_changed", subject_id: other.user_id, detail: { old: "org-admin", new: "staff" } }
      })
    })
  )

  it.effect("leave with their keys revoked, and come back without them", () =>
    Effect.gen(function* () {
      const { boss, org_id } = yield* ownOrganization
      const leaver = yield* joined(org_id, "org-admin")
      const made = yield* Effect.replicateEffect(createKey(leaver.credential), 2)
      const others = byKey((yield* createKey(boss.credential)).api_key)
      expect((yield* remove(boss.credential, org_id, leaver.user_id)).status).toBe(204)
      const alive = (credential: Credential) => Effect.map(ask("GET", "/v1/beneficiaries", credential), (a) => a.status)
      const keys = made.map((key) => byKey(key.api_key))
      for (const key of keys) expect(yield* alive(key)).toBe(401)
      expect(yield* alive(leaver.credential)).toBe(403)
      expect(yield* alive(others)).toBe(200)
      const actions = yield* actionsIn(org_id, boss.credential)
      for (const { api_key_id } of made) {
        expect(actions).toContainEqual({ action: "api_key.revoked", subject_id: api_key_id, detail: {} })
      }
      expect(actions).toContainEqual({
        ...{ action: "member.removed", subject_id: leaver.user_id, detail: { role: "org-admin" } }
      })
      const { token } = yield* invitedAgain(boss.credential, org_id, leaver.email)
      expect((yield* accept(leaver.credential, token)).status).toBe(200)
      expect(yield* alive(leaver.credential)).toBe(200)
      for (const key of keys) expect(yield* alive(key), "a revoked key stays revoked").toBe(401)
    })
  )

  it.effect("always have an org-admin among them: the last one stays, and stays one", () =>
    Effect.gen(function* () {
      const { admin, boss, org_id } = yield* ownOrganization
      yield* joined(org_id, "staff")
      for (const credential of [boss.credential, admin]) {
        const removed = yield* remove(credential, org_id, boss.user_id)
        expect([removed.status, messageOf(removed)]).toEqual([409, expect.stringContaining("last org-admin")])
        expect((yield* changeRole(credential, org_id, boss.user_id, "staff")).status).toBe(409)
        expect((yield* changeRole(credential, org_id, boss.user_id, "org-admin")).status, "no change").toBe(200)
      }
      const second = yield* joined(org_id, "org-admin")
      expect((yield* remove(boss.credential, org_id, boss.user_id)).status, "one may leave").toBe(204)
      expect((yield* remove(second.credential, org_id, second.user_id)).status).toBe(409)
    })
  )

  it.effect("are changed only by those who may, and never lifted above or taken from above them", () =>
    Effect.gen(function* () {
      const { admin, boss, org_id } = yield* ownOrganization
      const [helper, staff, member] = yield* Effect.all([
        joined(org_id, "staff"),
        joined(org_id, "staff"),
        joined(org_id, "member")
      ])
      const grant = yield* post(
        `${membersOf(org_id)}/${helper.user_id}/permissions`,
        { ...boss.credential },
        { permission: "members" }
      )
      expect(grant.status).toBe(200)
      const change = (who: { readonly credential: Credential }, whom: { readonly user_id: string }, role: Role) =>
        Effect.map(changeRole(who.credential, org_id, whom.user_id, role), (answer) => answer.status)
      expect(yield* change(staff, member, "member"), "staff has no say").toBe(403)
      expect(yield* change(member, member, "staff"), "nor has a member").toBe(403)
      expect(yield* change(helper, member, "org-admin"), "above the helper").toBe(403)
      expect(yield* change(helper, helper, "org-admin"), "nor themselves").toBe(403)
      expect(yield* change(helper, boss, "member"), "from above").toBe(403)
      expect((yield* remove(helper.credential, org_id, boss.user_id)).status, "from above").toBe(403)
      const onBoss = `${membersOf(org_id)}/${boss.user_id}/permissions`
      expect((yield* ask("PUT", onBoss, helper.credential, { permissions: [] })).status, "from above").toBe(403)
      expect(yield* change(helper, member, "staff"), "up to the helper's own").toBe(200)
      expect((yield* remove(helper.credential, org_id, staff.user_id)).status).toBe(204)
      expect(yield* change({ credential: admin }, helper, "org-admin"), "the platform's admin").toBe(200)
    })
  )

  it.effect("that are none, or another organisation's, are 404", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      for (const credential of [acme.key, admin]) {
        for (const id of [globex.userId("staff"), nilUuid, "nonsense"]) {
          const permissions = `${membersOf(acme.org_id)}/${id}/permissions`
          const answers = yield* Effect.all([
            changeRole(credential, acme.org_id, id, "member"),
            remove(credential, acme.org_id, id),
            ask("POST", permissions, credential, { permission: "payouts" }),
            ask("PUT", permissions, credential, { permissions: [] }),
            ask("DELETE", `${permissions}/payouts`, credential),
            ask("GET", `${permissions}/check?permission=payouts`, credential)
          ])
          for (const answer of answers) {
            expect([answer.status, bodyOf(answer)]).toEqual([
              404,
              { status: "error", message: expect.stringContaining("member") }
            ])
          }
        }
      }
    })
  )

  it.effect("of another organisation are behind its wall, of an unknown one nowhere", () =>
    Effect.gen(function* () {
      const { acme, admin, globex } = yield* people
      for (const org of [globex.org_id, nilUuid, "nonsense"]) {
        expect((yield* ask("GET", membersOf(org), acme.key)).status, org).toBe(403)
        expect((yield* remove(acme.key, org, globex.userId("member"))).status, org).toBe(403)
      }
      expect((yield* ask("GET", membersOf(nilUuid), admin)).status).toBe(404)
      expect((yield* ask("GET", membersOf(globex.org_id), admin)).status).toBe(200)
    })
  )

  it.effect("lose what they may with their membership, in requests that are under way too", () =>
    Effect.gen(function* () {
      const { boss, org_id } = yield* ownOrganization
      const other = yield* joined(org_id, "org-admin")
      const token = yield* tokenWith({ sub: `idp|${other.user_id}`, org_id })
      expect((yield* remove(boss.credential, org_id, other.user_id)).status).toBe(204)
      expect((yield* changeRole(token, org_id, boss.user_id, "member")).status).toBe(403)
    })
  )

  it.effect("refuse a role that is none, naming those there are", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      for (const role of ["admin", "", null, 7]) {
        const answer = yield* changeRole(acme.key, acme.org_id, acme.userId("member"), role)
        expect([answer.status, messageOf(answer)]).toEqual([
          400,
          expect.stringMatching(/^role: .*\borg-admin, staff or member\b/)
        ])
      }
    })
  )
})
