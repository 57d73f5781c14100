/** Invitations in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer } from "effect"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { rowAs, rowsAs } from "../../platform/database/Rows.ts"
import { inScope, newest, ownedIn } from "../../platform/database/Query.ts"
import { invitationTtl } from "../../domain/policies/People.ts"
import { Invitation } from "./Member.ts"
import { InvitationStore } from "./InvitationStore.ts"

const invitation = rowAs(Invitation)
const invitations = rowsAs(Invitation)
const invitationIds = rowsAs(Invitation.pick("invitation_id"))

export const invitationStoreSql = Layer.effect(
  InvitationStore,
  Effect.map(SqlClient.SqlClient, (sql): InvitationStore["Type"] => {
    const columns = sql.literal(`invitation_id, org_id, email, role, invited_by, accepted_by,
      case when status = 'pending' and expires_at <= now() then 'expired' else status end as status,
      expires_at, created_at, updated_at`)
    const seconds = Duration.toSeconds(invitationTtl)
    return {
      insert: ({ email, invitation_id, invited_by, org_id, role, token_hash }) =>
        Effect.gen(function* () {
          yield* sql`update invitations set status = 'expired', updated_at = now() where org_id = ${org_id}
            and lower(email) = lower(${email}) and status = 'pending' and expires_at <= now()`
          return yield* sql`insert into invitations
              (invitation_id, org_id, email, role, invited_by, token_hash, expires_at)
            values (${invitation_id}, ${org_id}, ${email}, ${role}, ${invited_by}, ${Buffer.from(token_hash, "hex")},
              now() + make_interval(secs => ${seconds}))
            on conflict (org_id, lower(email)) where status = 'pending' do nothing returning ${columns}`.pipe(
            Effect.flatMap(invitation)
          )
        }).pipe(orDatabaseFailure),
      list: (scope, window) =>
        sql`select ${columns} from invitations where ${inScope(sql, scope)}
          ${newest(sql, "invitation_id", window)}`.pipe(Effect.flatMap(invitations), orDatabaseFailure),
      findForUpdate: (scope, id) =>
        sql`select ${columns} from invitations where invitation_id = ${id} and ${ownedIn(sql, scope)}
          for update`.pipe(Effect.flatMap(invitation), orDatabaseFailure),
      findByHashForUpdate: (tokenHash) =>
        sql`select ${columns} from invitations where token_hash = ${Buffer.from(tokenHash, "hex")}
          for update`.pipe(Effect.flatMap(invitation), orDatabaseFailure),
      accept: (scope, id, userId) =>
        sql`update invitations set status = 'accepted', accepted_by = ${userId}, updated_at = now()
          where invitation_id = ${id} and status = 'pending' and ${ownedIn(sql, scope)}`.pipe(
          orDatabaseFailure,
          Effect.asVoid
        ),
      withdraw: (scope, id) =>
        sql`update invitations set status = 'withdrawn', updated_at = now()
          where invitation_id = ${id} and status = 'pending' and ${ownedIn(sql, scope)}`.pipe(
          orDatabaseFailure,
          Effect.asVoid
        ),
      withdrawAllBy: (orgId, userId, roles) =>
        roles.length === 0
          ? Effect.succeed([])
          : sql`update invitations set status = 'withdrawn', updated_at = now()
              where org_id = ${orgId} and invited_by = ${userId} and status = 'pending' and expires_at > now()
                and ${sql.in("role", roles)} returning invitation_id`.pipe(
              Effect.flatMap(invitationIds),
              Effect.map((rows) => rows.map(({ invitation_id }) => invitation_id)),
              orDatabaseFailure
            )
    }
  })
)
