/** Days of the calendar as `YYYY-MM-DD`, which sorts by time. All of them are UTC days. */
import { Duration } from "effect"

const DAY = Duration.toMillis(Duration.days(1))

const millisOf = (date: string): number => new Date(`${date}T00:00:00Z`).getTime()

export const dateOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** Years have four digits, and 30 February has no place. */
export const isDate = (text: string): boolean =>
  /^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(millisOf(text)) && dateOf(millisOf(text)) === text

export const daysBefore = (date: string, days: number): string => dateOf(millisOf(date) - days * DAY)

/** Both included. */
export const daysBetween = (from: string, to: string): number => (millisOf(to) - millisOf(from)) / DAY + 1

export const eachDay = (from: string, to: string): ReadonlyArray<string> =>
  Array.from({ length: daysBetween(from, to) }, (_, day) => dateOf(millisOf(from) + day * DAY))
