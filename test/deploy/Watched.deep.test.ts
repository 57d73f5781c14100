/**
 * The built server as an operator watches it: what the rules and the dashboard ask for is exposed, each request has its
 * line, and a payment can be followed from the caller's trace to its providers, its statements, the workers and its webhooks.
 */
import { randomUUID } from "node:crypto"
import { spawnSync } from "node:child_process"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { firstOfFreePorts } from "../bench/FreePort.ts"
import { type Ended, freePort, ownDatabase, type OwnDatabase, query, startServer, temporaryFolder } from "../cli/Cli.ts"
import { byPhone } from "../payments/support/Requests.ts"
import { until } from "../payments/support/RealServer.ts"
import { attributesOf, type CollectedSpan, type Collector, openCollector } from "../support/Collector.ts"
import { documented, metricsNamed } from "./Monitoring.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 })

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const UNKNOWN_TRACE = "5bf92f3577b34da6a3ce929d0e0e4737"
const CALLER = "00f067aa0ba902b7"

const dataDir = temporaryFolder()
const hooks: Array<{ readonly headers: IncomingHttpHeaders; readonly event: string; readonly payment: string }> = []
const receiver = createServer((request, response) => {
  let text = ""
  request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  request.on("end", () => {
    const { data, event_type } = JSON.parse(text) as { event_type: string; data: { payment_id: string } }
    hooks.push({ headers: request.headers, event: event_type, payment: data.payment_id })
    response.writeHead(204).end()
  })
})

/** A card payment in Germany, answered by a fake. */
const inGermany = (amount: number) => ({
  amount,
  target_amount: amount,
  currency: "EUR",
  target_currency: "EUR",
  country: "DE",
  payment_method: "card",
  direction: "payin",
  payer_details: { name: "Ada Lovelace", email: "ada@example.com", phone: "+4915112345678" },
  card_details: { card_number: "4242424242424242", expiry_month: "12", expiry_year: "2035", cvv: "123" }
})

let collector: Collector
let database: OwnDatabase
let ended: Ended
let page = ""
let again = ""
let paid: { readonly payment_id: string }
let org = ""

const initiate = async (url: string, key: string, body: unknown, traceparent?: string) => {
  const answer = await fetch(`${url}/v1/payments-init/initiate`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: "NONE",
      "x-api-key": key,
      ...(traceparent === undefined ? {} : { traceparent })
    },
    body: JSON.stringify(body)
  })
  return (await answer.json()) as { readonly response?: { readonly payment_id: string }; readonly payment_id?: string }
}

type Row = Readonly<Record<string, unknown>>

let events: ReadonlyArray<Row> = []

/** Completion of the payment by phone. */
const isCompletion = ({ data, event_type }: Row): boolean =>
  event_type === "payment.completed" && (data as { readonly payment_id: string }).payment_id === paid.payment_id

let delivered: { readonly log: ReadonlyArray<{ readonly headers: Readonly<Record<string, string>> | null }> }

