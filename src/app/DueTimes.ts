/** Reads the due times of all queues for as long as the process runs, so that their workers can rest. */
import { Cause, Context, Effect, Layer, Duration, Random } from "effect"
import { dueTimesRetry, dueTimesPoll, dueTimesPollPooled, usageReadWithin } from "../domain/policies/ServerPolicies.ts"
import { type ListeningEnded, Announcements } from "../platform/database/Announcements.ts"
import { DueTime, type QueueName, WorkQueues } from "../platform/database/WorkQueues.ts"
import { providerNames } from "../domain/Corridor.ts"
import {
  enquiriesPerProvider,
  unmatchedCallbackGrace,
  unmatchedCallbackPoll,
  unmatchedCallbackWindow
} from "../domain/policies/PaymentPolicies.ts"
import { webhookWalk } from "../domain/policies/WebhookPolicies.ts"
import { rowsAs } from "../platform/database/Query.ts"

interface DueTimesListener {
  readonly read: (times: ReadonlyArray<DueTime>) => Effect.Effect<void>
  /** Another instance has announced a row. */
  readonly onAnnouncement: (queue: QueueName, inMillis: number) => void
}

export class DueTimesStore extends Context.Tag("corridor/DueTimesStore")<
  DueTimesStore,
  {
    /** Reads the due times again and again, until the connection is lost. */
    readonly follow: (listener: DueTimesListener) => Effect.Effect<never, ListeningEnded>
  }
>() {}

/** Never read: workers on memory stores poll. */
export const dueTimesMemory = Layer.succeed(DueTimesStore, { follow: () => Effect.never })

/** Meanwhile workers poll. The next connection begins with a reading, which finds what was announced in between. */
export const dueTimes = Effect.gen(function* () {
  const { follow } = yield* DueTimesStore
  const queues = yield* WorkQueues
  const clock = yield* Effect.clock
  const onAnnouncement = (queue: QueueName, inMillis: number) => queues.receive(queue, inMillis, clock)
  let isFollowed = true
  const read = (times: ReadonlyArray<DueTime>) => {
    isFollowed = true
    return queues.read(times)
  }
  return yield* Effect.catchAllCause(follow({ onAnnouncement, read }), (cause) => {
    if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause)
    const message = "The connection that reads due times was lost; workers poll until there is another"
    const logged = isFollowed ? Effect.logWarning(message, cause) : Effect.void
    const pause = isFollowed ? Effect.void : Effect.sleep(dueTimesRetry)
    isFollowed = false
    return Effect.all([queues.unread, logged, pause], { discard: true })
  }).pipe(Effect.forever, Effect.ensuring(queues.unread))
})

/** Due times of all queues in one statement, over the connection that listens. */
const dueRows = rowsAs(DueTime)

const until = (time: string) => `extract(epoch from ${time} - now())::float8 * 1000`

const ago = (time: Duration.Duration) => `now() - make_interval(secs => ${Duration.toSeconds(time)})`

/** Reads the due times of a table by its index. Without statistics `exists` may read the whole table, `min` does not. */
const byIndex = (queue: QueueName, { column, rows, table }: Record<"column" | "rows" | "table", string>) =>
  `select '${queue}' as queue, coalesce((select min(${column}) from ${table} where ${rows}) <= now(), false) as is_due,
    (select ${until(`min(${column})`)} from ${table} where ${rows} and ${column} > now()) as wait`

const providers = `unnest(array[${providerNames.map((name) => `'${name}'`).join(", ")}]) as p (provider)`

const enquiryAt = "least(a.next_enquiry_at, a.hint_at)"

/** The first attempts of each provider: more than its polls that run at once. */
const FIRST_ENQUIRIES = 2 * enquiriesPerProvider

/** If so many wait to be sent, the worker looks itself. */
const MOST_UNSENT = 200

