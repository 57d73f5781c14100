/**
 * Rate limits across all instances. Each instance counts in memory and shares its usage up to twice a second, so no
 * request waits.
 */
import { Clock, Context, Effect, Layer, Schema, Duration } from "effect"
import { Ids } from "../../domain/Ids.ts"
import {
  usageKeysShared,
  usageSharedEvery,
  unverifiedCallbacksPerMinute,
  unreadProofsPerMinute,
  usageRetention,
  usageMaxAge
} from "../../domain/policies/ServerPolicies.ts"
import type { Stored } from "../database/DatabaseFailure.ts"
import { WorkQueues } from "../database/WorkQueues.ts"
import type { IncomingMessage } from "node:http"
import { Settings } from "../config/Settings.ts"
import { type Busy, RateLimited, type Unauthorized } from "../../domain/Failure.ts"
import { clientAddress, rateLimitKey, type TrustProxy } from "../config/ClientAddress.ts"
import { SqlClient } from "@effect/sql"
import { query } from "../database/Query.ts"

/**
 * Token bucket for every key, in memory, refilled continuously. Whole numbers only, so no rounding error adds up: a
 * token is 60,000 units, and N a minute refill N units a millisecond. Usage is shared with the other instances, and
 * theirs is taken from the same buckets.
 */
const TOKEN = 60_000
const SWEEP_EVERY_MILLIS = 60_000
/** Longest wait of a request until it is counted. */
const OVERTAKEN_MILLIS = 60_000
/** Making room costs a pass over all keys, so it makes enough room for many newcomers. */
const EVICTED_SHARE = 0.1

export type RateLimitDecision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryAfterSeconds: number }

const ALLOWED: RateLimitDecision = { allowed: true }

/** Tokens of one key that instances share. */
type TokenUsage = readonly [key: string, tokens: number]

interface Bucket {
  /**
   * Units missing from a full bucket at that time. A full bucket is the same as none. The debt may be more than a bucket
   * holds, if several instances let requests through before they shared their usage.
   */
  debt: number
  at: number
}

export class RateLimiter {
  readonly #perMinute: number
  readonly #maxKeys: number
  readonly #buckets = new Map<string, Bucket>()
  /** Usage that was not shared yet. */
  #unshared = new Map<string, number>()
  readonly #used: () => void
  #sweepAt = 0

  /** A limit of 0 allows everything. */
  constructor(perMinute: number, maxKeys: number = 100_000, used: () => void = () => undefined) {
    this.#perMinute = perMinute
    this.#maxKeys = maxKeys
    this.#used = used
  }

  get size(): number {
    return this.#buckets.size
  }

  /** Spends a token if there is one. */
  take(key: string, nowMillis: number): RateLimitDecision {
    const decision = this.peek(key, nowMillis)
    if (decision.allowed) this.spend(key, nowMillis)
    return decision
  }

