/** What `fx` gained and lost by rounding, in SQL. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { isAnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import { toleratedShare } from "../../domain/Exchange.ts"
import { MOST_NAMED } from "./Problems.ts"
import { type Exchanged, halfUnitOf, type RoundingTotal } from "./Rounding.ts"

export const roundingOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const used = yield* sql<{ readonly currency: string }>`select distinct currency from ledger_postings
    where account like 'fx/%'`
  const units = used.flatMap(({ currency }) =>
    isAnyCurrencyCode(currency) ? [{ currency, half: toPlainText(halfUnitOf(currency)) }] : []
  )

  const exchanges = sql`priced as (
      select coalesce(f.payment_id, f.entry_id) as subject, f.entry_id, f.currency, f.amount,
        coalesce(p.currency, t.currency) as from_currency,
        case when p.ramp is not null then (p.ramp ->> 'rate')::numeric else coalesce(l.rate, t.rate) end as rate,
        case when p.ramp is null then coalesce(p.target_amount, 0) else 0 end as target
      from ledger_postings f
      left join payments p on p.payment_id = f.payment_id
      left join rate_locks l on l.org_rate_id = p.org_rate_id
      left join virtual_transactions t on f.payment_id is null and t.transaction_id::text = f.reference
      where f.account like 'fx/%'
    ), exchanged as (
      select subject, from_currency, max(currency) filter (where currency <> from_currency) as to_currency, rate,
        coalesce(sum(amount) filter (where currency = from_currency), 0) as taken,
        -coalesce(sum(amount) filter (where currency <> from_currency), 0) as given,
        count(distinct entry_id) as entries, max(target) as target
      from priced where rate is not null group by subject, from_currency, rate
    ), judged as (
      select e.*, given - taken * rate as lost,
        least(target * ${toPlainText(toleratedShare)}::numeric, entries * u.half) as allowed
      from exchanged e
      join jsonb_to_recordset(${JSON.stringify(units)}::jsonb) as u (currency text, half numeric)
        on u.currency = e.to_currency
    )`

  const totals = yield* sql<RoundingTotal>`with ${exchanges}
    select to_currency as currency, count(*)::float8 as exchanges, trim_scale(sum(greatest(lost, 0)))::text as given_away,
      trim_scale(sum(greatest(-lost, 0)))::text as kept
    from judged group by to_currency order by to_currency`

  const losses = yield* sql<Exchanged>`with ${exchanges}
    select subject, from_currency, to_currency, trim_scale(rate)::text as rate, trim_scale(taken)::text as taken,
      trim_scale(given)::text as given, trim_scale(lost)::text as lost
    from judged where lost > allowed order by subject limit ${MOST_NAMED}`

  const [unknown] = yield* sql<{ readonly unchecked: number }>`with ${exchanges}
    select count(distinct subject)::float8 as unchecked from priced where rate is null`

  return { losses, rounding: { totals, unchecked: unknown!.unchecked } }
})
