/** Messages to people, and the outbox of the sandbox. */
import { Context, type Option, Data, Schema, Effect, Layer, Duration } from "effect"
import { type Scope, type Window, execute, inScope, newest, ownedIn, query, theRowAs } from "../database/Query.ts"
import { type Stored, mapRefusal, orDatabaseFailure } from "../database/DatabaseFailure.ts"
import { OrgId } from "../../domain/Ids.ts"
import type { Permit } from "../../domain/Access.ts"
import { type NotFound, notFound } from "../../domain/Failure.ts"
import { SqlClient } from "@effect/sql"
import { removeOldRows } from "../partitions/DetachOld.ts"
import { Settings } from "../config/Settings.ts"
import { messageWindow } from "../../domain/policies/PeoplePolicies.ts"
import { traced } from "../observability/Spans.ts"

const notificationPriorities = ["low", "medium", "high", "urgent"] as const
export type NotificationPriority = (typeof notificationPriorities)[number]

const Message = Schema.Struct({
  to: Schema.String,
  subject: Schema.String,
  text: Schema.String,
  org_id: Schema.NullOr(OrgId),
  kind: Schema.Literal("invitation", "verification_request", "receipt"),
  priority: Schema.Literal(...notificationPriorities)
})
export type Message = typeof Message.Type

export const Notification = Schema.Struct({
  ...Message.fields,
  notification_id: Schema.String,
  created_at: Schema.DateFromSelf
})
export type Notification = typeof Notification.Type

/** `message` tells operators what went wrong; it is not meant for the callers of the API. */
export class NotificationFailed extends Data.TaggedError("NotificationFailed")<{
  readonly message: string
  /** The service has no mail server. */
  readonly noServer?: true
}> {}

export class NotificationStore extends Context.Tag("corridor/NotificationStore")<
  NotificationStore,
  {
    readonly insert: (notification: Omit<Notification, "created_at">) => Stored<void>
    readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Notification>>
    readonly find: (scope: Scope, id: string) => Stored<Option.Option<Notification>>
    /** Removes notifications past their retention: whole partitions, and a batch of single rows. Returns how many. */
    readonly forgetOld: Stored<number>
  }
>() {}

/** Messages per hour, to limit recipients and organisations. */
export type Counted = { readonly allowed: true } | { readonly allowed: false; readonly retryAfterSeconds: number }

export class MessageCounts extends Context.Tag("corridor/MessageCounts")<
  MessageCounts,
  /** Counts one more under this name, unless there are as many as allowed. Deletes windows that are over. */
  { readonly count: (name: string, most: number) => Stored<Counted> }
>() {}

/** The sandbox's outbox as operators read it. */
export class Outbox extends Context.Tag("corridor/Outbox")<
  Outbox,
  {
    readonly list: (permit: Permit<"platform">, window: Window) => Stored<ReadonlyArray<Notification>>
    readonly show: (permit: Permit<"platform">, id: string) => Stored<Notification, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Outbox,
    Effect.map(NotificationStore, (store) => ({
      list: (permit, window) => store.list(permit.scope, window),
      show: traced("Outbox.show")(function* (permit, id) {
        return yield* Effect.flatten(store.find(permit.scope, id)).pipe(mapRefusal(() => notFound("notification")))
      })
    }))
  )
}

const notifications = query(Notification)

export const notificationStoreSql = Layer.effect(
  NotificationStore,
  Effect.map(
    Effect.all([SqlClient.SqlClient, Settings]),
    ([sql, { archiveDir, retention }]): NotificationStore["Type"] => {
      const columns = sql.literal(
        `notification_id, org_id, kind, priority, recipient as "to", subject, text, created_at`
      )
      return {
        insert: ({ to, ...rest }) => execute(sql`insert into notifications ${sql.insert({ ...rest, recipient: to })}`),
        list: (scope, window) =>
          notifications.all(sql`select ${columns} from notifications where ${inScope(sql, scope)}
          ${newest(sql, "notification_id", window)}`),
        find: (scope, id) =>
          notifications.first(sql`select ${columns} from notifications
          where notification_id = ${id} and ${ownedIn(sql, scope)}`),
        forgetOld: removeOldRows(sql, archiveDir, { table: "notifications", keptFor: retention.notifications })
      }
    }
  )
)

const timeLeft = theRowAs(Schema.Struct({ seconds: Schema.Number }))

/** The hour is the database's. */
export const messageCountsSql = Layer.effect(
  MessageCounts,
  Effect.map(SqlClient.SqlClient, (sql): MessageCounts["Type"] => {
    const length = Duration.toSeconds(messageWindow)
    const start = sql`to_timestamp(floor(extract(epoch from now()) / ${length}) * ${length})`
    return {
      count: (name, most) =>
        Effect.gen(function* () {
          yield* sql`delete from message_counts where window_start < ${start}`
          const counted = yield* sql`insert into message_counts as c (counted, window_start, messages)
            values (${name}, ${start}, 1)
            on conflict (counted, window_start) do update set messages = c.messages + 1 where c.messages < ${most}
            returning 1 as counted`
          if (counted.length > 0) return { allowed: true } as const
          const { seconds } = yield* sql`select
            ceil(extract(epoch from ${start} + make_interval(secs => ${length}) - now()))::integer as seconds`.pipe(
            Effect.flatMap(timeLeft)
          )
          return { allowed: false, retryAfterSeconds: Math.max(1, seconds) } as const
        }).pipe(orDatabaseFailure)
    }
  })
)
