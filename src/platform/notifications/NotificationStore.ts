/** The outbox at rest: what the sandbox would have mailed. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { newestFirst, openTables } from "../database/MemoryDatabase.ts"
import { notificationTables } from "./MemoryTables.ts"
import { firstRow, inScope, newest, type Scope } from "../database/Query.ts"
import { notificationRetention, retentionBatch } from "../../domain/Policies.ts"
import type { Window } from "../database/Window.ts"
import type { Notification } from "./Notification.ts"

interface Store {
  readonly insert: (notification: Omit<Notification, "created_at">) => Effect.Effect<void>
  readonly list: (scope: Scope, window: Window) => Effect.Effect<ReadonlyArray<Notification>>
  readonly find: (scope: Scope, id: string) => Effect.Effect<Option.Option<Notification>>
  /** Answers with how many were forgotten, one batch at most. */
  readonly forgetOld: Effect.Effect<number>
}

export class NotificationStore extends Context.Tag("corridor/NotificationStore")<NotificationStore, Store>() {
  static readonly layer = Layer.effect(
    NotificationStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const columns = sql.literal(
        `notification_id, org_id, kind, priority, recipient as "to", subject, text, created_at`
      )
      return {
        insert: ({ to, ...rest }) =>
          sql`insert into notifications ${sql.insert({ ...rest, recipient: to })}`.pipe(Effect.orDie, Effect.asVoid),
        list: (scope, window) =>
          sql<Notification>`select ${columns} from notifications where ${inScope(sql, scope)}
            ${newest(sql, "notification_id", window)}`.pipe(Effect.orDie),
        find: (scope, id) =>
          sql<Notification>`select ${columns} from notifications
            where notification_id = ${id} and ${inScope(sql, scope)}`.pipe(Effect.map(firstRow), Effect.orDie),
        forgetOld: sql`delete from notifications where notification_id = any (array(
            select notification_id from notifications
            where created_at < now() - make_interval(secs => ${Duration.toSeconds(notificationRetention)})
            limit ${retentionBatch})) returning 1 as forgotten`.pipe(
          Effect.map((rows) => rows.length),
          Effect.orDie
        )
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    NotificationStore,
    Effect.map(openTables(notificationTables), ({ notifications }): Store => {
      const visible = (scope: Scope) =>
        Array.from(notifications.values()).filter((row) => Option.isNone(scope) || row.org_id === scope.value)
      return {
        insert: (notification) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            notifications.set(notification.notification_id, { ...notification, created_at: new Date(now) })
          }),
        list: (scope, window) => Effect.sync(() => newestFirst(visible(scope), (row) => row.notification_id, window)),
        find: (scope, id) =>
          Effect.sync(() => Option.fromNullable(visible(scope).find((row) => row.notification_id === id))),
        forgetOld: Effect.map(Clock.currentTimeMillis, (now) => {
          const before = now - Duration.toMillis(notificationRetention)
          const old = visible(Option.none())
            .filter(({ created_at }) => created_at.getTime() < before)
            .slice(0, retentionBatch)
          for (const { notification_id } of old) notifications.delete(notification_id)
          return old.length
        })
      }
    })
  )
}
