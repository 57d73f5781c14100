import { useState } from "preact/hooks"
import { plotValue } from "../../api/Amount.ts"
import { Card } from "../../components/PageFrame.tsx"
import { EmptyState } from "../../components/Loading.tsx"
import { Field } from "../../components/Form.tsx"
import { Plot } from "../../components/Plot.tsx"
import type { ComponentChildren } from "preact"
import { type Answer } from "../../api/ConsoleApi.ts"
import { Money } from "../../components/Values.tsx"
import { useLoad } from "../../state/LoadHooks.ts"
import { hasAccess, orgFilter, orgId } from "../../state/ConsoleSession.ts"

export type TrendsData = Answer<"analytics", "trends">["data"]

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

/** One page is enough to show whether items are open. */
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

export const Figures = ({ trends }: { readonly trends: TrendsData }) => {
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
        <EmptyState icon="payments" title="No payments in the last 30 days">
          Payments of the last 30 days appear here.
        </EmptyState>
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
