/** One endpoint: its deliveries by hour or day, latency, and replay from a time on. */
import { type Answer } from "../../api/ConsoleApi.ts"
import { Problem } from "../../api/ApiResponse.ts"
import { Badge } from "../../components/Badge.tsx"
import { ActionButton } from "../../components/Dialog.tsx"
import { Field, FilterField } from "../../components/Form.tsx"
import { EmptyState, Loading, LoadedPage } from "../../components/Loading.tsx"
import { Card, Page } from "../../components/PageFrame.tsx"
import { Plot } from "../../components/Plot.tsx"
import { DetailList } from "../../components/Values.tsx"
import { hasAccess } from "../../state/ConsoleSession.ts"
import { durationText } from "../../state/Display.ts"
import { linkTo, route } from "../../state/HashRouter.ts"
import { useLoad, useOrgItems } from "../../state/LoadHooks.ts"

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
        if (total === 0) return <EmptyState icon="webhooks" title="No deliveries in this time" />
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

const ReplaySince = ({ id }: { readonly id: string }) => (
  <ActionButton
    name="Send again since …"
    title="Send failed deliveries again"
    explanation="Queues all failed deliveries of this endpoint since then, oldest first. The receiver gets the same event ids and bytes."
    submit="Send again"
    done="Failed deliveries queued"
    act={async ({ since = "" }, send) => {
      const urlParams = { since: new Date(since).toISOString() }
      const { data } = await send("webhookLog", "replayDead", { path: { webhook_id: id }, urlParams })
      if (data.replayed === 0)
        throw new Error(data.disabled > 0 ? "The endpoint is disabled: enable it first." : "None failed since then.")
    }}
  >
    <Field name="since" label="Since" kind="datetime-local" value={hourAgo()} required />
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
          actions={hasAccess("webhooks") ? <ReplaySince id={id} /> : undefined}
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
