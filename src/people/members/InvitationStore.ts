/** Invitations at rest: the hash of a token, never the token. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { memberTables } from "./MemoryTables.ts"
import { firstRow, inScope, newest, type Scope } from "../../platform/database/Query.ts"
import type { Role } from "../../domain/Access.ts"
import { invitationTtl } from "../../domain/Policies.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { Invitation, StoredInvitation } from "./Member.ts"

export type NewInvitation = Pick<
  StoredInvitation,
  "invitation_id" | "org_id" | "email" | "role" | "invited_by" | "token_hash"
>

interface Store {
  /** None when the address has an open invitation into the organisation. */
  readonly insert: (invitation: NewInvitation) => Effect.Effect<Option.Option<Invitation>>
  readonly list: (scope: Scope, window: Window) => Effect.Effect<ReadonlyArray<Invitation>>
  /** Inside a transaction the row stays locked until its end. */
  readonly findForUpdate: (scope: Scope, id: string) => Effect.Effect<Option.Option<Invitation>>
  /** The same, by what its holder has; a token names one invitation among those of all organisations. */
  readonly findByHashForUpdate: (tokenHash: string) => Effect.Effect<Option.Option<Invitation>>
  readonly accept: (scope: Scope, id: string, userId: string) => Effect.Effect<void>
  readonly withdraw: (scope: Scope, id: string) => Effect.Effect<void>
  /** Those that are open, made by this member and to one of these roles; answers with their ids. */
  readonly withdrawAllBy: (
    orgId: string,
    userId: string,
    roles: ReadonlyArray<Role>
  ) => Effect.Effect<ReadonlyArray<string>>
}

const withoutHash = ({ token_hash: _hash, ...invitation }: StoredInvitation): Invitation => invitation

/** One whose time is over is closed, though nobody has touched its row since. */
const asOf = (now: number, row: StoredInvitation): StoredInvitation =>
  row.status === "pending" && row.expires_at.getTime() <= now ? { ...row, status: "expired" } : row

export class InvitationStore extends Context.Tag("corridor/InvitationStore")<InvitationStore, Store>() {
  static readonly layer = Layer.effect(
    InvitationStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const columns = sql.literal(`invitation_id, org_id, email, role, invited_by, accepted_by,
        case when status = 'pending' and expires_at <= now() then 'expired' else status end as status,
        expires_at, created_at, updated_at`)
      const seconds = Duration.toSeconds(invitationTtl)
      return {
        insert: ({ email, invitation_id, invited_by, org_id, role, token_hash }) =>
          Effect.gen(function* () {
            yield* sql`update invitations set status = 'expired', updated_at = now() where org_id = ${org_id}
              and lower(email) = lower(${email}) and status = 'pending' and expires_at <= now()`
            const rows = yield* sql<Invitation>`insert into invitations
                (invitation_id, org_id, email, role, invited_by, token_hash, expires_at)
              values (${invitation_id}, ${org_id}, ${email}, ${role}, ${invited_by}, ${Buffer.from(token_hash, "hex")},
                now() + make_interval(secs => ${seconds}))
              on conflict (org_id, lower(email)) where status = 'pending' do nothing returning ${columns}`
            return firstRow(rows)
          }).pipe(Effect.orDie),
        list: (scope, window) =>
          sql<Invitation>`select ${columns} from invitations where ${inScope(sql, scope)}
            ${newest(sql, "invitation_id", window)}`.pipe(Effect.orDie),
        findForUpdate: (scope, id) =>
          sql<Invitation>`select ${columns} from invitations where invitation_id = ${id} and ${inScope(sql, scope)}
            for update`.pipe(Effect.map(firstRow), Effect.orDie),
        findByHashForUpdate: (tokenHash) =>
          sql<Invitation>`select ${columns} from invitations where token_hash = ${Buffer.from(tokenHash, "hex")}
            for update`.pipe(Effect.map(firstRow), Effect.orDie),
        accept: (scope, id, userId) =>
          sql`update invitations set status = 'accepted', accepted_by = ${userId}, updated_at = now()
            where invitation_id = ${id} and status = 'pending' and ${inScope(sql, scope)}`.pipe(
            Effect.orDie,
            Effect.asVoid
          ),
        withdraw: (scope, id) =>
          sql`update invitations set status = 'withdrawn', updated_at = now()
            where invitation_id = ${id} and status = 'pending' and ${inScope(sql, scope)}`.pipe(
            Effect.orDie,
            Effect.asVoid
          ),
        withdrawAllBy: (orgId, userId, roles) =>
          roles.length === 0
            ? Effect.succeed([])
            : sql<{ invitation_id: string }>`update invitations set status = 'withdrawn', updated_at = now()
                where org_id = ${orgId} and invited_by = ${userId} and status = 'pending' and expires_at > now()
                  and ${sql.in("role", roles)} returning invitation_id`.pipe(
                Effect.map((rows) => rows.map((row) => row.invitation_id)),
                Effect.orDie
              )
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    InvitationStore,
    Effect.map(openTables(memberTables), ({ invitations }): Store => {
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
}
