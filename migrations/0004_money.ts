/** Money: exchange rates and locks, fee rules, the double-entry ledger. */
import { transaction } from "../src/platform/database/Migration.ts"

const rates = `
  -- Base rates. Every quote is crossed through USD.
  create table rates (
    from_currency currency_code not null,
    to_currency currency_code not null,
    rate positive_number not null,
    -- 'manual', or the source of RATE_SOURCE that it was fetched from.
    source text not null default 'manual',
    -- When the source published it; null where it does not say.
    published_at timestamptz(3),
    updated_at timestamptz(3) not null default now(),
    -- A new rate is compared with this one too, so that small steps do not add up unseen.
    compared_rate positive_number not null,
    compared_at timestamptz not null default now(),
    primary key (from_currency, to_currency),
    check (from_currency <> to_currency)
  );

  -- Fetches of each source: when the next one is due, and how the last ones ended.
  create table rate_fetches (
    source text primary key,
    next_at timestamptz not null,
    fetched_at timestamptz(3),
    published_at timestamptz(3),
    failures integer not null default 0,
    last_error text
  );

  -- Base rates that moved too far to be taken at once: they wait for a second admin.
  create table rate_proposals (
    from_currency text not null,
    to_currency text not null,
    rate positive_number not null,
    proposed_by text not null,
    proposed_at timestamptz not null default now(),
    primary key (from_currency, to_currency)
  );

  -- Rates locked for an organisation.
  create table rate_locks (
    org_rate_id uuid primary key,
    org_id uuid not null references organizations on delete cascade,
    from_currency currency_code not null,
    to_currency currency_code not null,
    rate positive_number not null,
    -- In from_currency; null: any amount up to RATE_LOCK_MAX.
    amount numeric,
    expires_at timestamptz(3) not null,
    created_at timestamptz(3) not null default now()
  );
  create index rate_locks_expiry on rate_locks (expires_at);

  -- Uses of locks. The primary key allows one use of each lock, written with the payment or transfer that spends it.
  create table rate_lock_uses (
    org_rate_id uuid primary key references rate_locks on delete cascade,
    org_id uuid not null,
    -- The payment, or the ledger entry of a transfer.
    used_by uuid not null,
    used_at timestamptz not null default now(),
    -- By how much the lock was better than the live rate, in USD.
    gain non_negative_number not null default 0,
    -- Limit of the organisation's gains in 24 hours, this one included; null: not compared.
    gain_bound numeric
  );
  create index rate_lock_uses_gains on rate_lock_uses (org_id, used_at) where gain > 0;

  -- Refuses a use that would exceed gain_bound. Uses of one organisation queue for its row; each statement here sees
  -- what was committed during the wait.
  create function rate_gain_within_bound() returns trigger language plpgsql as $$
  declare
    gained numeric;
  begin
    perform 1 from organizations where org_id = new.org_id for no key update;
    select coalesce(sum(gain), 0) into gained from rate_lock_uses
      where org_id = new.org_id and gain > 0 and used_at > now() - interval '24 hours';
    if gained + new.gain > new.gain_bound then
      raise exception 'the rate gains of organisation % are at their bound', new.org_id
        using errcode = 'check_violation', constraint = 'rate_lock_uses_gain_bound';
    end if;
    return new;
  end $$;
  create trigger rate_lock_uses_gain before insert on rate_lock_uses
    for each row when (new.gain_bound is not null) execute function rate_gain_within_bound();`

const fees = `
  -- Fees of an organisation: basis points plus a fixed amount, for a payment method and direction.
  create table fee_rules (
    fee_rule_id uuid primary key,
    org_id uuid not null references organizations on delete cascade,
    payment_method payment_method not null,
    direction payment_direction not null,
    basis_points integer not null default 0 check (basis_points between 0 and 10000),
    fixed_amount non_negative_number not null default 0,
    fixed_currency currency_code,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    unique (org_id, payment_method, direction),
    check (fixed_amount = 0 or fixed_currency is not null)
  );
  create trigger fee_rules_terms after insert or update or delete on fee_rules
    for each row execute function terms_changed();`

