import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** Invitations into an organisation, of whose tokens only the hash is kept, and the order that members are listed in. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table invitations (
      invitation_id uuid primary key,
      org_id uuid not null references organizations on delete cascade,
      email text not null check (length(email) <= 320),
      role text not null check (role in ('org-admin', 'staff', 'member')),
      status text not null default 'pending' check (status in ('pending', 'accepted', 'withdrawn', 'expired')),
      token_hash bytea not null unique check (length(token_hash) = 32),
      invited_by uuid references users,
      accepted_by uuid references users,
      expires_at timestamptz(3) not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      check ((status = 'accepted') = (accepted_by is not null))
    );
    create unique index invitations_pending on invitations (org_id, lower(email)) where status = 'pending';
    create index invitations_newest on invitations (org_id, created_at desc, invitation_id desc);
    create index invitations_inviter on invitations (org_id, invited_by) where status = 'pending';

    create index memberships_newest on memberships (org_id, created_at desc, user_id desc);
  `)
  )
)
