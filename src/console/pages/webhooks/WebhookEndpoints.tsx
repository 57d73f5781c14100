import { useOrgPages, useLoad, useOrgItems } from "../../state/LoadHooks.ts"
import type { Item, Answer } from "../../api/ConsoleApi.ts"
import { Badge } from "../../components/Badge.tsx"
import { PagedList, Loading, LoadedPage } from "../../components/Loading.tsx"
import { EmptyState, OrgName } from "../../components/DataTable.tsx"
import { Time, DetailList } from "../../components/Values.tsx"
import { linkTo, route } from "../../state/HashRouter.ts"
import { hasAccess, orgFilter } from "../../state/ConsoleSession.ts"
import { Field, FilterField } from "../../components/Form.tsx"
import { ActionButton } from "../../components/Dialog.tsx"
import { eventsHint, eventTypesIn } from "../../state/TypedInput.ts"
import { signal } from "@preact/signals"
import { Problem } from "../../api/ApiResponse.ts"
import { Card, Page } from "../../components/PageFrame.tsx"
import { Plot } from "../../components/Plot.tsx"
import { durationText, timeZone } from "../../state/Display.ts"

type Trends = Answer<"webhookLog", "trends">["data"]
type Period = Trends["periods"][number]

const states = [
  ["delivered", "Delivered", "--good"],
  ["dead", "Failed", "--bad"],
  ["pending", "Waiting", "--warn"]
] as const

const sumOf = (periods: ReadonlyArray<Period>, name: (typeof states)[number][0]): number =>
  periods.reduce((sum, period) => sum + period[name], 0)

const TrendsCard = ({ id, per }: { readonly id: string; readonly per: Trends["per"] }) => {
  const loaded = useLoad(
    (get) => get("webhookLog", "trends", { path: { webhook_id: id }, urlParams: { per } }),
    [id, per]
  )
  return (
    <Loading loaded={loaded}>
      {({ data: { latency, periods } }) => {
        const total = states.reduce((sum, [name]) => sum + sumOf(periods, name), 0)
        if (total === 0) return <EmptyState of={["webhooks", "No deliveries in this time"]} />
        const said = states.map(([name, words]) => `${sumOf(periods, name)} ${words.toLowerCase()}`).join(", ")
        return (
          <>
            <Plot
              name={`Deliveries by ${per}: ${said}`}
              days={periods.map(({ at }) => at)}
              hourly={per === "hour"}
              lines={states.map(([name, words, color]) => ({
                name: words,
                color,
                values: periods.map((period) => period[name])
              }))}
            />
            <DetailList
              facts={[
                ["In this time", said],
                ["Median answer", latency !== null && durationText(latency.median_ms)],
                ["95th percentile", latency !== null && durationText(latency.p95_ms)]
              ]}
            />
          </>
        )
      }}
    </Loading>
  )
}

/** Local time an hour ago, as fields take it. */
const hourAgo = (): string => {
  const now = new Date()
  return new Date(now.getTime() - (60 + now.getTimezoneOffset()) * 60_000).toISOString().slice(0, 16)
}

const ReplaySince = ({ id, status }: { readonly id: string; readonly status: Endpoint["status"] }) => (
  <ActionButton
    name="Send again since …"
    title="Send again what has not arrived"
    explanation="Sends all deliveries of this endpoint since then that failed or wait for another attempt. The receiver gets the same event ids and bytes. Delivered ones are not sent."
    submit="Send again"
    done="Deliveries queued"
    act={async ({ since = "" }, send) => {
      const urlParams = { since: new Date(since).toISOString() }
      const { data } = await send("webhookLog", "replayDead", { path: { webhook_id: id }, urlParams })
      if (data.replayed === 0) {
        const isDisabled = data.disabled > 0 || status === "disabled"
        throw new Error(isDisabled ? "The endpoint is disabled: enable it first." : "All since then have arrived.")
      }
    }}
  >
    <Field
      name="since"
      label="Since"
      kind="datetime-local"
      value={hourAgo()}
      hint={`In your time zone, ${timeZone()}, as the hours of the chart.`}
      required
    />
  </ActionButton>
)

const above = ["#/webhooks", "Webhooks"] as const

export const EndpointPage = ({ id }: { readonly id: string }) => {
  const all = useOrgItems("webhooks", "list")
  const found = all.data?.find(({ webhook_id }) => webhook_id === id)
  const problem = all.data !== undefined && found === undefined ? new Problem(404, "No such endpoint.") : all.problem
  const loaded = { ...all, data: found, problem }
  const per = route.value.query.get("per") === "day" ? "day" : "hour"
  return (
    <LoadedPage title="Endpoint" above={above} loaded={loaded}>
      {({ endpoint_url, status }) => (
        <Page
          title="Endpoint"
          above={above}
          lead={
            <p class="headline">
              <Badge status={status} />
              <code class="address">{endpoint_url}</code>
            </p>
          }
          actions={hasAccess("webhooks") ? <ReplaySince id={id} status={status} /> : undefined}
        >
          <Card
            title="Deliveries"
            note={<a href={linkTo("webhooks/deliveries", { webhook_id: id })}>All deliveries</a>}
            actions={
              <FilterField
                name="per"
                label="Period"
                options={[
                  ["", "24 hours"],
                  ["day", "30 days"]
                ]}
              />
            }
          >
            <TrendsCard key={per} id={id} per={per} />
          </Card>
        </Page>
      )}
    </LoadedPage>
  )
}

/** Incremented when an endpoint is added, so that the list loads again. */
const endpointsVersion = signal(0)

type Endpoint = Item<"webhooks", "list">

