import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { nilUuid } from "../../../src/domain/Ids.ts"
import { idFrom } from "../../support/AnyId.ts"
import { UserStore } from "../../../src/people/users/UserStore.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { type Answer, bodyOf, send } from "../../support/Send.ts"
import { TestServer } from "../../support/TestServer.ts"
import {
  accept,
  freshAddress,
  invite,
  invited,
  joined,
  membersOf,
  tokenSentTo,
  tokenWith
} from "./InvitationFixtures.ts"
import { expire, onOpenServer, rowText } from "./StoresWithTables.ts"

type Fields = Readonly<Record<string, unknown>>

const dataOf = (answer: Answer) => (bodyOf(answer) as { readonly data: Fields }).data
const messageOf = (answer: Answer) => (bodyOf(answer) as { readonly message: string }).message

const invitations = (org_id: string) => `/v1/organizations/${org_id}/invitations`

const withdraw = (credential: Credential, org_id: string, id: string) =>
  send(`${invitations(org_id)}/${id}`, { method: "DELETE", headers: { ...credential } })

const get = (path: string, credential: Credential) => send(path, { headers: { ...credential } })

const auditOf = (credential: Credential, action: string) =>
  Effect.map(get(`/v1/audit-log?action=${action}&limit=100`, credential), (answer) => {
    const { data } = bodyOf(answer) as { readonly data: ReadonlyArray<Fields> }
    return data
  })

