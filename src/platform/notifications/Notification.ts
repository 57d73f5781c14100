/** A message to a person, as a feature hands it over and as the outbox of the sandbox keeps it. */
import { Data } from "effect"

export const notificationPriorities = ["low", "medium", "high", "urgent"] as const
export type NotificationPriority = (typeof notificationPriorities)[number]

export interface Message {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly org_id: string | null
  readonly kind: "invitation" | "verification_request"
  readonly priority: NotificationPriority
}

export interface Notification extends Message {
  readonly notification_id: string
  readonly created_at: Date
}

/** `message` tells operators what went wrong; it is not meant for the callers of the API. */
export class NotificationFailed extends Data.TaggedError("NotificationFailed")<{ readonly message: string }> {}
