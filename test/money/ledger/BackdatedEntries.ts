/** Entries with an earlier date, on either store. */
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import type { Entry } from "../../../src/domain/Ledger.ts"
import { ledgerTables } from "../../../src/money/ledger/LedgerMemory.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { post } from "./Entries.ts"

/** Posted as usual, and then moved to that moment, which nothing but a test can do. */
export const postAt = (at: Date, ...entries: ReadonlyArray<Entry>) =>
  Effect.gen(function* () {
    yield* post(...entries)
    const ids = entries.map(({ entry_id }) => entry_id)
    const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
    if (Option.isSome(sql)) {
      const { value } = sql
      yield* value.withTransaction(
        Effect.zipRight(
          value`set local session_replication_role = 'replica'`,
          value`update ledger_postings set created_at = ${at} where ${value.in("entry_id", ids)}`
        )
      )
      return
    }
    const { ledgerPostings } = (yield* Effect.serviceOptional(MemoryDatabase)).open(ledgerTables)
    for (const [key, row] of Array.from(ledgerPostings)) {
      if (ids.includes(row.entry_id)) ledgerPostings.set(key, { ...row, created_at: at })
    }
  }).pipe(Effect.orDie)
