/** Makes the rows of a key older than they are, by the clock that their store reads, or what a crash leaves of them. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Option } from "effect"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { idempotencyTables } from "../../../src/platform/idempotency/IdempotencyMemory.ts"

export const age = (key: string, by: Duration.DurationInput) =>
  Effect.gen(function* () {
    const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
    if (Option.isSome(sql)) {
      yield* sql.value`update idempotency_keys set created_at = created_at - make_interval(secs => ${Duration.toSeconds(by)})
        where key = ${key}`
      return
    }
    const { idempotencyKeys } = (yield* Effect.serviceOptional(MemoryDatabase)).open(idempotencyTables)
    for (const [name, row] of idempotencyKeys) {
      const created_at = new Date(row.created_at.getTime() - Duration.toMillis(by))
      if (row.key === key) idempotencyKeys.set(name, { ...row, created_at })
    }
  }).pipe(Effect.orDie)

/** Ages a key like that of a process that was killed before it could keep its answer, and long enough after that. */
export const loseAnswer = (key: string) =>
  Effect.gen(function* () {
    const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
    yield* sql`update idempotency_keys set status = null, response = null where key = ${key}`
    yield* age(key, "41 seconds")
  }).pipe(Effect.orDie)
