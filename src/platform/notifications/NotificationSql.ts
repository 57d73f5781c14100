/** The outbox in PostgreSQL. */
import { orDatabaseFailure } from "../database/DatabaseFailure.ts"
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { rowAs, rowsAs } from "../database/Rows.ts"
import { Notification } from "./Notification.ts"
import { inScope, newest, ownedIn } from "../database/Query.ts"
import { forgetOldOf } from "../months/Leaving.ts"
import { Settings } from "../config/Settings.ts"
import { NotificationStore } from "./NotificationStore.ts"

const notification = rowAs(Notification)
const notifications = rowsAs(Notification)

export const notificationStoreSql = Layer.effect(
  NotificationStore,
  Effect.map(
    Effect.all([SqlClient.SqlClient, Settings]),
    ([sql, { archiveDir, retention }]): NotificationStore["Type"] => {
      const columns = sql.literal(
        `notification_id, org_id, kind, priority, recipient as "to", subject, text, created_at`
      )
      return {
        insert: ({ to, ...rest }) =>
          sql`insert into notifications ${sql.insert({ ...rest, recipient: to })}`.pipe(
            orDatabaseFailure,
            Effect.asVoid
          ),
        list: (scope, window) =>
          sql`select ${columns} from notifications where ${inScope(sql, scope)}
          ${newest(sql, "notification_id", window)}`.pipe(Effect.flatMap(notifications), orDatabaseFailure),
        find: (scope, id) =>
          sql`select ${columns} from notifications
          where notification_id = ${id} and ${ownedIn(sql, scope)}`.pipe(
            Effect.flatMap(notification),
            orDatabaseFailure
          ),
        forgetOld: forgetOldOf(sql, archiveDir, { table: "notifications", keptFor: retention.notifications })
      }
    }
  )
)
