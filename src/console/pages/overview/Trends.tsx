import { useState } from "preact/hooks"
import { heightOf } from "../../api/Amount.ts"
import { Card } from "../../parts/Card.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Field } from "../../parts/Field.tsx"
import { Plot } from "../../parts/Plot.tsx"
import type { TrendsData } from "./Figures.tsx"

const heightsIn = (trends: TrendsData, currency: string): ReadonlyArray<number> =>
  trends.days.map(({ volume }) => {
    const found = volume.find((one) => one.currency === currency)
    return found === undefined ? 0 : heightOf(found.amount)
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
        <Empty icon="payments" title="No payments in the last 30 days">
          As soon as there are some, this is where you see how they go.
        </Empty>
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
