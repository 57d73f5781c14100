/** Concurrent changes of members and invitations, on a real database: each happens once. */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { MemberStore } from "../../../src/people/members/MemberStore.ts"
import { UserStore } from "../../../src/people/users/UserStore.ts"
import { clientFor } from "../../support/Client.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { type Answer, bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
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

const together = { concurrency: "unbounded" } as const

const statusesOf = (answers: ReadonlyArray<Answer>) => answers.map(({ status }) => status).toSorted()

const ownOrganization = Effect.gen(function* () {
  const { admin } = yield* people
  const { organizations } = yield* clientFor(admin)
  const payload = { name: "Own", country: "KE", currency: "KES", email: "own@people.example", features: [] } as never
  const { data } = yield* organizations.create({ payload })
  return data.org_id
})

const remove = (credential: Credential, org_id: string, user_id: string) =>
  send(`${membersOf(org_id)}/${user_id}`, { method: "DELETE", headers: { ...credential } })

const demote = (credential: Credential, org_id: string, user_id: string) =>
  send(`${membersOf(org_id)}/${user_id}`, {
    method: "PATCH",
    headers: { ...credential, "content-type": "application/json" },
    body: JSON.stringify({ role: "member" })
  })

const once = (count: number, first: number, others: number) => [first, ...Array<number>(count - 1).fill(others)]

onDatabaseServer("At the same moment", (it) => {
  it.effect("twenty invitations of one address make one", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const email = yield* freshAddress("wanted")
      const calls = Array.from({ length: 20 }, (_, at) =>
        invite(acme.key, acme.org_id, at % 2 === 0 ? email : email.toUpperCase())
      )
      expect(statusesOf(yield* Effect.all(calls, together))).toEqual(once(20, 201, 409))
    })
  )

  it.effect("twenty acceptances of one invitation make one member, and one user", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const users = yield* UserStore
      const email = yield* freshAddress("eager")
      const { token } = yield* invited(acme.key, acme.org_id, email, "staff")
      const person = yield* tokenWith({ sub: `idp|${email}`, email })
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => accept(person, token)),
        together
      )
      expect(statusesOf(answers)).toEqual(once(20, 200, 409))
      const { user_id } = Option.getOrThrow(yield* users.findBySubject(`idp|${email}`))
      expect(yield* users.membershipsOf(user_id)).toMatchObject([{ org_id: acme.org_id, role: "staff" }])
      const audit = yield* send("/v1/audit-log?action=member.joined&limit=100", { headers: { ...acme.key } })
      const { data } = bodyOf(audit) as { readonly data: ReadonlyArray<{ readonly subject_id: string }> }
      expect(data.filter((row) => row.subject_id === user_id)).toHaveLength(1)
    })
  )

  it.effect("two invitations of someone unknown, into two organisations, make one user", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const users = yield* UserStore
      for (const round of [1, 2, 3, 4, 5]) {
        const email = yield* freshAddress(`both${round}`)
        const person = yield* tokenWith({ sub: `idp|${email}`, email })
        yield* invited(acme.key, acme.org_id, email)
        const here = yield* tokenSentTo(email)
        const { token: there } = yield* invited(globex.key, globex.org_id, email)
        const answers = yield* Effect.all([accept(person, here), accept(person, there)], together)
        expect(statusesOf(answers)).toEqual([200, 200])
        const { user_id } = Option.getOrThrow(yield* users.findBySubject(`idp|${email}`))
        expect(yield* users.membershipsOf(user_id)).toHaveLength(2)
      }
    })
  )

  it.effect("an invitation is accepted or withdrawn, never both", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const members = yield* MemberStore
      const rounds = Effect.gen(function* () {
        const email = yield* freshAddress("torn")
        const { invitation_id, token } = yield* invited(acme.key, acme.org_id, email)
        const person = yield* tokenWith({ sub: `idp|${email}`, email })
        const path = `/v1/organizations/${acme.org_id}/invitations/${invitation_id}`
        const [accepted, withdrawn] = yield* Effect.all(
          [accept(person, token), send(path, { method: "DELETE", headers: { ...acme.key } })],
          together
        )
        const joined = Option.isSome(yield* members.findByEmail(acme.org_id, email))
        expect([accepted.status, withdrawn.status]).toEqual(joined ? [200, 409] : [409, 204])
      })
      yield* Effect.replicateEffect(rounds, 30, { concurrency: 3, discard: true })
    })
  )

  it.effect("two org-admins who remove or demote each other leave one", () =>
    Effect.gen(function* () {
      const members = yield* MemberStore
      for (const [first, second] of [
        [remove, remove],
        [demote, demote],
        [remove, demote],
        [remove, remove],
        [demote, remove]
      ] as const) {
        const org_id = yield* ownOrganization
        const [one, other] = yield* Effect.all([joined(org_id, "org-admin"), joined(org_id, "org-admin")])
        const answers = yield* Effect.all(
          [first(one.credential, org_id, other.user_id), second(other.credential, org_id, one.user_id)],
          together
        )
        const done = answers.filter(({ status }) => status < 300)
        expect(done, statusesOf(answers).join()).toHaveLength(1)
        expect(yield* members.countOrgAdmins(org_id)).toBe(1)
      }
    })
  )

  it.effect("six org-admins who all leave leave one behind", () =>
    Effect.gen(function* () {
      const members = yield* MemberStore
      const org_id = yield* ownOrganization
      const all = yield* Effect.replicateEffect(joined(org_id, "org-admin"), 6)
      const answers = yield* Effect.forEach(
        all,
        ({ credential, user_id }) => remove(credential, org_id, user_id),
        together
      )
      expect(statusesOf(answers)).toEqual([...Array<number>(5).fill(204), 409])
      expect(yield* members.countOrgAdmins(org_id)).toBe(1)
    })
  )
})
