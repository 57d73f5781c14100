/** The real server is killed in the middle of five hundred deliveries and started again; then the CLI looks after the dead ones. */
import { randomUUID } from "node:crypto"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { freePort } from "../../bench/FreePort.ts"
import { cliIn, dataIn } from "../../cli/Cli.ts"
import {
  databaseOf,
  discard,
  newDataDir,
  type RealServer,
  startServer,
  until,
  withSql
} from "../../payments/support/RealServer.ts"

const EVENTS = 500

const settings = {
  WEBHOOK_TIMEOUT: "2 seconds",
  WEBHOOK_RETRY_DELAYS: "50 millis, 50 millis",
  LOG_LEVEL: "error"
}

const register = async (server: RealServer, endpoint_url: string): Promise<string> => {
  const response = await fetch(`${server.url}/v1/public/webhooks`, {
    method: "POST",
    headers: { authorization: "NONE", "x-api-key": server.apiKey, "content-type": "application/json" },
    body: JSON.stringify({ endpoint_url })
  })
  const text = await response.text()
  expect(response.status, text).toBe(201)
  return (JSON.parse(text) as { readonly data: { readonly webhook_id: string } }).data.webhook_id
}

/** In one statement, as a busy hour would leave them. */
const writeEvents = (dataDir: string, webhookId: string, count: number): Promise<ReadonlyArray<string>> => {
  const ids = Array.from({ length: count }, () => randomUUID())
  return withSql(databaseOf(dataDir), async (sql) => {
    await sql.query(
      `insert into events (event_id, org_id, event_type, payload, created_at)
       select id, w.org_id, 'payment.completed', json_build_object('event_id', id)::text, now()
       from unnest($1::uuid[]) id, webhooks w where w.webhook_id = $2`,
      [ids, webhookId]
    )
    return ids
  })
}

const environment = (dataDir: string) => ({ DATA_DIR: dataDir, LOG_LEVEL: "error" })

const cli = (dataDir: string, ...args: ReadonlyArray<string>) => cliIn(environment(dataDir))(...args)

const data = <A>(dataDir: string, ...args: ReadonlyArray<string>): Promise<A> =>
  dataIn(environment(dataDir))<A>(...args)

describe("a server with webhooks to deliver", () => {
  const dataDir = newDataDir()
  const seen: Array<string> = []
  let status = 200
  let server: RealServer | undefined
  let receiver: Server | undefined
  let endpoint = ""

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (text: string) => (body += text))
      request.on("end", () => {
        seen.push((JSON.parse(body) as { readonly event_id: string }).event_id)
        response.writeHead(status).end()
      })
    })
    await new Promise<void>((done) => receiver!.listen(0, "127.0.0.1", done))
    endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`
  }, 60_000)

  afterAll(async () => {
    await server?.stop()
    receiver?.closeAllConnections()
    receiver?.close()
    discard(dataDir)
  }, 30_000)

  it("loses none of them to a kill -9", async () => {
    const first = await startServer(dataDir, await freePort(), settings)
    server = first
    const webhookId = await register(first, endpoint)
    const wanted = await writeEvents(dataDir, webhookId, EVENTS)
    await until("a fifth is delivered", async () => (seen.length > EVENTS / 5 ? true : undefined))
    await first.kill()
    const atDeath = new Set(seen).size
    expect(atDeath).toBeLessThan(EVENTS)

    server = await startServer(dataDir, await freePort(), settings)
    await until("every event has arrived", async () => (new Set(seen).size === EVENTS ? true : undefined))
    expect([...new Set(seen)].toSorted()).toEqual([...wanted].toSorted())
    expect(seen.length - EVENTS, "only what was under way came twice").toBeLessThanOrEqual(8)
    await withSql(databaseOf(dataDir), (sql) =>
      until("the queue is empty", async () => {
        const { rows } = await sql.query<{ readonly count: number }>("select count(*)::int from webhook_queue")
        return rows[0]!.count === 0 ? true : undefined
      })
    )
  })

  it("is looked after with corridor webhooks and corridor dlq", async () => {
    status = 500
    const [webhook] = await data<ReadonlyArray<{ readonly webhook_id: string; readonly org_id: string }>>(
      dataDir,
      "webhooks",
      "list"
    )
    expect(webhook).toMatchObject({ endpoint_url: endpoint, status: "active" })
    const { org_id, webhook_id } = webhook!
    const ids = await writeEvents(dataDir, webhook_id, 3)
    interface Dead {
      readonly delivery_id: string
      readonly event_id: string
    }
    const dead = await until("three are dead", async () => {
      const letters = await data<ReadonlyArray<Dead>>(dataDir, "dlq", "list", "--org", org_id, "--webhook", webhook_id)
      return letters.length === 3 ? letters : undefined
    })
    expect(dead.map(({ event_id }) => event_id).toSorted()).toEqual([...ids].toSorted())
    const { delivery_id, event_id } = dead[0]!
    const shown = await data<object>(dataDir, "dlq", "show", delivery_id)
    expect(shown).toMatchObject({ status: "dead", attempts: 3, last_status_code: 500 })
    expect(shown).toMatchObject({ payload: expect.stringContaining(event_id) as string, log: [{}, {}, {}] })
    expect((await cli(dataDir, "dlq", "list")).stdout).toContain("answered with status 500")
    expect(await data(dataDir, "queue", "--org", org_id)).toMatchObject([
      { kind: "dead_letter", webhook_id, payment_id: null, dead_letters: 3, delivery_id: dead.at(-1)!.delivery_id }
    ])
    expect((await cli(dataDir, "queue")).stdout).toMatch(
      new RegExp(`dead_letter +${webhook_id} +3 deliveries to ${endpoint} failed for good`)
    )

    const empty = await cli(dataDir, "dlq", "replay")
    expect(empty.code).toBe(1)
    expect(empty.stderr).toContain("--all")
    expect((await cli(dataDir, "dlq", "show", "nonsense")).code).toBe(1)
    const wrong = await cli(dataDir, "dlq", "replay", "--webhook", webhook_id, "--since", "yesterday")
    expect(wrong.stderr).toContain("--since must be a date or time")

    status = 200
    const before = seen.length
    expect(await data(dataDir, "dlq", "replay", delivery_id)).toEqual({ replayed: 1, disabled: 0 })
    await until("it arrives", async () => (seen.slice(before).includes(event_id) ? true : undefined))
    const since = await cli(dataDir, "dlq", "replay", "--webhook", webhook_id, "--since", "2020-01-01")
    expect(since).toEqual({ code: 0, stdout: "Back in the queue: 2. The server sends them.\n", stderr: "" })
    await until("all arrive", async () => (seen.length === before + 3 ? true : undefined))
    expect(await data(dataDir, "dlq", "list")).toEqual([])
    expect(await data(dataDir, "queue")).toEqual([])
    expect(await data(dataDir, "dlq", "replay", "--all")).toEqual({ replayed: 0, disabled: 0 })
    expect(await server?.stop()).toBe(0)
    server = undefined
  })
})
