/** A start that fails says in one sentence what to change; only a bug shows a stack. */
import { Cause, Effect, Option } from "effect"
import { redactText } from "../observability/Redaction.ts"

export const explainFailure = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tapErrorCause(effect, (cause) =>
    Effect.sync(() => {
      if (Cause.isInterruptedOnly(cause)) return
      const failure = Option.getOrUndefined(Cause.failureOption(cause))
      const text = failure instanceof Error ? failure.message : Cause.pretty(cause, { renderErrorCause: true })
      process.stderr.write(`corridor: ${redactText(text)}\n`)
    })
  )
