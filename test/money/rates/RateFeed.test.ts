import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { FetchHttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { AuditLog } from "../../../src/platform/audit/AuditLog.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { RateFeed } from "../../../src/money/rates/RateFeed.ts"
import { RateQuote } from "../../../src/money/rates/RateQuote.ts"
import { Rates, WantedRate } from "../../../src/money/rates/Rates.ts"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { backends, storesOn, type Backend } from "../../support/Stores.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { Schema } from "effect"

/** A server whose document tests replace. */
const source = Effect.acquireRelease(
  Effect.async<{ url: string; answer: { status: number; body: string }; asked: () => number; close: () => void }>(
    (resume) => {
      const answer = { status: 200, body: "" }
      let asked = 0
      const server = createServer((_, response) => {
        asked++
        response.writeHead(answer.status).end(answer.body)
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const close = () => server.close()
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}/latest`, answer, asked: () => asked, close }))
      })
    }
  ),
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
  interval = "1 millis"
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const served = yield* source
      const settings = testSettings({ RATE_SOURCE: rateSource(served.url), RATE_SOURCE_INTERVAL: interval })
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

const wait = Effect.promise(() => new Promise((done) => setTimeout(done, 5)))

describe.each(backends)("Rates from a source on %s", (backend) => {
  it.live("stores both directions with their source, and renews them", () =>
    onFeed(
      backend,
      (url) => url,
      (feed, { answer, url }) =>
        Effect.gen(function* () {
          answer.body = document({ KES: 129.35 })
          yield* feed.fetchDue
          expect(yield* stored("USD", "KES")).toMatchObject({ rate: "129.35", source: url, published_at: null })
          expect(yield* stored("KES", "USD")).toMatchObject({ rate: "0.00773096250483" })
          answer.body = document({ KES: 130 })
          yield* wait
          yield* feed.fetchDue
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
      (feed, { answer, url }) =>
        Effect.gen(function* () {
          const store = yield* RateStore
          const rates = yield* Rates
          answer.body = document({ NGN: 1000, KES: 129 })
          yield* feed.fetchDue
          answer.body = document({ NGN: 1200, KES: 130 })
          yield* wait
          yield* feed.fetchDue
          expect((yield* stored("USD", "NGN"))?.rate).toBe("1000")
          expect((yield* stored("USD", "KES"))?.rate).toBe("130")
          const proposals = yield* store.proposals
          expect(proposals.map(({ proposed_by }) => proposed_by)).toEqual([`source ${url}`, `source ${url}`])
          for (const { from_currency: from, rate, to_currency: to } of proposals) {
            const wanted = yield* Schema.decode(WantedRate)({ from, to, rate })
            const changed = yield* rates.set(operatorPermit("platform", "ada"), wanted)
            expect(changed.status).toBe("set")
          }
          expect(yield* stored("USD", "NGN")).toMatchObject({ rate: "1200", source: url })
          answer.body = document({ NGN: 1210 })
          yield* wait
          yield* feed.fetchDue
          expect((yield* stored("USD", "NGN"))?.rate).toBe("1210")
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

  it.live("counts failures with their reason, changes nothing, and recovers", () =>
    onFeed(
      backend,
      (url) => url,
      (feed, { answer, url }) =>
        Effect.gen(function* () {
          const store = yield* RateStore
          answer.body = document({ KES: 129.35 })
          yield* feed.fetchDue
          answer.body = "<html>maintenance</html>"
          yield* wait
          yield* feed.fetchDue
          expect(yield* store.fetches).toMatchObject([{ source: url, failures: 1, last_error: "it is not JSON" }])
          expect((yield* stored("USD", "KES"))?.rate).toBe("129.35")
          answer.body = document({ KES: 131 })
          yield* wait
          yield* feed.fetchDue
          expect(yield* store.fetches).toMatchObject([{ failures: 0, last_error: null }])
        })
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
