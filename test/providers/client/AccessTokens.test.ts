/** One fetch for many, a fresh token in time and after a 401, and a failure that is shared and then forgotten. */
import { Deferred, Effect, Fiber, FiberRef, TestClock } from "effect"
import { expect, it } from "@effect/vitest"
import { describe } from "vitest"
import { Declined } from "../../../src/domain/Outcome.ts"
import { caller, type Caller } from "../../../src/providers/client/ConcurrencyLimit.ts"
import {
  MaybeSent,
  NeverSent,
  type CallFailed,
  type ProviderReply
} from "../../../src/providers/client/ProviderHttp.ts"
import { type Granted, makeAccessTokens } from "../../../src/providers/client/AccessTokens.ts"
import { idFrom } from "../../support/AnyId.ts"

const reply = (status: number): ProviderReply => ({ status, headers: {}, text: "", json: undefined })

/** Gives t1, t2, … and counts; `wait` holds every fetch up. */
const issuer = (expiresInSeconds = 3600, wait: Effect.Effect<void> = Effect.void) => {
  const issued = { fetches: 0 }
  const fetch: Effect.Effect<Granted, CallFailed | Declined> = Effect.zipRight(
    wait,
    Effect.sync(() => ({ token: `t${++issued.fetches}`, expiresInSeconds }))
  )
  return { issued, fetch }
}

/** A third party that takes the tokens named, and keeps what it was shown. */
const taking = (...good: ReadonlyArray<string>) => {
  const shown: Array<string> = []
  const run = (token: string) =>
    Effect.sync(() => {
      shown.push(token)
      return reply(good.includes(token) ? 200 : 401)
    })
  return { shown, run }
}

describe("a token", () => {
  it.effect("is fetched once for many that need it at once", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { fetch, issued } = issuer(3600, Deferred.await(gate))
      const tokens = makeAccessTokens(fetch)
      const { run, shown } = taking("t1")
      const callers = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 50 }, () => tokens.use(run)),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.yieldNow()
      yield* Deferred.succeed(gate, undefined)
      const replies = yield* Fiber.join(callers)
      expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
      expect(shown).toHaveLength(50)
      expect(issued.fetches).toBe(1)
    })
  )

  it.effect("is used again until a minute before its end, then replaced", () =>
    Effect.gen(function* () {
      const { fetch, issued } = issuer(3600)
      const tokens = makeAccessTokens(fetch)
      const { run, shown } = taking("t1", "t2")
      yield* tokens.use(run)
      yield* TestClock.adjust("3539 seconds")
      yield* tokens.use(run)
      expect(issued.fetches).toBe(1)
      yield* TestClock.adjust("1 second")
      yield* tokens.use(run)
      expect(shown).toEqual(["t1", "t1", "t2"])
    })
  )

  it.effect("of a short life is replaced when a tenth of it is left", () =>
    Effect.gen(function* () {
      const { fetch } = issuer(100)
      const tokens = makeAccessTokens(fetch)
      const { run, shown } = taking("t1", "t2")
      yield* tokens.use(run)
      yield* TestClock.adjust("89 seconds")
      yield* tokens.use(run)
      yield* TestClock.adjust("1 second")
      yield* tokens.use(run)
      expect(shown).toEqual(["t1", "t1", "t2"])
    })
  )

  it.effect("has its life counted from before it was asked for", () =>
    Effect.gen(function* () {
      const { fetch } = issuer(100, Effect.sleep("30 seconds"))
      const tokens = makeAccessTokens(fetch)
      const { run, shown } = taking("t1", "t2")
      const first = yield* Effect.fork(tokens.use(run))
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.join(first)
      yield* TestClock.adjust("60 seconds")
      const second = yield* Effect.fork(tokens.use(run))
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.join(second)
      expect(shown).toEqual(["t1", "t2"])
    })
  )

  it.effect("that is not taken is replaced once, and the call repeated once", () =>
    Effect.gen(function* () {
      const { fetch, issued } = issuer()
      const tokens = makeAccessTokens(fetch)
      const { run, shown } = taking("t2")
      expect((yield* tokens.use(run)).status).toBe(200)
      expect(shown).toEqual(["t1", "t2"])
      expect((yield* tokens.use(run)).status).toBe(200)
      expect(issued.fetches).toBe(2)
    })
  )

  it.effect("that is never taken leaves the second 401 to the caller", () =>
    Effect.gen(function* () {
      const { fetch, issued } = issuer()
      const { run, shown } = taking()
      expect((yield* makeAccessTokens(fetch).use(run)).status).toBe(401)
      expect(shown).toEqual(["t1", "t2"])
      expect(issued.fetches).toBe(2)
    })
  )

  it.effect("that many were refused with is replaced once for all of them", () =>
    Effect.gen(function* () {
      const { fetch, issued } = issuer()
      const tokens = makeAccessTokens(fetch)
      const { run } = taking("t2")
      const replies = yield* Effect.all(
        Array.from({ length: 20 }, () => tokens.use(run)),
        { concurrency: "unbounded" }
      )
      expect(replies.every(({ status }) => status === 200)).toBe(true)
      expect(issued.fetches).toBe(2)
    })
  )

  it.effect("is replaced even where the issuer gives the same text again", () =>
    Effect.gen(function* () {
      let fetches = 0
      const tokens = makeAccessTokens(Effect.sync(() => ({ token: `same${++fetches > 0}`, expiresInSeconds: 3600 })))
      const statuses = [401, 200, 200]
      const run = () => Effect.sync(() => reply(statuses.shift()!))
      yield* tokens.use(run)
      yield* tokens.use(run)
      expect(fetches).toBe(2)
    })
  )

  it.effect("is not fetched again, nor the call repeated, for any other error", () =>
    Effect.gen(function* () {
      const { fetch, issued } = issuer()
      const tokens = makeAccessTokens(fetch)
      let calls = 0
      const lost = yield* Effect.flip(
        tokens.use(() =>
          Effect.zipRight(
            Effect.sync(() => calls++),
            new MaybeSent({ reason: "reset" })
          )
        )
      )
      expect(lost).toEqual(new MaybeSent({ reason: "reset" }))
      expect((yield* tokens.use(() => Effect.sync(() => (calls++, reply(403))))).status).toBe(403)
      expect(calls).toBe(2)
      expect(issued.fetches).toBe(1)
    })
  )
})

