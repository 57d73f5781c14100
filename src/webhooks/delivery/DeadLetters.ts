/** Shows deliveries and replays dead letters. */
import { Context, Effect, Layer, Option } from "effect"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { notFound } from "../../domain/Failure.ts"
import { webhookReplayBatch } from "../../domain/policies/WebhookPolicies.ts"
import { WorkQueues } from "../../platform/database/WorkQueues.ts"
import { type DeadLetter, type DeadLetterEvent, type DeadLetterFilter, DeadLetterStore } from "./DeadLetterStore.ts"
import { shownHeaders } from "./DeliveryAttempt.ts"
import type { KeptHeaders, StoredAttempt } from "../Webhook.ts"
import { traced } from "../../platform/observability/Spans.ts"

interface LoggedAttempt extends Omit<StoredAttempt, keyof KeptHeaders> {
  /** Headers as sent; null if nothing was sent. */
  readonly headers: Readonly<Record<string, string>> | null
}

const loggedAttempt = (
  letter: DeadLetter & DeadLetterEvent,
  { signatures, signed_at, traceparent, ...attempt }: StoredAttempt
): LoggedAttempt => {
  const { event_id, event_type, test } = letter
  const sent = { event_id, event_type, test, attempt: attempt.attempt }
  return { ...attempt, headers: shownHeaders(sent, { signatures, signed_at, traceparent }) }
}

/** Writes at most `webhookReplayBatch` deliveries and returns how many. */
type Batch = Stored<number>

type Replayer = Permit<"platform"> | Permit<"webhooks">

const make = Effect.gen(function* () {
  const store = yield* DeadLetterStore
  const audit = yield* AuditLog
  const { atomically } = yield* Transactor
  const { announce } = yield* WorkQueues

  const replayBatch = (permit: Replayer, selection: DeadLetterFilter, write: Batch) =>
    atomically(
      Effect.tap(write, (replayed) =>
        replayed === 0
          ? Effect.void
          : Effect.zipRight(
              audit.record(permit, {
                action: "delivery.replayed",
                org: Option.getOrNull(permit.scope),
                subject: ["webhook", selection.webhook_id],
                detail: {
                  replayed,
                  ...(selection.since === undefined ? {} : { since: selection.since.toISOString() })
                }
              }),
              announce("webhooks")
            )
      )
    )

  return {
    /** Shows a delivery of any status. */
    show: traced("DeadLetters.show")(function* (permit: Permit<"platform"> | Permit<"webhook_log">, id: string) {
      const delivery = yield* store.find(permit.scope, id)
      if (Option.isNone(delivery)) return yield* notFound("delivery")
      const attempts = yield* store.attempts(permit.scope, id)
      const { test: _test, ...letter } = delivery.value
      return { ...letter, log: attempts.map((attempt) => loggedAttempt(delivery.value, attempt)) }
    }),
    /**
     * Replays deliveries of an endpoint that were dead, or waited for another attempt, at the start. An interrupted
     * replay can be repeated.
     */
    replay: traced("DeadLetters.replay")(function* (permit: Replayer, selection: DeadLetterFilter) {
      const before = yield* store.now
      const disabled = yield* store.countDisabled(permit.scope, selection, before)
      const all = (write: Batch, done = 0): Stored<number> =>
        Effect.flatMap(replayBatch(permit, selection, write), (batch) =>
          batch === 0 ? Effect.succeed(done) : all(write, done + batch)
        )
      const died = yield* all(store.replay(permit.scope, selection, before, webhookReplayBatch))
      const waited = yield* all(store.retryNow(permit.scope, selection, before, webhookReplayBatch))
      return { replayed: died + waited, disabled }
    })
  }
})

export class DeadLetters extends Context.Tag("corridor/DeadLetters")<
  DeadLetters,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.effect(DeadLetters, make)
}
