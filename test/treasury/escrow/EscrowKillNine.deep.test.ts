/** The real server is killed while it disburses a milestone to twenty beneficiaries: each of them is paid, and once. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
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
import { kenyanBank } from "../../payments/support/Requests.ts"

const PARTIES = 20

/** The first eight, as many as are sent at a time, are answered so slowly that the server dies before that. */
const endings = Array.from({ length: PARTIES }, (_, nth) => (nth < 8 ? "0007" : String(1000 + nth)))

interface Paid {
  readonly party_id: string
  readonly payments: number
  readonly completed: number
  readonly standing: number
}

/** Payments by party, and those that have not failed. */
const overview = `
  select split_part(funding, '/', 2) as party_id, count(*)::int as payments,
    count(*) filter (where status = 'completed')::int as completed,
    count(*) filter (where status <> 'failed')::int as standing
  from payments where funding like 'party/%' group by 1`

/** Orphaned attempts are looked up, and payouts looked at again, only after a while: that while passes now. */
const timePasses = [
  `update attempts set next_enquiry_at = now(), sent_at = sent_at - interval '2 minutes'
    where (outcome is null or outcome = 'unknown') and next_enquiry_at > now() + interval '1 second'`,
  `update escrow_payouts set due_at = now() where due_at > now() + interval '1 second'`
]

describe("kill -9 in the middle of a disbursement to twenty beneficiaries", () => {
  const dataDir = newDataDir()
  let server: RealServer | undefined

  afterAll(async () => {
    await server?.stop()
    discard(dataDir)
  }, 30_000)

  it("pays each of them once", async () => {
    const settings = { PROVIDER_TIMEOUT: "8 seconds", LOG_LEVEL: "error" }
    const first = await startServer(dataDir, await freePort(), settings)
    server = first
    const ask = async ({ apiKey, url }: RealServer, path: string, body: object, key?: string) => {
      const response = await fetch(`${url}/v1${path}`, {
        method: "POST",
        headers: {
          authorization: "NONE",
          "x-api-key": apiKey,
          "content-type": "application/json",
          ...(key === undefined ? {} : { "idempotency-key": key })
        },
        body: JSON.stringify(body)
      })
      return { status: response.status, text: await response.text() }
    }
    const make = async <A>(path: string, body: object): Promise<A> => {
      const { status, text } = await ask(first, path, body)
      expect([200, 201], text).toContain(status)
      return (JSON.parse(text) as { readonly data: A }).data
    }

    const sandbox = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as {
      readonly orgs: ReadonlyArray<{ readonly org_id: string; readonly users: ReadonlyArray<{ user_id: string }> }>
    }
    const { org_id, users } = sandbox.orgs[0]!
    const { account_id } = await make<{ readonly account_id: string }>("/virtual-accounts/internal/bank", {
      org_id,
      user_id: users[0]!.user_id,
      currency: "KES"
    })
    await make(`/virtual-accounts/${account_id}/simulate-deposit`, { amount: 2000 })
    const parties = []
    for (const [nth, ending] of endings.entries()) {
      const { beneficiary_id } = await make<{ readonly beneficiary_id: string }>(
        "/beneficiaries",
        kenyanBank(`1100${String(nth).padStart(2, "0")}${ending}`)
      )
      parties.push({ name: `Party ${nth}`, beneficiary_id })
    }
    const splits = parties.map(({ name }) => ({ name, split_type: "fixed", split_value: 100 }))
    const escrow = await make<{
      readonly escrow_id: string
      readonly milestones: ReadonlyArray<{ readonly milestone_id: string }>
    }>("/virtual-accounts/escrow", {
      name: "Clinic",
      currency: "KES",
      account_id,
      parties,
      milestones: [{ label: "All", sequence: 1, expected_disbursement: 2000, parties: splits }]
    })
    await make(`/virtual-accounts/escrow/${escrow.escrow_id}/fund`, { amount: 2000 })
    const path = `/virtual-accounts/escrow/${escrow.escrow_id}/milestones/${escrow.milestones[0]!.milestone_id}/disburse`
    const disburse = (at: RealServer) => ask(at, path, {}, "disburse-all")

    const cutOff = disburse(first).catch((error: unknown) => expect(error).toBeInstanceOf(TypeError))
    const begun = await withSql(databaseOf(dataDir), (sql) =>
      until("some payouts are under way", async () => {
        const { rows } = await sql.query<Paid>(overview)
        return rows.length >= 8 ? rows : undefined
      })
    )
    await first.kill()
    await cutOff
    expect(begun.length, "others had not begun").toBeLessThan(PARTIES)

    // Two processes, each with a worker: both look for what the first has left.
    const second = await startServer(dataDir, await freePort(), { ...settings, CORRIDOR_WORKERS: "2" })
    server = second
    const again = await disburse(second)
    expect(again.status, again.text).toBe(200)
    expect(JSON.parse(again.text)).toMatchObject({ data: { status: "disbursed", disbursed_total: 2000 } })
    const rows = await withSql(databaseOf(dataDir), (sql) =>
      until("every party is paid", async () => {
        for (const statement of timePasses) await sql.query(statement)
        const { rows: seen } = await sql.query<Paid>(overview)
        const open = await sql.query("select 1 from escrow_payouts where status <> 'paid'")
        const isOver = seen.length === PARTIES && seen.every(({ completed }) => completed > 0) && open.rows.length === 0
        return isOver ? seen : undefined
      })
    )
    for (const row of rows) expect(row, "paid once").toMatchObject({ completed: 1, standing: 1 })
    expect((await disburse(second)).text, "the same key, the same answer").toBe(again.text)
    const atSimulators = await withSql(databaseOf(dataDir), (sql) =>
      sql.query(
        `select a.payment_id from rail_payments r join attempts a on a.attempt_id = r.reference
          join payments p on p.payment_id = a.payment_id
          where p.funding like 'party/%' and r.state = 'completed'`
      )
    )
    expect(atSimulators.rows.length, "the simulators have paid as many").toBe(PARTIES)
    expect(await second.stop()).toBe(0)
    server = undefined
  }, 120_000)
})
