import { Effect } from "effect"
import { report, success } from "../../contract/api/Envelope.ts"
import type { WebhookLogApi } from "../../contract/api/WebhookLogApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import type { Delivery } from "./DeliveryStore.ts"
import { DeadLetters } from "./DeadLetters.ts"
import { Webhooks } from "../Webhooks.ts"
import { WebhookLog } from "./WebhookLog.ts"
import { parse } from "lossless-json"
import { WireNumber } from "../../domain/Decimal.ts"
import type { WebhookEvent } from "../Webhook.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** Amounts keep their digits. */
const parseNumber = (literal: string): unknown => (literal.includes(".") ? new WireNumber(literal) : Number(literal))

export const envelopeOf = ({ created_at, event_id, event_type, org_id, payload, traceparent }: WebhookEvent) => {
  const { data } = parse(payload, null, { parseNumber }) as { readonly data: Readonly<Record<string, unknown>> }
  return { event_id, event_type, org_id, created_at, data, ...(traceparent === undefined ? {} : { traceparent }) }
}

const shown = ({ org_id: _org, ...delivery }: Delivery) => delivery

export const webhookLogHandlers = Effect.map(
  Effect.all([WebhookLog, DeadLetters, Webhooks, makePages]),
  ([log, dead, webhooks, pages]): Handlers<typeof WebhookLogApi> => ({
    notify: ({ payload, permit }) => answer("Test notification queued", log.notify(permit, payload.transaction_data)),
    deliveries: (request) => {
      const { status, webhook_id } = request.urlParams
      return pages(request, {
        message: "Deliveries",
        filters: { status, webhook_id },
        fetch: (window) => log.deliveries(request.permit, { status, webhook_id }, window),
        idOf: (delivery) => delivery.delivery_id,
        show: shown
      })
    },
    replay: ({ path, permit }) => answer("Delivery queued", log.replay(permit, path.delivery_id), shown),
    delivery: traced("WebhookLogHttp.delivery")(function* ({ path, permit }) {
      const delivery = yield* log.delivery(permit, path.delivery_id)
      const { endpoint_url, log: attempts, payload } = yield* dead.show(permit, path.delivery_id)
      return success("Delivery", { ...shown(delivery), endpoint_url, payload, log: attempts })
    }),
    replayDead: traced("WebhookLogHttp.replayDead")(function* ({ path, permit, urlParams }) {
      const { webhook_id } = yield* webhooks.find(permit, path.webhook_id)
      return success("Deliveries queued", yield* dead.replay(permit, { webhook_id, since: urlParams.since }))
    }),
    trends: traced("WebhookLogHttp.trends")(function* ({ path, permit, urlParams }) {
      const { webhook_id } = yield* webhooks.find(permit, path.webhook_id)
      return report(yield* log.trends(permit, webhook_id, urlParams.per))
    }),
    events: (request) => {
      const { event_type, from } = request.urlParams
      return pages(request, {
        message: "Events",
        filters: { event_type, from },
        fetch: (window) => log.events(request.permit, { event_type, from }, window),
        idOf: (event) => event.event_id,
        show: envelopeOf
      })
    }
  })
)
