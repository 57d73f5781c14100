/** The counts of messages in PostgreSQL; the hour is the database's. */
import { orDatabaseFailure } from "../database/DatabaseFailure.ts"
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Schema } from "effect"
import { theRowAs } from "../database/Rows.ts"
import { messageWindow } from "../../domain/policies/People.ts"
import { type Counted, MessageCounts } from "./MessageCounts.ts"

const timeLeft = theRowAs(Schema.Struct({ seconds: Schema.Number }))

const ALLOWED: Counted = { allowed: true }

export const messageCountsSql = Layer.effect(
  MessageCounts,
  Effect.map(SqlClient.SqlClient, (sql): MessageCounts["Type"] => {
    const length = Duration.toSeconds(messageWindow)
    const start = sql`to_timestamp(floor(extract(epoch from now()) / ${length}) * ${length})`
    return {
      count: (name, most) =>
        Effect.gen(function* () {
          yield* sql`delete from message_counts where window_start < ${start}`
          const counted = yield* sql`insert into message_counts as c (counted, window_start, messages)
            values (${name}, ${start}, 1)
            on conflict (counted, window_start) do update set messages = c.messages + 1 where c.messages < ${most}
            returning 1 as counted`
          if (counted.length > 0) return ALLOWED
          const { seconds } = yield* sql`select
            ceil(extract(epoch from ${start} + make_interval(secs => ${length}) - now()))::integer as seconds`.pipe(
            Effect.flatMap(timeLeft)
          )
          return { allowed: false, retryAfterSeconds: Math.max(1, seconds) } satisfies Counted
        }).pipe(orDatabaseFailure)
    }
  })
)
