/** An event as its receivers got it, read back from the exact text that was sent. */
import type { OrgId } from "../domain/Identifiers.ts"
import { parse } from "lossless-json"
import { WireNumber } from "../domain/Decimal.ts"
import type { WebhookEvent } from "./Webhook.ts"

/** Amounts keep the digits that they were written with. */
const parseNumber = (literal: string): unknown => (literal.includes(".") ? new WireNumber(literal) : Number(literal))

export const envelopeOf = ({ created_at, payload, traceparent }: WebhookEvent) => {
  const sent = parse(payload, null, { parseNumber }) as {
    readonly event_id: string
    readonly event_type: string
    readonly org_id: OrgId
    readonly data: Readonly<Record<string, unknown>>
  }
  const { data, event_id, event_type, org_id } = sent
  return { event_id, event_type, org_id, created_at, data, ...(traceparent === undefined ? {} : { traceparent }) }
}
