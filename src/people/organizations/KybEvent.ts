/** The event of a KYB decision that an operator took, in the words of one that the KYB provider took. */
import { Option } from "effect"
import type { WebhookEvent } from "../../webhooks/Webhook.ts"
import type { Organization } from "./Organization.ts"

/** None for a status that decides nothing. */
export const kybEvent = (event_id: string, organization: Organization, at: Date): Option.Option<WebhookEvent> => {
  const { kyb_status, org_id } = organization
  if (kyb_status !== "approved" && kyb_status !== "rejected") return Option.none()
  const event_type = `kyb.${kyb_status}`
  const data = { org_id, kyb_status, reason: null }
  const payload = JSON.stringify({ event_id, event_type, org_id, created_at: at.toISOString(), data })
  return Option.some({ event_id, org_id, event_type, payment_id: null, payload, created_at: at, test: false })
}
