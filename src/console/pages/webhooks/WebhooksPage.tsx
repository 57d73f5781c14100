import { Page, Tabs } from "../../components/PageFrame.tsx"
import { hasAccess, orgId, orgFilter } from "../../state/ConsoleSession.ts"
import { Deliveries } from "./WebhookDeliveries.tsx"
import { Endpoints, NewEndpoint } from "./WebhookEndpoints.tsx"
import { useState } from "preact/hooks"
import { type Answer } from "../../api/ConsoleApi.ts"
import { Loading } from "../../components/Loading.tsx"
import { Button } from "../../components/Button.tsx"
import { Json, Time } from "../../components/Values.tsx"
import { EmptyState, OrgName } from "../../components/DataTable.tsx"
import { useLoad } from "../../state/LoadHooks.ts"
import { eventSummary } from "../../state/Display.ts"
import { LosslessNumber } from "lossless-json"
import { ActionButton } from "../../components/Dialog.tsx"

/** Sends a test event to all endpoints. */
const SendTest = ({ org }: { readonly org: string }) => (
  <ActionButton
    name="Send a test to all endpoints"
    title="Send a test event to all endpoints"
    explanation="Sends transaction.updated with made-up data, marked as a test, to every active endpoint of the organisation."
    submit="Send"
    done="Test event sent"
    act={(_, send) =>
      send("webhookLog", "notify", {
        payload: {
          org_id: org,
          transaction_data: {
            transaction_id: "test-from-the-console",
            status: "completed",
            amount: new LosslessNumber("1500.50"),
            currency: "KES",
            updated_at: new Date().toISOString()
          }
        }
      })
    }
  />
)

const POLL = 2000
const SHOWN = 30

type Event = Answer<"webhookLog", "events">["data"][number]

const EventList = ({ events }: { readonly events: ReadonlyArray<Event> }) =>
  events.length === 0 ? (
    <EmptyState of={["webhooks", "No events yet", "Events appear here within two seconds."]} />
  ) : (
    <ul class="tail">
      {events.map((event) => (
        <li key={event.event_id}>
          <details>
            <summary>
              <code>{event.event_type}</code>
              <span class="summary-text">{eventSummary(event.data)}</span>
              <OrgName id={event.org_id} />
              <Time at={event.created_at} relative />
            </summary>
            <Json name={`Data of ${event.event_type}`} value={event.data} />
          </details>
        </li>
      ))}
    </ul>
  )

/** Latest events, whether or not an endpoint subscribes to them. */
const LiveEvents = () => {
  const [paused, setPaused] = useState(false)
  const loaded = useLoad(
    (get) => get("webhookLog", "events", { urlParams: { ...orgFilter(), limit: SHOWN } }),
    [orgId.value],
    paused ? undefined : POLL
  )
  return (
    <>
      <p class="tail-head">
        <span class={paused ? "pulse" : "pulse live"} aria-hidden="true" />
        {paused ? "Paused" : "Listening"}
        <Button icon={paused ? "play" : "pause"} onClick={() => setPaused(!paused)}>
          {paused ? "Resume" : "Pause"}
        </Button>
      </p>
      <Loading loaded={loaded}>{({ data }) => <EventList events={data} />}</Loading>
    </>
  )
}

const tabs = [
  ["endpoints", "Endpoints"],
  ["deliveries", "Deliveries"],
  ["tail", "Live events"]
] as const

export const WebhooksPage = ({ tab }: { readonly tab: string }) => (
  <Page
    title="Webhooks"
    lead="Every event is signed, and retried until your server accepts it."
    actions={
      hasAccess("webhooks") && tab === "endpoints" ? (
        <>
          {orgId.value !== undefined && <SendTest org={orgId.value} />}
          <NewEndpoint />
        </>
      ) : undefined
    }
  >
    {hasAccess("webhook_log") && <Tabs name="Webhooks" at="webhooks" tabs={tabs} current={tab} />}
    {tab === "deliveries" ? <Deliveries /> : tab === "tail" ? <LiveEvents /> : <Endpoints />}
  </Page>
)
