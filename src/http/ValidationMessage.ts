/** Says which field is wrong and why, without ever repeating the value: it may be a card number. */
import { type ParseIssue, ArrayFormatter } from "effect/ParseResult"

const MOST = 5

const pathOf = (path: ReadonlyArray<PropertyKey>): string =>
  path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${String(step)}`))
    .join("")

const withoutValue = (message: string): string => message.replace(/, actual [\s\S]*$/, "")

export const validationMessage = (issue: ParseIssue): string => {
  const lines = new Set(
    ArrayFormatter.formatIssueSync(issue).map(({ message, path }) => {
      const reason = withoutValue(message)
      return path.length === 0 ? reason : `${pathOf(path)}: ${reason}`
    })
  )
  const shown = Array.from(lines).slice(0, MOST)
  const more = lines.size > MOST ? [`and ${lines.size - MOST} more`] : []
  return [...shown, ...more].join("; ")
}
