import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { RateLimiter } from "../../../src/platform/rateLimits/RateLimits.ts"

const START = 1_700_000_000_000

/** The definition, with exact fractions: tokens in sixty-thousandths. */
class Oracle {
  readonly perMinute: bigint
  readonly buckets = new Map<string, { tokens: bigint; at: bigint }>()

  constructor(perMinute: number) {
    this.perMinute = BigInt(perMinute)
  }

  at(key: string, now: number) {
    const full = this.perMinute * 60_000n
    const last = this.buckets.get(key) ?? { tokens: full, at: BigInt(now) }
    const refilled = last.tokens + (BigInt(now) - last.at) * this.perMinute
    return refilled > full ? full : refilled
  }

  spend(key: string, now: number) {
    const left = this.at(key, now) - 60_000n
    this.buckets.set(key, { tokens: left < 0n ? 0n : left, at: BigInt(now) })
  }
}

const blocked = (retryAfterSeconds: number) => ({ allowed: false, retryAfterSeconds })

describe("RateLimiter", () => {
  it("agrees with the definition of a token bucket", () => {
    const step = fc.record({
      key: fc.constantFrom("a", "b"),
      wait: fc.oneof(fc.constant(0), fc.nat(50), fc.nat(70_000)),
      call: fc.constantFrom("take", "take", "take", "peek", "spend")
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.array(step, { maxLength: 60 }), (perMinute, steps) => {
        const limiter = new RateLimiter(perMinute)
        const oracle = new Oracle(perMinute)
        let now = START
        for (const { call, key, wait } of steps) {
          now += wait
          const allowed = oracle.at(key, now) >= 60_000n
          if (call === "spend") {
            limiter.spend(key, now)
          } else {
            expect(limiter[call as "take" | "peek"](key, now).allowed).toBe(allowed)
          }
          if (call === "spend" || (call === "take" && allowed)) oracle.spend(key, now)
        }
      }),
      { numRuns: 500 }
    )
  })

  it("says exactly when to come back, in whole seconds", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(5_000), (perMinute, wait) => {
        const limiter = new RateLimiter(perMinute)
        for (let i = 0; i < perMinute; i++) limiter.spend("a", START)
        expect(limiter.peek("a", START).allowed).toBe(false)
        const now = START + wait
        const decision = limiter.peek("a", now)
        if (decision.allowed) return
        expect(decision.retryAfterSeconds).toBeGreaterThanOrEqual(1)
        expect(limiter.peek("a", now + decision.retryAfterSeconds * 1000).allowed).toBe(true)
        expect(limiter.peek("a", now + (decision.retryAfterSeconds - 1) * 1000).allowed).toBe(false)
      })
    )
  })

  it("lets a burst through, then the refill only", () => {
    const limiter = new RateLimiter(6_000)
    const burst = Array.from({ length: 6_000 }, () => limiter.take("a", START))
    expect(burst.every(({ allowed }) => allowed)).toBe(true)
    expect(limiter.take("a", START)).toStrictEqual(blocked(1))
    expect(limiter.take("a", START + 9)).toStrictEqual(blocked(1))
    expect(limiter.take("a", START + 10)).toStrictEqual({ allowed: true })
    expect(limiter.take("a", START + 10)).toStrictEqual(blocked(1))
    expect(limiter.take("b", START)).toStrictEqual({ allowed: true })
  })

  it("counts failures apart from the check", () => {
    const limiter = new RateLimiter(2)
    expect(limiter.peek("a", START)).toStrictEqual({ allowed: true })
    limiter.spend("a", START)
    expect(limiter.peek("a", START)).toStrictEqual({ allowed: true })
    limiter.spend("a", START)
    expect(limiter.peek("a", START)).toStrictEqual(blocked(30))
    limiter.spend("a", START)
    expect(limiter.peek("a", START)).toStrictEqual(blocked(30))
    expect(limiter.peek("a", START + 30_000)).toStrictEqual({ allowed: true })
  })

  it("is off, and keeps nothing, with a limit of 0", () => {
    const limiter = new RateLimiter(0)
    for (let i = 0; i < 10; i++) expect(limiter.take("a", START)).toStrictEqual({ allowed: true })
    expect(limiter.size).toBe(0)
  })

  it("blocks for no longer than a minute when the clock is set back", () => {
    const limiter = new RateLimiter(1)
    limiter.spend("a", START)
    const earlier = START - 3_600_000
    expect(limiter.peek("a", earlier)).toStrictEqual(blocked(60))
    limiter.spend("a", earlier)
    expect(limiter.peek("a", earlier + 60_000)).toStrictEqual({ allowed: true })
  })

  it("blocks for a minute at most after that, refused keys too", () => {
    const limiter = new RateLimiter(1)
    limiter.take("a", START)
    const earlier = START - 3_600_000
    expect(limiter.take("a", earlier)).toStrictEqual(blocked(60))
    expect(limiter.take("a", earlier + 60_000)).toStrictEqual({ allowed: true })
  })

  it("counts no time twice where requests overtake each other, as they do before a slow database", () => {
    const limiter = new RateLimiter(60)
    let allowed = 0
    for (let nth = 0; nth < 1000; nth++) {
      if (limiter.take("a", START + (nth % 2 === 0 ? 2000 : 0)).allowed) allowed += 1
    }
    expect(allowed).toBe(60)
  })

  it("spends the usage of other instances, and pays back what all let through together", () => {
    const limiter = new RateLimiter(10)
    for (let i = 0; i < 4; i++) limiter.take("a", START)
    limiter.addUsage("a", 5, START)
    expect(limiter.take("a", START)).toStrictEqual({ allowed: true })
    expect(limiter.take("a", START)).toStrictEqual(blocked(6))
    limiter.addUsage("a", 5, START)
    expect(limiter.peek("a", START)).toStrictEqual(blocked(36))
    limiter.spend("a", START)
    expect(limiter.peek("a", START)).toStrictEqual(blocked(36))
    limiter.addUsage("a", 1000, START)
    expect(limiter.peek("a", START)).toStrictEqual(blocked(66))
    expect(limiter.peek("a", START + 66_000)).toStrictEqual({ allowed: true })
  })

  it("counts late usage by its age", () => {
    const limiter = new RateLimiter(10)
    limiter.addUsage("a", 10, START - 30_000)
    for (let i = 0; i < 5; i++) expect(limiter.take("a", START)).toStrictEqual({ allowed: true })
    expect(limiter.take("a", START)).toStrictEqual(blocked(6))
    limiter.addUsage("a", 1, START - 30_000)
    expect(limiter.peek("a", START)).toStrictEqual(blocked(12))
  })

  it("shares its own usage once, and none of other instances", () => {
    const limiter = new RateLimiter(10)
    limiter.addUsage("a", 3, START)
    limiter.take("a", START)
    limiter.take("a", START)
    limiter.take("b", START)
    limiter.spend("c", START)
    for (let i = 0; i < 5; i++) limiter.spend("c", START)
    expect(limiter.takeUsage(2)).toStrictEqual([
      ["c", 6],
      ["a", 2]
    ])
    expect(limiter.takeUsage(2)).toStrictEqual([])
    const off = new RateLimiter(0)
    off.spend("a", START)
    off.addUsage("a", 3, START)
    expect(off.takeUsage(2)).toStrictEqual([])
    expect(off.size).toBe(0)
  })

  it("drops idle keys", () => {
    const limiter = new RateLimiter(10)
    for (let i = 0; i < 500; i++) limiter.take(`key-${i}`, START)
    expect(limiter.size).toBe(500)
    limiter.take("late", START + 61_000)
    expect(limiter.size).toBe(1)
  })

  it("keeps its size under a flood of keys, and keeps blocked keys", () => {
    const limiter = new RateLimiter(3, 100)
    for (let i = 0; i < 3; i++) limiter.spend("blocked", START)
    let largest = 0
    for (let i = 0; i < 20_000; i++) {
      const now = START + Math.floor(i / 100)
      limiter.take(`flood-${i}`, now)
      if (i % 3 === 0) limiter.take(`flood-${i}`, now)
      largest = Math.max(largest, limiter.size)
    }
    expect(largest).toBe(100)
    expect(limiter.peek("blocked", START + 200)).toStrictEqual(blocked(20))
  })

  it("evicts the fullest bucket", () => {
    const limiter = new RateLimiter(10, 10)
    for (let i = 0; i < 10; i++) {
      for (let n = 0; n < (i === 4 ? 9 : 10); n++) limiter.spend(`key-${i}`, START)
    }
    limiter.spend("newcomer", START)
    limiter.spend("key-4", START)
    const decisions = Array.from({ length: 10 }, (_, i) => limiter.peek(`key-${i}`, START).allowed)
    expect(decisions).toStrictEqual(Array.from({ length: 10 }, (_, i) => i === 4))
  })

  it("answers a flood of 300,000 keys with at most 100,000 buckets", () => {
    const limiter = new RateLimiter(120)
    for (let i = 0; i < 300_000; i++) limiter.take(String(i), START)
    expect(limiter.size).toBeLessThanOrEqual(100_000)
    expect(limiter.size).toBeGreaterThan(89_000)
  })
})
