import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FetchHttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Fiber, Layer, Schema, TestClock } from "effect"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { AuditLog } from "../../../src/platform/audit/AuditLog.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { RateFeed } from "../../../src/money/rates/RateFeed.ts"
import { RateQuote } from "../../../src/money/rates/RateQuote.ts"
import { Rates, WantedRate } from "../../../src/money/rates/Rates.ts"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { eventually } from "../../payments/support/PaymentCalls.ts"
import { backends, storesOn, type Backend } from "../../support/OnBothStores.ts"
import { testSettings, type Variables } from "../../support/TestSettings.ts"

interface Answering {
  status: number
  body: string
  headers?: Record<string, string>
  by?: (response: ServerResponse) => void
}

/** A server whose document tests replace. */
const source = Effect.acquireRelease(
  Effect.async<{ url: string; answer: Answering; asked: () => number; close: () => void }>((resume) => {
    const answer: Answering = { status: 200, body: "" }
    let asked = 0
    const server = createServer((_, response) => {
      asked++
      if (answer.by === undefined) response.writeHead(answer.status, answer.headers).end(answer.body)
      else answer.by(response)
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      const close = () => {
        server.close()
        server.closeAllConnections()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/latest`, answer, asked: () => asked, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** Two instances of the feed over one database, each fetch due at once unless `interval` says otherwise. */
const onFeed = <A, E>(
  backend: Backend,
  rateSource: (url: string) => string,
  test: (
    feed: RateFeed["Type"],
    served: Effect.Effect.Success<typeof source>
  ) => Effect.Effect<A, E, RateStore | Rates | RateQuote | RateFeed>,
  interval = "1 millis",
  variables: Variables = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const served = yield* source
      const settings = testSettings({
        RATE_SOURCE: rateSource(served.url),
        RATE_SOURCE_INTERVAL: interval,
        ...variables
      })
      const services = Layer.merge(RateFeed.layer, Rates.layer).pipe(
        Layer.provideMerge(Layer.merge(RateQuote.layer, AuditLog.layer)),
        Layer.provideMerge(storesOn(backend)),
        Layer.provide([settings, Ids.layer, FetchHttpClient.layer]),
        Layer.provideMerge(settings),
        Layer.provideMerge(Ids.layer)
      )
      return yield* Effect.provide(
        Effect.flatMap(RateFeed, (feed) => test(feed, served)),
        services
      )
    })
  )

const document = (rates: Readonly<Record<string, number>>) => JSON.stringify({ base: "USD", rates })

const stored = (from: string, to: string) =>
  Effect.flatMap(RateStore, (store) =>
    Effect.map(store.list, (all) => all.find((one) => one.from_currency === from && one.to_currency === to))
  )

const [usd, kes] = [CurrencyCode.make("USD"), CurrencyCode.make("KES")]

const wait = Effect.promise(() => new Promise((done) => setTimeout(done, 5)))

/** Fetches as soon as the next fetch is due. */
const fetchAgain = (feed: RateFeed["Type"], asked: () => number) =>
  Effect.suspend(() => {
    const before = asked()
    return Effect.repeat(feed.fetchDue, { until: () => asked() > before })
  })

describe.each(backends)("Rates from a source on %s", (backend) => {
  it.live("stores both directions with their source, and renews them", () =>
    onFeed(
      backend,
      (url) => url,
      (feed, { answer, asked, url }) =>
        Effect.gen(function* () {
          answer.body = document({ KES: 129.35 })
          yield* feed.fetchDue
          expect(yield* stored("USD", "KES")).toMatchObject({ rate: "129.35", source: url, published_at: null })
          expect(yield* stored("KES", "USD")).toMatchObject({ rate: "0.00773096250483" })
          answer.body = document({ KES: 130 })
          yield* fetchAgain(feed, asked)
          expect((yield* stored("USD", "KES"))?.rate).toBe("130")
        })
    )
  )

  it.live("is fetched once by all instances while it is not due", () =>
    onFeed(
      backend,
      (url) => url,
      (feed, { answer, asked }) =>
        Effect.gen(function* () {
          answer.body = document({ KES: 129.35 })
          yield* Effect.all([feed.fetchDue, feed.fetchDue, feed.fetchDue], { concurrency: "unbounded" })
          expect(asked()).toBe(1)
        }),
      "1 hour"
    )
  )

  it.live("proposes a move of more than 10 percent, keeps the old rate, and goes on once it is confirmed", () =>
    onFeed(
      backend,
      (url) => url,
      (feed, { answer, asked, url }) =>
        Effect.gen(function* () {
          const store = yield* RateStore
          const rates = yield* Rates
          answer.body = document({ NGN: 1000, KES: 129 })
          yield* feed.fetchDue
          answer.body = document({ NGN: 1200, KES: 130 })
          yield* fetchAgain(feed, asked)
          expect((yield* stored("USD", "NGN"))?.rate).toBe("1000")
          expect((yield* stored("USD", "KES"))?.rate).toBe("130")
          const proposals = yield* store.proposals
          expect(proposals.map(({ proposed_by }) => proposed_by)).toEqual([`source ${url}`, `source ${url}`])
          // The source moves on a little. What was proposed first can still be confirmed.
          answer.body = document({ NGN: 1201, KES: 130 })
          yield* fetchAgain(feed, asked)
          expect(yield* store.proposals).toEqual(proposals)
          const wanted = yield* Schema.decode(WantedRate)({ from: "USD", to: "NGN", rate: "1200" })
          expect((yield* rates.set(operatorPermit("platform", "ada"), wanted)).status).toBe("set")
          expect(yield* stored("USD", "NGN")).toMatchObject({ rate: "1200", source: url })
          // One decision covers the way back.
          expect(yield* stored("NGN", "USD")).toMatchObject({ rate: "0.000833333333333", source: url })
          expect(yield* store.proposals).toEqual([])
          answer.body = document({ NGN: 1210 })
          yield* fetchAgain(feed, asked)
          expect((yield* stored("USD", "NGN"))?.rate).toBe("1210")
        })
    )
  )

  it.live("stops a rate that moves by 10 percent in small steps, and a person's small steps too", () =>
    onFeed(
      backend,
      (url) => url,
      (feed, { answer, asked }) =>
        Effect.gen(function* () {
          const store = yield* RateStore
          const rates = yield* Rates
          for (const NGN of [1000, 1060, 1099, 1160, 1180]) {
            answer.body = document({ NGN })
            yield* fetchAgain(feed, asked)
          }
          expect((yield* stored("USD", "NGN"))?.rate).toBe("1099")
          expect((yield* store.proposals).map(({ rate }) => rate)).toContain("1160")
          const wanted = yield* Schema.decode(WantedRate)({ from: "USD", to: "NGN", rate: "1110" })
          expect((yield* rates.set(operatorPermit("platform", "ada"), wanted)).status).toBe("proposed")
        })
    )
  )

  it.live("leaves a rate alone that an operator set, where manual has the higher priority", () =>
    onFeed(
      backend,
      (url) => `manual,${url}`,
      (feed, { answer, url }) =>
        Effect.gen(function* () {
          yield* Effect.flatMap(RateStore, (store) =>
            store.set([{ from_currency: "USD", to_currency: "KES", rate: "128" }])
          )
          answer.body = document({ KES: 129.35 })
          yield* feed.fetchDue
          expect(yield* stored("USD", "KES")).toMatchObject({ rate: "128", source: "manual" })
          expect(yield* stored("KES", "USD")).toMatchObject({ source: url })
        })
    )
  )

  it.live("proposes both directions, where only one of them moves by more than 10 percent", () =>
    onFeed(
      backend,
      (url) => url,
      (feed, { answer, asked }) =>
        Effect.gen(function* () {
          const store = yield* RateStore
          answer.body = document({ NGN: 1000 })
          yield* feed.fetchDue
          answer.body = document({ NGN: 1105 })
          yield* fetchAgain(feed, asked)
          expect((yield* store.proposals).map(({ from_currency }) => from_currency)).toEqual(["NGN", "USD"])
          // Back near the old rate: nothing is left to decide.
          answer.body = document({ NGN: 1010 })
          yield* fetchAgain(feed, asked)
          expect(yield* store.proposals).toEqual([])
          expect((yield* stored("USD", "NGN"))?.rate).toBe("1010")
        })
    )
  )

  it.live("refuses a document that is too old, of the future, or older than the one before", () =>
    onFeed(
      backend,
      (url) => `${url}#at=/at`,
      (feed, { answer, asked }) =>
        Effect.gen(function* () {
          const store = yield* RateStore
          const DAY = 86_400_000
          const dated = (days: number, KES: number) =>
            JSON.stringify({ base: "USD", rates: { KES }, at: new Date(Date.now() + days * DAY).toISOString() })
          const fetched = (body: string) =>
            Effect.gen(function* () {
              answer.body = body
              yield* fetchAgain(feed, asked)
              return (yield* store.fetches)[0]?.last_error ?? null
            })
          // Thursday's document before Easter, seen on Tuesday.
          expect(yield* fetched(dated(-5.6, 129))).toBeNull()
          expect(yield* fetched(dated(-7, 120))).toMatch(/more than 6d ago/)
          expect(yield* fetched(dated(2, 120))).toMatch(/of the future/)
          expect(yield* fetched(dated(-1, 130))).toBeNull()
          expect(yield* fetched(dated(-2, 120))).toMatch(/older than the one before/)
          expect((yield* stored("USD", "KES"))?.rate).toBe("130")
        })
    )
  )

  it.live("takes the time of the Last-Modified header where the mapping has none", () =>
    onFeed(
      backend,
      (url) => url,
      (feed, { answer, asked }) =>
        Effect.gen(function* () {
          const store = yield* RateStore
          const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
          answer.body = document({ KES: 129.35 })
          answer.headers = { "last-modified": daysAgo(30).toUTCString() }
          yield* feed.fetchDue
          expect((yield* store.fetches)[0]?.last_error).toMatch(/more than 6d ago/)
          expect(yield* stored("USD", "KES")).toBeUndefined()
          answer.headers = { "last-modified": daysAgo(1).toUTCString() }
          yield* fetchAgain(feed, asked)
          expect((yield* stored("USD", "KES"))?.published_at).toBeInstanceOf(Date)
        })
    )
  )

  it.live("takes the time of a file where the mapping has none: an old file renews nothing", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "corridor-rates-"))
      const file = join(folder, "rates.json")
      writeFileSync(file, document({ KES: 129.35 }))
      const old = new Date(Date.now() - 30 * 86_400_000)
      utimesSync(file, old, old)
      yield* onFeed(
        backend,
        () => `file:${file}`,
        (feed) =>
          Effect.gen(function* () {
            const store = yield* RateStore
            yield* feed.fetchDue
            expect((yield* store.fetches)[0]?.last_error).toMatch(/more than 6d ago/)
            expect(yield* stored("USD", "KES")).toBeUndefined()
            writeFileSync(file, document({ KES: 130 }))
            const renewed = yield* eventually(
              Effect.zipRight(feed.fetchDue, stored("USD", "KES")),
              (one) => one !== undefined
            )
            expect(renewed?.rate).toBe("130")
          })
      )
      rmSync(folder, { recursive: true })
    })
  )

  it.live("takes over from a source of higher priority before its rates are refused", () =>
    onFeed(
      backend,
      (url) => `manual,${url}`,
      (feed, { answer, url }) =>
        Effect.gen(function* () {
          const store = yield* RateStore
          yield* store.set([{ from_currency: "USD", to_currency: "KES", rate: "128" }])
          answer.body = document({ KES: 129.35 })
          yield* feed.fetchDue
          expect((yield* stored("USD", "KES"))?.source).toBe("manual")
          const taken = Effect.zipRight(feed.fetchDue, stored("USD", "KES"))
          expect(yield* eventually(taken, (one) => one?.source === url)).toMatchObject({ rate: "129.35" })
          expect(yield* Effect.flatMap(RateQuote, ({ base }) => base(usd, kes))).toMatchObject({ _tag: "Some" })
        }),
      "600 millis",
      { RATE_MAX_AGE: "2 seconds" }
    )
  )

  it.live("counts failures with their reason, changes nothing, and recovers", () =>
    onFeed(
      backend,
      (url) => url,
      (feed, { answer, asked, url }) =>
        Effect.gen(function* () {
          const store = yield* RateStore
          answer.body = document({ KES: 129.35 })
          yield* feed.fetchDue
          answer.body = "<html>maintenance</html>"
          yield* fetchAgain(feed, asked)
          expect(yield* store.fetches).toMatchObject([{ source: url, failures: 1, last_error: "it is not JSON" }])
          expect((yield* stored("USD", "KES"))?.rate).toBe("129.35")
          answer.body = document({ KES: 131 })
          yield* fetchAgain(feed, asked)
          expect(yield* store.fetches).toMatchObject([{ failures: 0, last_error: null }])
        })
    )
  )
})

