/** The ledger check in SQL. Each statement is one snapshot, so it may run while money moves. */
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { builtInRails } from "../../domain/Corridor.ts"
import { isAnyCurrencyCode } from "../../domain/Currency.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import { toleratedShare } from "../../domain/Exchange.ts"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { query } from "../../platform/database/Query.ts"
import { unlimited } from "../../platform/database/Transactor.ts"
import {
  ComparedAccount,
  DifferingProvider,
  DifferingReserve,
  DifferingSimulator,
  Exchanged,
  FxBalance,
  halfUnitOf,
  LedgerCounts,
  MOST_NAMED,
  problemsOf,
  RoundingTotal,
  UnbalancedBooks,
  UnbalancedEntry,
  UnknownOrganization
} from "./LedgerCheck.ts"

const countsOf = query(LedgerCounts)
const booksOf = query(UnbalancedBooks)
const entriesOf = query(UnbalancedEntry)
const accountsOf = query(ComparedAccount)
const providersOf = query(DifferingProvider)
const reservesOf = query(DifferingReserve)
const simulatorsOf = query(DifferingSimulator)
const unknownOf = query(UnknownOrganization)
const currenciesOf = query(Schema.Struct({ currency: Schema.String }))
const totalsOf = query(RoundingTotal)
const lossesOf = query(Exchanged)
const fxOf = query(FxBalance)
const uncheckedOf = query(Schema.Struct({ unchecked: Schema.Int }))

/** Gains and losses of `fx` by rounding. */
const roundingOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const used = yield* currenciesOf.all(sql`select distinct currency from ledger_postings where account like 'fx/%'`)
  const units = used.flatMap(({ currency }) =>
    isAnyCurrencyCode(currency) ? [{ currency, half: toPlainText(halfUnitOf(currency)) }] : []
  )

  const exchanges = sql`priced as (
      select coalesce(f.payment_id, f.entry_id) as subject, f.entry_id, f.currency, f.amount,
        coalesce(p.currency, case when t.type = 'credit' then (
          -- Funding has a credit only: the other currency of the entry was paid.
          select o.currency from ledger_postings o
          where o.entry_id = f.entry_id and o.account like 'fx/%' and o.currency <> t.currency limit 1
        ) else t.currency end) as from_currency,
        case when p.ramp is not null then (p.ramp ->> 'rate')::numeric
          else coalesce(live.rate, l.rate, t.rate) end as rate,
        case when p.ramp is null then coalesce(p.target_amount, 0) else 0 end as target
      from ledger_postings f
      left join payments p on p.payment_id = f.payment_id
      left join rate_locks l on l.org_rate_id = p.org_rate_id
      left join virtual_transactions t on f.payment_id is null and t.transaction_id::text = f.reference
      -- A refund at the live rate is priced at that rate.
      left join lateral (
        select (part -> 'rate' ->> 'value')::numeric as rate from jsonb_array_elements(p.refunds) part
        where part ->> 'refund_id' = split_part(f.reference, ' ', 1) and part -> 'rate' ->> 'basis' = 'live'
      ) live on true
      where f.account like 'fx/%'
    ), priced_with_parts as (
      select * from priced
      union all
      -- Parts that go back at the original rate are rounded together: what is held for those on their way is seen as gone.
      select p.payment_id, null, way.currency, way.amount, p.currency, l.rate, p.target_amount
      from payments p
      join rate_locks l on l.org_rate_id = p.org_rate_id
      cross join lateral jsonb_array_elements(p.refunds) part
      cross join lateral (values (p.currency, -(part ->> 'amount')::numeric),
        (p.target_currency, (part ->> 'target')::numeric)) as way (currency, amount)
      where p.refunds @> '[{"state": "open"}]' and part ->> 'state' = 'open'
        and part -> 'rate' ->> 'basis' is distinct from 'live' and p.currency <> p.target_currency
    ), exchanged as (
      select subject, from_currency, max(currency) filter (where currency <> from_currency) as to_currency, rate,
        coalesce(sum(amount) filter (where currency = from_currency), 0) as taken,
        -coalesce(sum(amount) filter (where currency <> from_currency), 0) as given,
        count(distinct entry_id) as entries, max(target) as target
      from priced_with_parts where rate is not null group by subject, from_currency, rate
    ), judged as (
      select e.*, given - taken * rate as lost,
        case when target = 0 then 0
          else least(greatest(target, given) * ${toPlainText(toleratedShare)}::numeric, entries * u.half) end as allowed
      from exchanged e
      join jsonb_to_recordset(${JSON.stringify(units)}::jsonb) as u (currency text, half numeric)
        on u.currency = e.to_currency
    )`

  const totals = yield* totalsOf.all(sql`with ${exchanges}
    select to_currency as currency, count(*)::float8 as exchanges, trim_scale(sum(greatest(lost, 0)))::text as given_away,
      trim_scale(sum(greatest(-lost, 0)))::text as kept
    from judged group by to_currency order by to_currency`)

  const losses = yield* lossesOf.all(sql`with ${exchanges}
    select subject, from_currency, to_currency, trim_scale(rate)::text as rate, trim_scale(taken)::text as taken,
      trim_scale(given)::text as given, trim_scale(lost)::text as lost
    from judged where lost > allowed order by subject limit ${MOST_NAMED}`)

  const { unchecked } = yield* uncheckedOf.one(sql`with ${exchanges}
    select count(distinct subject)::float8 as unchecked from priced where rate is null`)

  return { losses, rounding: { totals, unchecked } }
})

/**
 * Compares booked movements with the payments of the simulated providers. Leaves out payments that are resolved by hand,
 * and those whose callback or poll is still to come. In live mode there is nothing to compare.
 */
