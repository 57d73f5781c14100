/** How many messages went out in this hour, so that nobody is flooded with them and no organisation floods others. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { openTables } from "../database/MemoryDatabase.ts"
import { notificationTables } from "./MemoryTables.ts"
import { messageWindow } from "../../domain/Policies.ts"

export type Counted = { readonly allowed: true } | { readonly allowed: false; readonly retryAfterSeconds: number }

const ALLOWED: Counted = { allowed: true }

interface Store {
  /** Counts one more under this name, unless there are as many as allowed; windows that are over are forgotten. */
  readonly count: (name: string, most: number) => Effect.Effect<Counted>
}

export class MessageCounts extends Context.Tag("corridor/MessageCounts")<MessageCounts, Store>() {
  static readonly layer = Layer.effect(
    MessageCounts,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
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
            const [left] = yield* sql<{ seconds: number }>`select
              ceil(extract(epoch from ${start} + make_interval(secs => ${length}) - now()))::integer as seconds`
            return { allowed: false, retryAfterSeconds: Math.max(1, left?.seconds ?? 1) } satisfies Counted
          }).pipe(Effect.orDie)
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    MessageCounts,
    Effect.map(openTables(notificationTables), ({ messageCounts }): Store => {
      const length = Duration.toMillis(messageWindow)
      return {
        count: (name, most) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const start = Math.floor(now / length) * length
            for (const [other, row] of messageCounts) if (row.start < start) messageCounts.delete(other)
            const messages = messageCounts.get(name)?.messages ?? 0
            if (messages < most) {
              messageCounts.set(name, { start, messages: messages + 1 })
              return ALLOWED
            }
            return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((start + length - now) / 1000)) }
          })
      }
    })
  )
}
