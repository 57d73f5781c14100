/** An event that tells of something else than a payment, as the exact text that every delivery repeats. */
import type { OrgId } from "../domain/Identifiers.ts"
import { stringifyWire } from "../domain/Decimal.ts"
import type { EventType } from "../domain/EventTypes.ts"
import type { WebhookEvent } from "./Webhook.ts"

export const newEvent = (
  about: { readonly event_id: string; readonly event_type: EventType; readonly org_id: OrgId },
  data: Readonly<Record<string, unknown>>,
  at: Date
): WebhookEvent => {
  const { event_id, event_type, org_id } = about
  const payload = stringifyWire({ event_id, event_type, org_id, created_at: at.toISOString(), data })
  return { event_id, event_type, org_id, payment_id: null, payload, test: false, created_at: at }
}
