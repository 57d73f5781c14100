/** A start that fails says in one sentence what to change; only a bug shows a stack. */
import { Cause, Config, Effect, LogLevel, Option } from "effect"
import { isDatabaseFailure } from "../domain/Failure.ts"
import { logging } from "../platform/observability/Logging.ts"
import { redactText } from "../platform/observability/Redaction.ts"

/** Read by itself: the settings as a whole may be what is wrong. */
const isJson = Config.string("LOG_FORMAT").pipe(
  Effect.map((format) => format.toLowerCase() === "json"),
  Effect.orElseSucceed(() => false)
)

const say = (text: string, level: LogLevel.LogLevel = LogLevel.Fatal): Effect.Effect<void> =>
  Effect.flatMap(isJson, (json) =>
    json
      ? Effect.provide(Effect.logWithLevel(level, text), logging({ level, format: "json" }))
      : Effect.sync(() => void process.stderr.write(`corridor: ${redactText(text)}\n`))
  )

export const explainFailure = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tapErrorCause(effect, (cause) => {
    if (Cause.isInterruptedOnly(cause)) return Effect.void
    const failure = Option.getOrUndefined(Cause.failureOption(cause))
    return say(
      failure instanceof Error && !isDatabaseFailure(failure)
        ? failure.message
        : Cause.pretty(cause, { renderErrorCause: true })
    )
  })

/** What Node itself would print, a warning or the stack of a bug outside every fiber, is said in the log's own format. */
export const speakForNode = Effect.sync(() => {
  process.removeAllListeners("warning")
  process.on("warning", (warning) => Effect.runFork(say(`${warning.name}: ${warning.message}`, LogLevel.Warning)))
  process.on("uncaughtException", (error) => {
    Effect.runSync(say(error.stack ?? String(error)))
    process.exit(1)
  })
})
