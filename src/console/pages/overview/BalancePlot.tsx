import { type Amount, amountText, heightOf } from "../../api/Amount.ts"
import type { Answer } from "../../api/Api.ts"
import { Plot } from "../../parts/Plot.tsx"

export type BalanceTrends = Answer<"balances", "trends">["data"]

/** One currency, day by day. */
export interface Series {
  readonly currency: string
  readonly balances: ReadonlyArray<Amount>
}

/** Every day names the same currencies. */
export const seriesIn = ({ days }: BalanceTrends): ReadonlyArray<Series> =>
  (days[0]?.balances ?? []).map(({ currency }, index) => ({
    currency,
    balances: days.map(({ balances }) => balances[index]!.balance)
  }))

interface Props {
  readonly days: BalanceTrends["days"]
  readonly series: Series
}

/** What was available at the end of each day. */
export const BalancePlot = ({ days, series: { balances, currency } }: Props) => (
  <Plot
    name={`Available at the end of each day in ${currency}, now ${amountText(balances.at(-1)!)}`}
    days={days.map(({ date }) => date)}
    lines={[{ name: `Available, ${currency}`, color: "--accent", values: balances.map(heightOf) }]}
    height={180}
  />
)
