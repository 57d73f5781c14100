/** Messages of commands where another program than Corridor answers, or one in front of it. */
import { once } from "node:events"
import { rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { cliIn, temporaryFolder } from "./Cli.ts"

vi.setConfig({ testTimeout: 60_000 })

/** Error of a command for this answer, and the address in it. */
const saidOf = async (
  answer: (response: ServerResponse, request: IncomingMessage) => unknown,
  ...args: ReadonlyArray<string>
) => {
  const server = createServer((request, response) => void answer(response, request)).listen(0, "127.0.0.1")
  await once(server, "listening")
  try {
    const { port } = server.address() as { readonly port: number }
    const env = { CORRIDOR_URL: `http://127.0.0.1:${port}`, CORRIDOR_API_KEY: "ck_test_key" }
    const { code, stderr, stdout } = await cliIn(env)(...args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    return { said: stderr.split("\n").at(-2) ?? "", root: env.CORRIDOR_URL }
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const list = ["payments", "list"]
const address = "GET /v1/transactions"

describe("what does not answer as Corridor does", () => {
  it.each<readonly [status: number, text: string, what: string]>([
    [200, "<!doctype html><title>Welcome to nginx</title>", "an HTML page"],
    [404, "<html>Not here</html>", "an HTML page"],
    [200, "", "nothing"],
    [502, "", "nothing"],
    [200, "OK", "no JSON"],
    [200, '{"amount": 1, "amount": 2}', "no JSON"],
    [200, "null", "JSON of another kind"],
    [200, "[]", "JSON of another kind"],
    [200, '{"hello": "world"}', "JSON of another kind"],
    [200, '{"status": "success", "message": "ok", "data": {}}', "JSON of another kind"],
    [
      200,
      '{"status":"success","message":"","data":[{"payment_id":"p","amount":null}],"meta":{},"last_evaluated_key":null}',
      "JSON of another kind"
    ],
    [500, '{"error": {"code": 7}}', "JSON of another kind"]
  ])("status %i and %s", async (status, text, what) => {
    const { root, said } = await saidOf((response) => response.writeHead(status).end(text), ...list)
    expect(said).toBe(
      `corridor: ${root} answered ${address} with status ${status} and ${what}, which is not how Corridor answers: ` +
        "give the address of a Corridor server (--url or CORRIDOR_URL), and check that no proxy answers in its place."
    )
  })

  it.each([
    ["whoami"],
    ["orgs", "list"],
    ["users", "list"],
    ["keys", "list", "--org", "0190a1b2-c3d4-7000-8000-000000000001"],
    ["webhooks", "list"],
    ["accounts", "list"],
    ["providers", "list"],
    ["rates", "set", "USD", "KES", "130"],
    ["dlq", "list"],
    ["queue"],
    ["payments", "show", "0190a1b2-c3d4-7000-8000-000000000001"],
    ["keys", "rotate", "0190a1b2-c3d4-7000-8000-000000000001"],
    ["trigger", "payment.completed"],
    ["logs", "tail", "--no-follow"]
  ])("is said by %s as well, whatever JSON it is", async (...command) => {
    for (const text of ['{"data": null}', '{"data": [{}]}']) {
      const { said } = await saidOf((response) => response.writeHead(200).end(text), ...command)
      expect(said, text).toMatch(/^corridor: http:\S+ answered \S+ \S+ with status 200 and JSON of another kind, /)
    }
  })
})

it("is said by the demo, with what to do about it", async () => {
  const server = createServer((request, response) => {
    response.writeHead(200).end(request.url === "/readyz" ? "{}" : "<!doctype html><title>Welcome to nginx</title>")
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { readonly port: number }
  const root = `http://127.0.0.1:${port}`
  const dataDir = temporaryFolder()
  const users = [{ user_id: "user" }]
  const orgs = [{ org_id: "org", name: "Acme", api_key: "ck_test_key", users }]
  writeFileSync(join(dataDir, "sandbox.json"), JSON.stringify({ base_url: `${root}/v1`, orgs }))
  try {
    const { code, stderr } = await cliIn({ DATA_DIR: dataDir })("demo")
    expect([code, stderr]).toEqual([
      1,
      `corridor: ${root} answered POST /v1/public/webhooks with status 200 and an HTML page, which is not how Corridor answers: ` +
        "another server seems to have taken its port: stop that one, or set PORT to a free one, " +
        'start the sandbox again with "npm start", then run this again.\n'
    ])
  } finally {
    server.closeAllConnections()
    server.close()
    rmSync(dataDir, { recursive: true })
  }
})
