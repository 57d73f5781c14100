/** `corridor payments refund` beside a running server: what a ramp collected and could not settle goes back. */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import {
  cliIn,
  dataIn,
  type Environment,
  freePort,
  type OwnDatabase,
  ownDatabase,
  query,
  type RunningServer,
  startServer,
  temporaryFolder
} from "./Cli.ts"

// Every step is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const dataDir = temporaryFolder()
let database: OwnDatabase
let env: Environment
let server: RunningServer

const call = async <A>(path: string, body?: object): Promise<A> => {
  const { orgs } = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as {
    readonly orgs: ReadonlyArray<{ readonly api_key: string }>
  }
  const answer = await fetch(`${server.url}/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: "NONE", "x-api-key": orgs[0]!.api_key, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return (await answer.json()) as A
}

/** The bank account of its beneficiary refuses it. */
const strandedRamp = async (): Promise<string> => {
  const { data: beneficiary } = await call<{ data: { beneficiary_id: string } }>("/beneficiaries", {
    account_type: "bank",
    beneficiary_type: "business",
    country: "KE",
    currency: "KES",
    fname: "Ada",
    lname: "Okafor",
    bank_details: { account_name: "Ada Okafor", account_number: "1100220001", bank_name: "KCB", bank_code: "01" }
  })
  const rate = await call<{ data: { rate: number } }>(
    "/organizations/admin/exchange-rate?fromCurrency=USDT&toCurrency=KES"
  )
  const { response } = await call<{ response: { payment_id: string } }>("/payments-init/ramp", {
    fiat_currency: "KES",
    fiat_amount: 5000,
    client_rate: rate.data.rate,
    crypto_currency: "USDT",
    crypto_network: "TRON",
    country: "KE",
    beneficiary_id: beneficiary.beneficiary_id
  })
  await expect
    .poll(() => call<{ status: string }>(`/payments/${response.payment_id}`), { timeout: 60_000, interval: 100 })
    .toMatchObject({ status: "failed" })
  return response.payment_id
}

beforeAll(async () => {
  database = await ownDatabase()
  env = { DATA_DIR: dataDir, DATABASE_URL: database.url, PORT: await freePort() }
  server = await startServer(env)
})

afterAll(async () => {
  await server.stop()
  await database.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

it("gives it back once, audited, with the books in order", async () => {
  const payment_id = await strandedRamp()
  const waiting = async () =>
    (await call<{ data: ReadonlyArray<{ payment_id: string }> }>("/operations/queue")).data.map(
      (item) => item.payment_id
    )
  expect(await waiting()).toContain(payment_id)
  const listed = await cliIn(env)("payments", "resolve", payment_id)
  expect(listed).toMatchObject({ code: 0, stderr: "" })
  expect(listed.stdout).toMatch(/^suspense: .+ USDT were collected and not settled/)
  expect(listed.stdout).toMatch(
    /The organisation keeps it: \S+ → \S+ USDT\n +corridor payments resolve \S+ --as completed/
  )
  expect(listed.stdout).toMatch(
    /Return it to the payer through \w+ \(the organisation's balance stays \S+ USDT\)\n +corridor payments refund /
  )
  const items = await dataIn(env)<ReadonlyArray<{ item_id: string; decisions: ReadonlyArray<{ action: string }> }>>(
    ...["payments", "resolve", payment_id]
  )
  expect(items).toHaveLength(1)
  expect(items[0]!.decisions.map(({ action }) => action)).toEqual(["resolve", "give_back", "resolve"])
  const refund = ["payments", "refund", payment_id, "--reason", "The bank refuses it"]
  const given = await dataIn(env)<{ status: string; comments: string; transaction_id: string }>(...refund)
  expect(given.status).toBe("failed")
  expect(given.comments).toMatch(/USDT returned through \w+ by .+: The bank refuses it$/)
  expect(await waiting()).not.toContain(payment_id)
  expect(
    await query(
      database.url,
      `select actor_type, detail ->> 'reason' as reason from audit_log where action = 'payment.suspense_refunded'`
    )
  ).toEqual([{ actor_type: "operator", reason: "The bank refuses it" }])
  const again = await cliIn(env)(...refund)
  expect(again).toMatchObject({ code: 1, stdout: "" })
  // While the first is on its way, and after it.
  expect(again.stderr).toMatch(/^corridor: (It is being returned at this moment|No money of this payment waits)/)
  expect(await cliIn(env)("ledger", "check")).toMatchObject({ code: 0 })
  // The provider's last word may still come between two looks.
  await vi.waitFor(async () => {
    const [byPayment, byTransaction, byReference] = await Promise.all(
      [payment_id, given.transaction_id, payment_id.slice(0, 23)].map((id) =>
        dataIn(env)<object>("payments", "show", id)
      )
    )
    expect(byPayment).toMatchObject({ payment_id, comments: given.comments })
    expect(byTransaction).toEqual(byPayment)
    expect(byReference).toEqual(byPayment)
  }, 30_000)
})

it("shows what a reference means, and which payments it may mean where it is shared", async () => {
  const pay = async (client_reference: string) => {
    const { response } = await call<{ response: { payment_id: string } }>("/payments-init/initiate", {
      ...{ amount: 5, currency: "KES", target_amount: 5, target_currency: "KES", country: "KE", client_reference },
      ...{ payment_method: "mobile_money", direction: "payin" },
      payer_details: { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" },
      mobile_money_details: { provider: "mpesa", phone_number: "+254712345678" }
    })
    return response.payment_id
  }
  const ids = [await pay("shared"), await pay("shared"), await pay("alone")]
  expect(await dataIn(env)("payments", "show", "alone")).toMatchObject({ payment_id: ids[2] })
  expect(await cliIn(env)("payments", "resolve", ids[2]!)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Nothing .+ still polled .+ --as completed or --as failed, with --reason TEXT\.\n$/)
  })
  const vague = await cliIn(env)("payments", "show", "shared")
  expect(vague).toMatchObject({ code: 1, stdout: "" })
  expect(vague.stderr).toBe(`corridor: shared matches several payments, write more of it: ${ids[1]}, ${ids[0]}.\n`)
})

it("refuses what it cannot find, and a reason that is none", async () => {
  const missing = await cliIn(env)("payments", "refund", "nobody", "--reason", "x")
  expect(missing).toMatchObject({ code: 1, stderr: "corridor: There is no payment with the id nobody.\n" })
  const unseen = await cliIn(env)("payments", "show", "nobody")
  expect(unseen).toMatchObject({
    code: 1,
    stderr: "corridor: There is no payment with this id or reference: nobody.\n"
  })
  const blank = await cliIn(env)("payments", "refund", "nobody", "--reason", " ")
  expect(blank.code).toBe(1)
  expect(blank.stderr).toMatch(/^corridor: --reason [^\n]+\n$/)
})
