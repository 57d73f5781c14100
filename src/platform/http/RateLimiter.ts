/**
 * Counts per caller in memory: a token bucket for every key, refilled continuously. All arithmetic is on whole numbers,
 * so that no rounding error adds up: one token is 60,000 units, and a limit of N a minute refills N units a millisecond.
 */
const TOKEN = 60_000
const SWEEP_EVERY_MILLIS = 60_000
/** Making room costs a pass over all keys, so it makes enough room for many newcomers. */
const EVICTED_SHARE = 0.1

export type RateLimitDecision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryAfterSeconds: number }

const ALLOWED: RateLimitDecision = { allowed: true }

interface Bucket {
  /** Units missing from a full bucket at that time. A full bucket is the same as none. */
  debt: number
  at: number
}

export class RateLimiter {
  readonly #perMinute: number
  readonly #maxKeys: number
  readonly #buckets = new Map<string, Bucket>()
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
    const bucket = this.#buckets.get(key)
    if (bucket === undefined) return ALLOWED
    const missing = this.#debt(bucket, nowMillis) + TOKEN - this.#capacity
    if (missing <= 0) return ALLOWED
    return { allowed: false, retryAfterSeconds: Math.ceil(missing / this.#perMinute / 1000) }
  }

  /** Spends a token, or what is left of the last one. */
  spend(key: string, nowMillis: number): void {
    if (this.#perMinute === 0) return
    const bucket = this.#buckets.get(key)
    if (bucket === undefined) {
      this.#makeRoom(nowMillis)
      this.#buckets.set(key, { debt: TOKEN, at: nowMillis })
      return
    }
    bucket.debt = Math.min(this.#debt(bucket, nowMillis) + TOKEN, this.#capacity)
    bucket.at = nowMillis
  }

  get #capacity(): number {
    return this.#perMinute * TOKEN
  }

  /** A clock that was set back refills nothing, but blocks nobody for longer than a minute either. */
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
