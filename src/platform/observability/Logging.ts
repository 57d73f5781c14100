/**
 * Logger of the service. Writes to standard error: standard output belongs to the banner and to the CLI's JSON. Prints
 * known annotations only, and redacts every text.
 */
import * as Headers from "@effect/platform/Headers"
import { Array as Arr, Cause, Effect, FiberId, HashMap, Inspectable, Layer, List, Logger, type LogLevel } from "effect"
import { redactText, secretHeaders } from "./Redaction.ts"

/** The annotations and log spans whose values may be printed; a new one is added here on purpose or it stays hidden. */
const loggableFields = [
  "account_id",
  "api_key_id",
  "attempt_id",
  "by",
  "code",
  "config_id",
  "count",
  "delivery_id",
  "duration_ms",
  "error_id",
  "event_id",
  "fakes",
  "gain_usd",
  "job",
  "kind",
  "method",
  "mode",
  "module",
  "operator_alert",
  "org_id",
  "org_rate_id",
  "package",
  "path",
  "payment_id",
  "payout_id",
  "port",
  "previous_rate",
  "priority",
  "provider",
  "published_at",
  "rate",
  "reason",
  "request_id",
  "route",
  "source",
  "state",
  "status",
  "table",
  "url",
  "user_id",
  "version",
  "webhook_id",
  "worker"
] as const

export type LogField = (typeof loggableFields)[number]

export const loggable: ReadonlySet<string> = new Set(loggableFields)

type Entry = Logger.Logger.Options<unknown>
type Field = readonly [key: string, value: string | number | boolean | null]

const longestText = 16_384

/** Short texts in which nothing was found: names of routes, messages. Most of a line is among them, or is an id. */
const clean = new Set<string>()
const MOST_CLEAN = 1000
const LONGEST_CLEAN = 80

/** Bounded before it is searched: one log line must not be able to stall the event loop. */
const printable = (text: string): string => {
  if (clean.has(text)) return text
  const shown = redactText(
    text.length > longestText ? `${text.slice(0, longestText)}… (${text.length} characters)` : text
  )
  if (shown === text && text.length <= LONGEST_CLEAN && clean.size < MOST_CLEAN) clean.add(text)
  return shown
}

/** Fewest digits of a card number. */
const FEWEST_DIGITS = 13

const jsonReplacer = () => {
  const ancestors: Array<unknown> = []
  return function (this: unknown, _key: string, value: unknown): unknown {
    if (typeof value === "bigint") return value.toString()
    if (typeof value !== "object" || value === null) return value
    while (ancestors.length > 0 && ancestors.at(-1) !== this) ancestors.pop()
    if (ancestors.includes(value)) return "[circular]"
    const shown = value instanceof Error ? String(value) : Inspectable.redact(value)
    ancestors.push(shown)
    return shown
  }
}

const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    if (value instanceof Error) return String(value)
    return (typeof value === "object" ? JSON.stringify(value, jsonReplacer()) : undefined) ?? String(value)
  } catch {
    return "[unprintable]"
  }
}

const messageOf = (entry: Entry): string => printable(Arr.ensure(entry.message).map(textOf).join(" "))

const causeOf = (entry: Entry): string | undefined => {
  if (Cause.isEmpty(entry.cause)) return undefined
  try {
    return printable(Cause.pretty(entry.cause, { renderErrorCause: true }))
  } catch {
    return "[unprintable cause]"
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const fieldOf = (key: string, value: unknown): Field => {
  if (!loggable.has(key)) return [printable(key), "[redacted]"]
  // Most of what stands in a line is an id, in which there is nothing to look for.
  if (typeof value === "string" && UUID.test(value)) return [key, value]
  if (typeof value === "number" && Number.isFinite(value) && String(value).length < FEWEST_DIGITS) return [key, value]
  const text = printable(textOf(value))
  // A number is kept as one only when there was nothing to take out of its digits.
  if (typeof value === "number" && Number.isFinite(value) && text === String(value)) return [key, value]
  return [key, typeof value === "boolean" || value === null ? value : text]
}

const fieldsOf = (entry: Entry): ReadonlyArray<Field> => [
  ...HashMap.toEntries(entry.annotations)
    .map(([key, value]) => fieldOf(key, value))
    .sort(([a], [b]) => (a < b ? -1 : 1)),
  ...List.toArray(entry.spans).map(({ label, startTime }) => fieldOf(label, `${entry.date.getTime() - startTime}ms`))
]

const fixed = new Set(["time", "level", "message", "fiber", "cause"])

const jsonLine = (entry: Entry): string => {
  const line: Record<string, Field[1] | undefined> = Object.create(null)
  line["time"] = entry.date.toISOString()
  line["level"] = entry.logLevel.label
  line["message"] = messageOf(entry)
  line["fiber"] = FiberId.threadName(entry.fiberId)
  for (const [key, value] of fieldsOf(entry)) line[fixed.has(key) ? `annotation.${key}` : key] = value
  line["cause"] = causeOf(entry)
  return JSON.stringify(line)
}

/** Control characters in a message could forge further lines or steer the terminal. */
const oneLine = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029]/gu, (character) =>
    character === "\n" ? "\\n" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const bare = /^[^\s"=\p{Cc}]+$/u

const colours: Record<LogLevel.LogLevel["_tag"], number> = {
  All: 90,
  Trace: 90,
  Debug: 34,
  Info: 32,
  Warning: 33,
  Error: 31,
  Fatal: 35,
  None: 90
}

const prettyLine = (entry: Entry, coloured: boolean): string => {
  const paint = (code: number, text: string) => (coloured ? `\x1b[${code}m${text}\x1b[0m` : text)
  const fields = fieldsOf(entry).map(([key, value]) => {
    const text = String(value)
    return ` ${paint(90, `${oneLine(key)}=`)}${bare.test(text) ? text : oneLine(JSON.stringify(text))}`
  })
  const time = paint(90, entry.date.toISOString().slice(11, 23))
  const level = paint(colours[entry.logLevel._tag], entry.logLevel.label.padEnd(5))
  const cause = causeOf(entry)
  const below = cause === undefined ? [] : cause.split("\n").map((line) => `\n    ${oneLine(line)}`)
  return `${time} ${level} ${oneLine(messageOf(entry))}${fields.join("")}${below.join("")}`
}

/** Replaces Effect's default logger; times are UTC. */
export const logging = (options: {
  readonly level: LogLevel.LogLevel
  readonly format: "pretty" | "json"
}): Layer.Layer<never> => {
  const render = options.format === "json" ? jsonLine : (entry: Entry) => prettyLine(entry, process.stderr.isTTY)
  const logger = Logger.make((entry) => {
    // Effect's own redaction (of header records, say) reads the settings of the fiber that logs.
    const line = Inspectable.withRedactableContext(entry.context, () => render(entry))
    process.stderr.write(`${line}\n`)
  })
  return Layer.mergeAll(
    Logger.replace(Logger.defaultLogger, logger),
    Logger.minimumLogLevel(options.level),
    Layer.scopedDiscard(Effect.locallyScoped(Headers.currentRedactedNames, secretHeaders))
  )
}
