/** Explains in plain words which fields of an input are wrong. */
import { Array as Arr, Either, Option, SchemaAST as AST } from "effect"
import {
  ArrayFormatter,
  Composite,
  type ParseIssue,
  Pointer,
  Refinement,
  Transformation,
  Type
} from "effect/ParseResult"

const MOST_PROBLEMS = 5

/** Issues of one object or array that are put into words: a body may have tens of thousands of wrong items. */
const MOST_READ = 50

/** Replaces Effect's own text, which would show the declaration of the field. */
const reasonOf = ({ actual, ast, message }: Type): string | undefined => {
  if (message !== undefined) return message
  if (AST.isTypeLiteral(ast)) return "must be an object"
  if (AST.isTupleType(ast)) return "must be an array"
  if (!AST.isRefinement(ast) || typeof actual !== "string") return undefined
  const { maxLength = Infinity } = Option.getOrElse(AST.getJSONSchemaAnnotation(ast), () => ({})) as {
    maxLength?: number
  }
  return actual.length > maxLength ? `must have at most ${maxLength} characters` : undefined
}

const withOwnMessages = (issue: ParseIssue): ParseIssue => {
  switch (issue._tag) {
    case "Type":
      // Effect's text has the value in it, which is cut off afterwards; objects take long to write.
      return new Type(issue.ast, typeof issue.actual === "object" ? null : issue.actual, reasonOf(issue))
    case "Pointer":
      return new Pointer(issue.path, issue.actual, withOwnMessages(issue.issue))
    case "Refinement":
      return new Refinement(issue.ast, issue.actual, issue.kind, withOwnMessages(issue.issue))
    case "Transformation":
      return new Transformation(issue.ast, issue.actual, issue.kind, withOwnMessages(issue.issue))
    case "Composite": {
      const { issues } = issue
      const within =
        "_tag" in issues
          ? withOwnMessages(issues)
          : Arr.map(Arr.prepend(issues.slice(1, MOST_READ), issues[0]), withOwnMessages)
      return new Composite(issue.ast, issue.actual, within, issue.output)
    }
    default:
      return issue
  }
}

const LITERAL = /^Expected "(.*)"$/

/** Phrases of the schema library, and ours. */
const phrases: ReadonlyArray<readonly [RegExp, string]> = [
  [/^Expected undefined$/, "must be left out"],
  [/^Expected (a non empty string|a string at least 1 character\(s\) long)$/, "must not be empty"],
  [/^Expected a string at (least|most) (\d+) character\(s\) long$/, "must have at $1 $2 characters"],
  [/^Expected (string|number)$/, "must be a $1"],
  [/^Expected boolean$/, "must be true or false"],
  [/^Expected a number /, "must be a number "],
  [/^Expected /, "must be "]
]

const plain = (reason: string): string => {
  const [from, to] = phrases.find(([phrase]) => phrase.test(reason)) ?? [/$/, ""]
  return reason.replace(from, to)
}

/** Optional fields may also be undefined or null, which does not help the caller. */
const isNoHelp = (reason: string): boolean => reason === "Expected undefined" || reason === "Expected null"

const sentenceOf = (reasons: ReadonlyArray<string>): string => {
  const helpful = reasons.filter((reason) => !isNoHelp(reason))
  const all = Arr.dedupe(helpful.length > 0 ? helpful : reasons)
  const [others, values] = Arr.partitionMap(all, (reason) => {
    const [, value] = LITERAL.exec(reason) ?? []
    return value === undefined ? Either.left(plain(reason)) : Either.right(value)
  })
  const choice = values.length === 1 ? values : [`one of ${values.join(", ")}`]
  return [...others, ...(values.length === 0 ? [] : [`must be ${choice[0]}`])].join(", or ")
}

interface Problem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly reason: string
}

const startsWith = (path: Problem["path"], start: Problem["path"]): boolean =>
  path.length > start.length && start.every((step, at) => step === path[at])

/** Problems by field. Never repeats a value: it may be a card number. */
export const problemsIn = (issue: ParseIssue): ReadonlyArray<Problem> => {
  const fields = new Map<string, { readonly path: Problem["path"]; readonly reasons: Array<string> }>()
  for (const { message, path } of ArrayFormatter.formatIssueSync(withOwnMessages(issue))) {
    const field = fields.get(path.join("\0")) ?? { path, reasons: [] }
    field.reasons.push(message.replace(/, actual [\s\S]*$/, ""))
    fields.set(path.join("\0"), field)
  }
  const all = Array.from(fields.values())
  return all
    .filter(({ path, reasons }) => !reasons.every(isNoHelp) || !all.some((other) => startsWith(other.path, path)))
    .map(({ path, reasons }) => ({ path, reason: sentenceOf(reasons) }))
}

const fieldOf = (path: Problem["path"]): string =>
  path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${String(step)}`))
    .join("")

export const validationMessage = (issue: ParseIssue): string => {
  const lines = problemsIn(issue).map(({ path, reason }) =>
    path.length === 0 ? reason : `${fieldOf(path)}: ${reason}`
  )
  const others = lines.length < MOST_READ ? ` ${lines.length - MOST_PROBLEMS}` : ""
  const more = lines.length > MOST_PROBLEMS ? [`and${others} more`] : []
  return [...lines.slice(0, MOST_PROBLEMS), ...more].join("; ")
}
