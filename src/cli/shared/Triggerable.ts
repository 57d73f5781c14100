/** The events that `corridor trigger` can make happen; the others take a person, another service, or a mishap. */
import type { EventType } from "../../domain/EventTypes.ts"

export const triggerable = [
  "payment.completed",
  "payment.processing",
  "transaction.updated",
  "payment.failed",
  "payment.canceled",
  "payment.refunded",
  "virtual_account.deposit",
  "virtual_account.withdrawal",
  "virtual_account.frozen",
  "virtual_account.unfrozen"
] as const satisfies ReadonlyArray<EventType>

export type Triggerable = (typeof triggerable)[number]
