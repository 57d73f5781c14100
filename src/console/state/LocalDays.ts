/** Days of the person who looks: filters by day send the bounds of the local day as times. */

const parts = /^(\d{4})-(\d{2})-(\d{2})$/

/** Start of a local day, `later` days on. Days of 23 or 25 hours keep their own bounds. */
const startOf = (day: string, later: number): string | undefined => {
  const [, year, month, date] = parts.exec(day) ?? []
  if (year === undefined) return undefined
  const start = new Date(0)
  start.setFullYear(Number(year), Number(month) - 1, Number(date) + later)
  start.setHours(0, 0, 0, 0)
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString()
}

interface Days {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Times for the API: from the start of the first day, until before the day after the last. Times stay as they are. */
export const dayBounds = ({ from = "", to = "" }: Days): Days => ({
  from: startOf(from, 0) ?? from,
  to: startOf(to, 1) ?? to
})

/** Name of the person's time zone, such as Pacific/Auckland. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
