/** The rows of the memory layers here. */
import { memoryTable } from "../database/MemoryDatabase.ts"
import type { Notification } from "./Notification.ts"

export const notificationTables = {
  notifications: memoryTable<Notification>("notifications"),
  messageCounts: memoryTable<{ readonly start: number; readonly messages: number }>("messageCounts")
}
