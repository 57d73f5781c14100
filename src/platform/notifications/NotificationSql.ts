/** The outbox in PostgreSQL. */
import { orDatabaseFailure } from "../database/DatabaseFailure.ts"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Duration, Schema } from "effect"
import { execute, inScope, newest, ownedIn, query, theRowAs } from "../database/Query.ts"
import { Notification, NotificationStore, MessageCounts } from "./NotificationStore.ts"
import { removeOldRows } from "../partitions/DetachOld.ts"
import { Settings } from "../config/Settings.ts"
import { messageWindow } from "../../domain/policies/PeoplePolicies.ts"

const notifications = query(Notification)

export const notificationStoreSql = Layer.effect(
  NotificationStore,
  Effect.map(
    Effect.all([SqlClient.SqlClient, Settings]),
    ([sql, { archiveDir, retention }]): NotificationStore["Type"] => {
      const columns = sql.literal(
        `notification_id, org_id, kind, priority, recipient as "to", subject, text, created_at`
      )
      return {
        insert: ({ to, ...rest }) => execute(sql`insert into notifications ${sql.insert({ ...rest, recipient: to })}`),
        list: (scope, window) =>
          notifications.all(sql`select ${columns} from notifications where ${inScope(sql, scope)}
          ${newest(sql, "notification_id", window)}`),
        find: (scope, id) =>
          notifications.first(sql`select ${columns} from notifications
          where notification_id = ${id} and ${ownedIn(sql, scope)}`),
        forgetOld: removeOldRows(sql, archiveDir, { table: "notifications", keptFor: retention.notifications })
      }
    }
  )
)

const timeLeft = theRowAs(Schema.Struct({ seconds: Schema.Number }))

/** The hour is the database's. */
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
          if (counted.length > 0) return { allowed: true } as const
          const { seconds } = yield* sql`select
            ceil(extract(epoch from ${start} + make_interval(secs => ${length}) - now()))::integer as seconds`.pipe(
            Effect.flatMap(timeLeft)
          )
          return { allowed: false, retryAfterSeconds: Math.max(1, seconds) } as const
        }).pipe(orDatabaseFailure)
    }
  })
)
