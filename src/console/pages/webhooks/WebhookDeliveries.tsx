import { FilterField } from "../../components/Form.tsx"
import { type Answer, type Item } from "../../api/ConsoleApi.ts"
import { Badge } from "../../components/Badge.tsx"
import { PagedTable, LoadedPage } from "../../components/Loading.tsx"
import { EmptyState, orgColumn } from "../../components/DataTable.tsx"
import { Time, DetailList, CopyableId, Json } from "../../components/Values.tsx"
import { useLoad, useOrgItems, useOrgPages } from "../../state/LoadHooks.ts"
import { linkTo, route } from "../../state/HashRouter.ts"
import { hasAccess } from "../../state/ConsoleSession.ts"
import { asSentence, durationText, optionsOf } from "../../state/Display.ts"
import { parse } from "lossless-json"
import { Card, Page } from "../../components/PageFrame.tsx"
import { ActionButton } from "../../components/Dialog.tsx"

const Replay = ({ delivery }: { readonly delivery: Pick<DeliveryRow, "delivery_id" | "event_type"> }) => (
  <ActionButton
    name="Send again"
    label={`Send again: ${delivery.event_type}`}
    title="Send the delivery again"
    explanation="Queues the delivery again with a full set of attempts. The receiver gets the same event id and bytes, and may have handled it already."
    done="Delivery queued"
    act={(_, send) => send("webhookLog", "replay", { path: { delivery_id: delivery.delivery_id } })}
  />
)

type DeliveryRow = Item<"webhookLog", "deliveries">

const statuses = [["", "Any status"] as const, ...optionsOf(["pending", "delivered", "dead"])]

export const hostOf = (address: string): string => address.replace(/^https?:\/\//, "")

/** Endpoints by id. Not `wanted`: none. */
export const useEndpoints = (wanted = true) => {
  const { data = [] } = useOrgItems("webhooks", "list", wanted)
  return new Map(data.map((endpoint) => [endpoint.webhook_id, endpoint]))
}

const lastAnswer = ({ attempts, last_error, last_status_code }: DeliveryRow): string => {
  const words = last_error ?? (last_status_code === null ? "" : `answered ${last_status_code}`)
  return words === "" ? "" : asSentence(attempts > 1 ? `${words} (${attempts} attempts)` : words)
}

export const Deliveries = () => {
  const { status = "", webhook_id = "" } = Object.fromEntries(route.value.query)
  const endpoints = useEndpoints()
  const list = useOrgPages("webhookLog", "deliveries", { status, webhook_id })
  return (
    <>
      <div class="filters">
        <FilterField name="status" label="Status" options={statuses} />
        <FilterField
          name="webhook_id"
          label="Endpoint"
          options={[
            ["", "Any endpoint"],
            ...Array.from(endpoints, ([id, { endpoint_url }]) => [id, hostOf(endpoint_url)] as const)
          ]}
        />
      </div>
      <PagedTable
        list={list}
        empty={["webhooks", "No deliveries", "No deliveries match these filters."]}
        caption="Deliveries"
        keyOf={({ delivery_id }) => delivery_id}
        hrefOf={({ delivery_id }) => linkTo(`webhooks/deliveries/${delivery_id}`)}
        columns={[
          { name: "Event", show: ({ event_type }) => <code>{event_type}</code> },
          { name: "Status", show: (delivery) => <Badge status={delivery.status} /> },
          {
            name: "Endpoint",
            below: true,
            show: (delivery) => hostOf(endpoints.get(delivery.webhook_id)?.endpoint_url ?? "–")
          },
          ...orgColumn<DeliveryRow>((delivery) => endpoints.get(delivery.webhook_id)?.org_id),
          { name: "Last answer", below: true, show: lastAnswer },
          { name: "Created", align: "end", show: ({ created_at }) => <Time at={created_at} /> }
        ]}
        actions={
          hasAccess("webhooks") ? (delivery) => delivery.status === "dead" && <Replay delivery={delivery} /> : undefined
        }
      />
    </>
  )
}

type DeliveryDetail = Answer<"webhookLog", "delivery">["data"]

interface EventText {
  readonly data?: { readonly payment_id?: unknown }
}

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n")

const Attempts = ({ log }: Pick<DeliveryDetail, "log">) =>
  log.length === 0 ? (
    <EmptyState of={["webhooks", "Not sent yet"]} />
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
            <span class="muted">{durationText(attempt.latency_ms)}</span>
          </p>
          {attempt.error !== null && <p>{asSentence(attempt.error)}</p>}
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

const DeliveryContent = ({ delivery }: { readonly delivery: DeliveryDetail }) => {
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
      actions={hasAccess("webhooks") && delivery.status !== "pending" ? <Replay delivery={delivery} /> : undefined}
    >
      <div class="columns">
        <Card title="Request">
          <DetailList
            facts={[
              ["Event", <CopyableId id={delivery.event_id} what="the event's id" />],
              [
                "Payment",
                typeof paymentId === "string" && <a href={linkTo(`payments/${paymentId}`)}>Open the payment</a>
              ],
              ["Endpoint", <a href={linkTo(`webhooks/endpoints/${delivery.webhook_id}`)}>All of its deliveries</a>],
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

export const DeliveryPage = ({ id }: { readonly id: string }) => {
  const loaded = useLoad((get) => get("webhookLog", "delivery", { path: { delivery_id: id } }), [id], POLL)
  return (
    <LoadedPage title="Delivery" above={above} loaded={loaded}>
      {({ data }) => <DeliveryContent delivery={data} />}
    </LoadedPage>
  )
}

interface ReplayDeadProps {
  readonly webhookId: string
  readonly count: number
}

export const ReplayDead = ({ count, webhookId }: ReplayDeadProps) => (
  <ActionButton
    name={count === 1 ? "Send it again" : "Send all again"}
    title="Send dead letters again"
    kind="primary"
    explanation={`Queues ${count === 1 ? "the dead letter" : `all ${count < 1000 ? `${count} ` : ""}dead letters`} of this endpoint again, and what waits for another attempt. The receiver gets the same event ids and bytes.`}
    submit="Send again"
    done="Dead letters queued"
    act={(_, send) => send("webhookLog", "replayDead", { path: { webhook_id: webhookId } })}
  />
)
