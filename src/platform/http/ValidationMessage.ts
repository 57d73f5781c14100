/** Says which field is wrong and why, without ever repeating the value: it may be a card number. */
import { Array as Arr, Option, SchemaAST as AST } from "effect"
import {
  ArrayFormatter,
  Composite,
  type ParseIssue,
  Pointer,
  Refinement,
  Transformation,
  Type
} from "effect/ParseResult"

const MOST = 5

const longest = (ast: AST.Refinement): number | undefined => {
  const { maxLength } = Option.getOrElse(AST.getJSONSchemaAnnotation(ast), () => ({})) as { maxLength?: number }
  return maxLength
}

/** Of itself it would write down how the field is declared, or what it is for. */
const reasonOf = ({ actual, ast, message }: Type): string | undefined => {
  if (message !== undefined) return message
  if (AST.isTypeLiteral(ast)) return "Expected an object"
  if (AST.isTupleType(ast)) return "Expected an array"
  const most = AST.isRefinement(ast) && typeof actual === "string" ? longest(ast) : undefined
  return most !== undefined && String(actual).length > most
    ? `Expected a string at most ${most} character(s) long`
    : undefined
}

const inPlainWords = (issue: ParseIssue): ParseIssue => {
  switch (issue._tag) {
    case "Type":
      return new Type(issue.ast, issue.actual, reasonOf(issue))
    case "Pointer":
      return new Pointer(issue.path, issue.actual, inPlainWords(issue.issue))
    case "Refinement":
      return new Refinement(issue.ast, issue.actual, issue.kind, inPlainWords(issue.issue))
    case "Transformation":
      return new Transformation(issue.ast, issue.actual, issue.kind, inPlainWords(issue.issue))
    case "Composite": {
      const { issues } = issue
      const within = "_tag" in issues ? inPlainWords(issues) : Arr.map(issues, inPlainWords)
      return new Composite(issue.ast, issue.actual, within, issue.output)
    }
    default:
      return issue
  }
}

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
  for (const { message, path } of ArrayFormatter.formatIssueSync(inPlainWords(issue))) {
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
