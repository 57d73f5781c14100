/** Counts of prompts in PostgreSQL; the time is the database's. One row for each number, so that counts wait in turn. */
import { SqlClient, type Statement } from "@effect/sql"
import { Duration, Effect, Layer, Schema } from "effect"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { theRowAs } from "../../platform/database/Query.ts"
import { type PromptLimit, PromptStore, secondsToWait } from "./PhonePrompts.ts"

/** Rows past their time that are deleted with each count. */
const FORGOTTEN = 10

const countedRow = theRowAs(Schema.Struct({ allowed: Schema.Boolean }))
const sentRow = theRowAs(Schema.Struct({ now: Schema.Number, sent: Schema.Array(Schema.Number) }))

export const promptStoreSql = Layer.effect(
  PromptStore,
  Effect.map(SqlClient.SqlClient, (sql): PromptStore["Type"] => {
    const ago = ({ window }: Pick<PromptLimit, "window">): Statement.Fragment =>
      sql`clock_timestamp() - make_interval(secs => ${Duration.toSeconds(window)})`
    const hasRoom = (limit: PromptLimit): Statement.Fragment =>
      sql`(select count(*) from unnest(p.sent) at where at > ${ago(limit)}) < ${limit.most}`
    return {
      count: (counted, limits) => {
        const longest = limits.reduce((a, b) => (Duration.greaterThan(a.window, b.window) ? a : b))
        const room = sql.and(limits.map(hasRoom))
        return Effect.gen(function* () {
          const { allowed } = yield* sql`with forgotten as (
              delete from phone_prompts where counted in (
                select counted from phone_prompts where last_at < ${ago(longest)} and counted <> ${counted}
                order by last_at limit ${FORGOTTEN} for update skip locked)
            ), written as (
              insert into phone_prompts as p (counted, sent, last_at)
              values (${counted}, array[clock_timestamp()], clock_timestamp())
              on conflict (counted) do update set
                sent = array(select at from unnest(p.sent) at where at > ${ago(longest)}) || clock_timestamp(),
                last_at = clock_timestamp()
              where ${room} returning 1
            ) select exists (select from written) as allowed`.pipe(Effect.flatMap(countedRow))
          if (allowed) return { allowed }
          const { now, sent } = yield* sql`select extract(epoch from clock_timestamp())::float8 * 1000 as now,
              array(select extract(epoch from at)::float8 * 1000 from unnest(sent) at) as sent
            from phone_prompts where counted = ${counted}`.pipe(Effect.flatMap(sentRow))
          return { allowed, retryAfterSeconds: Math.max(1, secondsToWait(sent, limits, now)) }
        }).pipe(orDatabaseFailure)
      }
    }
  })
)
