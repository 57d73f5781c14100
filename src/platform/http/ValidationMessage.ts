/** Says which field is wrong and why, without ever repeating the value: it may be a card number. */
import { type ParseIssue, ArrayFormatter } from "effect/ParseResult"

const MOST = 5

const pathOf = (path: ReadonlyArray<PropertyKey>): string =>
  path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${String(step)}`))
    .join("")

const withoutValue = (message: string): string => message.replace(/, actual [\s\S]*$/, "")

/** A field that may be left out also "expects" nothing; that is no help to whoever sent something. */
const isNoHelp = (reason: string): boolean => reason === "Expected undefined" || reason === "Expected null"

const isWithin =
  (field: string) =>
  (other: string): boolean =>
    other !== field && (field === "" || other.startsWith(`${field}.`) || other.startsWith(`${field}[`))

export const validationMessage = (issue: ParseIssue): string => {
  const reasons = new Map<string, Array<string>>()
  for (const { message, path } of ArrayFormatter.formatIssueSync(issue)) {
    const field = pathOf(path)
    reasons.set(field, [...(reasons.get(field) ?? []), withoutValue(message)])
  }
  const lines = Array.from(reasons).flatMap(([field, all]) => {
    const helpful = all.filter((reason) => !isNoHelp(reason))
    if (helpful.length === 0 && Array.from(reasons.keys()).some(isWithin(field))) return []
    const text = Array.from(new Set(helpful.length > 0 ? helpful : all)).join(", or ")
    return [field === "" ? text : `${field}: ${text}`]
  })
  const more = lines.length > MOST ? [`and ${lines.length - MOST} more`] : []
  return [...lines.slice(0, MOST), ...more].join("; ")
}