describe("Answers of a source", () => {
  it.live(
    "does not follow a redirect, nor take more than 4 MB",
    () =>
      onFeed(
        "memory",
        (url) => url,
        (feed, { answer, asked, url }) =>
          Effect.gen(function* () {
            const store = yield* RateStore
            const problem = Effect.map(store.fetches, ([one]) => one?.last_error)
            Object.assign(answer, { status: 302, headers: { location: `${url}/elsewhere` } })
            yield* feed.fetchDue
            expect(yield* problem).toBe("it answered with 302")
            // The first attempt and two retries, none of them at the other address.
            expect(asked()).toBe(3)
            answer.by = (response) => {
              response.writeHead(200)
              const part = Buffer.alloc(64 * 1024, " ")
              const more = () => {
                while (!response.destroyed && response.write(part)) continue
              }
              response.on("drain", more)
              more()
            }
            yield* fetchAgain(feed, asked)
            expect(yield* problem).toBe("its document is larger than 4 MB")
            expect(yield* store.list).toEqual([])
          })
      ),
    30_000
  )
})

describe("A source in live mode", () => {
  it.effect("may move a rate by 10 percent again after 24 hours", () =>
    onFeed(
      "memory",
      (url) => url,
      (feed, { answer }) =>
        Effect.gen(function* () {
          for (const [hours, NGN, taken] of [
            [0, 1000, "1000"],
            [13, 1080, "1080"],
            [23.9, 1150, "1080"],
            [24, 1150, "1150"],
            [47, 1200, "1150"]
          ] as const) {
            answer.body = document({ NGN })
            yield* TestClock.setTime(hours * 3_600_000)
            yield* feed.fetchDue
            expect((yield* stored("USD", "NGN"))?.rate).toBe(taken)
          }
        }),
      "1 minute"
    )
  )

  const live = {
    CORRIDOR_MODE: "live",
    CORRIDOR_MASTER_KEY: "0".repeat(64),
    KYB_WEBHOOK_SECRET: "a secret of the test"
  }

  it.effect("keeps rates usable for days without a person, which RATE_MAX_AGE would refuse", () =>
    onFeed(
      "memory",
      (url) => url,
      (feed, { answer }) =>
        Effect.gen(function* () {
          const quote = yield* RateQuote
          answer.body = document({ KES: 129.35 })
          yield* feed.fetchDue
          for (let day = 1; day <= 3; day++) {
            yield* TestClock.adjust("25 hours")
            expect(yield* Effect.either(quote.base(usd, kes))).toMatchObject({ left: { _tag: "StaleRate" } })
            yield* feed.fetchDue
            expect(yield* quote.base(usd, kes)).toMatchObject({ _tag: "Some" })
          }
        }),
      "10 minutes",
      live
    )
  )

  it.effect("that sends a byte now and then is given up after the timeout", () =>
    onFeed(
      "memory",
      (url) => url,
      (feed, { answer, asked }) =>
        Effect.gen(function* () {
          const store = yield* RateStore
          let closed = 0
          answer.by = (response) => {
            response.writeHead(200)
            const drip = setInterval(() => response.write(" "), 5)
            response.on("close", () => {
              clearInterval(drip)
              closed++
            })
          }
          const fetching = yield* Effect.fork(feed.fetchDue)
          for (let attempt = 1; attempt <= 3; attempt++) {
            while (asked() < attempt) yield* wait
            yield* wait
            yield* TestClock.adjust("15 seconds")
          }
          yield* Fiber.join(fetching)
          expect(yield* store.fetches).toMatchObject([{ failures: 1, last_error: "it did not answer in time" }])
          while (closed < 3) yield* wait
        }),
      "10 minutes",
      live
    )
  )
})

describe("RATE_SOURCE", () => {
  it.effect("is refused at the start with what to write instead", () =>
    Effect.gen(function* () {
      const built = yield* Effect.either(Effect.scoped(Layer.build(testSettings({ RATE_SOURCE: "ecb,openexchange" }))))
      expect(String(Either.isLeft(built) ? built.left : "")).toContain("RATE_SOURCE")
    })
  )
})
