/** Invitations in memory. */
import { Clock, Duration, Effect, Layer, Option } from "effect"
import { newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { memberTables } from "./MemoryTables.ts"
import { type Scope } from "../../platform/database/Query.ts"
import { invitationTtl } from "../../domain/policies/People.ts"
import type { Invitation, StoredInvitation } from "./Member.ts"
import { InvitationStore } from "./InvitationStore.ts"

const withoutHash = ({ token_hash: _hash, ...invitation }: StoredInvitation): Invitation => invitation

/** One whose time is over is closed, though nobody has touched its row since. */
const asOf = (now: number, row: StoredInvitation): StoredInvitation =>
  row.status === "pending" && row.expires_at.getTime() <= now ? { ...row, status: "expired" } : row

export const invitationStoreMemory = Layer.effect(
  InvitationStore,
  Effect.map(openTables(memberTables), ({ invitations }): InvitationStore["Type"] => {
    const all = (now: number) => Array.from(invitations.values(), (row) => asOf(now, row))
    const visible = (scope: Scope, now: number) =>
      all(now).filter((row) => Option.isNone(scope) || row.org_id === scope.value)
    const first = (found: (row: StoredInvitation) => boolean) =>
      Effect.map(Clock.currentTimeMillis, (now) => Option.map(Option.fromNullable(all(now).find(found)), withoutHash))
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
      row.invitation_id === id && (Option.isNone(scope) || row.org_id === scope.value)
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
          return Option.some(withoutHash(row))
        }),
      list: (scope, window) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          newestFirst(visible(scope, now), (row) => row.invitation_id, window).map(withoutHash)
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