onOpenServer("Invitations", (it) => {
  it.effect("create a new user and member with the subject and address of the token", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const email = yield* freshAddress("Nia")
      const answer = yield* invite(acme.token("org-admin"), acme.org_id, email, "staff")
      expect(answer.status, answer.text).toBe(201)
      const invitation = dataOf(answer)
      expect(invitation).toEqual({
        ...{ invitation_id: expect.any(String), org_id: acme.org_id, email, role: "staff", status: "pending" },
        ...{ invited_by: acme.userId("org-admin"), expires_at: expect.any(String) },
        ...{ created_at: expect.any(String), updated_at: expect.any(String) }
      })
      const person = yield* tokenWith({ sub: `idp|${email}`, email: email.toUpperCase(), org_id: acme.org_id })
      expect((yield* get("/v1/beneficiaries", person)).status, "before").toBe(403)
      const accepted = yield* accept(person, yield* tokenSentTo(email))
      expect(accepted.status, accepted.text).toBe(200)
      const { user_id } = dataOf(accepted)
      expect(dataOf(accepted)).toMatchObject({ org_id: acme.org_id, role: "staff", permissions: [] })
      expect((yield* get(membersOf(acme.org_id), person)).status, "after").toBe(200)
      const user = Option.getOrThrow(yield* Effect.flatMap(UserStore, (users) => users.find(idFrom(user_id))))
      expect(user).toMatchObject({
        subject: `idp|${email}`,
        email: email.toUpperCase(),
        is_admin: false,
        country: null
      })
      const sent = yield* auditOf(acme.key, "member.invited")
      expect(sent.find((row) => row["subject_id"] === invitation["invitation_id"])).toMatchObject({
        ...{ actor_id: acme.userId("org-admin"), detail: { email, role: "staff" } }
      })
      const bound = yield* auditOf(acme.key, "member.joined")
      expect(bound.find((row) => row["subject_id"] === user_id)).toMatchObject({
        ...{ actor_type: "user", detail: { role: "staff", invitation_id: invitation["invitation_id"] } }
      })
    })
  )

  it.effect("show their token in no answer, row, audit entry or log line", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { logs } = yield* TestServer
      const email = yield* freshAddress("Secret")
      const made = yield* invite(acme.key, acme.org_id, email)
      const token = yield* tokenSentTo(email)
      expect(Buffer.from(token, "base64url")).toHaveLength(32)
      const accepted = yield* accept(yield* tokenWith({ sub: email, email }), token)
      expect(accepted.status).toBe(200)
      const listed = yield* get(`${invitations(acme.org_id)}?limit=100`, acme.key)
      expect(listed.text).toContain(email)
      const audit = yield* auditOf(acme.key, "member.invited")
      const row = yield* rowText(String(dataOf(made)["invitation_id"]))
      const seen = [made.text, accepted.text, listed.text, row, JSON.stringify(audit), JSON.stringify(logs)]
      for (const text of seen) expect(text).not.toContain(token)
    })
  )

  it.effect("are refused for an address that is a member's, or has one open, in any case", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const email = yield* freshAddress("Twice")
      const { token } = yield* invited(acme.key, acme.org_id, email)
      const again = yield* invite(acme.key, acme.org_id, email.toUpperCase())
      expect([again.status, messageOf(again)]).toEqual([409, expect.stringContaining("open invitation")])
      yield* invited(globex.key, globex.org_id, email)
      expect((yield* accept(yield* tokenWith({ sub: email, email }), token)).status).toBe(200)
      const member = yield* invite(acme.key, acme.org_id, email.toUpperCase())
      expect([member.status, messageOf(member)]).toEqual([409, expect.stringContaining("address of a member")])
    })
  )

  it.effect("cannot offer a role above the inviter's own", () =>
    Effect.gen(function* () {
      const { acme, admin } = yield* people
      const helper = yield* joined(acme.org_id, "staff")
      const grant = { method: "POST", body: JSON.stringify({ permission: "members" }) }
      const granted = yield* send(`${membersOf(acme.org_id)}/${helper.user_id}/permissions`, {
        ...grant,
        headers: { ...acme.key, "content-type": "application/json" }
      })
      expect(granted.status, granted.text).toBe(200)
      const offer = (credential: Credential, role: string) =>
        Effect.flatMap(freshAddress("role"), (email) => invite(credential, acme.org_id, email, role))
      const above = yield* offer(helper.credential, "org-admin")
      expect([above.status, messageOf(above)]).toEqual([403, expect.stringMatching(/^role: .*org-admin/)])
      expect((yield* offer(helper.credential, "staff")).status).toBe(201)
      expect((yield* offer(acme.token("org-admin"), "org-admin")).status).toBe(201)
      expect((yield* offer(admin, "org-admin")).status).toBe(201)
      for (const role of ["staff", "member"] as const) {
        expect((yield* offer(acme.token(role), "member")).status, role).toBe(403)
      }
    })
  )

  it.effect("name what is wrong with a request", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const cases: ReadonlyArray<readonly [unknown, unknown, RegExp]> = [
        ["nobody", "staff", /^email: is not an e-mail address/],
        ["ada@localhost", "staff", /^email: /],
        [undefined, "staff", /^email: /],
        ["ada@acme.example", "boss", /^role: is not a role: use org-admin, staff or member/],
        ["ada@acme.example", "admin", /^role: /],
        ["ada@acme.example", null, /^role: /]
      ]
      for (const [email, role, expected] of cases) {
        const answer = yield* invite(acme.key, acme.org_id, email, role)
        expect([answer.status, messageOf(answer)], `${email} ${role}`).toEqual([400, expect.stringMatching(expected)])
      }
    })
  )

  it.effect("are accepted only with the invited address", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const email = yield* freshAddress("Mine")
      const { token } = yield* invited(acme.key, acme.org_id, email)
      const others = [
        globex.token("org-admin"),
        yield* tokenWith({ sub: "idp|other", email: "other@people.example" }),
        acme.token("member")
      ]
      for (const credential of others) {
        const answer = yield* accept(credential, token)
        expect([answer.status, messageOf(answer)]).toEqual([403, expect.stringContaining("another e-mail address")])
      }
      const boasting = yield* tokenWith({ sub: globex.userId("staff"), email })
      expect((yield* accept(boasting, token)).status, "the address on record counts for a known user").toBe(403)
      expect((yield* accept(acme.key, token)).status, "an API key").toBe(403)
      expect((yield* accept(yield* tokenWith({ sub: "idp|mine", email }), token)).status).toBe(200)
    })
  )

  it.effect("are refused if the token lacks the verified invited address", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const email = yield* freshAddress("mike")
      const { token } = yield* invited(acme.key, acme.org_id, email)
      const stranger = { sub: `idp|${email}` }
      const known = yield* joined(acme.org_id, "member")
      const claims: ReadonlyArray<readonly [string, Fields]> = [
        ["none", {}],
        ["null", { email: null }],
        ["another", { email: "forged@people.example" }],
        ["one that is none", { email: "nobody" }],
        ["a number", { email: 7 }],
        ["a list of them", { email: [email] }],
        ["with a space behind", { email: `${email} ` }],
        ["two in one", { email: `other@people.example,${email}` }],
        ["a letter that only looks alike", { email: email.replace("k", "\u212a") }],
        ["a domain within another", { email: `${email}.evil.example` }],
        ...[false, "false", "no", 0, 1, null, undefined, "TRUE", {}].map(
          (email_verified) => [`verified: ${JSON.stringify(email_verified)}`, { email, email_verified }] as const
        )
      ]
      for (const [name, about] of claims) {
        for (const sub of [stranger.sub, `idp|${known.user_id}`]) {
          const answer = yield* accept(yield* tokenWith({ sub, ...about }), token)
          expect([answer.status, messageOf(answer)], `${name} ${sub}`).toEqual([
            403,
            expect.stringContaining("e-mail address")
          ])
        }
      }
      const users = yield* UserStore
      expect(yield* users.findBySubject(stranger.sub), "no member was made").toEqual(Option.none())
      const rightful = yield* tokenWith({ ...stranger, email: email.toUpperCase(), email_verified: "true" })
      expect((yield* accept(rightful, token)).status, "in any case of its letters").toBe(200)
    })
  )

  it.effect("reveal no status to other users", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const email = yield* freshAddress("closed")
      const { invitation_id, token } = yield* invited(acme.key, acme.org_id, email)
      expect((yield* withdraw(acme.key, acme.org_id, invitation_id)).status).toBe(204)
      expect((yield* accept(globex.token("staff"), token)).status).toBe(403)
      expect((yield* accept(yield* tokenWith({ sub: email, email }), token)).status).toBe(409)
    })
  )

  it.effect("are accepted with the sandbox's own tokens", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const { token } = yield* invited(acme.key, acme.org_id, "staff@globex.example")
      expect((yield* accept(globex.token("member"), token)).status).toBe(403)
      expect((yield* accept(globex.token("staff"), token)).status).toBe(200)
    })
  )

  it.effect("do not hand a known user's address to another subject", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const { email } = yield* joined(globex.org_id, "staff")
      const { token } = yield* invited(acme.key, acme.org_id, email)
      const impostor = yield* accept(yield* tokenWith({ sub: "idp|impostor", email }), token)
      expect([impostor.status, messageOf(impostor)]).toEqual([409, expect.stringContaining("Another user")])
      const users = yield* UserStore
      expect(yield* users.findBySubject("idp|impostor")).toEqual(Option.none())
    })
  )

  it.effect("bring a known user into a second organisation, with a token of the first", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const visitor = yield* joined(globex.org_id, "org-admin")
      const { token } = yield* invited(acme.key, acme.org_id, visitor.email, "member")
      const accepted = yield* accept(visitor.credential, token)
      expect(dataOf(accepted)).toMatchObject({ user_id: visitor.user_id, org_id: acme.org_id, role: "member" })
      const here = yield* tokenWith({ sub: `idp|${visitor.user_id}`, org_id: acme.org_id })
      expect((yield* get("/v1/beneficiaries", here)).status).toBe(200)
      expect((yield* get(membersOf(acme.org_id), here)).status, "a role stays where it is").toBe(403)
      expect((yield* get(membersOf(globex.org_id), visitor.credential)).status).toBe(200)
    })
  )

  it.effect("work once, in time and until they are withdrawn; the answer says which it was", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const [used, old, gone] = yield* Effect.all([freshAddress("used"), freshAddress("old"), freshAddress("gone")])
      const first = yield* invited(acme.key, acme.org_id, used)
      const person = yield* tokenWith({ sub: used, email: used })
      expect((yield* accept(person, first.token)).status).toBe(200)
      const second = yield* invited(acme.key, acme.org_id, old)
      yield* expire(second.invitation_id)
      const third = yield* invited(acme.key, acme.org_id, gone)
      expect((yield* withdraw(acme.key, acme.org_id, third.invitation_id)).status).toBe(204)
      const cases: ReadonlyArray<readonly [string, string, number, RegExp]> = [
        [used, first.token, 409, /already been used/],
        [old, second.token, 409, /has expired/],
        [gone, third.token, 409, /was withdrawn/],
        [used, `${first.token.slice(0, -1)}_`, 404, /No invitation/],
        [used, nilUuid, 404, /No invitation/],
        [used, "%00", 404, /No invitation/]
      ]
      for (const [email, token, status, words] of cases) {
        const answer = yield* accept(yield* tokenWith({ sub: email, email }), token)
        expect([answer.status, messageOf(answer)], token).toEqual([status, expect.stringMatching(words)])
      }
      const again = yield* invited(acme.key, acme.org_id, gone)
      expect((yield* accept(yield* tokenWith({ sub: gone, email: gone }), again.token)).status).toBe(200)
    })
  )

  it.effect("are withdrawn without harm twice, but not once they were accepted", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const email = yield* freshAddress("back")
      const { invitation_id, token } = yield* invited(acme.key, acme.org_id, email)
      expect((yield* withdraw(globex.key, globex.org_id, invitation_id)).status, "another's").toBe(404)
      expect((yield* withdraw(acme.token("staff"), acme.org_id, invitation_id)).status).toBe(403)
      expect((yield* accept(yield* tokenWith({ sub: email, email }), token)).status).toBe(200)
      expect((yield* withdraw(acme.key, acme.org_id, invitation_id)).status).toBe(409)
      const other = yield* invited(acme.key, acme.org_id, yield* freshAddress("other"))
      for (const _ of [1, 2]) expect((yield* withdraw(acme.key, acme.org_id, other.invitation_id)).status).toBe(204)
      const rows = yield* auditOf(acme.key, "invitation.withdrawn")
      expect(rows.filter((row) => row["subject_id"] === other.invitation_id)).toHaveLength(1)
    })
  )

  it.effect("are withdrawn with their inviter's removal, or demotion below the offered role", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      const [leaver, demoted] = yield* Effect.all([
        joined(globex.org_id, "org-admin"),
        joined(globex.org_id, "org-admin")
      ])
      const addresses = yield* Effect.all([freshAddress("l"), freshAddress("d"), freshAddress("e")])
      const [byLeaver, high, low] = yield* Effect.all([
        invited(leaver.credential, globex.org_id, addresses[0], "member"),
        invited(demoted.credential, globex.org_id, addresses[1], "org-admin"),
        invited(demoted.credential, globex.org_id, addresses[2], "member")
      ])
      const at = (user_id: string) => `${membersOf(globex.org_id)}/${user_id}`
      const headers = { ...globex.key, "content-type": "application/json" }
      expect((yield* send(at(leaver.user_id), { method: "DELETE", headers: { ...globex.key } })).status).toBe(204)
      const body = JSON.stringify({ role: "member" })
      expect((yield* send(at(demoted.user_id), { method: "PATCH", headers, body })).status).toBe(200)
      const statuses = yield* Effect.forEach([byLeaver, high, low], ({ token }, index) =>
        Effect.gen(function* () {
          const email = addresses[index]!
          return (yield* accept(yield* tokenWith({ sub: email, email }), token)).status
        })
      )
      expect(statuses).toEqual([409, 409, 200])
    })
  )
})
