/**
 * Counts per caller in memory: a token bucket for every key, refilled continuously. All arithmetic is on whole numbers,
 * so that no rounding error adds up: one token is 60,000 units, and a limit of N a minute refills N units a millisecond.
 * What is spent here is noted for the other instances, and what they have spent is taken from the same buckets.
 */
const TOKEN = 60_000
const SWEEP_EVERY_MILLIS = 60_000
/** No request waits longer until it is counted. */
const OVERTAKEN_MILLIS = 60_000
/** Making room costs a pass over all keys, so it makes enough room for many newcomers. */
const EVICTED_SHARE = 0.1

export type RateLimitDecision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryAfterSeconds: number }

const ALLOWED: RateLimitDecision = { allowed: true }

/** Tokens of one key, as one instance tells the others. */
export type Spent = readonly [key: string, tokens: number]

interface Bucket {
  /**
   * Units missing from a full bucket at that time. A full bucket is the same as none. It may be more than a bucket holds:
   * what several instances let through at once, before they heard of each other, is paid back.
   */
  debt: number
  at: number
}

export class RateLimiter {
  readonly #perMinute: number
  readonly #maxKeys: number
  readonly #buckets = new Map<string, Bucket>()
  #untold = new Map<string, number>()
  #sweepAt = 0

  /** A limit of 0 allows everything. */
  constructor(perMinute: number, maxKeys: number = 100_000) {
    this.#perMinute = perMinute
    this.#maxKeys = maxKeys
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

  /** What `take` would answer, without spending. */
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
    if (this.#untold.size < this.#maxKeys) this.#untold.set(key, (this.#untold.get(key) ?? 0) + 1)
    this.#owe(this.#seenAt(key, nowMillis), key, TOKEN, this.#capacity, nowMillis)
  }

  /** What was spent here since the last call; of many keys those with most. */
  tell(mostKeys: number): ReadonlyArray<Spent> {
    const all = Array.from(this.#untold)
    this.#untold = new Map()
    return all.length <= mostKeys ? all : all.sort(([, a], [, b]) => b - a).slice(0, mostKeys)
  }

  /** Spends what another instance has let through, at the time at which it has told of it. */
  hear(key: string, tokens: number, atMillis: number): void {
    if (this.#perMinute === 0) return
    this.#owe(this.#buckets.get(key), key, tokens * TOKEN, 2 * this.#capacity, atMillis)
  }

  /** Nobody owes more than `most` by this; who owes more already goes on to. */
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
   * Requests overtake each other, and time that one of them has counted is not counted again for the next. Only what is
   * further ahead is a clock that was set back: it blocks nobody until it is where it was.
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
   * The fullest buckets are those that know least. To have an empty one forgotten, a flood of keys must first empty
   * nine tenths of all buckets as far, which costs more than waiting for the minute to pass.
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
