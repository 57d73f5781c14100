/** Alerts for operators: a log line with its ids, and a count in the metrics. */
import { Cause, Effect, LogLevel } from "effect"
import type { LogField } from "./Logging.ts"
import { counter } from "./Metrics.ts"

const severity = {
  account_shared: LogLevel.Error,
  answer_not_written: LogLevel.Warning,
  archive_failed: LogLevel.Error,
  circuit_opened: LogLevel.Warning,
  database_restarted: LogLevel.Error,
  dead_letter: LogLevel.Warning,
  endpoint_disabled: LogLevel.Warning,
  kyb_request_failed: LogLevel.Error,
  money_in_suspense: LogLevel.Warning,
  other_payment_named: LogLevel.Warning,
  other_mode: LogLevel.Error,
  outcome_abandoned: LogLevel.Error,
  transfer_contradicted: LogLevel.Error,
  transfer_list_too_long: LogLevel.Error,
  two_primaries: LogLevel.Error,
  rate_gain_limit: LogLevel.Warning,
  rate_proposed: LogLevel.Warning,
  rate_source_failed: LogLevel.Error,
  rule_alert: LogLevel.Warning,
  transfer_refused: LogLevel.Error,
  worker_restarted: LogLevel.Error
} as const

export type AlertKind = keyof typeof severity

export const alertKinds = Object.keys(severity) as ReadonlyArray<AlertKind>

const counted = counter("corridor_operator_alerts_total", "Conditions that an operator should look at, by kind.", [
  "kind"
])

for (const kind of alertKinds) counted([kind], 0)

/** Called once per problem, by the code that records it. */
export const alertOperator = (
  kind: AlertKind,
  message: string,
  ids: Readonly<Partial<Record<LogField, string | null>>>,
  cause: Cause.Cause<unknown> = Cause.empty
): Effect.Effect<void> =>
  Effect.logWithLevel(severity[kind], message, cause).pipe(
    Effect.annotateLogs(ids),
    Effect.annotateLogs("operator_alert", kind),
    Effect.zipRight(Effect.sync(() => counted([kind])))
  )
