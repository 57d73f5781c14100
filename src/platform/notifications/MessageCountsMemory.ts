/** The counts of messages in memory. */
import { Clock, Duration, Effect, Layer } from "effect"
import { openTables } from "../database/MemoryDatabase.ts"
import { notificationTables } from "./MemoryTables.ts"
import { messageWindow } from "../../domain/policies/People.ts"
import { type Counted, MessageCounts } from "./MessageCounts.ts"

const ALLOWED: Counted = { allowed: true }

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
            return ALLOWED
          }
          return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil((start + length - now) / 1000)) }
        })
    }
  })
)
