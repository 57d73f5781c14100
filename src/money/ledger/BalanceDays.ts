/** What an organisation had at the end of each day, counted back from what it has now. */
import { Array as Arr } from "effect"
import type { DateRange } from "../../domain/DateRange.ts"
import { eachDay } from "../../domain/CalendarDate.ts"
import { Money } from "../../domain/Money.ts"

/** What a UTC day added to a balance, or took from it. */
export interface MovedOnDay {
  readonly date: string
  readonly net: Money
}

/** Of one moment: in each currency one balance, and every later day on which it moved. */
export interface SettledAfter {
  readonly now: ReadonlyArray<Money>
  readonly moved: ReadonlyArray<MovedOnDay>
}

export interface BalancesOfDay {
  readonly date: string
  readonly balances: ReadonlyArray<Money>
}

const seriesOf = (days: ReadonlyArray<string>, { currency, minor }: Money, moved: ReadonlyArray<MovedOnDay>) => {
  const last = days.at(-1)!
  const nets = new Map(moved.map(({ date, net }) => [date, net.minor]))
  let balance = moved.reduce((left, { date, net }) => (date > last ? left - net.minor : left), minor)
  return days
    .toReversed()
    .map((date) => {
      const then = new Money({ currency, minor: balance })
      balance -= nets.get(date) ?? 0n
      return then
    })
    .toReversed()
}

export const balancesByDay = (range: DateRange, { moved, now }: SettledAfter): ReadonlyArray<BalancesOfDay> => {
  const days = eachDay(range.from, range.to)
  const byCurrency = Arr.groupBy(moved, ({ net }) => net.currency)
  const series = now.map((one) => seriesOf(days, one, byCurrency[one.currency] ?? []))
  return days.map((date, index) => ({ date, balances: series.map((balances) => balances[index]!) }))
}
