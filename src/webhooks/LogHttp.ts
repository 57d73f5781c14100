import { Effect } from "effect"
import { success } from "../contract/api/Envelope.ts"
import type { WebhookLogApi } from "../contract/api/WebhookLog.ts"
import type { Handlers } from "../platform/http/Handlers.ts"
import { makePages } from "../platform/pagination/Page.ts"
import type { Delivery } from "./DeliveryStore.ts"
import { envelopeOf } from "./EventEnvelope.ts"
import { WebhookLog } from "./WebhookLog.ts"

const shown = ({ org_id: _org, ...delivery }: Delivery) => delivery

export const webhookLogHandlers = Effect.gen(function* () {
  const log = yield* WebhookLog
  const pages = yield* makePages
  const handlers: Handlers<typeof WebhookLogApi> = {
    notify: ({ payload, permit }) =>
      Effect.map(log.notify(permit, payload.transaction_data), (sent) => success("Test notification queued", sent)),
    deliveries: (request) => {
      const { permit, urlParams } = request
      const filters = { status: urlParams.status, webhook_id: urlParams.webhook_id }
      return pages(request, {
        message: "Deliveries",
        filters,
        fetch: (window) => log.deliveries(permit, filters, window),
        idOf: (delivery) => delivery.delivery_id,
        show: shown
      })
    },
    replay: ({ path, permit }) =>
      Effect.map(log.replay(permit, path.delivery_id), (delivery) => success("Delivery queued", shown(delivery))),
    events: (request) => {
      const { permit, urlParams } = request
      const filters = { event_type: urlParams.event_type, from: urlParams.from }
      return pages(request, {
        message: "Events",
        filters,
        fetch: (window) => log.events(permit, filters, window),
        idOf: (event) => event.event_id,
        show: envelopeOf
      })
    }
  }
  return handlers
})
