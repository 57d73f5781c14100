/** Payments between currencies on days without a person: rates come from the sources, over TLS. */
import { FetchHttpClient } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { expect } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Agent, buildConnector, fetch as undiciFetch } from "undici"
import { StoresLive } from "../../../src/app/Stores.ts"
import { RateFeed } from "../../../src/money/rates/RateFeed.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { onServer } from "../../support/TestServer.ts"
import { initiate, lookUp } from "../../payments/support/PaymentCalls.ts"
import { byPhone } from "../../payments/support/Requests.ts"
import { newAuthority } from "../../webhooks/delivery/Certificates.ts"
import { type Answering, newReceiver } from "../../webhooks/delivery/Receiver.ts"

const serving =
  (text: string): Answering =>
  (response) => {
    response.writeHead(200).end(text)
  }

const friday = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10)

const documents = {
  "www.ecb.europa.eu": `<Cube><Cube time='${friday}'><Cube currency='USD' rate='1.0705'/><Cube currency='GBP' rate='0.83'/></Cube></Cube>`,
  "api.coinbase.com": `{"data":{"currency":"USD","rates":{"USDT":"1.0004"}}}`,
  "rates.example": `{"base":"USD","rates":{"KES":129.5}}`
}

/** The three hosts, each with a certificate of its own, and a `fetch` that reaches them. */
const internet = Effect.gen(function* () {
  const authority = newAuthority("Authority of the rate sources")
  const ports = yield* Effect.all(
    Object.fromEntries(
      Object.entries(documents).map(([host, text]) => [
        host,
        Effect.map(newReceiver(serving(text), authority.issue(host)), ({ port }) => port)
      ])
    )
  )
  const connect = buildConnector({ ca: authority.cert })
  const dispatcher = new Agent({
    connect: (options, done) =>
      connect(
        { ...options, hostname: "127.0.0.1", port: String(ports[options.hostname]), servername: options.hostname },
        done
      )
  })
  return ((url: string | URL, init?: object) =>
    undiciFetch(url, { ...init, dispatcher })) as unknown as typeof globalThis.fetch
})

const oneDayLater = Effect.gen(function* () {
  const sql = Option.getOrThrow(yield* Effect.serviceOption(SqlClient.SqlClient))
  yield* sql`update rates set updated_at = updated_at - interval '25 hours'`
  yield* sql`update rate_fetches set next_at = next_at - interval '25 hours', fetched_at = fetched_at - interval '25 hours'`
})

const variables = { RATE_MAX_AGE: "24 hours", RATE_SOURCE: "https://rates.example/latest,ecb,coinbase" }

onServer(
  "Rates from the ECB, Coinbase and an address",
  "PostgreSQL",
  { stores: StoresLive.pipe(Layer.provideMerge(TestDatabase)), variables },
  (it) => {
    it.scoped("let a payment between currencies through on the third day, without a person", () =>
      Effect.gen(function* () {
        const { acme, admin } = yield* people
        const feed = yield* RateFeed
        const fetch = yield* internet
        const quoted = Effect.map(
          send("/v1/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=GBP", { headers: { ...acme.key } }),
          ({ status }) => status
        )
        for (let day = 1; day <= 3; day++) {
          yield* oneDayLater
          expect(yield* quoted).toBe(404)
          yield* Effect.provideService(feed.fetchDue, FetchHttpClient.Fetch, fetch)
          expect(yield* quoted).toBe(200)
        }
        const lock = yield* lookUp("KES", "USD", 2000)
        const paid = yield* initiate({
          ...byPhone(),
          amount: 2000,
          target_amount: 15.44,
          target_currency: "USD",
          org_rate_id: lock.org_rate_id
        })
        expect(paid.status, paid.text).toBe(200)
        const listed = bodyOf(yield* send("/v1/organizations/admin/exchange-rates", { headers: { ...admin } }))
        const sources = ["https://rates.example/latest", "ecb", "coinbase"]
        expect(listed).toMatchObject({ data: { sources: sources.map((source) => ({ source, failures: 0 })) } })
        const { rates } = (listed as { readonly data: { readonly rates: ReadonlyArray<Record<string, unknown>> } }).data
        const originOf = (code: string) =>
          rates.find((one) => one["from_currency"] === code && one["to_currency"] === "USD")
        expect(originOf("GBP")).toMatchObject({ source: "ecb", published_at: `${friday}T00:00:00.000Z` })
        expect(originOf("USDT")).toMatchObject({ source: "coinbase", published_at: null })
        expect(originOf("KES")).toMatchObject({ source: sources[0] })
      })
    )
  }
)
