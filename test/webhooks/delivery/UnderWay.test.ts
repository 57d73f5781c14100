/** What a worker counts as under way. */
import { describe, expect, it } from "vitest"
import { OrgId, WebhookId } from "../../../src/domain/Ids.ts"
import { webhookConcurrency } from "../../../src/domain/policies/WebhookPolicies.ts"
import type { ClaimedDelivery } from "../../../src/webhooks/delivery/DeliveryQueueStore.ts"
import { InFlight } from "../../../src/webhooks/delivery/InFlight.ts"

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

const sendingTo = (underWay: InFlight, of: OrgId) => underWay.byEndpointOf(new Set([of])).get(webhook_id)

describe("UnderWay", () => {
  it("leaves the place of whoever has answered to the next, and keeps the lease until it is written down", () => {
    const underWay = new InFlight()
    const [first, second] = [claimed(1), claimed(2, true)]
    underWay.add(first, 0)
    underWay.add(second, 0)
    expect(sendingTo(underWay, org_id)).toBe(2)
    expect(
      sendingTo(underWay, OrgId.make("00000000-0000-7000-8000-000000000003")),
      "of an organisation that nobody asks for"
    ).toBeUndefined()
    expect(underWay.byOrganization.get(org_id)).toEqual({ sending: 2, failing: 1 })
    underWay.answered(second)
    expect(sendingTo(underWay, org_id)).toBe(1)
    expect(underWay.byOrganization.get(org_id)).toEqual({ sending: 1, failing: 0 })
    expect(underWay.waits(5)).toEqual([{ org_id, millis: 5 }])
    expect(underWay.held).toEqual([first, second])
    expect(underWay.room).toBe(webhookConcurrency - 2)
    underWay.remove(second)
    expect(underWay.held).toEqual([first])
    expect(underWay.room).toBe(webhookConcurrency - 1)
  })
})