  /** Like `take`, without spending. */
  peek(key: string, nowMillis: number): RateLimitDecision {
    const bucket = this.#seenAt(key, nowMillis)
    if (bucket === undefined) return ALLOWED
    const missing = this.#debt(bucket, nowMillis) + TOKEN - this.#capacity
    if (missing <= 0) return ALLOWED
    return { allowed: false, retryAfterSeconds: Math.ceil(missing / this.#perMinute / 1000) }
  }

  /** Spends a token, or what is left of the last one. */
  spend(key: string, nowMillis: number): void {
    if (this.#perMinute === 0) return
    this.#used()
    if (this.#unshared.size < this.#maxKeys) this.#unshared.set(key, (this.#unshared.get(key) ?? 0) + 1)
    this.#owe(this.#seenAt(key, nowMillis), key, TOKEN, this.#capacity, nowMillis)
  }

  /** Usage since the last call; if too many keys, the most used. */
  takeUsage(mostKeys: number): ReadonlyArray<TokenUsage> {
    const all = Array.from(this.#unshared)
    this.#unshared = new Map()
    return all.length <= mostKeys ? all : all.sort(([, a], [, b]) => b - a).slice(0, mostKeys)
  }

  /** Spends tokens of another instance, at the time at which it shared them. */
  addUsage(key: string, tokens: number, atMillis: number): void {
    if (this.#perMinute === 0) return
    this.#owe(this.#buckets.get(key), key, tokens * TOKEN, 2 * this.#capacity, atMillis)
  }

  /** Adds debt up to `most`; a larger debt stays. */
  #owe(bucket: Bucket | undefined, key: string, units: number, most: number, atMillis: number): void {
    if (bucket === undefined) {
      this.#makeRoom(atMillis)
      this.#buckets.set(key, { debt: Math.min(units, most), at: atMillis })
      return
    }
    const debt = this.#debt(bucket, atMillis)
    bucket.debt = Math.max(debt, Math.min(debt + units, most))
    bucket.at = Math.max(bucket.at, atMillis)
  }

  get #capacity(): number {
    return this.#perMinute * TOKEN
  }

  /**
   * Time that one request has counted is not counted again for an overtaken one. A bucket further ahead means that
   * the clock was set back: it is reset.
   */
  #seenAt(key: string, nowMillis: number): Bucket | undefined {
    const bucket = this.#buckets.get(key)
    if (bucket !== undefined && bucket.at - nowMillis > OVERTAKEN_MILLIS) bucket.at = nowMillis
    return bucket
  }

  #debt(bucket: Bucket, nowMillis: number): number {
    const elapsed = Math.max(0, nowMillis - bucket.at)
    return Math.max(0, bucket.debt - elapsed * this.#perMinute)
  }

  #makeRoom(nowMillis: number): void {
    const isCrowded = this.#buckets.size >= this.#maxKeys
    if (!isCrowded && nowMillis < this.#sweepAt) return
    this.#sweepAt = nowMillis + SWEEP_EVERY_MILLIS
    for (const [key, bucket] of this.#buckets) {
      if (this.#debt(bucket, nowMillis) === 0) this.#buckets.delete(key)
    }
    const surplus = this.#buckets.size - Math.floor(this.#maxKeys * (1 - EVICTED_SHARE))
    if (isCrowded && surplus > 0) this.#evictFullest(nowMillis, surplus)
  }

  /**
   * Evicts the fullest buckets, which hold least information. To evict an empty one, a flood of keys must first empty nine
   * tenths of all buckets as far, which takes longer than a minute.
   */
  #evictFullest(nowMillis: number, count: number): void {
    const debts = new Float64Array(this.#buckets.size)
    let index = 0
    for (const bucket of this.#buckets.values()) debts[index++] = this.#debt(bucket, nowMillis)
    debts.sort()
    const threshold = debts[count - 1] ?? 0
    let atThreshold = count - debts.indexOf(threshold)
    for (const [key, bucket] of this.#buckets) {
      const debt = this.#debt(bucket, nowMillis)
      if (debt < threshold || (debt === threshold && atThreshold-- > 0)) this.#buckets.delete(key)
    }
  }
}

/** Usage that instances share. It need not survive a crash or a minute. */
export const KeyUsage = Schema.Tuple(Schema.String, Schema.String, Schema.Number)
/** Of one limit, by its name: a key and how many tokens of it. */
export type KeyUsage = typeof KeyUsage.Type

/** The batches of an instance are numbered, and come one after the other. */
export interface UsageBatch {
  readonly number: number
  readonly spent: ReadonlyArray<KeyUsage>
}

interface ReceivedUsage extends UsageBatch {
  readonly instance: string
  readonly ageMillis: number
}

export class RateLimitUsageStore extends Context.Tag("corridor/RateLimitUsageStore")<
  RateLimitUsageStore,
  {
    /**
     * Stores the usage of this instance, once for each batch. Returns batches of other instances of the last minute after
     * those in `received` (the last number of each instance), oldest first.
     */
    readonly exchange: (
      instance: string,
      own: UsageBatch | undefined,
      received: ReadonlyMap<string, number>
    ) => Stored<ReadonlyArray<ReceivedUsage>>
  }
>() {}

export class RateLimits extends Context.Tag("corridor/RateLimits")<
  RateLimits,
  {
    /** Limiter by name, which is the same on all instances. */
    readonly limiter: (name: string, perMinute: number) => RateLimiter
    /** Shares the usage of this instance, and spends that of others. */
    readonly exchange: Stored<void>
    /**
     * Exchanges at once when a token is spent or another instance has stored usage, and at intervals while more is spent.
     * An instance without requests exchanges too: its next request may be beyond a limit. Without a database each
     * instance counts for itself.
     */
    readonly worker: Stored<never>
  }
>() {
  static readonly layer = Layer.effect(
    RateLimits,
    Effect.gen(function* () {
      const store = yield* RateLimitUsageStore
      const instance = yield* Effect.flatMap(Ids, ({ next }) => next)
      const queues = yield* WorkQueues
      const limiters = new Map<string, RateLimiter>()
      const received = new Map<string, number>()
      const used = yield* Effect.makeLatch(false)
      let number = 0
      /** A batch that may not be stored yet: sent again under the same number. */
      let pending: UsageBatch | undefined

      const spentHere = (): UsageBatch | undefined => {
        const spent = Array.from(limiters).flatMap(([name, limiter]) =>
          limiter.takeUsage(usageKeysShared).map(([key, tokens]): KeyUsage => [name, key, tokens])
        )
        if (spent.length === 0) return undefined
        number += 1
        return { number, spent }
      }

      const exchange = Effect.gen(function* () {
        pending ??= spentHere()
        const batches = yield* store.exchange(instance, pending, received)
        if (pending !== undefined) yield* queues.announceElsewhere("rate_limits")
        pending = undefined
        const now = yield* Clock.currentTimeMillis
        for (const { ageMillis, instance: other, number: batch, spent } of batches) {
          received.set(other, batch)
          for (const [name, key, tokens] of spent) limiters.get(name)?.addUsage(key, tokens, now - ageMillis)
        }
      })

      return {
        limiter: (name, perMinute) => {
          const limiter = limiters.get(name) ?? new RateLimiter(perMinute, undefined, () => used.unsafeOpen())
          limiters.set(name, limiter)
          return limiter
        },
        exchange,
        worker: Effect.raceFirst(used.await, queues.rest("rate_limits")).pipe(
          Effect.zipRight(used.close),
          Effect.zipRight(exchange),
          Effect.catchAllCause((cause) =>
            Effect.zipRight(
              used.open,
              Effect.logDebug("Rate limit counts could not be exchanged: each instance counts for itself", cause)
            )
          ),
          Effect.zipRight(Effect.sleep(usageSharedEvery)),
          Effect.forever
        )
      }
    })
  )
}

/** Address of the client, as far as proxies are trusted. */
export const clientOf = ({ headers, socket }: IncomingMessage, trust: TrustProxy): string => {
  const forwarded = headers["x-forwarded-for"]
  const text = Array.isArray(forwarded) ? forwarded.join(",") : forwarded
  return clientAddress(socket.remoteAddress, text, trust)
}

/** Key under which the client is counted. */
export const requestAddress = (request: IncomingMessage, trust: TrustProxy): string =>
  rateLimitKey(clientOf(request, trust))

const unlessAllowed = (decision: RateLimitDecision): Effect.Effect<void, RateLimited> => {
  if (decision.allowed) return Effect.void
  const { retryAfterSeconds } = decision
  const message = `Too many callbacks without proof: try again in ${retryAfterSeconds} s.`
  return new RateLimited({ message, retryAfterSeconds })
}

/**
 * Limits callbacks without proof from one address:
 * - past `unverifiedCallbacksPerMinute` its failures are 429; callbacks with their provider's proof are still taken;
 * - past `unreadProofsPerMinute` failures its callbacks are 429 before their bodies are read, so a flood costs little.
 *
 * Callbacks with a proof are never counted.
 */
export const makeCallbackAbuseLimit = Effect.fnUntraced(function* (name: string) {
  const { rateLimitPerMinute, trustProxy } = yield* Settings
  const { limiter } = yield* RateLimits
  const isOff = rateLimitPerMinute === 0
  const failures = limiter(name, isOff ? 0 : unverifiedCallbacksPerMinute)
  const unread = limiter(`${name}, unread`, isOff ? 0 : unreadProofsPerMinute)

  /** Counts a callback that carries no proof. */
  const count = (request: IncomingMessage): Effect.Effect<void, RateLimited> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const address = requestAddress(request, trustProxy)
      unread.spend(address, now)
      return unlessAllowed(failures.take(address, now))
    })

  return {
    /** Before the body is read. */
    admit: (request: IncomingMessage): Effect.Effect<void, RateLimited> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        unlessAllowed(unread.peek(requestAddress(request, trustProxy), now))
      ),
    /** `why` goes to the log, which is rate limited too. */
    refuse: <Refusal extends Unauthorized | Busy>(
      request: IncomingMessage,
      why: string,
      refusal: Effect.Effect<never, Refusal>
    ): Effect.Effect<never, Refusal | RateLimited> =>
      Effect.zipRight(Effect.zipRight(count(request), Effect.logWarning(why)), refusal),
    /** For a callback without proof that changes nothing. */
    countIdle: count
  }
})

const receivedRows = query(
  Schema.Struct({
    instance: Schema.String,
    number: Schema.Number,
    spent: Schema.Array(KeyUsage),
    ageMillis: Schema.Number
  })
)

const maxAge = Duration.toSeconds(usageMaxAge)
const kept = Duration.toSeconds(usageRetention)

/** Spent tokens in a table that PostgreSQL keeps no log of; times are the database's. */
export const rateLimitUsageSql = Layer.effect(
  RateLimitUsageStore,
  Effect.map(SqlClient.SqlClient, (sql): RateLimitUsageStore["Type"] => ({
    exchange: (instance, own, received) => {
      const spent = own === undefined ? null : JSON.stringify(own.spent)
      const known = JSON.stringify(Array.from(received, ([id, batch]) => ({ id, batch })))
      return receivedRows.all(sql`with stored as (
          insert into spent_tokens (instance_id, batch, spent)
          select ${instance}::uuid, ${own?.number ?? 0}::int, ${spent}::jsonb where ${spent}::jsonb is not null
          on conflict do nothing
        ), deleted as (
          delete from spent_tokens where (instance_id, batch) in (
            select instance_id, batch from spent_tokens
            where told_at < now() - make_interval(secs => ${kept}) for update skip locked
          )
        )
        select s.instance_id as instance, s.batch as number, s.spent,
          greatest(0, extract(epoch from now() - s.told_at) * 1000)::float8 as "ageMillis"
        from spent_tokens s
        left join jsonb_to_recordset(${known}::jsonb) as k (id uuid, batch int) on k.id = s.instance_id
        where s.instance_id <> ${instance}::uuid and s.batch > coalesce(k.batch, 0)
          and s.told_at > now() - make_interval(secs => ${maxAge})
        order by s.told_at, s.batch`)
    }
  }))
)
