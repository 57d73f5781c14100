/** The check of the books in SQL. Each statement sees one moment of them, so it may run while money moves. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { unlimited } from "../../platform/database/Unlimited.ts"
import type { BooksReport } from "./Books.ts"
import { roundingOf } from "./RoundingSql.ts"
import { type ComparedAccount, MOST_NAMED, problemsOf, type UnbalancedBooks, type UnbalancedEntry } from "./Problems.ts"

type Counts = Omit<BooksReport, "problems" | "rounding">

export const checkBooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const [counts] = yield* sql<Counts>`select
    (select count(distinct entry_id)::float8 from ledger_postings) as entries,
    (select count(*)::float8 from ledger_postings) as postings,
    (select count(*)::float8 from (select account from ledger_postings union select account from ledger_balances) a)
      as accounts,
    (select count(*)::float8 from ledger_balances) as balances`

  const books = yield* sql<UnbalancedBooks>`select currency, sum(amount)::text as left_over from ledger_postings
    group by currency having sum(amount) <> 0 order by currency`

  const entries = yield* sql<UnbalancedEntry>`select entry_id, currency, sum(amount)::text as left_over
    from ledger_postings group by entry_id, currency having sum(amount) <> 0
    order by entry_id, currency limit ${MOST_NAMED}`

  const accounts = yield* sql<ComparedAccount>`
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
    order by account collate "C" limit ${MOST_NAMED}`

  const strangers = yield* sql<{ readonly org_id: string }>`select distinct org_id from ledger_postings p
    where org_id is not null and not exists (select from organizations o where o.org_id = p.org_id)
    order by org_id limit ${MOST_NAMED}`

  const { losses, rounding } = yield* roundingOf

  return { ...counts!, rounding, problems: problemsOf({ entries, books, accounts, exchanges: losses, strangers }) }
}).pipe(unlimited, Effect.orDie)
