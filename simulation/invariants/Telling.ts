/** Every change has its event, and every event has reached each endpoint, or waits where a person finds it. */
import type { Payment } from "../../src/payments/store/Payment.ts"
import type { Receivers } from "../business/Receivers.ts"
import type { Scene } from "../business/Scene.ts"

const eventProblems = (scene: Scene, payment: Payment): ReadonlyArray<string> => {
  const { events, history } = scene.world.tables
  const own = Array.from(events.values()).filter(({ payment_id }) => payment_id === payment.payment_id)
  const count = (type: string) => own.filter(({ event_type }) => event_type === type).length
  const rows = Array.from(history.values()).filter(({ payment_id }) => payment_id === payment.payment_id)
  const changes = rows.filter(({ from_status, to_status }) => from_status !== null && from_status !== to_status)
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

const refundProblems = (scene: Scene, payment: Payment): ReadonlyArray<string> => {
  const told = Array.from(scene.world.tables.events.values()).filter(
    ({ event_type, payment_id }) => payment_id === payment.payment_id && event_type === "payment.refunded"
  )
  return payment.refunds.flatMap(({ refund_id, state }) =>
    state === "completed" && !told.some(({ payload }) => payload.includes(refund_id))
      ? ["a refund has gone back, and no event tells it"]
      : []
  )
}

const deliveryProblems = ({ organisations, world }: Scene, receivers: Receivers): ReadonlyArray<string> => {
  const { events, webhookDeliveries } = world.tables
  const deliveries = Array.from(webhookDeliveries.values())
  return organisations.flatMap(({ endpoints, orgId }) =>
    endpoints.flatMap(({ url, webhookId }) =>
      Array.from(events.values()).flatMap(({ event_id, event_type, org_id }) => {
        if (org_id !== orgId) return []
        const delivery = deliveries.find((one) => one.event_id === event_id && one.webhook_id === webhookId)
        if (delivery === undefined) return [`${event_type} was never meant for an endpoint that wants it`]
        const taken = receivers.taken.get(url)?.has(event_id) === true
        if (delivery.status === "delivered" && !taken) return [`${event_type} counts as delivered, and was not taken`]
        return delivery.status === "pending" ? [`${event_type} was neither taken nor given up`] : []
      })
    )
  )
}

export const tellingProblems = (scene: Scene, receivers: Receivers): ReadonlyArray<string> => [
  ...Array.from(scene.world.tables.payments.values()).flatMap((payment) => [
    ...eventProblems(scene, payment),
    ...refundProblems(scene, payment)
  ]),
  ...deliveryProblems(scene, receivers)
]
