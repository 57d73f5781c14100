/** Deliveries that a worker counts as in flight. */
import { describe, expect, it } from "vitest"
import { OrgId, WebhookId } from "../../../src/domain/Ids.ts"
import { webhookConcurrency } from "../../../src/domain/policies/WebhookPolicies.ts"
import type { ClaimedDelivery } from "../../../src/webhooks/delivery/DeliveryQueueStore.ts"
import { InFlight } from "../../../src/webhooks/delivery/FairShare.ts"

const org_id = OrgId.make("00000000-0000-7000-8000-000000000001")
const webhook_id = WebhookId.make("00000000-0000-7000-8000-000000000002")

const claimed = (nth: number, failing = false): ClaimedDelivery => ({
  delivery_id: `delivery ${nth}`,
  org_id,
  webhook_id,
  event_id: "event",
  event_type: "payment.completed",
  test: false,
  payload: "{}",
  endpoint_url: "https://example.com/",
  secret_sealed: "sealed",
  previous_secret_sealed: null,
  failing,
  attempt: 1,
  lease_token: `lease ${nth}`
})

const sendingTo = (inFlight: InFlight, of: OrgId) => inFlight.byEndpointOf(new Set([of])).get(webhook_id)

describe("InFlight", () => {
  it("frees the place of an answered delivery, and keeps the lease until the result is written", () => {
    const inFlight = new InFlight()
    const [first, second] = [claimed(1), claimed(2, true)]
    inFlight.add(first, 0)
    inFlight.add(second, 0)
    expect(sendingTo(inFlight, org_id)).toBe(2)
    expect(
      sendingTo(inFlight, OrgId.make("00000000-0000-7000-8000-000000000003")),
      "of an organisation that is not in the claim"
    ).toBeUndefined()
    expect(inFlight.byOrganization.get(org_id)).toEqual({ sending: 2, failing: 1 })
    inFlight.answered(second)
    expect(sendingTo(inFlight, org_id)).toBe(1)
    expect(inFlight.byOrganization.get(org_id)).toEqual({ sending: 1, failing: 0 })
    expect(inFlight.waits(5)).toEqual([{ org_id, millis: 5 }])
    expect(inFlight.held).toEqual([first, second])
    expect(inFlight.room).toBe(webhookConcurrency - 2)
    inFlight.remove(second)
    expect(inFlight.held).toEqual([first])
    expect(inFlight.room).toBe(webhookConcurrency - 1)
  })
})
