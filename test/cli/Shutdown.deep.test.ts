/** The end of a real server process: in time, in order, and with a word about what it gave up. */
import { once } from "node:events"
import { readFileSync, rmSync } from "node:fs"
import { Agent, createServer, type IncomingMessage, request } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { startProxy } from "../chaos/environment/Proxy.ts"
import {
  type Environment,
  freePort,
  type OwnDatabase,
  ownDatabase,
  query,
  type RunningServer,
  startServer,
  temporaryFolder
} from "./Cli.ts"

// Every step is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** 15 seconds, and what a busy machine adds. */
const IN_TIME = 25_000

const dataDir = temporaryFolder()
let database: OwnDatabase
let env: Environment

beforeAll(async () => {
  database = await ownDatabase()
  env = { DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: await freePort() }
})

afterAll(async () => {
  await database.drop()
  rmSync(dataDir, { recursive: true })
})

const apiKey = () =>
  (JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as { orgs: [{ api_key: string }] }).orgs[0].api_key

const ask = (server: RunningServer, path: string, agent: Agent, body?: object): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: "NONE", "x-api-key": apiKey(), "content-type": "application/json" }
    const method = body === undefined ? "GET" : "POST"
    const asked = request(`${server.url}${path}`, { agent, method, headers }, (answer) => {
      answer.resume()
      answer.once("end", () => resolve(answer))
    })
    asked.once("error", reject)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })

/** Phone whose last digits choose the simulator's behaviour. */
const payment = (phone: string) => ({
  amount: 1500,
  currency: "KES",
  target_amount: 1500,
  target_currency: "KES",
  payment_method: "mobile_money",
  direction: "payin",
  country: "KE",
  payer_details: { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone },
  mobile_money_details: { provider: "mpesa", phone_number: phone }
})

const payments = async () =>
  (await query<{ count: number }>(database.url, "select count(*)::int as count from payments"))[0]!.count

const reachesItsProvider = async (before: number) => {
  await vi.waitUntil(async () => (await payments()) > before, { timeout: 60_000, interval: 20 })
}

it("finishes a request on a kept connection, says that it is the last one, and closes idle connections", async () => {
  const server = await startServer(env)
  const [busy, idle] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })]
  await Promise.all([busy, idle].map((agent) => ask(server, "/healthz", agent)))
  const silent = connect(Number(env["PORT"]), "127.0.0.1")
  await once(silent, "connect")
  const before = await payments()
  const answer = ask(server, "/v1/payments-init/initiate", busy, payment("+254712340007"))
  await reachesItsProvider(before)
  const end = server.stop()
  await once(silent, "close")
  const { headers, statusCode } = await answer
  expect([statusCode, headers.connection]).toEqual([200, "close"])
  const { code, stderr } = await end
  expect(stderr).not.toMatch(/given up/i)
  expect(code).toBe(0)
})

it("cuts off a request that does not end, and says so", async () => {
  const server = await startServer({ ...env, PROVIDER_TIMEOUT: "1 minute" })
  const before = await payments()
  const answer = ask(server, "/v1/payments-init/initiate", new Agent(), payment("+254712340003")).catch(String)
  await reachesItsProvider(before)
  const began = performance.now()
  const { stderr } = await server.stop()
  expect(performance.now() - began).toBeLessThan(IN_TIME)
  expect(await answer).toContain("socket hang up")
  expect(stderr).toContain("Given up at shutdown: requests that were still running (1)")
})

/** Claims that were not given back: the next worker would wait for their leases to end. */
const leases = `select
  (select count(*)::int from attempts where lease_token is not null and leased_until > now()) as attempts,
  (select count(*)::int from rail_timers where lease_token is not null and due_at > now()) as callbacks,
  (select count(*)::int from webhook_queue where lease_token is not null and next_at > now()) as deliveries,
  (select count(*)::int from idempotency_keys where response is null) as keys`

/** Takes its time, so that deliveries are under way when the server is asked to leave. */
const slowReceiver = async () => {
  const receiver = createServer((request, response) => {
    request.resume()
    request.once("end", () => setTimeout(() => response.writeHead(204).end(), 300))
  })
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done))
  return { receiver, url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks` }
}

it("answers all that it has taken on under load, and leaves no lease behind", async () => {
  const { receiver, url } = await slowReceiver()
  const server = await startServer({ ...env, RATE_LIMIT_PER_MINUTE: "0" })
  const agent = new Agent({ keepAlive: true })
  expect((await ask(server, "/v1/public/webhooks", agent, { endpoint_url: url })).statusCode).toBe(201)
  const answered = new Set<string>()
  let isLeaving = false
  const caller = async (number: number): Promise<void> => {
    for (let nth = 0; !isLeaving; nth++) {
      const client_reference = `load-${number}-${nth}`
      const phone = nth % 4 === 3 ? "+254712340007" : "+254712345678"
      const body = { ...payment(phone), client_reference }
      // Connections that are refused were never accepted.
      const answer = await ask(server, "/v1/payments-init/initiate", agent, body).catch(() => undefined)
      if (answer?.statusCode === 200) answered.add(client_reference)
      if (answer === undefined) await pause(50)
    }
  }
  const callers = Array.from({ length: 12 }, (_, at) => caller(at))
  await vi.waitUntil(() => answered.size > 30, { timeout: 60_000, interval: 20 })
  const began = performance.now()
  const { code, stderr } = await server.stop()
  const took = performance.now() - began
  isLeaving = true
  await Promise.all(callers)
  receiver.closeAllConnections()
  receiver.close()
  expect(stderr).not.toMatch(/given up/i)
  expect(code).toBe(0)
  expect(took).toBeLessThan(IN_TIME)
  const made = await query<{ client_reference: string }>(
    database.url,
    "select client_reference from payments where client_reference like 'load-%'"
  )
  expect(made.filter(({ client_reference }) => !answered.has(client_reference))).toEqual([])
  expect(await query(database.url, leases)).toEqual([{ attempts: 0, callbacks: 0, deliveries: 0, keys: 0 }])
})

it("ends in time although its database has fallen silent", async () => {
  const scope = Effect.runSync(Scope.make())
  const target = new URL(database.url)
  const at = Number(target.port)
  const { setMode, port } = await Effect.runPromise(
    Scope.extend(
      startProxy(() => [at]),
      scope
    )
  )
  target.port = String(port)
  const server = await startServer({ ...env, DATABASE_URL: target.toString() })
  setMode("silent")
  const asked = ask(server, "/readyz", new Agent())
  expect((await asked).statusCode).toBe(503)
  const began = performance.now()
  await server.stop()
  expect(performance.now() - began).toBeLessThan(IN_TIME)
  await Effect.runPromise(Scope.close(scope, Exit.void))
})
