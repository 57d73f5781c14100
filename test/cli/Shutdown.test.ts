/** The end of a real server process: in time, in order, and with a word about what it gave up. */
import { once } from "node:events"
import { readFileSync, rmSync } from "node:fs"
import { Agent, type IncomingMessage, request } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
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
import { silentProxy } from "./SilentProxy.ts"

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

/** To a phone whose last digits tell the rail how to behave. */
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

it("ends in time although its database has fallen silent", async () => {
  const proxy = await silentProxy(database.url)
  const server = await startServer({ ...env, DATABASE_URL: proxy.url })
  proxy.fallSilent()
  const asked = ask(server, "/readyz", new Agent())
  expect((await asked).statusCode).toBe(503)
  const began = performance.now()
  await server.stop()
  expect(performance.now() - began).toBeLessThan(IN_TIME)
  proxy.close()
})
