/** One text for each JSON value, whatever the order of its members: equal bodies give equal texts. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null || value instanceof Number) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)])
  )
}

export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value))