const ledger = `
  -- Postings: append-only. The postings of one entry sum to zero in each currency.
  create table ledger_postings (
    entry_id uuid not null,
    -- Kind of account, its owner where it has one, and its currency, such as settlement/<org_id>/KES.
    account text not null constraint ledger_postings_account check (account ~
      '^((settlement|held|reserve|virtual|escrow|party|ramp|receivable)/[0-9a-f-]{36}|(own|clearing)/[0-9a-f-]{36}/[0-9a-f-]{36}|provider/[a-z_]{1,40}(/[0-9a-f-]{36})?|fees|fx|suspense)/[A-Z]{3,4}$'),
    org_id uuid,
    currency text not null,
    amount numeric not null constraint ledger_postings_amount check (amount <> 0),
    kind text not null check (length(kind) between 1 and 40),
    payment_id uuid,
    -- What the entry is about besides a payment, such as an attempt.
    reference text check (length(reference) <= 255),
    created_at timestamptz(3) not null default now(),
    constraint ledger_postings_currency check (right(account, length(currency) + 1) = '/' || currency),
    -- An account that names its organisation is posted to by that organisation only.
    constraint ledger_postings_owner check (
      split_part(account, '/', 1) not in ('settlement', 'held', 'reserve', 'own', 'receivable')
      or coalesce(split_part(account, '/', 2) = org_id::text, false))
  );
  -- Refuses an entry that is written twice. A hash keeps the index narrow; two accounts of one entry with the same hash
  -- would be refused too.
  create unique index ledger_postings_once on ledger_postings (entry_id, hashtextextended(account, 0));
  -- Statements of an account, and its sum without reading the table.
  create index ledger_postings_newest on ledger_postings (account, created_at) include (amount);
  create index ledger_postings_payment on ledger_postings (payment_id) where payment_id is not null;

  -- Balances of accounts with an owner: each row is a lock that postings queue for.
  create table ledger_balances (
    account text primary key,
    org_id uuid not null references organizations,
    currency text not null,
    balance numeric not null default 0,
    -- Lowest balance allowed; null: no floor.
    floor numeric,
    -- Waits for a person; stands in lists. Indexes are partial by these, not by the balance itself: an update that changes
    -- no column of an index or of its condition writes no index, and these change at zero alone.
    waits boolean not null generated always as (balance <> 0 and (
      account like 'clearing/%' or account like 'ramp/%' or account like 'receivable/%')) stored,
    listed boolean not null generated always as (balance <> 0 or
      account like 'settlement/%' or account like 'held/%') stored,
    constraint ledger_balances_floor check (floor is null or balance >= floor)
  ) with (fillfactor = 50);
  create index ledger_balances_owner on ledger_balances (org_id, account);
  -- Pages of an organisation's balances by name, in the same order under any collation of the database.
  create index ledger_balances_by_name on ledger_balances (org_id, account collate "C") where listed;
  -- What waits for a person: few rows, whatever else there is.
  create index ledger_balances_waiting on ledger_balances (org_id, account) where waits;

  -- Credit limits: how far below zero a settlement account may go.
  create table ledger_limits (
    org_id uuid not null references organizations,
    currency currency_code not null,
    credit_limit non_negative_number not null,
    updated_at timestamptz(3) not null default now(),
    primary key (org_id, currency)
  );

  create function ledger_keeps_balance(account text) returns boolean language sql immutable as $$
    select split_part(account, '/', 1) in
      ('settlement', 'held', 'reserve', 'own', 'virtual', 'escrow', 'party', 'ramp', 'clearing', 'receivable')
  $$;

  -- Floor of a new balance; null: none. A limit that was set counts in a sandbox too, so that a lack of funds can be tried.
  create function ledger_floor(of_account text, of_org uuid, of_currency text) returns numeric language sql stable as $$
    select case when of_account like 'settlement/%' then (
      select coalesce(-l.credit_limit, case when o.sandbox then null else 0 end)
      from organizations o left join ledger_limits l on l.org_id = o.org_id and l.currency = of_currency
      where o.org_id = of_org
    ) when split_part(of_account, '/', 1) in ('own', 'clearing', 'receivable') then null else 0 end
  $$;

  -- Checks that each inserted entry balances, then updates the balances and holds them to their floors.
  -- Plans are cached for each connection, perhaps while the table is small: only plans by index are allowed.
  create function ledger_settle() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
  declare
    wrong text;
    short text;
  begin
    if not exists (select from inserted) then
      return null;
    end if;

    select format('entry %s does not balance: %s %s are left over', entry_id, sum(amount), currency) into wrong
    from inserted group by entry_id, currency having sum(amount) <> 0 limit 1;
    if wrong is not null then
      raise exception '%', wrong
        using errcode = 'check_violation', constraint = 'ledger_postings_balanced', table = 'ledger_postings';
    end if;

    -- Inserts new balances with zero: the check of the floor comes before the conflict is noticed.
    insert into ledger_balances (account, org_id, currency, floor)
    select account, org_id, currency, ledger_floor(account, org_id, currency)
    from (
      select account, org_id, currency from inserted where ledger_keeps_balance(account)
      union
      -- What is owed is paid from there: a balance that appears later could not be locked first.
      select 'settlement' || substr(account, 11), org_id, currency from inserted where account like 'receivable/%'
    ) touched
    where not exists (select from ledger_balances b where b.account = touched.account)
    order by account collate "C"
    on conflict (account) do nothing;

    -- Locks reserve and settlement before what is owed, as a release does that pays it. The rest is locked by name.
    if exists (select from inserted where account like 'receivable/%') then
      perform from ledger_balances b
        where b.account in (
          select 'reserve' || substr(account, 11) from inserted where account like 'receivable/%'
          union all
          select 'settlement' || substr(account, 11) from inserted where account like 'receivable/%')
        order by b.account collate "C" for no key update;
    end if;

    -- Locks balances in one order everywhere, against deadlocks.
    select min(account) filter (where stranger), min(account) filter (where balance + amount < floor)
    into wrong, short
    from (
      select b.account collate "C" as account, b.balance, b.floor, p.amount, b.org_id is distinct from p.org_id as stranger
      from (
        select account, org_id, sum(amount) as amount from inserted where ledger_keeps_balance(account)
        group by account, org_id
      ) p join ledger_balances b on b.account = p.account
      order by b.account collate "C"
      for no key update of b
    ) locked;
    if wrong is not null then
      raise exception '% belongs to another organisation', wrong
        using errcode = 'check_violation', constraint = 'ledger_balances_one_owner', table = 'ledger_balances';
    end if;
    if short is not null then
      raise exception 'not enough money on %', short
        using errcode = 'check_violation', constraint = 'ledger_balances_floor', table = 'ledger_balances', detail = short;
    end if;

    update ledger_balances b set balance = b.balance + p.amount
    from (
      select account, sum(amount) as amount from inserted where ledger_keeps_balance(account)
      group by account having sum(amount) <> 0
    ) p
    where b.account = p.account;
    return null;
  end $$;
  create trigger ledger_postings_settle after insert on ledger_postings
    referencing new table as inserted for each statement execute function ledger_settle();

  -- What an organisation owes is paid by what it has, as soon as it has anything.
  create function ledger_pay_receivables() returns trigger language plpgsql as $$
  declare
    owing record;
    paid numeric;
  begin
    for owing in
      select distinct p.org_id, p.currency from inserted p
      where ((p.account like 'settlement/%' and p.amount > 0) or (p.account like 'receivable/%' and p.amount < 0))
        and exists (select from ledger_balances r
          where r.account = 'receivable/' || p.org_id || '/' || p.currency and r.balance < 0)
      order by p.org_id, p.currency
    loop
      -- In the order in which every statement locks balances.
      perform from ledger_balances b
        where b.account in ('receivable/' || owing.org_id || '/' || owing.currency, 'settlement/' || owing.org_id || '/' || owing.currency)
        order by b.account collate "C" for no key update;
      select least(-r.balance, s.balance) into paid
        from ledger_balances r join ledger_balances s on s.account = 'settlement/' || owing.org_id || '/' || owing.currency
        where r.account = 'receivable/' || owing.org_id || '/' || owing.currency and r.balance < 0 and s.balance > 0;
      if paid is not null then
        insert into ledger_postings (entry_id, org_id, account, currency, amount, kind)
        select e.entry_id, owing.org_id, t.account, owing.currency, t.amount, 'receivable_payment'
        from (select gen_random_uuid() as entry_id) e
        cross join (values ('settlement/' || owing.org_id || '/' || owing.currency, -paid),
          ('receivable/' || owing.org_id || '/' || owing.currency, paid)) as t (account, amount);
      end if;
    end loop;
    return null;
  end $$;
  -- After the balances have moved: triggers of one event run in the order of their names.
  create trigger ledger_postings_then_receivables after insert on ledger_postings
    referencing new table as inserted for each statement execute function ledger_pay_receivables();

  create function ledger_refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception 'postings are never changed or removed: post an entry that corrects them'
      using errcode = 'restrict_violation';
  end $$;
  create trigger ledger_postings_final before update or delete on ledger_postings
    for each statement execute function ledger_refuse_change();

  -- Allows "sandbox reset", and refuses it once a live organisation has a balance.
  create function ledger_keep_live_books() returns trigger language plpgsql as $$
  begin
    if exists (select from ledger_balances b join organizations o on o.org_id = b.org_id where not o.sandbox) then
      raise exception 'these are the books of a live organisation: postings are never removed'
        using errcode = 'restrict_violation';
    end if;
    return null;
  end $$;
  create trigger ledger_postings_truncate before truncate on ledger_postings
    for each statement execute function ledger_keep_live_books();`

