/** The line of the start banner, which a new user pastes first. */
import { spawnSync } from "node:child_process"
import { afterAll, beforeAll, expect, it } from "vitest"
import { freePort } from "../bench/FreePort.ts"
import { discard, newDataDir, type RealServer, startServer, until } from "../payments/support/RealServer.ts"

const dataDir = newDataDir()
let server: RealServer

beforeAll(async () => {
  server = await startServer(dataDir, await freePort(), { SANDBOX_RAIL_PACE: "250 millis" })
}, 120_000)

afterAll(async () => {
  await server.stop()
  discard(dataDir)
})

it("the curl line of the banner makes a payment when pasted", async () => {
  const line = await until("the banner", async () => /^ {2}(curl .+)$/m.exec(server.output())?.[1])
  expect(server.output()).toContain("Paste this to make a payment:")
  const { status, stdout } = spawnSync("sh", ["-c", line], { encoding: "utf8" })
  expect(status).toBe(0)
  const { response } = JSON.parse(stdout) as { readonly response: { readonly payment_id: string } }
  await until("the payment is complete", async () => {
    const headers = { authorization: "NONE", "x-api-key": server.apiKey }
    const found = await fetch(`${server.url}/v1/payments/${response.payment_id}`, { headers })
    const { status: state } = (await found.json()) as { readonly status: string }
    return state === "completed" ? true : undefined
  })
})
