/** Two real servers on one PostgreSQL: one stands still past its lease, the other takes over, and the first comes back. */
import { randomUUID } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { freePort } from "../../bench/FreePort.ts"
import {
  databaseOf,
  discard,
  newDataDir,
  type RealServer,
  startServer,
  until,
  withSql
} from "../../payments/support/RealServer.ts"

const common = { LOG_LEVEL: "error", CORRIDOR_MASTER_KEY: "ab".repeat(32) }

describe("an instance that stood still past its lease", () => {
  const [heirDir, sleeperDir] = [newDataDir(), newDataDir()]
  const attempts: Array<{ readonly attempt: string; readonly response: ServerResponse }> = []
  const receiver = createServer((request, response) => {
    request.resume()
    attempts.push({ attempt: String(request.headers["x-service-attempt"]), response })
    if (attempts.length === 1) sleeper?.pause()
  })
  let heir: RealServer | undefined
  let sleeper: RealServer | undefined

  beforeAll(async () => {
    await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done))
  }, 60_000)

  afterAll(async () => {
    await sleeper?.kill()
    await heir?.stop()
    receiver.closeAllConnections()
    receiver.close()
    for (const folder of [heirDir, sleeperDir]) discard(folder)
  }, 30_000)

  it("changes nothing any more about what another has in hand", async () => {
    // The database is the heir's, who stays to the end and is patient with the receiver.
    heir = await startServer(heirDir, await freePort(), { ...common, WEBHOOK_TIMEOUT: "60 seconds" })
    const database = databaseOf(heirDir)
    sleeper = await startServer(sleeperDir, await freePort(), {
      ...common,
      DATABASE_URL: database,
      WEBHOOK_TIMEOUT: "2 seconds"
    })
    const registration = await fetch(`${heir.url}/v1/public/webhooks`, {
      method: "POST",
      headers: { authorization: "NONE", "x-api-key": heir.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ endpoint_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks` })
    })
    expect(registration.status).toBe(201)

    await withSql(database, async (sql) => {
      const state = async () =>
        (
          await sql.query<Readonly<Record<string, unknown>>>(
            `select d.status, d.attempts, d.last_status_code, q.attempt as claims, q.lease_token, w.failing_since,
               (select count(*)::int from webhook_attempts) as logged
             from webhook_deliveries d left join webhook_queue q using (delivery_id)
             join webhooks w on w.webhook_id = d.webhook_id`
          )
        ).rows[0]!

      heir!.pause()
      await sql.query(
        `insert into events (event_id, org_id, event_type, payload, created_at)
         select $1, org_id, 'payment.completed', '{}', now() from webhooks`,
        [randomUUID()]
      )
      await until("the first attempt is under way", async () => attempts[0])
      const before = await state()
      heir!.resume()
      const second = await until("the heir makes the second", async () => attempts[1])
      expect(attempts.map(({ attempt }) => attempt)).toEqual(["1", "2"])
      const inHand = await state()
      expect(inHand).toMatchObject({ status: "pending", attempts: 0, claims: 2, failing_since: null, logged: 0 })
      expect(inHand["lease_token"]).not.toBe(before["lease_token"])

      // Its attempt has long timed out, and it says so; before it leaves, everything that it has to say is said.
      sleeper!.resume()
      expect(await sleeper!.stop()).toBe(0)
      sleeper = undefined
      expect(await state(), "as the heir has it").toEqual(inHand)

      second.response.writeHead(204).end()
      const after = await until("it is delivered", async () => {
        const seen = await state()
        return seen["status"] === "delivered" ? seen : undefined
      })
      expect(after).toMatchObject({ attempts: 1, last_status_code: 204, failing_since: null, logged: 1 })
      expect(attempts).toHaveLength(2)
    })
  })
})