beforeAll(async () => {
  collector = await openCollector()
  database = await ownDatabase()
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening))
  const metricsPort = await freePort()
  const server = await startServer({
    LOG_FORMAT: "json",
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: await freePort(),
    METRICS_PORT: metricsPort,
    CORRIDOR_FAKES: String(await firstOfFreePorts(10)),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    CARD_DATA: "raw",
    STATUS_ENQUIRY_DELAYS: "500 millis, 1 hour",
    PROVIDER_TIMEOUT: "2 seconds",
    SANDBOX_RAIL_PACE: "300 millis"
  })
  const { orgs } = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as {
    readonly orgs: ReadonlyArray<{
      readonly org_id: string
      readonly api_key: string
      readonly users: ReadonlyArray<{ readonly role: string; readonly jwt: string }>
    }>
  }
  const { api_key: key, org_id, users } = orgs[0]!
  org = org_id
  const clearing = `clearing/${randomUUID()}/${randomUUID()}/KES`
  await query(
    database.url,
    `insert into ledger_postings (entry_id, org_id, account, currency, amount, kind) values
      ('00000000-0000-7000-8000-000000000001', '${org}', '${clearing}', 'KES', 12.5, 'clearing'),
      ('00000000-0000-7000-8000-000000000001', '${org}', 'provider/fiat/KES', 'KES', -12.5, 'clearing'),
      ('00000000-0000-7000-8000-000000000002', null, 'fx/KES', 'KES', 7.25, 'payin'),
      ('00000000-0000-7000-8000-000000000002', null, 'provider/fiat/KES', 'KES', -7.25, 'payin')`
  )
  const admin = users.find(({ role }) => role === "org-admin")!.jwt
  const hook = await fetch(`${server.url}/v1/public/webhooks`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${admin}`, "x-api-key": "NONE" },
    body: JSON.stringify({
      endpoint_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
      events: ["*"]
    })
  })
  expect(hook.status).toBe(201)
  const first = await initiate(server.url, key, byPhone(), `00-${TRACE}-${CALLER}-01`)
  paid = first.response!
  await initiate(server.url, key, inGermany(49.21), `00-${TRACE}-${CALLER}-01`)
  await initiate(server.url, key, inGermany(20.01))
  await initiate(server.url, key, byPhone("+254712340003"), `00-${UNKNOWN_TRACE}-${CALLER}-01`)
  await initiate(server.url, key, { ...byPhone(), amount: -1 })
  await fetch(`${server.url}/v1/payments/${paid.payment_id}/timeline`, {
    headers: { authorization: "NONE", "x-api-key": key }
  })
  await until("payment.completed is delivered", () =>
    Promise.resolve(
      hooks.some(({ event, payment }) => event === "payment.completed" && payment === paid.payment_id)
        ? true
        : undefined
    )
  )
  // Metrics are refreshed, and spans exported, every few seconds.
  const scrape = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  page = await until("an unknown outcome and the worth of FX accounts are in the figures", async () => {
    const text = await scrape()
    const isThere = /^corridor_unknown_outcomes\{provider="fiat"\} 1$/m.test(text) && /^corridor_fx_usd\{/m.test(text)
    return isThere ? text : undefined
  })
  await until("the enquiry is collected", () =>
    Promise.resolve(collector.spans.some(({ name }) => name === "Enquiry") ? true : undefined)
  )
  const read = async <A>(path: string) => {
    const answer = await fetch(`${server.url}/v1/public/${path}`, {
      headers: { authorization: "NONE", "x-api-key": key }
    })
    return ((await answer.json()) as { readonly data: A }).data
  }
  events = await read("events?limit=100")
  const done = await until("the delivery is written down", async () => {
    const all = await read<ReadonlyArray<Row>>("webhooks/deliveries?status=delivered&limit=100")
    const { event_id } = events.find(isCompletion)!
    return all.find((one) => one["event_id"] === event_id)
  })
  delivered = await read(`webhooks/deliveries/${String(done["delivery_id"])}`)
  again = await scrape()
  ended = await server.stop()
})

afterAll(async () => {
  receiver.closeAllConnections()
  receiver.close()
  collector.close()
  await database.drop()
  rmSync(dataDir, { recursive: true })
})

/** Without Effect's own fiber metrics. */
const ofOurs = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !/^(# \w+ )?effect_/.test(line))
    .join("\n")

/** Units that Prometheus replaces by seconds, bytes and ratios. */
const otherUnits =
  /_(milliseconds?|millis|ms|microseconds?|nanoseconds?|minutes?|hours?|days?|kilobytes?|megabytes?|kb|mb|percent)(_|$)/

const families = (text: string) => new Map(Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, n, t]) => [n!, t!]))

describe("metrics", () => {
  it("in rules and dashboard all exist", () => {
    const known = families(page)
    const exposed = (name: string) =>
      known.has(name) || known.get(name.replace(/_(bucket|sum|count)$/, "")) === "histogram"
    expect(metricsNamed.filter((name) => !exposed(name))).toEqual([])
  })

  it("are exactly those in docs/operating.md", () => {
    expect([...families(ofOurs(page)).keys()].sort()).toEqual([...documented("metrics")].sort())
  })

  it("count payments, attempts, declines, deliveries and open work", () => {
    const line = (text: string) => expect(page).toContain(`\n${text}\n`)
    expect(page).toMatch(
      /^corridor_payments_total\{status="processing",provider="fiat",method="mobile_money",direction="inbound"\} [1-9]/m
    )
    expect(page).toMatch(/^corridor_payments_total\{status="completed",provider="fiat",method="mobile_money".*\} 1$/m)
    expect(page).toMatch(/^corridor_attempts_total\{provider="stripe",outcome="declined"\} [12]$/m)
    expect(page).toMatch(/^corridor_declines_total\{provider="stripe",reason="[A-Z_]+"\} [12]$/m)
    expect(page).toMatch(/^corridor_attempt_seconds_count\{provider="stripe"\} [1-9]/m)
    expect(page).toMatch(/^corridor_payment_failures_total\{provider="stripe",reason="[A-Z_]+"\} 1$/m)
    expect(page).toMatch(/^corridor_provider_circuit_state\{provider="fiat",state="closed"\} 1$/m)
    expect(page).toMatch(/^corridor_unknown_outcome_oldest_seconds\{provider="fiat"\} \d/m)
    expect(page).toMatch(/^corridor_webhook_deliveries_total\{outcome="delivered"\} [1-9]/m)
    expect(page).toMatch(/^corridor_build_info\{version="[\d.]+",mode="sandbox"\} 1$/m)
    line('corridor_suspense_minor_units{currency="KES"} 1250')
    line('corridor_webhook_deliveries_total{outcome="dead"} 0')
    line('corridor_worker_up{worker="webhooks"} 1')
    line('corridor_declines_total{provider="stripe",reason="CREDENTIALS_REFUSED"} 0')
    line('corridor_operator_items{kind="review"} 0')
  })

  it("follow Prometheus' naming, without unbounded labels", () => {
    for (const [name, type] of families(again)) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
      expect(name).not.toMatch(otherUnits)
      expect(name).not.toMatch(/_(count|sum|bucket|counter|gauge|histogram)$/)
      if (type === "counter") expect(name).toMatch(/_total$/)
      else expect(name).not.toMatch(/_total$/)
      if (type === "histogram") expect(name).toMatch(/_(seconds|bytes)$/)
      expect(again, name).toMatch(new RegExp(`^# HELP ${name} \\S`, "m"))
    }
    expect(again).toMatch(/^effect_fiber_lifetime_seconds_bucket\{le="0\.0005"\} \d+$/m)
    expect(again).not.toContain(paid.payment_id)
    expect(again).not.toContain(org)
    expect(again).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/)
    const routesIn = (text: string) => new Set(Array.from(text.matchAll(/route="([^"]*)"/g), ([, route]) => route!))
    const routes = routesIn(page)
    // A route has its series from its first request on; these had theirs between the two scrapes.
    const called = ["events", "webhooks/deliveries", "webhooks/deliveries/:delivery_id"].map(
      (name) => `/v1/public/${name}`
    )
    expect([...called, "/metrics"]).toEqual(
      expect.arrayContaining([...routesIn(again)].filter((one) => !routes.has(one)))
    )
    const ofNewRoute = (line: string) => [...routesIn(line)].some((route) => !routes.has(route))
    const series = (text: string) => text.split("\n").filter((line) => /^\w/.test(line) && !ofNewRoute(line)).length
    expect(series(again)).toBeLessThan(series(page) + 60)
  })

  it.skipIf(spawnSync("promtool", ["--version"]).error !== undefined)("pass promtool's own check", () => {
    const { status, stderr, stdout } = spawnSync("promtool", ["check", "metrics"], {
      input: page,
      encoding: "utf8"
    })
    expect([status, stdout, stderr]).toEqual([0, "", ""])
  })
})

