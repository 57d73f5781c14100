import { Effect } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import type { WebhookLogApi } from "../../contract/api/WebhookLogApi.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import type { Delivery } from "./DeliveryStore.ts"
import { DeadLetters } from "./DeadLetters.ts"
import { Webhooks } from "../Webhooks.ts"
import { WebhookLog } from "./WebhookLog.ts"
import type { OrgId } from "../../domain/Ids.ts"
import { parse } from "lossless-json"
import { WireNumber } from "../../domain/Decimal.ts"
import type { WebhookEvent } from "../Webhook.ts"

/** Amounts keep their digits. */
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

const shown = ({ org_id: _org, ...delivery }: Delivery) => delivery

export const webhookLogHandlers = Effect.gen(function* () {
  const log = yield* WebhookLog
  const dead = yield* DeadLetters
  const webhooks = yield* Webhooks
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
    delivery: Effect.fn("WebhookLogHttp.delivery")(function* ({ path, permit }) {
      const delivery = yield* log.delivery(permit, path.delivery_id)
      const { endpoint_url, log: attempts, payload } = yield* dead.show(permit, path.delivery_id)
      return success("Delivery", { ...shown(delivery), endpoint_url, payload, log: attempts })
    }),
    replayDead: Effect.fn("WebhookLogHttp.replayDead")(function* ({ path, permit }) {
      const { webhook_id } = yield* webhooks.find(permit, path.webhook_id)
      return success("Dead letters queued", yield* dead.replay(permit, { webhook_id }, () => Effect.void))
    }),
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
