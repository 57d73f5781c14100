/** The change of the master key, and what is left of the old one afterwards. */
import { rmSync } from "node:fs"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { byCard, byPhone } from "../payments/support/Requests.ts"
import {
  cliIn,
  dataIn,
  type Environment,
  freePort,
  type OwnDatabase,
  ownDatabase,
  query,
  serverThatEnds,
  startServer,
  temporaryFolder
} from "./Cli.ts"

// Every step is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

interface Report {
  readonly old_key_id: string
  readonly new_key_id: string
  readonly resealed: number
  readonly already_rotated: boolean
}

const OLD = "0".repeat(64)
const NEW = "1".repeat(64)
const OTHER = "2".repeat(64)

const dataDir = temporaryFolder()
let database: OwnDatabase
let env: Environment

const rotation = (old: string, fresh: string): Environment => ({
  ...env,
  CORRIDOR_MASTER_KEY: old,
  CORRIDOR_NEW_MASTER_KEY: fresh
})

/** Every value of every column that is sealed under a key. */
const sealedUnder = async (keyId: string): Promise<number> => {
  const columns = await query<{ at: string; column: string }>(
    database.url,
    `select format('%I', table_name) as at, format('%I', column_name) as column from information_schema.columns
      where table_schema = 'public' and data_type in ('text', 'jsonb')`
  )
  const each = columns.map(
    ({ at, column }) => `(select count(*) from ${at} where ${column}::text like '%v1.${keyId}.%')`
  )
  const [sum] = await query<{ count: number }>(database.url, `select (${each.join(" + ")})::int as count`)
  return sum!.count
}

beforeAll(async () => {
  database = await ownDatabase()
  env = { DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: await freePort() }
})

afterAll(async () => {
  await database.drop()
  rmSync(dataDir, { recursive: true })
})

/** The fields of answers that are read here. */
interface Answered {
  readonly message: string
  readonly org_id: string
  readonly card_details: { readonly fingerprint: string }
  readonly response: { readonly payment_id: string }
}

/** Calls the API, and answers with the status and the body. */
const callerOf = (url: string, apiKey: string) => async (method: string, path: string, body?: object) => {
  const headers = { authorization: "NONE", "x-api-key": apiKey, "content-type": "application/json" }
  const answer = await fetch(`${url}/v1/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: answer.status, body: (await answer.json()) as Answered }
}

/** Answers for a blocked phone, a blocked card, and a phone at its limit. */
const refusalsAt = async (call: ReturnType<typeof callerOf>) => {
  const pay = async (body: object) => (await call("POST", "payments-init/initiate", body)).body.message
  return [await pay(byPhone("+254712000001")), await pay(byCard()), await pay(byPhone("+254712000002"))]
}

const refused = [
  expect.stringContaining("Refused by the block list, which has the phone"),
  expect.stringContaining("Refused by the block list, which has the card"),
  expect.stringContaining('Refused by the rule "once": more than 1 payment of this phone number')
]

it("moves everything to the new key, once and for all", async () => {
  const first = await startServer({ ...env, CORRIDOR_MASTER_KEY: OLD })
  const apiKey = await vi.waitFor(() => /ck_test_\w+/.exec(first.stdout())![0])
  const before = callerOf(first.url, apiKey)
  const paid = await before("POST", "payments-init/initiate", byCard())
  const { org_id, card_details } = (await before("GET", `payments/${paid.body.response.payment_id}`)).body
  const block = (subject: string, value: string) =>
    before("POST", `organizations/${org_id}/lists`, { list: "block", subject, value })
  expect((await block("phone", "+254712000001")).status).toBe(201)
  expect((await block("card", card_details.fingerprint)).status).toBe(201)
  const rule = { subject: "phone", max_count: 1, window_seconds: 86_400, action: "refuse", is_active: true }
  expect((await before("PUT", `organizations/${org_id}/rules/once`, rule)).status).toBe(200)
  expect((await before("POST", "payments-init/initiate", byPhone("+254712000002"))).status).toBe(200)
  expect(await refusalsAt(before)).toEqual(refused)
  await first.stop()

  const report = await dataIn(rotation(OLD, NEW))<Report>("secrets", "rotate")
  expect(report).toMatchObject({ resealed: 3, already_rotated: false })
  expect(await sealedUnder(report.old_key_id)).toBe(0)
  expect(await sealedUnder(report.new_key_id)).toBe(4)

  const ended = await serverThatEnds({ ...env, CORRIDOR_MASTER_KEY: OLD })
  expect(ended.code).toBe(1)
  expect(ended.stderr).toContain(`belongs to master key ${report.new_key_id}`)

  const again = await startServer({ ...env, CORRIDOR_MASTER_KEY: NEW })
  const after = callerOf(again.url, apiKey)
  expect((await after("GET", "public/api-keys")).status).toBe(200)
  expect(await refusalsAt(after), "hashes of identities are the same").toEqual(refused)
  expect((await again.stop()).stdout).toContain(apiKey)
})

it("may be run again, and is audited once", async () => {
  const again = await dataIn(rotation(OLD, NEW))<Report>("secrets", "rotate")
  expect(again).toMatchObject({ resealed: 0, already_rotated: true })
  const rows = await query<{ detail: unknown }>(
    database.url,
    "select detail from audit_log where action = 'secrets.rotated' and actor_type = 'operator'"
  )
  expect(rows).toEqual([{ detail: { old_key_id: again.old_key_id, resealed: 3 } }])
})

it("changes nothing when the current key is not the one in force", async () => {
  const [wrong, none, short] = await Promise.all([
    cliIn(rotation(OTHER, OLD))("secrets", "rotate"),
    cliIn({ ...env, CORRIDOR_MASTER_KEY: NEW })("secrets", "rotate"),
    cliIn({ ...env, CORRIDOR_MASTER_KEY: NEW })("secrets", "rotate", "--new-key", "short")
  ])
  for (const { code, stderr, stdout } of [wrong, none, short]) {
    expect(code).toBe(1)
    expect(stdout).toBe("")
    expect(stderr).toMatch(/^corridor: [^\n]+\n$/)
  }
  expect(wrong.stderr).toContain("Set CORRIDOR_MASTER_KEY to the key that was used before")
  expect(none.stderr).toContain("Set CORRIDOR_NEW_MASTER_KEY")
  expect(short.stderr).toContain("--new-key must be 32 bytes")
  expect(await cliIn({ ...env, CORRIDOR_MASTER_KEY: NEW })("orgs", "list")).toMatchObject({ code: 0, stderr: "" })
})

it("makes a server that still has the old key answer 503, at its first probe too", async () => {
  const server = await startServer({ ...env, CORRIDOR_MASTER_KEY: NEW })
  await dataIn(rotation(NEW, OTHER))<Report>("secrets", "rotate")
  const probe = await fetch(`${server.url}/readyz`)
  expect(probe.status).toBe(503)
  expect(await probe.text()).toContain("another master key")
  expect((await server.stop()).code).toBe(0)
})
