/** Members and invitations in memory. */
import { Clock, Effect, Layer, Option, Duration } from "effect"
import type { OrgId, UserId } from "../../domain/Ids.ts"
import { newestFirst, openTables, memoryTable, currentDate, seenIn } from "../../platform/database/MemoryDatabase.ts"
import { memberKey, userTables } from "../users/UserMemory.ts"
import type { Membership } from "../users/UserStore.ts"
import { type OrgMember, MemberStore, type Invitation, type StoredInvitation, InvitationStore } from "./MemberStore.ts"
import type { Scope } from "../../platform/database/Query.ts"
import { invitationTtl } from "../../domain/policies/PeoplePolicies.ts"

export const memberStoreMemory = Layer.effect(
  MemberStore,
  Effect.map(openTables(userTables), ({ memberships, users }): MemberStore["Type"] => {
    const membersOf = (orgId: OrgId): ReadonlyArray<OrgMember> =>
      memberships
        .all()
        .flatMap((row) =>
          row.org_id === orgId
            ? [{ ...row, permissions: row.permissions.toSorted(), email: users.get(row.user_id)!.email }]
            : []
        )
    const first = (orgId: OrgId, found: (member: OrgMember) => boolean) =>
      Effect.sync(() => Option.fromNullable(membersOf(orgId).find(found)))
    const change = (orgId: OrgId, userId: UserId, changed: Partial<Membership>) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const key = memberKey(orgId, userId)
        const row = memberships.get(key)
        if (row !== undefined) memberships.set(key, { ...row, ...changed, updated_at: new Date(now) })
      })
    return {
      lock: () => Effect.void,
      find: (orgId, userId) => first(orgId, (member) => member.user_id === userId),
      findByEmail: (orgId, email) => first(orgId, (member) => member.email.toLowerCase() === email.toLowerCase()),
      list: (orgId, window) => Effect.sync(() => newestFirst(membersOf(orgId), (member) => member.user_id, window)),
      countOrgAdmins: (orgId) =>
        Effect.sync(() => membersOf(orgId).filter((member) => member.role === "org-admin").length),
      add: (org_id, user_id, role) =>
        Effect.map(currentDate, (at) => {
          const key = memberKey(org_id, user_id)
          if (memberships.has(key)) return false
          memberships.set(key, { org_id, user_id, role, permissions: [], created_at: at, updated_at: at })
          return true
        }),
      setRole: (orgId, userId, role) => change(orgId, userId, { role }),
      setPermissions: (orgId, userId, permissions) =>
        change(orgId, userId, { permissions: Array.from(new Set(permissions)) }),
      remove: (orgId, userId) => Effect.sync(() => void memberships.delete(memberKey(orgId, userId)))
    }
  })
)

export const memberTables = {
  invitations: memoryTable<StoredInvitation>("invitations")
}

const withoutTokenHash = ({ token_hash: _hash, ...invitation }: StoredInvitation): Invitation => invitation

/** Shows a pending invitation as expired once its time is over. */
const asOf = (now: number, row: StoredInvitation): StoredInvitation =>
  row.status === "pending" && row.expires_at.getTime() <= now ? { ...row, status: "expired" } : row

export const invitationStoreMemory = Layer.effect(
  InvitationStore,
  Effect.map(openTables(memberTables), ({ invitations }): InvitationStore["Type"] => {
    const all = (now: number) => Array.from(invitations.values(), (row) => asOf(now, row))
    const visible = (scope: Scope, now: number) => all(now).filter(seenIn(scope))
    const first = (found: (row: StoredInvitation) => boolean) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        Option.map(Option.fromNullable(all(now).find(found)), withoutTokenHash)
      )
    const close = (
      closes: (row: StoredInvitation) => boolean,
      closed: Partial<Pick<Invitation, "status" | "accepted_by">>
    ) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const rows = all(now).filter((row) => row.status === "pending" && closes(row))
        for (const row of rows) invitations.set(row.invitation_id, { ...row, ...closed, updated_at: new Date(now) })
        return rows.map((row) => row.invitation_id)
      })
    const within = (scope: Scope, id: string) => (row: StoredInvitation) =>
      row.invitation_id === id && seenIn(scope)(row)
    return {
      insert: (invitation) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const open = visible(Option.some(invitation.org_id), now).some(
            (row) => row.status === "pending" && row.email.toLowerCase() === invitation.email.toLowerCase()
          )
          if (open) return Option.none()
          const at = new Date(now)
          const row: StoredInvitation = {
            ...invitation,
            status: "pending",
            accepted_by: null,
            expires_at: new Date(now + Duration.toMillis(invitationTtl)),
            created_at: at,
            updated_at: at
          }
          invitations.set(row.invitation_id, row)
          return Option.some(withoutTokenHash(row))
        }),
      list: (scope, window) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          newestFirst(visible(scope, now), (row) => row.invitation_id, window).map(withoutTokenHash)
        ),
      findForUpdate: (scope, id) => first(within(scope, id)),
      findByHashForUpdate: (tokenHash) => first((row) => row.token_hash === tokenHash),
      accept: (scope, id, userId) =>
        Effect.asVoid(close(within(scope, id), { status: "accepted", accepted_by: userId })),
      withdraw: (scope, id) => Effect.asVoid(close(within(scope, id), { status: "withdrawn" })),
      withdrawAllBy: (orgId, userId, roles) =>
        close((row) => row.org_id === orgId && row.invited_by === userId && roles.includes(row.role), {
          status: "withdrawn"
        })
    }
  })
)
