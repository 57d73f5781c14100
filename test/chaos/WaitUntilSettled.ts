/** After the last fault: receivers accept everything, callers get their answers, open work ends. */
import { Effect, Schedule } from "effect"
import { progress, recordsOf } from "./audit/Audit.ts"
import type { Read } from "./audit/ReadRecords.ts"
import { type CallContext, callOnce } from "./business/ApiCalls.ts"
import type { LoggedRequest } from "./business/RequestLog.ts"
import type { Organisation } from "./business/ChaosFixtures.ts"
import { administer } from "./environment/Postgres.ts"
import type { Environment } from "./environment/Environment.ts"

export interface SettleLimits {
  /** Moves waiting rows into the past at each check. */
  readonly timePasses: boolean
  readonly millis: number
}

/** Shortens the waits for proof of absence, for orphans, for interrupted keys and for the leases of dead instances. */
const timePasses = `
  update attempts set next_enquiry_at = now(), sent_at = sent_at - interval '2 minutes', leased_until = null
    where next_enquiry_at > now() + interval '1 second' or (next_enquiry_at is not null and leased_until > now());
  update attempts set hint_at = now() where hint_at > now();
  update idempotency_keys set created_at = created_at - interval '1 minute' where response is null;
  update webhook_queue set next_at = now() where next_at > now() + interval '1 second'`

/** A payin left by its customer ends after 24 hours (PAYIN_EXPIRY); its provider is polled for 72 hours more. */
const payinsEnd = `
  update payments p set expires_at = p.expires_at - interval '25 hours' from attempts a
    where a.payment_id = p.payment_id and a.next_enquiry_at is not null and a.outcome = 'accepted'`

const answered = (context: CallContext, order: LoggedRequest, round: number) =>
  Effect.promise(async () => {
    const reply = await callOnce(context, order, 100 + round)
    if (reply !== null) order.replies.push(reply)
  })

/** Sends one key in ten again: the answer must be about the same payment. */
const repeated = ({ chance, requestLog }: CallContext): ReadonlyArray<LoggedRequest> =>
  Array.from(requestLog.orders.values()).filter(
    ({ key, replies }) => replies.length > 0 && chance.happens(0.1, `${key} once more`)
  )

/** Returns the records when nothing is open, or at the time limit. */
export const waitUntilSettled = (
  env: Environment,
  organisations: ReadonlyArray<Organisation>,
  context: CallContext,
  { millis, timePasses: passes }: SettleLimits,
  log: (line: string) => void
): Effect.Effect<Read> =>
  Effect.gen(function* () {
    for (const { endpoints } of organisations) for (const { receiver } of endpoints) receiver.recover()
    const deadline = performance.now() + millis
    // Later enquiries are not waited for, unless time is moved.
    const horizon = passes ? Infinity : Date.now() + millis
    // Provider timeouts have passed by then.
    yield* Effect.sleep("4 seconds")
    yield* Effect.forEach(repeated(context), (order) => answered(context, order, 0), { concurrency: 4, discard: true })
    for (let round = 1; ; round++) {
      // In two transactions: the service locks payments before attempts.
      if (passes) for (const text of [payinsEnd, timePasses]) yield* administer(env.postgres, text)
      yield* Effect.forEach(context.requestLog.unanswered(), (order) => answered(context, order, round), {
        concurrency: 4,
        discard: true
      })
      yield* Effect.sleep("1 second")
      const read = yield* recordsOf(env, organisations)
      const open = [...context.requestLog.unanswered().map(({ what }) => what), ...progress(read, horizon)]
      if (round % 5 === 0) log(`${open.length} things are under way: ${open.slice(0, 3).join(", ")}`)
      if (open.length === 0 || performance.now() > deadline) return read
    }
  })

export const restartStopped = ({ instances }: Environment) =>
  Effect.forEach(instances, ({ isReady, start }) =>
    Effect.flatMap(isReady, (yes) => (yes ? Effect.void : start)).pipe(Effect.retry(Schedule.recurs(3)))
  )
