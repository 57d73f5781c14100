/** About how many bytes a value takes as JSON, without writing it: what a page may hold is counted by it. */
import { BigDecimal } from "effect"

const NUMBER = 12
/** JSON from outside is never deeper; what is deeper goes in circles. */
const DEEPEST = 40

export const weightOf = (value: unknown, depth = 0): number => {
  if (typeof value === "string") return value.length + 2
  if (typeof value !== "object" || value === null || BigDecimal.isBigDecimal(value) || depth > DEEPEST) return NUMBER
  if (value instanceof Date) return 26
  let weight = 2
  if (Array.isArray(value)) {
    for (const item of value) weight += weightOf(item, depth + 1) + 1
    return weight
  }
  const members = value as Readonly<Record<string, unknown>>
  for (const name in members) weight += name.length + 4 + weightOf(members[name], depth + 1)
  return weight
}

/** How many of the rows fit into so many bytes; one always does. */
export const fitting = (rows: ReadonlyArray<unknown>, most: number): number => {
  let weight = 0
  const first = rows.findIndex((row, at) => {
    weight += weightOf(row)
    return weight > most && at > 0
  })
  return first === -1 ? rows.length : first
}
