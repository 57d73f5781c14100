/** Rules for events: every change has its event once, and every event is delivered or dead. */
import { wants } from "../../../src/domain/EventTypes.ts"
import type { StoredAttempt, StoredDelivery } from "../../../src/webhooks/Webhook.ts"
import type { Dossier, Records } from "./RecordRules.ts"

/** Events of disputes and adjustments that leave the status. */
const leavesStatus = (payload: string): boolean => {
  if (!payload.includes('"dispute":{') && !payload.includes('"adjustment":{')) return false
  const [, previous] = /"previous_status":"(\w+)"/.exec(payload) ?? []
  const [, status] = /"status":"(\w+)"/.exec(payload) ?? []
  return previous === status
}

const statusEventProblems = ({ events, history }: Dossier): ReadonlyArray<string> => {
  const count = (type: string) =>
    events.filter(({ event_type, payload }) => event_type === type && !leavesStatus(payload)).length
  const changes = history.filter(({ from_status, to_status }) => from_status !== null && from_status !== to_status)
  const reached = (...statuses: ReadonlyArray<string>) =>
    changes.filter(({ to_status }) => statuses.includes(to_status)).length
  const wanted: ReadonlyArray<readonly [string, number]> = [
    ["transaction.updated", changes.length],
    ["payment.completed", reached("completed")],
    ["payment.failed", reached("failed", "rejected")],
    ["payment.canceled", reached("canceled")]
  ]
  return wanted.flatMap(([type, number]) =>
    count(type) === number
      ? []
      : [`${number} times a payment should have told ${type}, and it told it ${count(type)} times`]
  )
}

const refundEventProblems = ({ events, payment }: Dossier): ReadonlyArray<string> => {
  const sent = events.filter(({ event_type }) => event_type === "payment.refunded")
  return payment.refunds.flatMap(({ of, refund_id, state }) =>
    of === undefined && state === "completed" && !sent.some(({ payload }) => payload.includes(refund_id))
      ? ["a refund has gone back, and no event tells it"]
      : []
  )
}

/** The delivery log equals what the receivers answered. */
export const logProblems = (
  deliveries: ReadonlyMap<string, StoredDelivery>,
  logged: Iterable<StoredAttempt>,
  answersTo: (delivery: StoredDelivery, attempt: number) => ReadonlyArray<number | null>
): ReadonlyArray<string> =>
  Array.from(logged).flatMap(({ attempt, delivery_id, status_code }) => {
    const delivery = deliveries.get(delivery_id)
    if (delivery === undefined) return []
    const said = answersTo(delivery, attempt)
    // A delivery may be given up without a call.
    return said.includes(status_code) || (said.length === 0 && status_code === null)
      ? []
      : [`attempt ${attempt} is logged with ${status_code}, and its receiver said ${said.join(" and ")}`]
  })

export const eventProblems = (dossier: Dossier): ReadonlyArray<string> => [
  ...statusEventProblems(dossier),
  ...refundEventProblems(dossier)
]

export const deliveryProblems = ({ deliveries, endpoints, events }: Records): ReadonlyArray<string> => {
  const found = new Map(deliveries.map((one) => [`${one.event_id} ${one.webhook_id}`, one]))
  return events.flatMap(({ event_id, event_type, org_id }) =>
    endpoints.flatMap(({ events: asked, missedEvents, orgId, taken, webhookId }) => {
      if (org_id !== orgId || !wants(asked, event_type) || missedEvents?.has(event_id) === true) return []
      const delivery = found.get(`${event_id} ${webhookId}`)
      if (delivery === undefined) return [`${event_type} was never meant for an endpoint that wants it`]
      if (delivery.status === "delivered" && !taken.has(event_id)) {
        return [`${event_type} counts as delivered, and was not taken`]
      }
      return delivery.status === "pending" ? [`${event_type} was neither taken nor given up`] : []
    })
  )
}
