/** The outbox in memory. */
import { Clock, Duration, Effect, Layer, Option } from "effect"
import { newestFirst, openTables } from "../database/MemoryDatabase.ts"
import { notificationTables } from "./MemoryTables.ts"
import { type Scope } from "../database/Query.ts"
import { retentionBatch } from "../../domain/policies/Server.ts"
import { Settings } from "../config/Settings.ts"
import { NotificationStore } from "./NotificationStore.ts"

export const notificationStoreMemory = Layer.effect(
  NotificationStore,
  Effect.map(
    Effect.all([openTables(notificationTables), Settings]),
    ([{ notifications }, { retention }]): NotificationStore["Type"] => {
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
          const before = now - Duration.toMillis(retention.notifications)
          const old = visible(Option.none())
            .filter(({ created_at }) => created_at.getTime() < before)
            .slice(0, retentionBatch)
          for (const { notification_id } of old) notifications.delete(notification_id)
          return old.length
        })
      }
    }
  )
)
