/** A message to a person, as a feature hands it over and as the outbox of the sandbox keeps it. */
import { Data, Schema } from "effect"
import { OrgId } from "../../domain/Identifiers.ts"

export const notificationPriorities = ["low", "medium", "high", "urgent"] as const
export type NotificationPriority = (typeof notificationPriorities)[number]

const Message = Schema.Struct({
  to: Schema.String,
  subject: Schema.String,
  text: Schema.String,
  org_id: Schema.NullOr(OrgId),
  kind: Schema.Literal("invitation", "verification_request", "receipt"),
  priority: Schema.Literal(...notificationPriorities)
})
export type Message = typeof Message.Type

export const Notification = Schema.Struct({
  ...Message.fields,
  notification_id: Schema.String,
  created_at: Schema.DateFromSelf
})
export type Notification = typeof Notification.Type

/** `message` tells operators what went wrong; it is not meant for the callers of the API. */
export class NotificationFailed extends Data.TaggedError("NotificationFailed")<{ readonly message: string }> {}
