import { parse } from "lossless-json"
import { type Answer, call } from "../../api/Api.ts"
import { Badge } from "../../parts/Badge.tsx"
import { Card } from "../../parts/Card.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Facts } from "../../parts/Facts.tsx"
import { LoadedPage } from "../../parts/LoadedPage.tsx"
import { Id } from "../../parts/Id.tsx"
import { Json } from "../../parts/Json.tsx"
import { Page } from "../../parts/Page.tsx"
import { Time } from "../../parts/Time.tsx"
import { useLoad } from "../../state/Load.ts"
import { linkTo } from "../../state/Router.ts"
import { may } from "../../state/Session.ts"
import { sentence, span } from "../../state/Words.ts"
import { Replay } from "./Replay.tsx"

type Detail = Answer<"webhookLog", "delivery">["data"]

interface EventText {
  readonly data?: { readonly payment_id?: unknown }
}

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n")

const Attempts = ({ log }: Pick<Detail, "log">) =>
  log.length === 0 ? (
    <Empty icon="webhooks" title="Not sent yet" />
  ) : (
    <ol class="attempts">
      {log.map((attempt) => (
        <li key={attempt.at}>
          <p class="queue-head">
            <Badge
              status={attempt.error === null ? "delivered" : "failed"}
              words={attempt.status_code === null ? "No answer" : String(attempt.status_code)}
            />
            <Time at={attempt.at} />
            <span class="muted">{span(attempt.latency_ms)}</span>
          </p>
          {attempt.error !== null && <p>{sentence(attempt.error)}</p>}
          {attempt.headers !== null && (
            <details class="fold">
              <summary>Headers of the request</summary>
              <Json name={`Headers of attempt ${attempt.attempt}`} value={headerLines(attempt.headers)} />
            </details>
          )}
          {attempt.answer !== null && <Json name={`Answer to attempt ${attempt.attempt}`} value={attempt.answer} />}
        </li>
      ))}
    </ol>
  )

const POLL = 4000

const above = ["#/webhooks/deliveries", "Deliveries"] as const

const Shown = ({ delivery, onDone }: { readonly delivery: Detail; readonly onDone: () => void }) => {
  const event = parse(delivery.payload) as EventText
  const paymentId = event.data?.payment_id
  return (
    <Page
      title={delivery.event_type}
      above={above}
      lead={
        <p class="headline">
          <Badge status={delivery.status} />
          <code class="address">{delivery.endpoint_url}</code>
        </p>
      }
      actions={
        may("webhooks") && delivery.status !== "pending" ? (
          <Replay deliveryId={delivery.delivery_id} name={delivery.event_type} onDone={onDone} />
        ) : undefined
      }
    >
      <div class="columns">
        <Card title="Request">
          <Facts
            facts={[
              ["Event", <Id id={delivery.event_id} what="the event's id" />],
              [
                "Payment",
                typeof paymentId === "string" && <a href={linkTo(`payments/${paymentId}`)}>Open the payment</a>
              ],
              ["Next attempt", delivery.next_attempt_at !== null && <Time at={delivery.next_attempt_at} />]
            ]}
          />
          <h3>Body</h3>
          <Json name="What is sent" value={event} />
        </Card>
        <Card title="Attempts">
          <Attempts log={delivery.log} />
        </Card>
      </div>
    </Page>
  )
}

export const Delivery = ({ id }: { readonly id: string }) => {
  const loaded = useLoad(
    (signal) => call("webhookLog", "delivery", { path: { delivery_id: id } }, { signal }),
    [id],
    POLL
  )
  return (
    <LoadedPage title="Delivery" above={above} loaded={loaded}>
      {({ data }) => <Shown delivery={data} onDone={loaded.reload} />}
    </LoadedPage>
  )
}
