import type { BoundCall, Answer } from "../../api/ConsoleApi.ts"
import { EmptyState } from "../../components/DataTable.tsx"
import { Loading, PagedList } from "../../components/Loading.tsx"
import { Card, Page } from "../../components/PageFrame.tsx"
import { useLoad, useOrgPages } from "../../state/LoadHooks.ts"
import { chosenOrg, hasAccess, orgFilter, orgId, session } from "../../state/ConsoleSession.ts"
import { ProviderHealth } from "../providers/ProviderHealthCards.tsx"
import { BalancesCard } from "./BalancesCard.tsx"
import { byPaymentCount } from "./BalanceOrder.ts"
import { Field, Form } from "../../components/Form.tsx"
import { go } from "../../state/HashRouter.ts"
import { noPaymentsYet, PaymentTable } from "../payments/PaymentTable.tsx"
import { useState } from "preact/hooks"
import { plotValue } from "../../api/Amount.ts"
import { Plot } from "../../components/Plot.tsx"
import type { ComponentChildren } from "preact"
import { Money } from "../../components/Values.tsx"

type TrendsData = Answer<"analytics", "trends">["data"]

interface FigureProps {
  readonly name: string
  readonly value: ComponentChildren
  readonly note?: string
  readonly href?: string
  readonly alarm?: boolean
}

const Figure = ({ alarm = false, href, name, note, value }: FigureProps) => (
  <div class={alarm ? "figure alarm" : "figure"}>
    <p class="figure-name">{href === undefined ? name : <a href={href}>{name}</a>}</p>
    <p class="figure-value">{value}</p>
    {note !== undefined && <p class="muted">{note}</p>}
  </div>
)

/** Items read at most: enough to show whether any are open. */
const QUEUE_PAGE = 100

const OpenItems = () => {
  const { data } = useLoad(
    (get) => get("payments", "queue", { urlParams: { ...orgFilter(), limit: QUEUE_PAGE } }),
    [orgId.value]
  )
  const count = data?.data.length ?? 0
  const words = data === undefined ? "…" : data.meta.has_more ? `${QUEUE_PAGE}+` : String(count)
  return (
    <Figure
      name="Open items"
      value={words}
      note={data === undefined ? "Loading" : count === 0 ? "Nothing to decide" : "See Operations"}
      href="#/queue"
      alarm={count > 0}
    />
  )
}

const Figures = ({ trends }: { readonly trends: TrendsData }) => {
  const { completed, count, failed, success_rate, volume } = trends.totals
  const [leading, ...others] = volume
  return (
    <div class="figures">
      <Figure
        name="Payments"
        value={count.toLocaleString()}
        note={`${completed.toLocaleString()} completed in 30 days (UTC)`}
      />
      <Figure
        name="Success rate"
        value={success_rate === null ? "–" : `${Math.round(success_rate * 1000) / 10} %`}
        note={`${failed.toLocaleString()} failed`}
      />
      <Figure
        name="Volume"
        value={leading === undefined ? "–" : <Money amount={leading.amount} currency={leading.currency} />}
        note={
          others.length === 0
            ? "completed"
            : `and ${others.length} more ${others.length === 1 ? "currency" : "currencies"}`
        }
      />
      {hasAccess("operations") && <OpenItems />}
    </div>
  )
}

const heightsIn = (trends: TrendsData, currency: string): ReadonlyArray<number> =>
  trends.days.map(({ volume }) => {
    const found = volume.find((one) => one.currency === currency)
    return found === undefined ? 0 : plotValue(found.amount)
  })

const Volume = ({ trends }: { readonly trends: TrendsData }) => {
  const currencies = trends.totals.volume.map(({ currency }) => currency)
  const [chosen, setChosen] = useState(currencies[0] ?? "")
  const currency = (currencies as ReadonlyArray<string>).includes(chosen) ? chosen : (currencies[0] ?? "")
  return (
    <Card
      title="Volume by day"
      actions={
        <Field
          name="currency"
          label="Currency"
          options={currencies.map((one) => [one, one])}
          value={currency}
          onInput={setChosen}
        />
      }
    >
      <Plot
        name={`Completed volume by day in ${currency}`}
        days={trends.days.map(({ date }) => date)}
        lines={[{ name: currency, color: "--accent", bars: true, values: heightsIn(trends, currency) }]}
      />
    </Card>
  )
}

