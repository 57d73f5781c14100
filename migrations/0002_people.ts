/** People: organisations, users and their roles, API keys, invitations, KYB. */
import { transaction } from "../src/platform/database/Migration.ts"

const organizations = `
  create table organizations (
    org_id uuid primary key,
    name text not null check (length(name) between 1 and 200),
    country country_code not null,
    currency fiat_code not null,
    email text not null check (length(email) <= 320),
    kyb_status text not null default 'not_started' check (kyb_status in ('not_started', 'pending', 'approved', 'rejected')),
    -- Customer id at the KYB provider, of the latest application.
    kyb_customer_id text unique,
    features text[] not null default '{}',
    -- Payments that reach this amount wait for a review; null: none does.
    review_threshold non_negative_number,
    -- Margin on exchange rates, in basis points.
    spread_bps integer not null default 0 check (spread_bps between 0 and 9999),
    -- Reserve and payout delay of payins, one rule for each payment method.
    reserves jsonb not null default '[]',
    -- Test money only. The settlement account may be overdrawn unless a limit is set.
    sandbox boolean not null default false,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  );
  create index organizations_newest on organizations (created_at desc, org_id desc);
  create trigger organizations_terms after insert or update or delete on organizations
    for each row execute function terms_changed();`

const users = `
  create table users (
    user_id uuid primary key,
    -- The "sub" of the identity provider's tokens.
    subject text not null unique check (length(subject) between 1 and 255),
    email text not null check (length(email) <= 320),
    country country_code,
    -- Platform admin.
    is_admin boolean not null default false,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  );
  create unique index users_email on users (lower(email));
  create index users_newest on users (created_at desc, user_id desc);

  create table memberships (
    org_id uuid not null references organizations on delete cascade,
    user_id uuid not null references users on delete cascade,
    role text not null check (role in ('org-admin', 'staff', 'member')),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    primary key (org_id, user_id)
  );
  create index memberships_user on memberships (user_id);
  create index memberships_newest on memberships (org_id, created_at desc, user_id desc);

  -- Permissions granted to a member beyond those of the role.
  create table member_permissions (
    org_id uuid not null,
    user_id uuid not null,
    permission text not null check (permission in (
      'payouts', 'payment_links', 'transactions', 'refunds', 'reviews', 'accounts', 'verification', 'webhooks',
      'api_keys', 'members', 'escrow', 'reports')),
    granted_by text not null,
    created_at timestamptz(3) not null default now(),
    primary key (org_id, user_id, permission),
    foreign key (org_id, user_id) references memberships on delete cascade
  );

  create table api_keys (
    api_key_id uuid primary key,
    org_id uuid not null references organizations on delete cascade,
    user_id uuid not null references users,
    -- User who was shown the secret; null: an operator at the command line made the key for its user.
    obtained_by uuid references users,
    name text not null check (length(name) between 1 and 100),
    role text not null check (role in ('org-admin', 'staff', 'member')),
    mode text not null check (mode in ('test', 'live')),
    -- First characters of the key, for people to recognise it.
    prefix text not null check (length(prefix) = 12),
    -- SHA-256 of the key, by which requests find it.
    hash bytea not null unique check (length(hash) = 32),
    status text not null default 'active' check (status in ('active', 'expiring', 'revoked')),
    -- End of the grace after a rotation.
    expires_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    check ((status = 'expiring') = (expires_at is not null)),
    constraint api_keys_obtained check (obtained_by is null or obtained_by = user_id)
  );
  create index api_keys_newest on api_keys (org_id, created_at desc, api_key_id desc);
  create index api_keys_all_newest on api_keys (created_at desc, api_key_id desc);
  create index api_keys_user on api_keys (org_id, user_id);

  create table invitations (
    invitation_id uuid primary key,
    org_id uuid not null references organizations on delete cascade,
    email text not null check (length(email) <= 320),
    role text not null check (role in ('org-admin', 'staff', 'member')),
    status text not null default 'pending' check (status in ('pending', 'accepted', 'withdrawn', 'expired')),
    -- SHA-256 of the token in the mail. The token itself is not stored.
    token_hash bytea not null unique check (length(token_hash) = 32),
    invited_by uuid references users,
    accepted_by uuid references users,
    expires_at timestamptz(3) not null,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    check ((status = 'accepted') = (accepted_by is not null))
  );
  -- One pending invitation for an address in an organisation.
  create unique index invitations_pending on invitations (org_id, lower(email)) where status = 'pending';
  create index invitations_newest on invitations (org_id, created_at desc, invitation_id desc);
  -- Pending invitations of a member who leaves or loses the right to invite.
  create index invitations_inviter on invitations (org_id, invited_by) where status = 'pending';`

const kyb = `
  -- KYB applications: one for each start, so that a late callback about an earlier one changes nothing.
  create table kyb_applications (
    customer_id text primary key check (length(customer_id) between 1 and 255),
    org_id uuid not null references organizations on delete cascade,
    -- References to documents as JSON, sealed under the master key; null: none.
    documents text,
    -- The person who applied.
    started_by text not null,
    -- Who approved it, and a digest of the details of the organisation at that time.
    approvals jsonb not null default '[]',
    -- The person who decided, or 'provider'.
    decided_by text,
    decided_at timestamptz(3),
    reason text,
    -- The request to the KYB provider (KYB_PROVIDER=webhook).
    request_attempts integer not null default 0,
    request_due_at timestamptz not null default now(),
    request_sent_at timestamptz(3),
    request_error text,
    created_at timestamptz(3) not null default now()
  );
  create index kyb_applications_org on kyb_applications (org_id);
  create index kyb_applications_newest on kyb_applications (created_at desc, org_id desc);
  create index kyb_applications_unsent on kyb_applications (request_due_at)
    where request_sent_at is null and decided_at is null;

  create table kyb_callbacks (
    customer_id text not null references kyb_applications on delete cascade,
    -- The provider's id of the callback, or a digest of its bytes: a repeated callback counts once.
    event_key text not null,
    status text not null check (status in ('approved', 'rejected')),
    reason text,
    occurred_at timestamptz(3),
    received_at timestamptz(3) not null default now(),
    primary key (customer_id, event_key)
  );`

export default transaction({ besidePrevious: false }, organizations, users, kyb)
