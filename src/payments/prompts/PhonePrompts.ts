/**
 * Limits mobile money prompts to one phone number, over all organisations: those of API callers, and those of payers of
 * links, who need no credential. A prompt is counted in the transaction that commits to send it.
 */
import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { RateLimited } from "../../domain/Failure.ts"
import { readPhoneNumber } from "../../domain/PhoneNumber.ts"
import { promptBurstShare, promptBurstWindow, promptWindow } from "../../domain/policies/PaymentPolicies.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { Vault } from "../../platform/secrets/Vault.ts"
import type { Payment } from "../store/Payment.ts"
import { type Stored, orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import type { Counted } from "../../platform/notifications/NotificationStore.ts"
import { SqlClient, type Statement } from "@effect/sql"
import { theRowAs } from "../../platform/database/Query.ts"

/** When prompts were sent to a phone number, which is kept as a keyed hash. */
export interface PromptLimit {
  readonly window: Duration.Duration
  readonly most: number
}

/** Seconds until each limit has room again; 0 where all have. `sent`: when prompts were sent, in milliseconds. */
export const secondsToWait = (
  sent: ReadonlyArray<number>,
  limits: ReadonlyArray<PromptLimit>,
  nowMillis: number
): number => {
  const newest = sent.toSorted((a, b) => b - a)
  const waits = limits.map(({ most, window }) => {
    const last = newest[most - 1]
    return last === undefined ? 0 : (last + Duration.toMillis(window) - nowMillis) / 1000
  })
  return Math.max(0, ...waits.map(Math.ceil))
}

export class PromptStore extends Context.Tag("corridor/PromptStore")<
  PromptStore,
  {
    /** Counts one more now unless a limit is reached, for all instances together. The last limit's window is the longest. */
    readonly count: (counted: string, limits: readonly [PromptLimit, ...ReadonlyArray<PromptLimit>]) => Stored<Counted>
  }
>() {}

type Prompted = Pick<Payment, "country" | "direction" | "mobile_money_details" | "payment_method" | "ramp">

/** The number that a payment's provider prompts; none for payouts and for other methods. */
const promptedPhone = ({
  country,
  direction,
  mobile_money_details,
  payment_method,
  ramp
}: Prompted): Option.Option<string> => {
  const collects = direction === "inbound" ? payment_method === "mobile_money" : ramp?.direction === "on_ramp"
  const given = collects ? mobile_money_details["phone_number"] : undefined
  if (typeof given !== "string") return Option.none()
  // One number may be written in several ways.
  const digits = given.replaceAll(/\D/g, "")
  return Option.some(Option.getOrElse(Option.getRight(readPhoneNumber(given, country)), () => digits))
}

export type PromptedBy = "link" | "api"

/** `link_id` stands in the metadata of every payment that came through a link. */
export const promptedBy = ({ metadata }: Pick<Payment, "metadata">): PromptedBy =>
  metadata["link_id"] === undefined ? "api" : "link"

export class PhonePrompts extends Context.Tag("corridor/PhonePrompts")<
  PhonePrompts,
  {
    /** Whether the payment prompts a phone whose prompts are limited: only then a transaction is worth its cost. */
    readonly isCounted: (payment: Prompted, by: PromptedBy) => boolean
    /** Counts a prompt that is about to be sent, or refuses it. */
    readonly count: (payment: Prompted, by: PromptedBy) => Stored<void, RateLimited>
  }
>() {
  static readonly layer = Layer.effect(
    PhonePrompts,
    Effect.gen(function* () {
      const store = yield* PromptStore
      const vault = yield* Vault
      const { phonePromptsApi, phonePromptsLinks } = yield* Settings
      const perDay = { link: phonePromptsLinks, api: phonePromptsApi }

      const limitedPhone = (payment: Prompted, by: PromptedBy): Option.Option<string> =>
        perDay[by] === 0 ? Option.none() : promptedPhone(payment)

      const count = Effect.fnUntraced(function* (payment: Prompted, by: PromptedBy) {
        const most = perDay[by]
        const phone = limitedPhone(payment, by)
        if (Option.isNone(phone)) return
        const counted = yield* store.count(vault.hmac(`${by} ${phone.value}`, "phone prompts"), [
          { window: promptBurstWindow, most: Math.ceil(most * promptBurstShare) },
          { window: promptWindow, most }
        ])
        if (counted.allowed) return
        const { retryAfterSeconds } = counted
        const wait = Duration.format(Duration.seconds(retryAfterSeconds))
        const message = `mobile_money_details.phone_number: was asked for a payment too often, try again in ${wait}.`
        return yield* new RateLimited({ message, retryAfterSeconds })
      })

      return { count, isCounted: (payment, by) => Option.isSome(limitedPhone(payment, by)) }
    })
  )
}

/** Rows past their time that are deleted with each count. */
const FORGOTTEN = 10

const countedRow = theRowAs(Schema.Struct({ allowed: Schema.Boolean }))
const sentRow = theRowAs(Schema.Struct({ now: Schema.Number, sent: Schema.Array(Schema.Number) }))

/** The time is the database's. One row for each number, so that counts wait in turn. */
export const promptStoreSql = Layer.effect(
  PromptStore,
  Effect.map(SqlClient.SqlClient, (sql): PromptStore["Type"] => {
    const ago = ({ window }: Pick<PromptLimit, "window">): Statement.Fragment =>
      sql`clock_timestamp() - make_interval(secs => ${Duration.toSeconds(window)})`
    const hasRoom = (limit: PromptLimit): Statement.Fragment =>
      sql`(select count(*) from unnest(p.sent) at where at > ${ago(limit)}) < ${limit.most}`
    return {
      count: (counted, limits) => {
        const longest = limits.reduce((a, b) => (Duration.greaterThan(a.window, b.window) ? a : b))
        const room = sql.and(limits.map(hasRoom))
        return Effect.gen(function* () {
          const { allowed } = yield* sql`with forgotten as (
              delete from phone_prompts where counted in (
                select counted from phone_prompts where last_at < ${ago(longest)} and counted <> ${counted}
                order by last_at limit ${FORGOTTEN} for update skip locked)
            ), written as (
              insert into phone_prompts as p (counted, sent, last_at)
              values (${counted}, array[clock_timestamp()], clock_timestamp())
              on conflict (counted) do update set
                sent = array(select at from unnest(p.sent) at where at > ${ago(longest)}) || clock_timestamp(),
                last_at = clock_timestamp()
              where ${room} returning 1
            ) select exists (select from written) as allowed`.pipe(Effect.flatMap(countedRow))
          if (allowed) return { allowed }
          const { now, sent } = yield* sql`select extract(epoch from clock_timestamp())::float8 * 1000 as now,
              array(select extract(epoch from at)::float8 * 1000 from unnest(sent) at) as sent
            from phone_prompts where counted = ${counted}`.pipe(Effect.flatMap(sentRow))
          return { allowed, retryAfterSeconds: Math.max(1, secondsToWait(sent, limits, now)) }
        }).pipe(orDatabaseFailure)
      }
    }
  })
)
