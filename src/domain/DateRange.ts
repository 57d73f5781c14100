/** The days of a report, both ends included. */
import { Either } from "effect"
import { dateOf, daysBefore, daysBetween } from "./CalendarDate.ts"
import { Invalid } from "./Failure.ts"

export interface DateRange {
  readonly from: string
  readonly to: string
}

const LONGEST_DAYS = 366

/** A report without dates is about as many days, today included. */
const DEFAULT_DAYS = 30

const FIRST_DAY = "0001-01-01"

const defaultStart = (to: string): string => {
  const start = daysBefore(to, DEFAULT_DAYS - 1)
  return start < FIRST_DAY ? FIRST_DAY : start
}

export const dateRange = (
  asked: { readonly dateFrom?: string | undefined; readonly dateTo?: string | undefined },
  now: number
): Either.Either<DateRange, Invalid> => {
  const to = asked.dateTo ?? dateOf(now)
  const from = asked.dateFrom ?? defaultStart(to)
  if (from > to) return Either.left(new Invalid({ message: `dateFrom: is after dateTo, ${to}.` }))
  return daysBetween(from, to) > LONGEST_DAYS
    ? Either.left(new Invalid({ message: `dateFrom: a report covers at most ${LONGEST_DAYS} days, up to ${to}.` }))
    : Either.right({ from, to })
}

/** What is counted back from now reaches as far as a report is long, wherever the report ends. */
export const recentRange = (asked: Parameters<typeof dateRange>[0], now: number): Either.Either<DateRange, Invalid> =>
  Either.filterOrLeft(
    dateRange(asked, now),
    ({ from }) => daysBetween(from, dateOf(now)) <= LONGEST_DAYS,
    () =>
      new Invalid({ message: `dateFrom: is before ${daysBefore(dateOf(now), LONGEST_DAYS - 1)}, the first day known.` })
  )
