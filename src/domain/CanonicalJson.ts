/** One text for each JSON value, whatever the order of its members: equal bodies give equal texts. */
import { isInexact, nearest, WireNumber } from "./Decimal.ts"

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (isInexact(value)) return nearest(value)
  if (typeof value !== "object" || value === null || value instanceof WireNumber) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)])
  )
}

export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value))