const simulatorsThatDiffer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const simulated = sql`select from rail_payments where behaviour <> 'by_hand'`
  return yield* simulatorsOf.all(sql`
    with held as (
      select rail, currency, reference, rail || '_' || left(encode(sha256(convert_to(reference::text, 'UTF8')), 'hex'), 24)
          as movement_id,
        case when detail ->> 'kind' = 'collection' then amount else -amount end as amount
      from rail_payments r where state = 'completed' and behaviour <> 'by_hand'
        and not exists (select from movements m where m.source = 'operator' and m.provider = r.rail
          and coalesce(m.refund_id, m.attempt_id) = r.reference)
    ), booked as (
      select provider as rail, currency, coalesce(refund_id, attempt_id) as reference, movement_id,
        case when kind in ('collection', 'reinstatement') then amount else -amount end as amount
      from movements where state = 'settled' and source <> 'operator' and account is null
        and provider in ${sql.in(builtInRails)} and exists (${simulated})
    )
    select 'provider/' || rail || '/' || currency as account, count(*)::int as payments,
      min(coalesce(h.reference, b.reference)::text) as example, coalesce(sum(b.amount), 0)::text as booked,
      coalesce(sum(h.amount), 0)::text as held
    from held h full join booked b using (rail, currency, movement_id)
    where h.amount is distinct from b.amount
      and not (b.amount is null and (
        exists (select from rail_timers t where t.reference = h.reference)
        or exists (select from attempts a where a.attempt_id = h.reference
          and (a.outcome is null or a.outcome = 'unknown' or a.next_enquiry_at is not null))))
    group by rail, currency order by 1 limit ${MOST_NAMED}`)
})

export const checkLedger = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const counts = yield* countsOf.one(sql`select
    (select count(distinct entry_id)::float8 from ledger_postings) as entries,
    (select count(*)::float8 from ledger_postings) as postings,
    (select count(*)::float8 from (select account from ledger_postings union select account from ledger_balances) a)
      as accounts,
    (select count(*)::float8 from ledger_balances) as balances`)

  const books = yield* booksOf.all(sql`select currency, sum(amount)::text as left_over from ledger_postings
    group by currency having sum(amount) <> 0 order by currency`)

  const entries = yield* entriesOf.all(sql`select entry_id, currency, sum(amount)::text as left_over
    from ledger_postings group by entry_id, currency having sum(amount) <> 0
    order by entry_id, currency limit ${MOST_NAMED}`)

  const accounts = yield* accountsOf.all(sql`
    with posted as (
      select account, sum(amount) as posted, min(org_id::text) as first_org, max(org_id::text) as last_org,
        bool_or(org_id is null) as nobody
      from ledger_postings where ledger_keeps_balance(account) group by account
    ), compared as (
      select account, coalesce(p.posted, 0) as posted, b.balance, b.floor, f.due_floor,
        b.balance is distinct from coalesce(p.posted, 0) as differs,
        coalesce(b.balance < b.floor, false) as below,
        b.account is not null and b.floor is distinct from f.due_floor as floor_differs,
        p.account is not null and (p.nobody or b.org_id::text is distinct from p.first_org
          or b.org_id::text is distinct from p.last_org) as "foreign"
      from posted p full join ledger_balances b using (account)
      left join lateral (select ledger_floor(b.account, b.org_id, b.currency) as due_floor) f on true
    )
    select account, posted::text as posted, balance::text as balance, floor::text as floor, due_floor::text as due_floor,
      differs, below, floor_differs, "foreign"
    from compared where differs or below or floor_differs or "foreign"
    order by account collate "C" limit ${MOST_NAMED}`)

  const providers = yield* providersOf.all(sql`
    with posted as (
      select account, -sum(amount) as amount from ledger_postings
      where account like 'provider/%' and (payment_id is not null or kind = 'incoming_transfer') group by account
    ), told as (
      select provider, account, kind, amount, currency from movements where state = 'settled'
      union all
      select provider, account, kind, amount, currency from incoming_transfers
    ), moved as (
      select 'provider/' || provider || coalesce('/' || account, '') || '/' || currency as account,
        sum(case when kind in ('collection', 'reinstatement') then amount else -amount end) as amount
      from told group by 1
    )
    select account, coalesce(p.amount, 0)::text as posted, coalesce(m.amount, 0)::text as moved
    from posted p full join moved m using (account)
    where coalesce(p.amount, 0) <> coalesce(m.amount, 0)
    order by account collate "C" limit ${MOST_NAMED}`)

  const reserves = yield* reservesOf.all(sql`
    with open as (
      select 'reserve/' || org_id || '/' || target_currency as account, sum(reserve_held) as held
      from payments where release_at is not null group by 1
    )
    select account, coalesce(b.balance, 0)::text as balance, coalesce(o.held, 0)::text as open
    from (select account, balance from ledger_balances where account like 'reserve/%') b full join open o using (account)
    where coalesce(b.balance, 0) <> coalesce(o.held, 0)
    order by account collate "C" limit ${MOST_NAMED}`)

  const simulators = yield* simulatorsThatDiffer

  const unknown = yield* unknownOf.all(sql`select distinct org_id from ledger_postings p
    where org_id is not null and not exists (select from organizations o where o.org_id = p.org_id)
    order by org_id limit ${MOST_NAMED}`)

  const fx = yield* fxOf.all(sql`select currency, trim_scale(sum(amount))::text as balance from ledger_postings
    where account like 'fx/%' group by currency having sum(amount) <> 0 order by currency`)

  const { losses, rounding } = yield* roundingOf

  return {
    ...counts,
    rounding,
    fx,
    problems: problemsOf({ entries, books, accounts, exchanges: losses, unknown, providers, reserves, simulators })
  }
}).pipe(unlimited, orDatabaseFailure)
