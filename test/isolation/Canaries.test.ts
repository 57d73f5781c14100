/**
 * Sends card numbers and secrets through every path and provider. They must be in no table, log, span, metric, event
 * or answer, except the answer that shows a new secret.
 */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Cause, Context, Effect, Exit, Layer, Tracer } from "effect"
import { TestDatabase } from "../support/TestDatabase.ts"
import { StoresLive } from "../../src/app/Stores.ts"
import { startWorkers } from "../../src/app/BackgroundWorkers.ts"
import { startFakes } from "../fakes/AllFakes.ts"
import { act } from "../payments/support/ActionCalls.ts"
import { initiate } from "../payments/support/PaymentCalls.ts"
import { pathOf, submit, typedCard } from "../hosted/pages/PageVisits.ts"
import { linksOf } from "../hosted/links/LinkFixtures.ts"
import { byCard } from "../payments/support/Requests.ts"
import { byKey, people } from "../support/TestCredentials.ts"
import { type Answer, bodyOf, post, send } from "../support/Send.ts"
import { testServer, TestServer } from "../support/TestServer.ts"

const CARD = "4539578763621486"
const groups = CARD.match(/.{4}/g) ?? []
const spellings = [CARD, groups.join(" "), groups.join("-"), Buffer.from(CARD).toString("base64").slice(0, 20)]

/** Proves that the search works. */
const CONTROL = "control-of-canaries"

const TOKEN = "canary-of-an-api-token-0123456789"

type Fields = Readonly<Record<string, unknown>>

const text = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one)) ?? ""

/** Everything a trace collector would get. */
const recorder = () => {
  const traced: Array<string> = []
  const trace = (...words: ReadonlyArray<unknown>) => void traced.push(words.map(text).join(" "))
  const tracer = Tracer.make({
    context: (run) => run(),
    span: (name, parent, context, links, startTime, kind) => {
      trace(name)
      const attributes = new Map<string, unknown>()
      return {
        ...{ _tag: "Span", name, spanId: "span", traceId: "trace", parent, context, links, kind, sampled: true },
        status: { _tag: "Started", startTime },
        attributes,
        attribute: (key, value) => trace(key, value),
        event: (event, _, about) => trace(event, about),
        addLinks: () => {},
        end: (_, exit) => (Exit.isFailure(exit) ? trace(Cause.pretty(exit.cause)) : undefined)
      }
    }
  })
  return { tracer: Layer.setTracer(tracer), traced }
}

const spans = recorder()
let database: SqlClient.SqlClient | undefined

/** The service on PostgreSQL with all fakes, which get full card numbers. */
const service = Layer.unwrapScoped(
  Effect.map(startFakes({ callbackBase: "http://127.0.0.1:9" }), (fakes) => {
    const settings = fakes.flatMap((one) => one.settings)
    const stores = Layer.tap(StoresLive.pipe(Layer.provideMerge(TestDatabase)), (context) =>
      Effect.sync(() => (database = Context.get(context, SqlClient.SqlClient)))
    ).pipe(Layer.provideMerge(Layer.setTracerEnabled(true)))
    const variables = {
      ...Object.fromEntries(settings),
      CARD_DATA: "raw",
      KYB_WEBHOOK_SECRET: "canary-of-a-kyb-secret"
    }
    return Layer.merge(
      testServer("PostgreSQL", { stores, variables }).pipe(Layer.provide(spans.tracer)),
      Layer.succeed(TestSecrets, { secrets: settings.filter(([name]) => SECRET.test(name)).map(([, value]) => value) })
    )
  })
)

/** Secret settings of providers. */
const SECRET = /SECRET|API_KEY|TOKEN|PASSWORD/

class TestSecrets extends Context.Tag("test/TestSecrets")<TestSecrets, { readonly secrets: ReadonlyArray<string> }>() {}

const dataOf = (answer: Answer, status: number): Fields => {
  expect(answer.status, answer.text).toBe(status)
  return (bodyOf(answer) as { readonly data: Fields }).data
}

const dump = Effect.gen(function* () {
  const sql = database!
  const tables = yield* sql<{ readonly name: string }>`
    select quote_ident(table_name) as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`
  const parts = yield* Effect.forEach(tables, ({ name }) =>
    sql.unsafe<{ readonly whole: string }>(`select row::text as whole from ${name} row`)
  )
  return parts
    .flat()
    .map(({ whole }) => whole)
    .join("\n")
})

/** Corridor in which each provider takes a card. */
const lanes: ReadonlyArray<readonly [string, string, string]> = [
  ["stripe", "DE", "EUR"],
  ["adyen", "DE", "EUR"],
  ["paypal", "DE", "EUR"],
  ["flutterwave", "DE", "EUR"],
  ["paystack", "KE", "KES"],
  ["fiat", "KE", "KES"]
]