describe("the log", () => {
  type Line = Readonly<Record<string, unknown>>
  const lines = () => `${ended.stdout}${ended.stderr}`.split("\n").filter((text) => text !== "")
  const requests = () =>
    lines()
      .map((text) => JSON.parse(text) as Line)
      .filter(({ message }) => message === "Request")

  it("is JSON and nothing else", () => {
    for (const text of lines()) expect(() => JSON.parse(text) as unknown, text).not.toThrow()
  })

  it("has one line for each request with organisation, key, payment and error code", () => {
    const initiations = requests().filter(({ route }) => route === "/v1/payments-init/initiate")
    expect(initiations).toHaveLength(5)
    for (const line of initiations) {
      expect(line).toMatchObject({ level: "INFO", method: "POST", org_id: org, api_key_id: expect.any(String) })
    }
    expect(initiations.filter((line) => line["payment_id"] === paid.payment_id)).toHaveLength(1)
    expect(initiations.map((line) => [line["status"], line["code"]])).toContainEqual([400, "VALIDATION_ERROR"])
    const failed = initiations.find((line) => line["status"] === 502)
    expect(failed).toMatchObject({ code: "ALL_PROVIDERS_FAILED", payment_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(requests()).toContainEqual(
      expect.objectContaining({ route: "/v1/payments/:payment_id/timeline", payment_id: paid.payment_id, status: 200 })
    )
    expect(requests()).toContainEqual(
      expect.objectContaining({ route: "/v1/public/webhooks", user_id: expect.any(String), status: 201 })
    )
  })
})

describe("traces", () => {
  const named = (name: string | RegExp) =>
    collector.spans.filter((span) => (typeof name === "string" ? span.name === name : name.test(span.name)))
  const ancestors = (span: CollectedSpan): ReadonlyArray<string> => {
    const parent = collector.spans.find(({ spanId }) => spanId === span.parentSpanId)
    return parent === undefined ? [span.parentSpanId ?? ""] : [parent.name, ...ancestors(parent)]
  }

  it("continue the caller's trace, with request and result", () => {
    const spans = named("POST /v1/payments-init/initiate")
    expect(spans).toHaveLength(5)
    const own = spans.find((span) => attributesOf(span)["corridor.payment_id"] === paid.payment_id)!
    expect([own.traceId, own.parentSpanId, own.kind]).toEqual([TRACE, CALLER, 2])
    expect(attributesOf(own)).toMatchObject({
      "http.request.method": "POST",
      "http.route": "/v1/payments-init/initiate",
      "http.response.status_code": 200,
      "corridor.org_id": org
    })
    expect(spans.filter(({ parentSpanId }) => parentSpanId === undefined)).toHaveLength(2)
    const failed = spans.find((span) => attributesOf(span)["http.response.status_code"] === 502)!
    expect(failed.status.code).toBe(2)
    expect(attributesOf(failed)).toMatchObject({ "error.type": "ALL_PROVIDERS_FAILED" })
  })

  it("have statements and calls to providers as children", () => {
    const inTrace = collector.spans.filter(({ traceId }) => traceId === TRACE)
    const statement = inTrace.find(({ name }) => name === "sql.execute")!
    expect(ancestors(statement)).toContain("POST /v1/payments-init/initiate")
    const calls = inTrace.filter(({ name }) => name.startsWith("Provider "))
    expect(new Set(calls.map((span) => attributesOf(span)["provider"]))).toEqual(new Set(["stripe", "adyen"]))
    for (const call of calls) expect(ancestors(call)).toContain("POST /v1/payments-init/initiate")
    const dispatched = inTrace.find(({ name }) => name === "Dispatch.call")!
    expect(attributesOf(dispatched)).toMatchObject({ "corridor.direction": "inbound" })
  })

  it("link a worker's run to the request that caused it", () => {
    const enquiry = named("Enquiry").find(({ links }) => links.some(({ traceId }) => traceId === UNKNOWN_TRACE))!
    expect(enquiry.parentSpanId).toBeUndefined()
    expect(enquiry.traceId).not.toBe(UNKNOWN_TRACE)
    const asked = collector.spans.filter(({ traceId }) => traceId === enquiry.traceId)
    expect(asked.some(({ name }) => name.startsWith("sql."))).toBe(true)
    expect(attributesOf(enquiry)).toMatchObject({ "corridor.provider": "fiat", "corridor.org_id": org })
  })

  it("reach webhook receivers, also for later events", () => {
    const deliveries = named("Webhook delivery").filter(({ traceId }) => traceId === TRACE)
    const reported = hooks.filter(({ headers }) => headers["traceparent"]?.includes(TRACE) === true)
    expect(reported.map(({ event }) => event)).toContain("payment.completed")
    for (const { headers } of reported) {
      const [, traceId, spanId] = String(headers["traceparent"]).split("-")
      const span = deliveries.find((one) => one.spanId === spanId)
      expect([span?.traceId, span?.links.map((link) => link.traceId)]).toEqual([traceId, [TRACE]])
    }
  })

  it("are shown for events and delivery attempts", () => {
    const parents = events.filter(isCompletion).map(({ traceparent }) => traceparent)
    expect(parents).toEqual([expect.stringMatching(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))])
    const completed = hooks.find(({ event, payment }) => event === "payment.completed" && payment === paid.payment_id)!
    const { connection: _1, "content-length": _2, host: _3, ...sent } = completed.headers
    expect(delivered.log.map(({ headers }) => headers)).toEqual([sent])
  })

  it("contain neither polling nor secrets", () => {
    const roots = collector.spans.filter(({ parentSpanId }) => parentSpanId === undefined)
    const serving = named("POST /v1/payments-init/initiate").map(({ startTimeUnixNano }) => BigInt(startTimeUnixNano))
    const began = serving.reduce((first, one) => (one < first ? one : first))
    const statements = roots.filter(
      ({ name, startTimeUnixNano }) => name.startsWith("sql.") && BigInt(startTimeUnixNano) > began
    )
    expect(statements.map((span) => String(attributesOf(span)["db.query.text"]).slice(0, 80))).toEqual([])
    expect(JSON.stringify(collector.spans)).not.toMatch(/4242424242424242|ck_test_[A-Za-z0-9]{10}/)
  })
})