const totals = `
  -- Sums of each settlement account for each closed UTC day, so that reports need not sum up a year of postings.
  create table ledger_days (
    account text not null,
    org_id uuid not null,
    date date not null,
    amount numeric not null,
    primary key (account, date)
  );

  -- Days before this date are closed, and are in ledger_days. One row.
  create table ledger_closed (
    one boolean primary key default true check (one),
    before date not null
  );

  -- Adds a posting that came late for a closed day. The advisory lock waits for an instance that closes days.
  -- Closing a day waits for all postings that were in time.
  create function ledger_posted_late() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(7402118617);
    insert into ledger_days (account, org_id, date, amount)
    select new.account, new.org_id, (new.created_at at time zone 'UTC')::date, new.amount from ledger_closed
    where new.created_at < before::timestamp at time zone 'UTC'
    on conflict (account, date) do update set amount = ledger_days.amount + excluded.amount;
    return null;
  end $$;
  create trigger ledger_postings_late after insert on ledger_postings for each row
    when (new.created_at < clock_timestamp() - interval '1 minute' and new.account like 'settlement/%')
    execute function ledger_posted_late();

  -- Sums of the fx accounts up to a time, so that the metrics add only the postings since.
  create table fx_totals (
    account text primary key,
    amount numeric not null,
    until timestamptz not null
  );`

export default transaction({ besidePrevious: false }, rates, fees, ledger, totals)