export const dueTimesStatement = [
  byIndex("card_waits", { table: "card_waits", column: "expires_at", rows: "true" }),
  byIndex("simulator", { table: "rail_timers", column: "due_at", rows: "true" }),
  byIndex("account_details", {
    table: "virtual_accounts",
    column: "details_due_at",
    rows: "details_due_at is not null"
  }),
  byIndex("account_details", { table: "incoming_transfer_lists", column: "due_at", rows: "true" }),
  byIndex("kyb_requests", {
    table: "kyb_applications",
    column: "request_due_at",
    rows: "request_sent_at is null and decided_at is null"
  }),
  byIndex("escrow_payouts", { table: "escrow_payouts", column: "due_at", rows: "due_at is not null" }),
  // An attempt under a lease is due when the lease ends: its instance may have been killed.
  `select 'enquiries', coalesce(bool_or(f.is_due), false), min(f.wait)
    from ${providers} cross join lateral (
      select bool_or(due <= now()) or count(*) filter (where at <= now()) = ${FIRST_ENQUIRIES} as is_due,
        ${until("min(due) filter (where due > now())")} as wait
      from (
        select ${enquiryAt} as at, greatest(${enquiryAt}, a.leased_until) as due from attempts a
        where a.provider = p.provider and (a.next_enquiry_at is not null or a.hint_at is not null) and a.sends > 0
        order by ${enquiryAt} limit ${FIRST_ENQUIRIES}
      ) firsts
    ) f`,
  `select 'ramp_payouts',
      coalesce(bool_or(leased_until is null or leased_until <= now()) or count(*) = ${MOST_UNSENT}, false),
      ${until("min(leased_until) filter (where leased_until > now())")}
    from (
      select a.leased_until from attempts a where a.sends = 0 and a.outcome is null
      order by a.provider, a.started_at limit ${MOST_UNSENT}
    ) unsent`,
  // Callbacks that came before the provider's id of their payment was known.
  `select 'early_callbacks', count(*) > 0,
    case when bool_or(received_at > ${ago(unmatchedCallbackGrace)}) then ${Duration.toMillis(unmatchedCallbackPoll)} end
    from (select received_at from provider_callbacks where payment_id is null and word is not null
      and received_at > ${ago(unmatchedCallbackWindow)} order by received_at desc limit 1) newest`,
  // Usage of rate limits that other instances have stored lately.
  `select 'rate_limits', coalesce((select max(told_at) from spent_tokens) > ${ago(usageReadWithin)}, false), null`,
  // One index lookup for each organisation. With very many organisations the worker looks itself.
  `select 'webhooks', coalesce(bool_or(next_at <= now()) or count(*) = ${webhookWalk}, false),
    ${until("min(next_at) filter (where next_at > now())")}
    from (
      with recursive walk as (
        (select org_id, next_at, 1 as nth from webhook_queue order by org_id, next_at limit 1)
        union all
        select n.org_id, n.next_at, w.nth + 1 from walk w cross join lateral (
          select q.org_id, q.next_at from webhook_queue q
          where q.org_id > w.org_id order by q.org_id, q.next_at limit 1
        ) n where w.nth < ${webhookWalk}
      )
      select next_at from walk
    ) firsts`
].join(" union all ")

export const dueTimesSql = Layer.effect(
  DueTimesStore,
  Effect.map(Announcements, ({ listens, listen }) => ({
    follow: ({ onAnnouncement, read }) =>
      Effect.gen(function* () {
        const connection = yield* listen(onAnnouncement)
        const readOnce = connection
          .read("due times", dueTimesStatement)
          .pipe(Effect.flatMap(dueRows), Effect.flatMap(read))
        const poll = Duration.toMillis(listens ? dueTimesPoll : dueTimesPollPooled)
        // Before the reading, so that instances do not read at the same moments.
        const pause = Effect.flatMap(Random.nextRange(0.8, 1.2), (factor) => Effect.sleep(poll * factor))
        return yield* Effect.raceFirst(Effect.forever(Effect.zipRight(readOnce, pause)), connection.lost)
      }).pipe(Effect.scoped)
  }))
)