const ChangeEvents = ({ endpoint }: { readonly endpoint: Endpoint }) => (
  <ActionButton
    name="Change"
    title="Change the endpoint"
    explanation="Pending deliveries go to the new address too. Unsubscribed events are no longer sent."
    submit="Save"
    done="Endpoint changed"
    act={({ endpoint_url = "", events = "" }, send) =>
      send("webhooks", "update", {
        path: { webhook_id: endpoint.webhook_id },
        payload: { endpoint_url, events: eventTypesIn(events) }
      })
    }
  >
    <Field name="endpoint_url" label="Address" kind="url" value={endpoint.endpoint_url} required />
    <Field name="events" label="Events" kind="area" value={endpoint.events.join("\n")} hint={eventsHint} required />
  </ActionButton>
)

const RemoveEndpoint = ({ endpoint }: { readonly endpoint: Endpoint }) => (
  <ActionButton
    name="Remove"
    title="Remove the endpoint"
    kind="danger"
    explanation={`${endpoint.endpoint_url} receives nothing more. Its deliveries are deleted, including pending ones.`}
    submit="Remove the endpoint"
    done="Endpoint removed"
    act={(_, send) => send("webhooks", "remove", { path: { webhook_id: endpoint.webhook_id } })}
  />
)

const RotateSecret = ({ endpoint }: { readonly endpoint: Endpoint }) => (
  <ActionButton
    name="New secret"
    title="Replace the signing secret"
    kind="danger"
    explanation="Creates a new signing secret. For 24 hours deliveries carry both signatures, unless you revoke the old secret now."
    submit="Replace the secret"
    done="Secret replaced"
    secret={{ title: "The new signing secret", explanation: "Store it now: it is not shown again." }}
    act={async ({ when }, send) => {
      const path = { webhook_id: endpoint.webhook_id }
      const payload = { immediate: when === "now" }
      return (await send("webhooks", "rotateSecret", { path, payload })).data.secret_key
    }}
  >
    <Field
      name="when"
      label="The old secret"
      options={[
        ["later", "Valid for 24 more hours"],
        ["now", "Revoked now"]
      ]}
    />
  </ActionButton>
)

interface SetEndpointStatusProps {
  readonly webhookId: string
  readonly status: "active" | "disabled"
}

export const SetEndpointStatus = ({ status, webhookId }: SetEndpointStatusProps) => {
  const enables = status === "active"
  return (
    <ActionButton
      name={enables ? "Enable" : "Disable"}
      title={enables ? "Enable the endpoint" : "Disable the endpoint"}
      kind={enables ? "plain" : "danger"}
      explanation={
        enables
          ? "Resumes sending, including pending deliveries. Events of the time in between are not sent."
          : "Stops sending until it is enabled again. Pending deliveries stay; new events are not kept for it."
      }
      done={enables ? "Endpoint enabled" : "Endpoint disabled"}
      act={(_, send) => send("webhooks", "update", { path: { webhook_id: webhookId }, payload: { status } })}
    />
  )
}

const Row = ({ endpoint }: { readonly endpoint: Endpoint }) => (
  <li class="card">
    <p class="queue-head">
      <Badge status={endpoint.status} />
      <code class="address">{endpoint.endpoint_url}</code>
      <OrgName id={endpoint.org_id} />
    </p>
    <p class="muted">
      {endpoint.events.includes("*") ? "All events" : endpoint.events.join(", ")} · since{" "}
      <Time at={endpoint.created_at} />
      {hasAccess("webhook_log") && (
        <>
          {" · "}
          <a href={linkTo("webhooks/deliveries", { webhook_id: endpoint.webhook_id })}>Deliveries</a>
          {" · "}
          <a href={linkTo(`webhooks/endpoints/${endpoint.webhook_id}`)}>
            {hasAccess("webhooks") ? "Chart and replay" : "Chart"}
          </a>
        </>
      )}
    </p>
    {endpoint.disabled_reason !== null && <p class="note">{endpoint.disabled_reason}</p>}
    {hasAccess("webhooks") && (
      <div class="actions">
        <ChangeEvents endpoint={endpoint} />
        <RotateSecret endpoint={endpoint} />
        <SetEndpointStatus
          webhookId={endpoint.webhook_id}
          status={endpoint.status === "active" ? "disabled" : "active"}
        />
        <RemoveEndpoint endpoint={endpoint} />
      </div>
    )}
  </li>
)

export const Endpoints = () => {
  const list = useOrgPages("webhooks", "list", { limit: 50 }, endpointsVersion.value)
  return (
    <PagedList
      list={list}
      empty={["webhooks", "No endpoints", "Add the address of your server to receive payment events."]}
    >
      {(items) => (
        <ul class="queue">
          {items.map((endpoint) => (
            <Row key={endpoint.webhook_id} endpoint={endpoint} />
          ))}
        </ul>
      )}
    </PagedList>
  )
}

export const NewEndpoint = () => (
  <ActionButton
    name="Add endpoint"
    icon="plus"
    kind="primary"
    explanation="Events are sent to it from now on. Its signing secret is shown once."
    done="Endpoint added"
    onDone={() => (endpointsVersion.value += 1)}
    act={async ({ endpoint_url = "", events = "" }, send) => {
      const payload = { endpoint_url, events: eventTypesIn(events), ...orgFilter() }
      return (await send("webhooks", "create", { payload })).data.secret_key
    }}
    secret={{
      title: "The endpoint's signing secret",
      explanation: "Verify deliveries with this secret. Store it now: it is not shown again."
    }}
  >
    <Field name="endpoint_url" label="Address" kind="url" placeholder="https://shop.example/webhooks" required />
    <Field name="events" label="Events" kind="area" value="*" hint={eventsHint} required />
  </ActionButton>
)
