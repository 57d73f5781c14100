/** The outbox in memory. */
import { Clock, Duration, Effect, Layer } from "effect"
import { deleteOld, isOlder, newestFirst, openTables, memoryTable, seenIn } from "../database/MemoryDatabase.ts"
import { Settings } from "../config/Settings.ts"
import { NotificationStore, MessageCounts, type Notification } from "./NotificationStore.ts"
import { messageWindow } from "../../domain/policies/PeoplePolicies.ts"

export const notificationTables = {
  notifications: memoryTable<Notification>("notifications"),
  messageCounts: memoryTable<{ readonly start: number; readonly messages: number }>("messageCounts")
}

export const notificationStoreMemory = Layer.effect(
  NotificationStore,
  Effect.map(
    Effect.all([openTables(notificationTables), Settings]),
    ([{ notifications }, { retention }]): NotificationStore["Type"] => {
      return {
        insert: (notification) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            notifications.set(notification.notification_id, { ...notification, created_at: new Date(now) })
          }),
        list: (scope, window) =>
          Effect.sync(() => newestFirst(notifications.all(seenIn(scope)), (row) => row.notification_id, window)),
        find: (scope, id) => Effect.sync(() => notifications.one(id, seenIn(scope))),
        forgetOld: deleteOld(notifications, ({ created_at }, now) => isOlder(created_at, retention.notifications, now))
      }
    }
  )
)

export const messageCountsMemory = Layer.effect(
  MessageCounts,
  Effect.map(openTables(notificationTables), ({ messageCounts }): MessageCounts["Type"] => {
    const length = Duration.toMillis(messageWindow)
    return {
      count: (name, most) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const start = Math.floor(now / length) * length
          for (const [other, row] of messageCounts) if (row.start < start) messageCounts.delete(other)
          const messages = messageCounts.get(name)?.messages ?? 0
          if (messages < most) {
            messageCounts.set(name, { start, messages: messages + 1 })
            return { allowed: true }
          }
          return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((start + length - now) / 1000)) }
        })
    }
  })
)
