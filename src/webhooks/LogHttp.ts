import { Effect } from "effect"
import { success } from "../api/Envelope.ts"
import type { WebhookLogApi } from "../api/WebhookLog.ts"
import type { Handlers } from "../http/Handlers.ts"
import { paginate } from "../pagination/Page.ts"
import { Vault } from "../secrets/Vault.ts"
import type { Delivery } from "./DeliveryStore.ts"
import { envelopeOf } from "./EventEnvelope.ts"
import { WebhookLog } from "./WebhookLog.ts"

const shown = ({ org_id: _org, ...delivery }: Delivery) => delivery

export const webhookLogHandlers = Effect.gen(function* () {
  const log = yield* WebhookLog
  const vault = yield* Vault
  const handlers: Handlers<typeof WebhookLogApi> = {
    notify: ({ payload, permit }) =>
      Effect.map(log.notify(permit, payload.transaction_data), (sent) => success("Test notification queued", sent)),
    deliveries: Effect.fn("WebhookLogHttp.deliveries")(function* ({ permit, route, urlParams }) {
      const { status, webhook_id } = urlParams
      const filters = { status, webhook_id }
      const page = yield* paginate({
        vault,
        permit,
        route,
        asked: urlParams,
        filters,
        fetch: (window) => log.deliveries(permit, filters, window),
        idOf: (delivery) => delivery.delivery_id
      })
      return { ...page, status: "success", message: "Deliveries", data: page.data.map(shown) }
    }),
    replay: ({ path, permit }) =>
      Effect.map(log.replay(permit, path.delivery_id), (delivery) => success("Delivery queued", shown(delivery))),
    events: Effect.fn("WebhookLogHttp.events")(function* ({ permit, route, urlParams }) {
      const { event_type, from } = urlParams
      const filters = { event_type, from }
      const page = yield* paginate({
        vault,
        permit,
        route,
        asked: urlParams,
        filters,
        fetch: (window) => log.events(permit, filters, window),
        idOf: (event) => event.event_id
      })
      return { ...page, status: "success", message: "Events", data: page.data.map(envelopeOf) }
    })
  }
  return handlers
})
