/** Counts of prompts in memory. */
import { Clock, Duration, Effect, Layer } from "effect"
import { memoryTable, openTables } from "../../platform/database/MemoryDatabase.ts"
import { PromptStore, secondsToWait } from "./PhonePrompts.ts"

const tables = { phonePrompts: memoryTable<{ readonly sent: ReadonlyArray<number> }>("phonePrompts") }

export const promptStoreMemory = Layer.effect(
  PromptStore,
  Effect.map(openTables(tables), ({ phonePrompts }): PromptStore["Type"] => ({
    count: (counted, limits) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const since = now - Math.max(...limits.map(({ window }) => Duration.toMillis(window)))
        for (const [key, { sent }] of phonePrompts) {
          if (sent.every((at) => at <= since)) phonePrompts.delete(key)
        }
        const sent = (phonePrompts.get(counted)?.sent ?? []).filter((at) => at > since)
        const retryAfterSeconds = secondsToWait(sent, limits, now)
        if (retryAfterSeconds > 0) return { allowed: false, retryAfterSeconds }
        phonePrompts.set(counted, { sent: [...sent, now] })
        return { allowed: true }
      })
  }))
)