describe("a fetch", () => {
  it.effect("that fails fails for all who wait for it, and is tried again by the next call", () =>
    Effect.gen(function* () {
      let fetches = 0
      const gate = yield* Deferred.make<void>()
      const tokens = makeAccessTokens(
        Effect.zipRight(
          Deferred.await(gate),
          Effect.suspend(() =>
            ++fetches === 1
              ? Effect.fail(new Declined({ reason: "no", code: "CREDENTIALS_REFUSED" }))
              : Effect.succeed({ token: "t", expiresInSeconds: 3600 })
          )
        )
      )
      const { run, shown } = taking("t")
      const callers = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 5 }, () => Effect.flip(tokens.use(run))),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.yieldNow()
      yield* Deferred.succeed(gate, undefined)
      expect((yield* Fiber.join(callers)).map(({ _tag }) => _tag)).toEqual(Array.from({ length: 5 }, () => "Declined"))
      expect([fetches, shown.length]).toEqual([1, 0])
      expect((yield* tokens.use(run)).status).toBe(200)
      expect(fetches).toBe(2)
    })
  )

  it.effect("that may have arrived never means that the order may have", () =>
    Effect.gen(function* () {
      const tokens = makeAccessTokens(new MaybeSent({ reason: "reset" }))
      expect(yield* Effect.flip(tokens.use(taking("t").run))).toEqual(
        new NeverSent({ reason: "no access token: reset" })
      )
    })
  )

  it.effect("is asked for on behalf of all calls, whichever needs it first", () =>
    Effect.gen(function* () {
      const asked: Array<Caller> = []
      const { fetch } = issuer()
      const tokens = makeAccessTokens(
        Effect.zipRight(
          Effect.map(FiberRef.get(caller), (who) => asked.push(who)),
          fetch
        )
      )
      const own = { purpose: "order", orgId: idFrom("of one who asks too much") } as const
      const ran = (token: string) =>
        Effect.flatMap(FiberRef.get(caller), (who) => {
          asked.push(who)
          return taking("t1").run(token)
        })
      yield* Effect.locally(tokens.use(ran), caller, own)
      expect(asked).toEqual([{ purpose: "question", orgId: null }, own])
    })
  )

  it.effect("that had no turn says so", () =>
    Effect.gen(function* () {
      const tokens = makeAccessTokens(new NeverSent({ reason: "no turn", crowded: true }))
      expect(yield* Effect.flip(tokens.use(taking("t").run))).toEqual(
        new NeverSent({ reason: "no access token: no turn", crowded: true })
      )
    })
  )

  it.effect("goes on for the others when the first caller leaves", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { fetch, issued } = issuer(3600, Deferred.await(gate))
      const tokens = makeAccessTokens(fetch)
      const { run } = taking("t1")
      const first = yield* Effect.fork(tokens.use(run))
      yield* Effect.yieldNow()
      const second = yield* Effect.fork(tokens.use(run))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      expect((yield* Fiber.join(second)).status).toBe(200)
      expect(issued.fetches).toBe(1)
    })
  )
})
