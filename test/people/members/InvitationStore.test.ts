import { expect } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import type { OrgId, UserId } from "../../../src/domain/Ids.ts"
import { invitationTtl } from "../../../src/domain/policies/PeoplePolicies.ts"
import { InvitationStore, type NewInvitation } from "../../../src/people/members/MemberStore.ts"
import { hashToken } from "../../../src/people/members/Invitations.ts"
import { newMember, newOrganization, newUser, nextId } from "../../support/StoreFixtures.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"
import { expire, onOpenStores } from "./StoresWithTables.ts"

const insert = (org_id: OrgId, about: Partial<NewInvitation> = {}) =>
  Effect.gen(function* () {
    const store = yield* InvitationStore
    const invitation_id = yield* nextId
    const email = `${invitation_id}@x.example`
    const token_hash = hashToken(invitation_id)
    const fields = { invitation_id, org_id, email, role: "staff", invited_by: null, token_hash } as const
    return yield* store.insert({ ...fields, ...about })
  })

const inserted = (org_id: OrgId, about: Partial<NewInvitation> = {}) =>
  Effect.map(insert(org_id, about), Option.getOrThrow)

onOpenStores("InvitationStore", (it) => {
  it.effect("keeps what was inserted, for seven days, and never gives the hash back", () =>
    Effect.gen(function* () {
      const store = yield* InvitationStore
      const { org_id } = yield* newOrganization()
      const { user_id } = yield* newMember(org_id, "org-admin")
      const made = yield* inserted(org_id, { email: "Ana@x.example", invited_by: user_id })
      const about = { org_id, email: "Ana@x.example", role: "staff", invited_by: user_id, accepted_by: null }
      expect(made).toMatchObject({ ...about, status: "pending" })
      expect(Object.keys(made)).not.toContain("token_hash")
      expect(made.expires_at.getTime() - made.created_at.getTime()).toBe(Duration.toMillis(invitationTtl))
      expect(Duration.toDays(invitationTtl)).toBe(7)
      expect(yield* store.findByHashForUpdate(hashToken(made.invitation_id))).toEqual(Option.some(made))
      expect(yield* store.findByHashForUpdate(hashToken("another"))).toEqual(Option.none())
    })
  )

  it.effect("shows and closes only what is in scope", () =>
    Effect.gen(function* () {
      const store = yield* InvitationStore
      const [here, there] = yield* Effect.all([newOrganization(), newOrganization()])
      const made = yield* inserted(here.org_id)
      const [own, foreign] = [Option.some(here.org_id), Option.some(there.org_id)]
      expect(yield* store.findForUpdate(own, made.invitation_id)).toEqual(Option.some(made))
      expect(yield* store.findForUpdate(foreign, made.invitation_id)).toEqual(Option.none())
      expect(yield* store.list(foreign, everything)).toEqual([])
      yield* store.withdraw(foreign, made.invitation_id)
      yield* store.accept(foreign, made.invitation_id, (yield* newUser()).user_id)
      expect(yield* store.list(own, everything)).toEqual([made])
    })
  )

  it.effect("has one open invitation for an address in an organisation, in any case of its letters", () =>
    Effect.gen(function* () {
      const store = yield* InvitationStore
      const [here, there] = yield* Effect.all([newOrganization(), newOrganization()])
      const scope = Option.some(here.org_id)
      const first = yield* inserted(here.org_id, { email: "Bo@x.example" })
      expect(yield* insert(here.org_id, { email: "bO@X.example" })).toEqual(Option.none())
      yield* inserted(there.org_id, { email: "bo@x.example" })
      yield* store.withdraw(scope, first.invitation_id)
      const second = yield* inserted(here.org_id, { email: "bo@x.example" })
      yield* store.accept(scope, second.invitation_id, (yield* newUser()).user_id)
      yield* inserted(here.org_id, { email: "bo@x.example" })
      const statuses = (yield* store.list(scope, everything)).map(({ status }) => status)
      expect(statuses.toSorted()).toEqual(["accepted", "pending", "withdrawn"])
    })
  )

  it.effect("lets an address be invited again when its time is over", () =>
    Effect.gen(function* () {
      const store = yield* InvitationStore
      const { org_id } = yield* newOrganization()
      const scope = Option.some(org_id)
      const first = yield* inserted(org_id, { email: "cy@x.example" })
      yield* expire(first.invitation_id)
      expect(Option.getOrThrow(yield* store.findForUpdate(scope, first.invitation_id)).status).toBe("expired")
      const second = yield* inserted(org_id, { email: "cy@x.example" })
      const all = yield* store.list(scope, everything)
      expect(Object.fromEntries(all.map(({ invitation_id, status }) => [invitation_id, status]))).toEqual({
        [second.invitation_id]: "pending",
        [first.invitation_id]: "expired"
      })
    })
  )

  it.effect("closes an invitation once", () =>
    Effect.gen(function* () {
      const store = yield* InvitationStore
      const { org_id } = yield* newOrganization()
      const scope = Option.some(org_id)
      const { invitation_id } = yield* inserted(org_id)
      const [{ user_id }, other] = yield* Effect.all([newUser(), newUser()])
      yield* store.accept(scope, invitation_id, user_id)
      const accepted = Option.getOrThrow(yield* store.findForUpdate(scope, invitation_id))
      expect(accepted).toMatchObject({ status: "accepted", accepted_by: user_id })
      yield* store.withdraw(scope, invitation_id)
      yield* store.accept(scope, invitation_id, other.user_id)
      expect(yield* store.findForUpdate(scope, invitation_id)).toEqual(Option.some(accepted))
    })
  )

  it.effect("withdraws what one member offered, to the roles that are named", () =>
    Effect.gen(function* () {
      const store = yield* InvitationStore
      const { org_id } = yield* newOrganization()
      const [one, other] = yield* Effect.all([newMember(org_id, "org-admin"), newMember(org_id, "org-admin")])
      const by = (user_id: UserId, role: "org-admin" | "staff" | "member") =>
        inserted(org_id, { invited_by: user_id, role })
      const high = yield* by(one.user_id, "org-admin")
      const low = yield* by(one.user_id, "member")
      const others = yield* by(other.user_id, "org-admin")
      expect(yield* store.withdrawAllBy(org_id, one.user_id, [])).toEqual([])
      expect(yield* store.withdrawAllBy(org_id, one.user_id, ["org-admin", "staff"])).toEqual([high.invitation_id])
      const open = (yield* store.list(Option.some(org_id), everything)).filter(({ status }) => status === "pending")
      expect(new Set(open.map((row) => row.invitation_id))).toEqual(new Set([low.invitation_id, others.invitation_id]))
    })
  )

  it.effect("lists newest first, page by page", () =>
    Effect.gen(function* () {
      const store = yield* InvitationStore
      const { org_id } = yield* newOrganization()
      const three = Effect.replicateEffect(inserted(org_id), 3)
      const made = [...(yield* atOneMoment(three)), ...(yield* atOneMoment(three))]
      yield* expectWindows(
        made,
        (window) => store.list(Option.some(org_id), window),
        (row) => row.invitation_id
      )
    })
  )
})