layer(service, { excludeTestServices: true, timeout: "60 seconds" })("Card numbers and secrets", (it) => {
  it.scoped("are only in the answer that shows a new secret", () =>
    Effect.gen(function* () {
      const { logs } = yield* TestServer
      const { secrets } = yield* TestSecrets
      const { acme, admin } = yield* people
      yield* startWorkers
      const answers: Array<string> = []
      const keep = (answer: Answer) => {
        answers.push(answer.text, text(answer.headers))
        return answer
      }
      const ask = (path: string, headers: object, body: object) => Effect.map(post(path, { ...headers }, body), keep)

      const taken: Array<string> = []
      for (const [provider, country, currency] of lanes) {
        const lane = {
          provider,
          country,
          payment_method: "card",
          direction: "inbound",
          priority: 1,
          org_id: acme.org_id
        }
        const { config_id } = dataOf(yield* ask("/v1/payments/provider-configs", admin, lane), 201)
        const order = { ...byCard(CARD), country, currency, target_currency: currency, description: CONTROL }
        for (const path of ["initiate", "route-preview"]) {
          const headers = { ...acme.key, "idempotency-key": `${provider}-${path}` }
          const answer = yield* ask(`/v1/payments-init/${path}`, headers, order)
          if (path === "initiate")
            taken.push(`${provider} ${answer.status} ${String((bodyOf(answer) as Fields)["response"] !== undefined)}`)
        }
        const declined = { ...order, amount: 100.01, target_amount: 100.01 }
        yield* ask("/v1/payments-init/initiate", acme.key, declined)
        const path = `/v1/payments/provider-configs/${provider}/${String(config_id)}`
        if (provider !== "fiat") {
          const headers = { ...admin, "content-type": "application/json" }
          const body = JSON.stringify({ api_token: TOKEN, secret_key: TOKEN, api_key: TOKEN })
          keep(yield* send(`${path}/credentials`, { method: "PUT", headers, body }))
        }
        yield* send(path, { method: "DELETE", headers: { ...admin } })
      }
      expect(taken.filter((one) => one.endsWith("200 true")).length, taken.join("; ")).toBe(lanes.length)

      for (const change of [
        { card_number: groups.join(" ") },
        { expiry_month: CARD },
        { cvv: CARD },
        { card_holder_name: 7 }
      ]) {
        const { card_details, ...rest } = byCard(CARD)
        yield* ask("/v1/payments-init/initiate", acme.key, { ...rest, card_details: { ...card_details, ...change } })
      }
      // A card held for review is entered again.
      const threshold = (review_threshold: number | null) =>
        send(`/v1/organizations/${acme.org_id}`, {
          method: "PATCH",
          headers: { ...admin, "content-type": "application/json" },
          body: JSON.stringify({ review_threshold })
        })
      yield* threshold(1000)
      const held = yield* initiate(byCard(CARD))
      yield* threshold(null)
      const approved = yield* act(held.payment_id, { action: "review" }, acme.token("staff"))
      const path = pathOf(approved.response["redirect_url"])
      keep(yield* submit(path, typedCard(`${groups.join(" ")} 1`)))
      keep(yield* submit(path, typedCard(groups.join(" "))))
      const link = { amount: 1500, currency: "KES", country: "KE", amount_type: "fixed", description: CONTROL }
      const { link_ref } = dataOf(yield* ask(linksOf(acme.org_id), acme.key, link), 201)
      const { action: _, expiry, number, cvv } = typedCard(groups.join(" "))
      const form = {
        method: "card",
        number,
        expiry,
        cvv,
        name: "Wanjiru Kamau",
        email: "w@example.com",
        phone: "0712345678"
      }
      keep(yield* submit(`/pay/${String(link_ref)}`, { ...form, email: "nonsense" }))
      const paid = keep(yield* submit(`/pay/${String(link_ref)}`, form))
      expect(paid.status, paid.text).toBe(303)

      // Each secret is shown once.
      const { api_key, api_key_id } = dataOf(yield* post("/v1/public/api-keys", { ...acme.key }, { name: "x" }), 201)
      const rotated = dataOf(yield* post(`/v1/public/api-keys/${String(api_key_id)}/rotate`, { ...acme.key }, {}), 200)
      const hook = { endpoint_url: "http://127.0.0.1:9/" }
      const webhook = dataOf(yield* post("/v1/public/webhooks", { ...acme.key }, hook), 201)
      const rotation = `/v1/public/webhooks/${String(webhook["webhook_id"])}/rotate-secret`
      const renewed = dataOf(yield* post(rotation, { ...acme.key }, {}), 200)
      const shown = [api_key, rotated["api_key"], webhook["secret_key"], renewed["secret_key"]].map(String)

      for (const credential of [byKey(String(rotated["api_key"])), acme.token("org-admin"), admin]) {
        const lists = [
          "/public/api-keys",
          "/public/webhooks",
          "/audit-log",
          "/public/events",
          "/public/webhooks/deliveries"
        ]
        for (const one of [
          ...lists,
          "/transactions",
          "/payments/provider-configs",
          "/users/list",
          "/operations/queue"
        ]) {
          keep(yield* send(`/v1${one}?limit=100`, { headers: { ...credential } }))
        }
        keep(yield* send("/v1/nothing", { headers: { ...credential } }))
        keep(yield* send("/v1/public/api-keys", { headers: { ...credential, "x-api-key": TOKEN } }))
      }
      keep(yield* send("/metrics"))
      keep(yield* send("/readyz"))

      const tokens = [...(["org-admin", "staff", "member"] as const).map((role) => acme.jwt(role)), acme.api_key]
      const canaries = [...spellings, TOKEN, "canary-of-a-kyb-secret", ...secrets, ...shown, ...tokens]
      expect(canaries.filter((canary) => canary.length < 8)).toEqual([])
      const places = {
        "a table": yield* dump,
        "the log": logs.map((line) => text(line)).join("\n"),
        "a span": spans.traced.join("\n"),
        "an answer": answers.join("\n")
      }
      expect(places["a table"], "the search finds what is there").toContain(CONTROL)
      expect(places["a span"], "there are spans").toContain("/v1/payments-init/initiate")
      expect(places["the log"].length, "there is a log").toBeGreaterThan(1000)
      expect(places["an answer"], "there are answers").toContain("http_requests")
      const found = Object.entries(places).flatMap(([place, whole]) =>
        canaries.flatMap((canary) => (whole.includes(canary) ? [`${canary} in ${place}`] : []))
      )
      expect(found).toEqual([])
      for (const [place, whole] of Object.entries(places)) expect(whole.includes('\\"cvv\\":\\"1'), place).toBe(false)
    })
  )
})
