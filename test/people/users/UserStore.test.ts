import { expect } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import { CallerStore } from "../../../src/people/auth/CallerStore.ts"
import { nilId } from "../../support/AnyId.ts"
import { type Member, UserStore } from "../../../src/people/users/UserStore.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { newMember, newOrganization, newUser, nextId } from "../../support/StoreFixtures.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"

onBothStores("UserStore", (it) => {
  it.effect("keeps what was inserted", () =>
    Effect.gen(function* () {
      const store = yield* UserStore
      const made = yield* newUser({ email: "Ana@Initech.example", country: "KE", is_admin: true, subject: "idp|ana" })
      expect(made).toMatchObject({ email: "Ana@Initech.example", country: "KE", is_admin: true, subject: "idp|ana" })
      expect(yield* store.find(made.user_id)).toEqual(Option.some(made))
      expect(yield* store.find(nilId)).toEqual(Option.none())
    })
  )

  it.effect("refuses a taken address in any case, a taken subject and a taken id, and keeps the first", () =>
    Effect.gen(function* () {
      const store = yield* UserStore
      const first = yield* newUser({ email: "Bo@Initech.example", subject: "idp|bo" })
      const clashes = [{ email: "bO@initech.EXAMPLE" }, { subject: "idp|bo" }, { user_id: first.user_id }]
      for (const clash of clashes) {
        const refused = yield* Effect.either(newUser({ subject: yield* nextId, ...clash }))
        expect(Either.isLeft(refused) && refused.left._tag, JSON.stringify(clash)).toBe("Conflict")
      }
      expect(yield* store.find(first.user_id)).toEqual(Option.some(first))
    })
  )

  it.effect("lets one of many that want the same address have it", () =>
    Effect.gen(function* () {
      const attempts = Array.from({ length: 20 }, () => Effect.either(newUser({ email: "race@initech.example" })))
      const results = yield* Effect.all(attempts, { concurrency: "unbounded" })
      expect(results.filter(Either.isRight)).toHaveLength(1)
    })
  )

  it.effect("lists only the organisation's members, with their roles", () =>
    Effect.gen(function* () {
      const store = yield* UserStore
      const [here, there] = yield* Effect.all([newOrganization(), newOrganization()])
      const boss = yield* newMember(here.org_id, "org-admin")
      const stranger = yield* newMember(there.org_id, "staff")
      yield* store.putMember({ org_id: there.org_id, user_id: boss.user_id, role: "member" })
      const members = yield* store.list(Option.some(here.org_id), everything)
      expect(members).toEqual([{ ...boss, org_id: here.org_id, role: "org-admin" }])
      const everybody = yield* store.list(Option.none(), everything)
      for (const user of [boss, stranger]) expect(everybody).toContainEqual({ ...user, org_id: null, role: null })
      expect(
        everybody.filter((row) => row.user_id === boss.user_id),
        "once, though in two"
      ).toHaveLength(1)
    })
  )

  it.effect("lists newest first, page by page", () =>
    Effect.gen(function* () {
      const store = yield* UserStore
      const { org_id } = yield* newOrganization()
      const three = Effect.replicateEffect(newMember(org_id, "staff"), 3)
      const made = [...(yield* atOneMoment(three)), ...(yield* atOneMoment(three))]
      const rows = made.map((user): Member => ({ ...user, org_id, role: "staff" }))
      yield* expectWindows(
        rows,
        (window) => store.list(Option.some(org_id), window),
        (row) => row.user_id
      )
    })
  )

  it.effect("changes a role in place, and keeps what was granted", () =>
    Effect.gen(function* () {
      const store = yield* UserStore
      const { org_id } = yield* newOrganization()
      const { subject, user_id } = yield* newMember(org_id, "member")
      yield* store.grant(org_id, user_id, "api_keys", "boss")
      yield* store.grant(org_id, user_id, "api_keys", "boss")
      yield* store.grant(org_id, user_id, "refunds", "boss")
      yield* store.putMember({ org_id, user_id, role: "staff" })
      const caller = yield* Effect.flatMap(CallerStore, (callers) => callers.byToken(subject, Option.some(org_id)))
      expect(Option.getOrThrow(caller.organization)).toMatchObject({
        role: "staff",
        permissions: new Set(["api_keys", "refunds"])
      })
    })
  )

  it.effect("finds a user by address in any case", () =>
    Effect.gen(function* () {
      const store = yield* UserStore
      const made = yield* newUser({ email: "Dee@Initech.example" })
      expect(yield* store.findByEmail("dEE@initech.EXAMPLE")).toEqual(Option.some(made))
      expect(yield* store.findByEmail("dee@initech")).toEqual(Option.none())
    })
  )

  it.effect("lists all memberships of a user", () =>
    Effect.gen(function* () {
      const store = yield* UserStore
      const [first, second] = yield* Effect.all([newOrganization(), newOrganization()])
      const { user_id } = yield* newMember(first.org_id, "staff")
      yield* store.putMember({ org_id: second.org_id, user_id, role: "org-admin" })
      yield* newMember(second.org_id, "member")
      const memberships = yield* store.membershipsOf(user_id)
      expect(memberships.map(({ org_id, role }) => [org_id, role])).toEqual([
        [first.org_id, "staff"],
        [second.org_id, "org-admin"]
      ])
    })
  )

  it.effect("names the org-admin who has been one the longest", () =>
    Effect.gen(function* () {
      const store = yield* UserStore
      const { org_id } = yield* newOrganization()
      expect(yield* store.oldestOrgAdmin(org_id)).toEqual(Option.none())
      yield* newMember(org_id, "staff")
      const first = yield* newMember(org_id, "org-admin")
      yield* newMember(org_id, "org-admin")
      yield* newMember((yield* newOrganization()).org_id, "org-admin")
      expect(yield* store.oldestOrgAdmin(org_id)).toEqual(Option.some(first.user_id))
    })
  )
})
