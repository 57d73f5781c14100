/** What the demo says where something else than the sandbox answers at its address. */
import { once } from "node:events"
import { createServer } from "node:http"
import { Effect, Schema } from "effect"
import { expect, it } from "vitest"
import { makeCalls } from "../../src/cli/demo/DemoClient.ts"

it.each<readonly [status: number, text: string, what: string]>([
  [200, "<!doctype html><title>Welcome to nginx</title>", "an HTML page"],
  [404, "<html>Not here</html>", "an HTML page"],
  [200, "OK", "no JSON"]
])("status %i and %s: what was asked, what answered, and what to do", async (status, text, what) => {
  const server = createServer((_request, response) => response.writeHead(status).end(text)).listen(0, "127.0.0.1")
  await once(server, "listening")
  try {
    const { port } = server.address() as { readonly port: number }
    const baseUrl = `http://127.0.0.1:${port}/v1`
    const calls = makeCalls({ apiKey: "ck_test_key", baseUrl, orgId: "org", orgName: "Acme", userId: "user" })
    const { message } = await Effect.runPromise(Effect.flip(calls.get("/ledger/balances", Schema.Unknown)))
    expect(message).toBe(
      `${baseUrl} answered GET /ledger/balances with status ${status} and ${what}, which is not how Corridor answers: ` +
        "another server seems to have taken its port: stop that one, or set PORT to a free one, " +
        'start the sandbox again with "npm start", then run this again.'
    )
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
