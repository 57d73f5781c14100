import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { CallerStore } from "../../../src/people/auth/CallerStore.ts"
import { nilId } from "../../support/AnyId.ts"
import { MemberStore } from "../../../src/people/members/MemberStore.ts"
import { newMember, newOrganization, newUser } from "../../support/StoreFixtures.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"
import { onBothStores } from "../../support/OnBothStores.ts"

onBothStores("MemberStore", (it) => {
  it.effect("shows a member with their address and what was granted, in one organisation only", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const [here, there] = yield* Effect.all([newOrganization(), newOrganization()])
      const { email, user_id } = yield* newMember(here.org_id, "staff", { email: `Mia.${here.org_id}@x.example` })
      yield* store.setPermissions(here.org_id, user_id, ["webhooks", "api_keys"], "boss")
      const found = Option.getOrThrow(yield* store.find(here.org_id, user_id))
      const about = { org_id: here.org_id, user_id, email, role: "staff", permissions: ["api_keys", "webhooks"] }
      expect(found).toEqual({ ...about, created_at: expect.any(Date), updated_at: expect.any(Date) })
      expect(yield* store.findByEmail(here.org_id, email.toUpperCase())).toEqual(Option.some(found))
      expect(yield* store.list(here.org_id, everything)).toEqual([found])
      expect(yield* store.find(there.org_id, user_id)).toEqual(Option.none())
      expect(yield* store.findByEmail(there.org_id, email)).toEqual(Option.none())
      expect(yield* store.list(there.org_id, everything)).toEqual([])
      expect(yield* store.find(here.org_id, nilId)).toEqual(Option.none())
    })
  )

  it.effect("lists those who joined last first, page by page", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const { org_id } = yield* newOrganization()
      const people = yield* Effect.replicateEffect(newUser(), 6)
      const join = (some: typeof people) =>
        atOneMoment(Effect.forEach(some.toReversed(), ({ user_id }) => store.add(org_id, user_id, "member")))
      yield* join(people.slice(3))
      yield* join(people.slice(0, 3))
      const rows = yield* Effect.forEach(people, ({ user_id }) =>
        Effect.map(store.find(org_id, user_id), Option.getOrThrow)
      )
      yield* expectWindows(
        rows,
        (window) => store.list(org_id, window),
        (row) => row.user_id
      )
    })
  )

  it.effect("adds a member once, and leaves an existing one unchanged", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const { org_id } = yield* newOrganization()
      const { user_id } = yield* newUser()
      expect(yield* store.add(org_id, user_id, "member")).toBe(true)
      expect(yield* store.add(org_id, user_id, "org-admin")).toBe(false)
      expect(Option.getOrThrow(yield* store.find(org_id, user_id)).role).toBe("member")
    })
  )

  it.effect("changes a role in one organisation alone, and counts org-admins", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const [here, there] = yield* Effect.all([newOrganization(), newOrganization()])
      const { subject, user_id } = yield* newMember(here.org_id, "member")
      yield* store.add(there.org_id, user_id, "member")
      expect(yield* store.countOrgAdmins(here.org_id)).toBe(0)
      yield* store.setRole(here.org_id, user_id, "org-admin")
      expect(yield* store.countOrgAdmins(here.org_id)).toBe(1)
      expect(yield* store.countOrgAdmins(there.org_id)).toBe(0)
      const callers = yield* CallerStore
      const caller = yield* callers.byToken(subject, Option.some(here.org_id))
      expect(Option.getOrThrow(caller.organization).role, "what authentication reads").toBe("org-admin")
    })
  )

  it.effect("sets all permissions at once, and takes them with a membership that ends", () =>
    Effect.gen(function* () {
      const store = yield* MemberStore
      const callers = yield* CallerStore
      const [here, there] = yield* Effect.all([newOrganization(), newOrganization()])
      const { subject, user_id } = yield* newMember(here.org_id, "member")
      yield* store.add(there.org_id, user_id, "member")
      const granted = (org_id: string) =>
        Effect.map(callers.byToken(subject, Option.some(org_id)), ({ organization }) =>
          Array.from(Option.getOrThrow(organization).permissions).toSorted()
        )
      yield* store.setPermissions(here.org_id, user_id, ["payouts", "refunds"], "boss")
      yield* store.setPermissions(here.org_id, user_id, ["refunds", "escrow"], "boss")
      expect(yield* granted(here.org_id)).toEqual(["escrow", "refunds"])
      expect(yield* granted(there.org_id)).toEqual([])
      yield* store.setPermissions(here.org_id, user_id, [], "boss")
      expect(yield* granted(here.org_id)).toEqual([])
      yield* store.setPermissions(here.org_id, user_id, ["refunds"], "boss")
      yield* store.remove(here.org_id, user_id)
      expect(yield* store.find(here.org_id, user_id)).toEqual(Option.none())
      yield* store.add(here.org_id, user_id, "member")
      expect(yield* granted(here.org_id), "nothing comes back").toEqual([])
    })
  )
})
