/** `corridor listen` through a restart of its server, with an event that appears late, and in live mode. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { json } from "node:stream/consumers"
import { afterEach, expect, it, vi } from "vitest"
import { cliIn, cliRunning, freePort } from "./Cli.ts"

vi.setConfig({ testTimeout: 120_000 })

interface SentEvent {
  readonly event_id: string
  readonly created_at: string
  readonly traceparent?: string
}

interface Received {
  readonly traceparent: string | undefined
  readonly body: unknown
}

let port: number
let http: Server | undefined
let events: Array<SentEvent> = []
let mode = "sandbox"
let polls = 0
let received: Array<Received> = []

const event = (n: number, second: number): SentEvent => ({
  event_id: `0199c2a8-2e50-7c6f-9a32-${String(n).padStart(12, "0")}`,
  created_at: `2026-03-02T09:15:${String(second).padStart(2, "0")}.000Z`
})

const session = () => ({
  credential: "api_key",
  user_id: "u",
  email: "e",
  role: "org-admin",
  access: [],
  organization: null,
  mode
})

/** Serves as much of the API as these commands ask for. */
const answer = (address: URL): unknown => {
  if (address.pathname === "/v1/users/me") return { status: "success", message: "", data: session() }
  polls += 1
  const from = address.searchParams.get("from") ?? ""
  const limit = Number(address.searchParams.get("limit"))
  const shown = events
    .filter(({ created_at }) => created_at >= from)
    .toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))
  const data = shown
    .slice(0, limit)
    .map((one) => ({ ...one, event_type: "kyb.approved", org_id: "o", data: { n: 1.5 } }))
  const meta = { count: data.length, has_more: false, last_evaluated_key: null }
  return { status: "success", message: "", data, meta, last_evaluated_key: null }
}

const receive = async (request: IncomingMessage, response: ServerResponse) => {
  const body = await json(request)
  received.push({ traceparent: request.headers["traceparent"] as string | undefined, body })
  response.writeHead(204).end()
}

const up = () =>
  new Promise<void>((resolve) => {
    http = createServer((request, response) => {
      if (request.method === "POST") return receive(request, response)
      response.writeHead(200, { "content-type": "application/json", connection: "close" })
      return response.end(JSON.stringify(answer(new URL(request.url ?? "", "http://x"))))
    }).listen(port, "127.0.0.1", resolve)
  })

const down = () => new Promise<unknown>((resolve) => (http === undefined ? resolve(undefined) : http.close(resolve)))

/** Until it has asked again and been answered: what there was then has been seen. */
const seen = async () => {
  const before = polls
  await vi.waitFor(() => expect(polls).toBeGreaterThan(before + 1), { timeout: 60_000, interval: 50 })
}

const said = ({ output }: ReturnType<ReturnType<typeof cliRunning>>, words: string) =>
  vi.waitFor(() => expect(output.stderr).toContain(words), { timeout: 60_000, interval: 50 })

const start = async () => {
  port = Number(await freePort())
  await up()
  return cliRunning({ CORRIDOR_URL: `127.0.0.1:${port}`, CORRIDOR_API_KEY: "k" })
}

afterEach(async () => {
  await down()
  events = []
  received = []
  mode = "sandbox"
})

const forwarded = (stdout: string) =>
  stdout
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as SentEvent).event_id)

it("goes on after a restart of the server, prints each event once and in order, also one that appears late", async () => {
  const cli = await start()
  events = [event(1, 10)]
  const listening = cli("listen", "--forward-to", `127.0.0.1:${port}/hook`, "--count", "4", "--json")
  await said(listening, "Signing secret")
  events.push(event(4, 14), event(3, 13))
  await seen()
  await down()
  await said(listening, "does not answer: waiting for it")
  // Written before the events that were printed already, in a transaction that took longer.
  events.push(event(2, 12), event(5, 15))
  await up()
  const { code, stderr, stdout } = await listening.ended
  expect(code).toBe(0)
  expect(forwarded(stdout)).toEqual([event(3, 13), event(4, 14), event(2, 12), event(5, 15)].map((one) => one.event_id))
  expect(stderr.match(/does not answer: waiting for it/g)).toHaveLength(1)
  expect(stderr).toContain("answers again")
})

it("begins with what happens after its start, where nothing has happened before too", async () => {
  const cli = await start()
  const listening = cli("listen", "--forward-to", `127.0.0.1:${port}/hook`, "--count", "1", "--json")
  await said(listening, "Signing secret")
  events.push(event(1, 10))
  expect(forwarded((await listening.ended).stdout)).toEqual([event(1, 10).event_id])
})

it("forwards the trace that an event belongs to in its header, and the event as a delivery has it", async () => {
  const cli = await start()
  const listening = cli("listen", "--forward-to", `127.0.0.1:${port}/hook`, "--count", "2", "--json")
  await said(listening, "Signing secret")
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
  events.push({ ...event(1, 10), traceparent }, event(2, 11))
  await listening.ended
  const as = (one: SentEvent) => ({ ...one, event_type: "kyb.approved", org_id: "o", data: { n: 1.5 } })
  expect(received).toEqual([
    { traceparent, body: as(event(1, 10)) },
    { traceparent: undefined, body: as(event(2, 11)) }
  ])
})

it("triggers nothing in live mode", async () => {
  const cli = await start()
  mode = "live"
  const { code, stderr, stdout } = await cli("trigger", "payment.completed").ended
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  expect(stderr).toContain("in live mode payments move real money")
})

it("refuses what it cannot read, before any request", async () => {
  const cli = cliIn({ CORRIDOR_URL: "127.0.0.1:9", CORRIDOR_API_KEY: "k" })
  const answered = async (...args: ReadonlyArray<string>) => (await cli(...args)).stderr
  expect(await answered("listen", "--forward-to", "http://")).toMatch(/^corridor: --forward-to /)
  expect(await answered("listen", "--forward-to", "x", "--secret", "plain")).toMatch(/^corridor: --secret .*\bwhsec_/)
  expect(await answered("listen", "--forward-to", "x", "--count", "0")).toMatch(/^corridor: --count /)
  expect(await answered("logs", "tail", "--lines", "1000")).toMatch(/^corridor: --lines /)
})
