/** The real server is killed in the middle of sixty initiations and started again: nothing is lost, nothing moves twice. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import { freePort } from "../../bench/FreePort.ts"
import { byPhone } from "../support/Requests.ts"
import {
  databaseOf,
  openItems,
  discard,
  newDataDir,
  pay,
  type RealServer,
  startServer,
  until,
  withSql
} from "../support/RealServer.ts"

/** Most complete; some decline, lose or delay their answer, fail later, or never answer at all. */
const endings = ["0001", "0003", "0004", "0006", "0007", "0007"]
const phones = Array.from({ length: 60 }, (_, nth) => {
  const ending = nth % 3 === 0 ? endings[(nth / 3) % endings.length]! : String(1000 + nth)
  return `+25471234${ending}`
})

interface Row {
  readonly payment_id: string
  readonly status: string
  readonly attempts: number
  readonly accepted: number
  readonly standing: number
  readonly rail_state: string | null
  readonly behaviour: string | null
  readonly next_enquiry: boolean
  readonly items: number
}

const overview = `
  select p.payment_id, p.status, count(a.*)::int as attempts,
    count(*) filter (where a.outcome = 'accepted')::int as accepted,
    count(*) filter (where a.outcome is distinct from 'declined')::int as standing,
    max(r.state) as rail_state, max(r.behaviour) as behaviour,
    bool_or(a.next_enquiry_at is not null) as next_enquiry,
    (select count(*)::int from ${openItems} o where o.payment_id = p.payment_id) as items
  from payments p join attempts a using (payment_id) left join rail_payments r on r.reference = a.attempt_id
  group by p.payment_id, p.status`

/** Orphans are looked up, and absences believed, only after a while: for them that while passes now. */
const timePasses = `
  update attempts set next_enquiry_at = now(), sent_at = sent_at - interval '2 minutes'
  where (outcome is null or outcome = 'unknown') and next_enquiry_at > now() + interval '1 second'`

describe("kill -9 in the middle of sixty initiations", () => {
  const dataDir = newDataDir()
  let server: RealServer | undefined

  afterAll(async () => {
    await server?.stop()
    discard(dataDir)
  }, 30_000)

  it("loses no payment and moves no money twice", async () => {
    const settings = { PROVIDER_TIMEOUT: "3 seconds", LOG_LEVEL: "error" }
    const first = await startServer(dataDir, await freePort(), settings)
    server = first
    let answered = 0
    const reported: Array<string> = []
    const enough = new Promise<void>((done) => {
      for (const phone of phones) {
        pay(first, byPhone(phone))
          .then(async (response) => {
            const body = (await response.json()) as {
              readonly response?: { readonly payment_id: string }
              readonly payment_id?: string
            }
            reported.push(body.response?.payment_id ?? body.payment_id ?? "nothing")
            answered += 1
            if (answered === 12) done()
          })
          .catch((error: unknown) => expect(error).toBeInstanceOf(TypeError))
      }
    })
    await enough
    await first.kill()
    const url = databaseOf(dataDir)
    const atDeath = await withSql(url, async (sql) => (await sql.query<Row>(overview)).rows)
    const inFlight = atDeath.filter((row) => row.accepted === 0 && row.status === "initiated")
    expect(answered, "some callers never got an answer").toBeLessThan(60)
    expect(inFlight.length, "some attempts were orphaned").toBeGreaterThan(0)

    const second = await startServer(dataDir, await freePort(), settings)
    server = second
    const isOver = (row: Row) => ["completed", "failed"].includes(row.status) || row.behaviour === "never_answers"
    const rows = await withSql(databaseOf(dataDir), (sql) =>
      until("every payment is final or unknown", async () => {
        await sql.query(timePasses)
        const seen = (await sql.query<Row>(overview)).rows
        return seen.every(isOver) && seen.every((row) => row.status !== "initiated") ? seen : undefined
      })
    )

    const known = new Set(rows.map((row) => row.payment_id))
    for (const id of reported) expect(known.has(id), `the caller was told of ${id}`).toBe(true)
    for (const id of atDeath.map((row) => row.payment_id)) expect(known.has(id)).toBe(true)
    for (const row of rows) {
      expect(row.attempts, "an orphan is never sent again").toBe(1)
      expect(row.accepted).toBeLessThanOrEqual(1)
      if (row.behaviour === "never_answers") {
        expect(row).toMatchObject({ status: "pending", accepted: 0, standing: 1 })
        expect(row.next_enquiry || row.items > 0, "somebody looks after it").toBe(true)
      } else {
        expect(row).toMatchObject({ status: row.rail_state ?? "failed", items: 0 })
      }
    }
    const lost = await withSql(databaseOf(dataDir), async (sql) => {
      const { rows } = await sql.query(
        "select reference from rail_payments where not exists (select from attempts where attempt_id = reference)"
      )
      return rows
    })
    expect(lost, "no simulator has a payment that we do not know").toEqual([])
    expect(rows.filter((row) => row.status === "completed").length).toBeGreaterThan(10)

    expect(await second.stop()).toBe(0)
    server = undefined
  })
})
