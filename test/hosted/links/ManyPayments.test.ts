/** A link that thousands have paid through costs no more to look at than one that a few have. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { LinkStore } from "../../../src/hosted/links/LinkStore.ts"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { everything } from "../../support/ListPages.ts"
import { BooksOnPostgres, onDatabase } from "../../money/ledger/BooksOnPostgres.ts"
import { claim, makeLink, move } from "./LinkFixtures.ts"

/** Rows of the history that a transaction reads for this. */
const looksOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { atomically } = yield* Transactor
    const looks = Effect.map(
      sql`select (seq_tup_read + idx_tup_fetch)::int as rows
        from pg_stat_xact_user_tables where relname = 'payment_history'`,
      ([row]) => Number(row?.["rows"])
    )
    return yield* atomically(
      Effect.gen(function* () {
        const before = yield* looks
        const answer = yield* effect
        return { answer, rows: (yield* looks) - before }
      })
    )
  })

const MANY = 2000

/** An open link with a payment that was completed, and as many more as are wanted, begun and completed after it. */
const manyPaid = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { link, scope } = yield* makeLink({ amount_type: "open" })
  const { payment } = yield* claim(link)
  const at = new Date(Math.floor(Number(payment.created_at) / 1000) * 1000 + 60_000)
  yield* move(payment, "completed", at)
  const later = sql`lpad(to_hex(extract(epoch from ${at}::timestamptz)::bigint * 1000 + 86400000 + n), 12, '0')`
  const id = sql`(${later} || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid`
  const numbers = sql`generate_series(1, ${MANY}) n`
  // Columns that the database computes take no value.
  const [found] = yield* sql<{ readonly columns: string }>`select string_agg(attname, ', ') as columns
    from pg_attribute where attrelid = 'payments'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`
  const columns = sql.literal(found!.columns)
  yield* sql`insert into payments (${columns}) select ${columns} from (
      select (jsonb_populate_record(p, jsonb_build_object(
        'payment_id', ${id}, 'transaction_id', gen_random_uuid()))).*
      from payments p cross join ${numbers} where p.payment_id = ${payment.payment_id}) copies`
  yield* sql`insert into payment_link_payments (payment_id, link_id, org_id, submission)
    select ${id}, ${link.link_id}, ${link.org_id}, n::text from ${numbers}`
  yield* sql`insert into payment_history (payment_id, version, org_id, from_status, to_status, cause, at)
    select ${id}, 2, ${link.org_id}, 'processing', 'completed', 'callback', ${at}::timestamptz + interval '2 days'
    from ${numbers}`
  yield* sql.unsafe("analyze payments; analyze payment_link_payments; analyze payment_history; analyze payment_links")
  return { at, link, payment, scope }
})

/** Counts the planner's own reads too. */
const FEW = 50

layer(BooksOnPostgres(), onDatabase)("A link with thousands of payments", (it) => {
  it.effect("is found, listed with when it was paid first, and shown to payers by a few looks", () =>
    Effect.gen(function* () {
      const store = yield* LinkStore
      const { at, link, payment, scope } = yield* manyPaid
      const found = yield* looksOf(store.find(scope, link.link_id))
      expect(Option.getOrThrow(found.answer).paid_at).toEqual(at)
      expect(found.rows).toBeLessThan(FEW)
      const listed = yield* looksOf(store.list(scope, everything))
      expect(listed.answer.map(({ paid_at }) => paid_at)).toEqual([at])
      expect(listed.rows).toBeLessThan(FEW)
      const shown = yield* looksOf(
        Effect.all([store.findByRef(link.link_ref), store.linkOf(scope, payment.payment_id)])
      )
      for (const one of shown.answer) {
        expect(Option.getOrThrow(one)).toMatchObject({ link_id: link.link_id, paid_at: null })
      }
      expect(shown.rows).toBeLessThan(FEW)
    })
  )
})