export const Trends = ({ trends }: { readonly trends: TrendsData }) => {
  const { days, totals } = trends
  if (totals.count === 0) {
    return (
      <Card title="Payments by day">
        <EmptyState of={["payments", "No payments in the last 30 days", "Payments of the last 30 days appear here."]} />
      </Card>
    )
  }
  return (
    <div class="columns">
      <Card title="Payments by day">
        <Plot
          name="Payments by day: all of them, and those that failed"
          days={days.map(({ date }) => date)}
          lines={[
            { name: "Initiated", color: "--accent", bars: true, values: days.map(({ count }) => count) },
            { name: "Failed", color: "--bad", bars: true, values: days.map(({ failed }) => failed) }
          ]}
        />
      </Card>
      {totals.volume.length > 0 && <Volume trends={trends} />}
    </div>
  )
}

const SHOWN = 6

const LatestPayments = () => {
  const list = useOrgPages("payments", "transactions", { limit: SHOWN })
  return (
    <Card title="Latest payments" actions={<a href="#/payments">All payments</a>}>
      <PagedList list={{ ...list, more: undefined }} empty={noPaymentsYet}>
        {(items) => <PaymentTable payments={items} brief />}
      </PagedList>
    </Card>
  )
}

/** For members who may open a payment by id, but not list payments. */
const Welcome = ({ name }: { readonly name: string }) => (
  <Card title="Welcome">
    <p class="explanation">
      You are signed in to <bdi>{name}</bdi> as a member. The menu has the pages that your role can open. Ask an org
      admin for more permissions.
    </p>
    <Form submit="Open" onSubmit={async ({ id = "" }) => go(`payments/${id}`)}>
      <Field name="id" label="A payment's id" placeholder="0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88" required />
    </Form>
  </Card>
)

/** Trends of one organisation, or of all for a platform admin. */
const loadTrends = async (get: BoundCall, org: string | undefined) =>
  org === undefined ? get("analytics", "trends", {}) : get("analytics", "organizationTrends", { path: { org_id: org } })

/** Trends have no counts by currency, so the latest payments show which currencies are in use. */
const LATEST = 50

const loadUsedCurrencies = async (get: BoundCall): Promise<ReadonlyArray<string>> => {
  if (!hasAccess("transactions")) return [session.value?.organization?.currency ?? ""]
  const urlParams = { ...orgFilter(), status: "completed" as const, limit: LATEST }
  const { data } = await get("payments", "transactions", { urlParams })
  return data.map(({ currency }) => currency)
}

const loadNumbers = async (get: BoundCall, org: string | undefined): Promise<TrendsData> => {
  const [{ data }, used] = await Promise.all([loadTrends(get, org), loadUsedCurrencies(get)])
  return { ...data, totals: { ...data.totals, volume: byPaymentCount(data.totals.volume, used) } }
}

const Numbers = () => {
  const org = orgId.value
  const loaded = useLoad((get) => loadNumbers(get, org), [org])
  return (
    <Loading loaded={loaded}>
      {(trends) => (
        <>
          <Figures trends={trends} />
          <Trends trends={trends} />
        </>
      )}
    </Loading>
  )
}

export const OverviewPage = () => {
  const org = orgId.value
  const name = session.value?.organization?.name ?? "All organisations"
  return (
    <Page title="Overview" lead={name}>
      {hasAccess("reports") ? (
        <>
          <Numbers />
          <div class="columns">
            {org !== undefined && <BalancesCard org={org} />}
            {hasAccess("transactions") && <LatestPayments />}
          </div>
          {hasAccess("platform") && chosenOrg.value === undefined && (
            <Card title="Providers in the last hour">
              <ProviderHealth />
            </Card>
          )}
        </>
      ) : (
        <Welcome name={name} />
      )}
    </Page>
  )
}
