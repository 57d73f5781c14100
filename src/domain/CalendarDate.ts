/** Days of the calendar as `YYYY-MM-DD`, which sorts by time. All of them are UTC days. */
import { Duration, Either } from "effect"
import { Invalid } from "./Failure.ts"

const DAY = Duration.toMillis(Duration.days(1))

const millisOf = (date: string): number => new Date(`${date}T00:00:00Z`).getTime()

export const dateOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** Years have four digits, and 30 February has no place. */
export const isDate = (text: string): boolean =>
  /^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(millisOf(text)) && dateOf(millisOf(text)) === text

export const daysBefore = (date: string, days: number): string => dateOf(millisOf(date) - days * DAY)

/** Number of days, both ends included. */
export const daysBetween = (from: string, to: string): number => (millisOf(to) - millisOf(from)) / DAY + 1

export const eachDay = (from: string, to: string): ReadonlyArray<string> =>
  Array.from({ length: daysBetween(from, to) }, (_, day) => dateOf(millisOf(from) + day * DAY))

/** The days of a report, both ends included. */
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

/** Range of reports that count back from now: at most the length of a report. */
export const recentRange = (asked: Parameters<typeof dateRange>[0], now: number): Either.Either<DateRange, Invalid> =>
  Either.filterOrLeft(
    dateRange(asked, now),
    ({ from }) => daysBetween(from, dateOf(now)) <= LONGEST_DAYS,
    () =>
      new Invalid({ message: `dateFrom: is before ${daysBefore(dateOf(now), LONGEST_DAYS - 1)}, the first day known.` })
  )
