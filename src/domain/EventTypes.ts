/** Every kind of event that the service sends to webhook endpoints. */

export const eventTypes = [
  "payment.completed",
  "payment.failed",
  "payment.processing",
  "payment.canceled",
  "payment.refunded",
  "payment.refund_failed",
  "virtual_account.deposit",
  "virtual_account.withdrawal",
  "virtual_account.frozen",
  "virtual_account.unfrozen",
  "kyb.approved",
  "kyb.rejected",
  "kyc.approved",
  "kyc.rejected",
  "transaction.updated"
] as const

export type EventType = (typeof eventTypes)[number]

/** Selector of all events; others are one exact type or one family. */
export const everyEvent = "*"

const familyOf = (eventType: string): string => `${eventType.split(".", 1).join("")}.*`

/** Patterns that an endpoint may list in `events`. */
export const eventPatterns: ReadonlyArray<string> = [...eventTypes, ...new Set(eventTypes.map(familyOf)), everyEvent]

const known = new Set(eventPatterns)

export const isEventPattern = (text: string): boolean => known.has(text)

/** The same rule as the function `webhook_wants` of the database. */
export const wants = (patterns: ReadonlyArray<string>, eventType: string): boolean =>
  patterns.includes(everyEvent) || patterns.includes(eventType) || patterns.includes(familyOf(eventType))
