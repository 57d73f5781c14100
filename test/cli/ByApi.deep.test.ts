/** The same commands against a server, by its API: as a person with a token, or with a key. */
import { once } from "node:events"
import { createServer } from "node:http"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { verifyWebhook } from "../../src/client/VerifyWebhook.ts"
import {
  cliIn,
  cliProcessIn,
  cliRunning,
  dataIn,
  documentOf,
  type Environment,
  freePort,
  type OwnDatabase,
  ownDatabase,
  query,
  type RunningServer,
  startServer,
  temporaryFolder
} from "./Cli.ts"

// The server is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

interface Person {
  readonly user_id: string
  readonly role: string
  readonly jwt: string
}

interface Credentials {
  readonly orgs: ReadonlyArray<{
    readonly org_id: string
    readonly api_key: string
    readonly users: ReadonlyArray<Person>
  }>
  readonly admin: { readonly user_id: string; readonly jwt: string }
}

const dataDir = temporaryFolder()
let database: OwnDatabase
let server: RunningServer
let beside: Environment
let org: string
let admin: { readonly user_id: string; readonly jwt: string }
let staff: Person
/** Environments of callers: the sandbox's key, the platform's admin, and a member of the staff. */
let withKey: Environment
let asAdmin: Environment
let asStaff: Environment

beforeAll(async () => {
  database = await ownDatabase()
  beside = { DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: await freePort() }
  server = await startServer(beside)
  const known = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as Credentials
  const acme = known.orgs[0]!
  org = acme.org_id
  admin = known.admin
  staff = acme.users.find(({ role }) => role === "staff")!
  withKey = { CORRIDOR_URL: server.url, CORRIDOR_API_KEY: acme.api_key }
  asAdmin = { CORRIDOR_URL: server.url, CORRIDOR_TOKEN: admin.jwt }
  asStaff = { CORRIDOR_URL: server.url, CORRIDOR_TOKEN: staff.jwt }
})

afterAll(async () => {
  await server.stop()
  await database.drop()
  rmSync(dataDir, { recursive: true })
})

const audited = (action: string) =>
  query<{ actor_type: string; actor_id: string; subject_id: string }>(
    database.url,
    `select actor_type, actor_id, subject_id from audit_log where action = '${action}' order by created_at, audit_id`
  )

/** One line about the server on standard error, and then the refusal. */
const refused = async (env: Environment, args: ReadonlyArray<string>, sentence: RegExp) => {
  const { code, stderr, stdout } = await cliIn(env)(...args)
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  expect(stderr).toMatch(/^(Server: [^\n]+\n)?corridor: [^\n]+\n$/)
  expect(stderr).toMatch(sentence)
}

interface Payment {
  readonly payment_id: string
  readonly status: string
  readonly amount: number
  readonly refunded_amount: number
}

describe("by API", () => {
  it("names the server on standard error, and leaves standard output to the answer", async () => {
    const text = await cliIn(withKey)("whoami")
    expect(text.stderr).toBe(`Server: ${server.url}, with an API key.\n`)
    expect(text.stdout).toMatch(/^ +Server +http:\/\/127\.0\.0\.1:\d+ \(sandbox\)$/m)
    expect(text.stdout).toMatch(/^ +May +.*\btransactions\b/m)
    expect(text.stdout).not.toMatch(/\bany\b/)
    const typed = await cliIn({})("whoami", "--url", `${server.url}/v1/`, "--token", staff.jwt, "--json")
    expect(documentOf(typed)).toMatchObject({ data: { server: server.url, role: "staff", user_id: staff.user_id } })
    const program = await cliProcessIn(withKey)("whoami", "--json")
    expect(program.code).toBe(0)
    expect(documentOf(program)).toMatchObject({ data: { credential: "api_key", organization: { org_id: org } } })
  })

  it("lists what the database has", async () => {
    for (const command of [
      ["orgs", "list"],
      ["users", "list", "--org", org],
      ["keys", "list", "--org", org]
    ]) {
      const [there, here] = await Promise.all([
        dataIn(asAdmin)<ReadonlyArray<Record<string, unknown>>>(...command),
        dataIn(beside)<ReadonlyArray<Record<string, unknown>>>(...command)
      ])
      expect(there.length, command.join(" ")).toBeGreaterThan(0)
      expect(here).toMatchObject(there)
      expect(there.some((one) => "sandbox" in one || "is_admin" in one || "subject" in one)).toBe(false)
      const [text, same] = await Promise.all([cliIn(asAdmin)(...command), cliIn(beside)(...command)])
      expect(text.stdout).toBe(same.stdout)
    }
  })

  it("makes, rotates and revokes keys", async () => {
    const made = await dataIn(withKey)<{ api_key_id: string; api_key: string }>(
      ...["keys", "create", "--org", org, "--name", "By API", "--role", "staff"]
    )
    const rotated = await dataIn(withKey)<{ api_key_id: string }>(
      ...["keys", "rotate", made.api_key_id, "--grace-seconds", "60"]
    )
    expect(await dataIn(withKey)("keys", "revoke", rotated.api_key_id)).toMatchObject({ status: "revoked" })
    await refused(withKey, ["keys", "rotate", rotated.api_key_id], /revoked/)
    await refused(withKey, ["keys", "create", "--org", org, "--name", "k", "--user", "x"], /--user: by API/)
  })

  it("registers endpoints and adds providers, as it does beside the database", async () => {
    const hook = ["webhooks", "create", "http://127.0.0.1:9/hook", "--events", "payment.completed, payment.failed"]
    const wanted = {
      endpoint_url: "http://127.0.0.1:9/hook",
      events: ["payment.completed", "payment.failed"],
      org_id: org
    }
    expect(await dataIn(withKey)(...hook)).toMatchObject({ ...wanted, secret_key: expect.stringMatching(/^whsec_/) })
    expect(await dataIn(beside)(...hook, "--org", org)).toMatchObject({
      ...wanted,
      secret_key: expect.stringMatching(/^whsec_/)
    })
    expect(await dataIn(withKey)<ReadonlyArray<unknown>>("webhooks", "list")).toHaveLength(2)
    await refused(
      withKey,
      ["webhooks", "create", "http://127.0.0.1:9/hook", "--events", "payment.done"],
      /payment\.done/
    )
    await refused(beside, hook, /--org ORG/)

    const stripe = ["providers", "add", "stripe", "--country", "DE", "--method", "card", "--direction", "inbound"]
    const terms = ["--priority", "7", "--min", "5", "--max", "1000.50"]
    const config = {
      provider: "stripe",
      country: "DE",
      priority: 7,
      min_amount: 5,
      max_amount: 1000.5,
      is_active: true
    }
    const added = await dataIn(asAdmin)<{ config_id: string }>(...stripe, ...terms)
    expect(added).toMatchObject(config)
    expect(await dataIn(beside)(...stripe, ...terms, "--off")).toMatchObject({ ...config, is_active: false })
    expect(await dataIn(asAdmin)("providers", "disable", added.config_id)).toMatchObject([{ is_active: false }])
    expect(await dataIn(asAdmin)("providers", "enable", "stripe")).toMatchObject([
      { is_active: true },
      { is_active: true }
    ])
    await refused(asAdmin, ["providers", "add", "strype", ...stripe.slice(3)], /PROVIDER: expected one of .*stripe/)
    await refused(asStaff, [...stripe], /platform admin/)
    expect((await cliIn(asAdmin)("providers", "list")).stdout).toMatch(/stripe +DE card inbound +7 +on/)
  })

  it("lists, shows and replays dead letters, as it does beside the database", async () => {
    const [first] = await dataIn(withKey)<ReadonlyArray<{ webhook_id: string }>>("webhooks", "list")
    const webhook_id = first!.webhook_id
    const notify = await fetch(`${server.url}/v1/public/webhooks/notify`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "NONE", "x-api-key": withKey["CORRIDOR_API_KEY"]! },
      body: JSON.stringify({
        org_id: org,
        transaction_data: {
          ...{ transaction_id: "t", status: "completed", amount: 1, currency: "KES" },
          updated_at: "2026-03-02T09:00:00Z"
        }
      })
    })
    expect(notify.status).toBe(200)
    const isOfEndpoint = `webhook_id = '${webhook_id}'`
    /** Waits while the server sends it, as its result would overwrite this. */
    const kill = async () => {
      await vi.waitFor(
        async () => {
          await query(database.url, `delete from webhook_queue where ${isOfEndpoint} and lease_token is null`)
          expect(await query(database.url, `select 1 from webhook_queue where ${isOfEndpoint}`)).toEqual([])
        },
        { timeout: 30_000 }
      )
      await query(database.url, `update webhook_deliveries set status = 'dead' where ${isOfEndpoint}`)
      const rows = await query(database.url, `select status from webhook_deliveries where ${isOfEndpoint}`)
      expect(rows).toEqual([{ status: "dead" }])
    }
    await kill()
    const letters = ["dlq", "list", "--webhook", webhook_id]
    const there = await dataIn(withKey)<ReadonlyArray<{ delivery_id: string }>>(...letters)
    expect(there).toMatchObject([{ webhook_id, org_id: org, endpoint_url: "http://127.0.0.1:9/hook", status: "dead" }])
    expect(await dataIn(beside)(...letters)).toEqual(there)
    const { delivery_id } = there[0]!
    const shown = await Promise.all([cliIn(withKey), cliIn(beside)].map((cli) => cli("dlq", "show", delivery_id)))
    expect(shown[0]!.stdout).toMatch(new RegExp(`Organisation +${org}`))
    expect(shown[1]!.stdout).toBe(shown[0]!.stdout)
    for (const env of [withKey, beside]) {
      const replay = (...words: ReadonlyArray<string>) => dataIn(env)("dlq", "replay", ...words)
      expect(await replay("--webhook", webhook_id, "--since", "2100-01-01")).toEqual({ replayed: 0, disabled: 0 })
      expect(await replay("--webhook", webhook_id, "--since", "2020-01-01")).toEqual({ replayed: 1, disabled: 0 })
      await kill()
      expect(await replay(delivery_id)).toEqual({ replayed: 1, disabled: 0 })
      await kill()
      expect(await replay("--all")).toEqual({ replayed: 1, disabled: 0 })
      await refused(env, ["dlq", "replay", org], /There is no delivery with the id/)
      await kill()
    }
  })

  it("sets rates with every digit, and organisations", async () => {
    expect((await cliIn(asAdmin)("rates", "set", "USD", "KES", "130.123456789", "--json")).stdout).toContain(
      '"rate":130.123456789,'
    )
    await refused(asAdmin, ["rates", "set", "USD", "KES", "1e3"], /RATE is not a decimal number/)
    const changed = await cliIn(asAdmin)("orgs", "set", org, "--review-threshold", "900000.50", "--json")
    expect(changed.stdout).toContain('"review_threshold":900000.50')
  })
})

describe("what was the database's alone", () => {
  it("sets and lists reserves, and lists fees, with the same output", async () => {
    await dataIn(beside)(
      ...["fees", "set", "--org", org, "--method", "card", "--direction", "inbound", "--bps", "150"],
      ...["--fixed", "100", "--currency", "UGX"]
    )
    const reserve = ["reserves", "set", "--org", org, "--method", "card", "--bps", "1000", "--days", "180"]
    const set = await cliIn(asAdmin)(...reserve, "--minimum", "5000", "--currency", "EUR")
    expect(set.stdout).toBe(
      "card payins: 1000 basis points for 180 days, at least 5000.00 EUR in reserve (before: nothing held back).\n"
    )
    const changed = await dataIn(beside)<{ previous: object }>(...reserve)
    expect(changed).toMatchObject({ rule: { minimum_amount: null }, previous: { minimum_amount: 5000 } })
    for (const lines of [
      ["fees", "list"],
      ["fees", "list", "--org", org, "--json"],
      ["reserves", "list", "--org", org]
    ]) {
      const [there, here] = await Promise.all([cliIn(asAdmin)(...lines), cliIn(beside)(...lines)])
      expect(there.stdout, lines.join(" ")).toContain(org)
      expect(there.stdout).toBe(here.stdout)
    }
    expect((await cliIn(beside)("fees", "list")).stdout).toMatch(/ +150 +100 UGX +/)
    expect(await dataIn(beside)("reserves", "list")).toEqual(await dataIn(asAdmin)("reserves", "list", "--org", org))
    await refused(asAdmin, ["reserves", "list"], /--org: by API, name the organisation\./)
    await refused(asStaff, reserve, /platform admin/)
    await refused(asAdmin, ["ledger", "balances"], /beside the database only/)
    expect(await audited("reserve.set")).toMatchObject([
      { actor_type: "user", actor_id: admin.user_id },
      { actor_type: "operator" }
    ])
  })

  it("changes the role of a member, and ends a membership", async () => {
    const user = ["--user", "LEA@acme.example", "--org", org]
    await dataIn(beside)("users", "create", "--email", "lea@acme.example", "--org", org, "--role", "member")
    expect((await cliIn(withKey)("users", "role", ...user, "--role", "staff")).stdout).toMatch(
      /^lea@acme\.example is now staff of /
    )
    expect(await dataIn(beside)("users", "role", ...user, "--role", "member")).toMatchObject({ role: "member" })
    await refused(asStaff, ["users", "leave", ...user], /\bmembers\b|org-admin/)
    expect(await dataIn(withKey)("users", "leave", ...user)).toMatchObject({ org_id: org, removed: true })
    for (const env of [asAdmin, beside]) {
      await refused(
        env,
        ["users", "leave", ...user],
        /--user: lea@acme\.example is not a member of this organisation\./
      )
      await refused(env, ["users", "leave", "--user", "zed", "--org", org], /--user: there is no user with the id or/)
    }
    expect(await audited("member.removed")).toMatchObject([{ actor_type: "api_key" }])
  })

  it("sets the credentials of a configuration, and never repeats them", async () => {
    const config = ["providers", "add", "stripe", "--country", "FR", "--method", "card", "--direction", "inbound"]
    const { config_id } = await dataIn(asAdmin)<{ config_id: string }>(...config, "--off")
    const set = ["providers", "credentials", "set", config_id, "--field"]
    const done = await cliIn(asAdmin)(...set, "secret_key=sk_test_wrong", "--json")
    expect(done.code).toBe(1)
    expect(documentOf(done)).toMatchObject({
      status: "error",
      data: { config_id, provider: "stripe", fields: ["secret_key"], tested: false }
    })
    expect(done.stdout + done.stderr).not.toContain("sk_test_wrong")
    await refused(asAdmin, ["providers", "credentials", "set", org, "--field", "a=b"], /is no configuration's id/)
    await refused(asStaff, [...set, "secret_key=sk_test_wrong"], /platform admin/)
  })
})

describe("people act as themselves", () => {
  let account: string

  it("freezes and unfreezes in the name of the person, and beside the database in that of the operator", async () => {
    await dataIn(withKey)("trigger", "virtual_account.deposit")
    const [first] = await dataIn(asStaff)<ReadonlyArray<{ account_id: string }>>("accounts", "list")
    account = first!.account_id
    expect(await dataIn(beside)("accounts", "list", "--org", org)).toMatchObject([
      { account_id: account, balance: 10000 }
    ])
    await refused(asStaff, ["accounts", "freeze", account], /platform admin/)
    expect(await dataIn(asAdmin)("accounts", "freeze", account, "--reason", "Odd")).toMatchObject({ status: "frozen" })
    expect(await dataIn(asAdmin)("accounts", "unfreeze", account)).toMatchObject({ status: "active" })
    expect(await dataIn(beside)("accounts", "freeze", account)).toMatchObject({ status: "frozen" })
    expect((await cliIn(beside)("accounts", "unfreeze", account)).stdout).toContain("10000.00 KES")
    await refused(beside, ["accounts", "freeze", org], /no virtual account with the id/)
    const decided = ["accounts", "resolve", org, "--as", "returned", "--reason", "Seen in the dashboard"]
    await refused(asStaff, decided, /platform admin/)
    for (const how of [asAdmin, beside]) await refused(how, decided, /no incoming transfer with the id/)
    const frozen = await audited("virtual_account.frozen")
    expect(frozen).toMatchObject([
      { actor_type: "user", actor_id: admin.user_id, subject_id: account },
      { actor_type: "operator", subject_id: account }
    ])
    const log = await cliIn({ ...asAdmin })(...["logs", "tail", "--only", "audit", "--no-follow", "--org", org])
    expect(log.stdout).toContain(`virtual_account.frozen virtual_account ${account} by user admin@corridor.example`)
  })

  it("refunds a payer in part, finds the payment by its beginning, and lists it", async () => {
    const event = await dataIn(withKey)<{ data: Payment }>("trigger", "payment.completed")
    const { payment_id } = event.data
    const asked = await cliIn(asStaff)("payments", "refund", payment_id, "--amount", "500.50", "--reason", "Broken")
    expect(asked).toMatchObject({ code: 0 })
    const shown = await vi.waitFor(
      async () => {
        const payment = await dataIn(asStaff)<Payment>("payments", "show", payment_id.slice(0, 23))
        expect(payment.refunded_amount).toBe(500.5)
        return payment
      },
      { timeout: 60_000, interval: 500 }
    )
    expect(shown).toMatchObject({ payment_id, status: "completed" })
    const inText = await Promise.all([cliIn(asStaff), cliIn(beside)].map((cli) => cli("payments", "show", payment_id)))
    expect(inText[0]!.stdout).toBe(inText[1]!.stdout)
    expect(inText[0]!.stdout).toMatch(/^ +Refunded +500\.50 KES$/m)
    expect(inText[0]!.stdout).toMatch(/^ +Refund +500\.50 KES completed, requested by \S+@\S+/m)
    expect(inText[0]!.stdout).toMatch(/^ +Payer +Wanjiru Kamau, \+254712345678, wanjiru@example\.com$/m)
    expect(inText[0]!.stdout).toMatch(/^ +Reference +none$/m)
    expect(inText[0]!.stdout).toMatch(/attempt +fiat payment: accepted, after \d+ ms$/m)
    const filters = ["payments", "list", "--status", "completed", "--direction", "inbound"]
    const [there, here] = await Promise.all([dataIn(asStaff)(...filters), dataIn(beside)(...filters, "--org", org)])
    expect(there).toMatchObject([{ payment_id }])
    expect(here).toEqual(there)
    await refused(asStaff, ["payments", "list", "--status", "done"], /--status: expected one of initiated, /)
    await refused(asStaff, ["payments", "list", "--limit", "5", "--limit=6"], /--limit stands there twice\./)
    await refused(asStaff, ["payments", "list", "--limit", "0"], /--limit is not a whole number from 1 to 100/)
    await refused(beside, ["payments", "refund", payment_id, "--amount", "1", "--reason", "x"], /by API/)
    await refused(asStaff, ["payments", "refund", payment_id, "--reason", "x"], /platform admin/)
    await refused(
      asAdmin,
      ["payments", "refund", payment_id, "--reason", "x"],
      /No money of this payment waits for a decision\./
    )
  })

  it("settles items at the manual provider, in the name of the caller", async () => {
    const manual = [
      "providers",
      "add",
      "manual",
      "--country",
      "KE",
      "--method",
      "mobile_money",
      "--direction",
      "inbound"
    ]
    const { config_id } = await dataIn(asAdmin)<{ config_id: string }>(...manual, "--priority", "1")
    const event = await dataIn(withKey)<{ data: Payment }>("trigger", "payment.processing")
    await dataIn(asAdmin)("providers", "disable", config_id)
    const { payment_id } = event.data
    const resolve = ["payments", "resolve", payment_id, "--as", "completed", "--reason", "Seen on the statement"]
    await refused(asStaff, resolve, /platform admin/)
    expect(await dataIn(asAdmin)(...resolve)).toMatchObject({ payment_id, status: "completed" })
    expect((await audited("payment.resolved")).at(-1)).toMatchObject({ actor_type: "user", actor_id: admin.user_id })
    await refused(
      asAdmin,
      ["payments", "resolve", payment_id, "--as", "done", "--reason", "x"],
      /--as: expected one of completed, failed;/
    )
  })
})

describe("what a server does not do", () => {
  it.each([
    [["migrate"]],
    [["ledger", "check"]],
    [["sandbox", "reset", "--yes"]],
    [["secrets", "rotate", "--new-key", "0".repeat(64)]],
    [["tokens", "issue", "--user", "x"]],
    [["doctor"]]
  ])("%s is refused, and does nothing to the database of this machine", async (command) => {
    await refused({ ...beside, ...asAdmin }, command, /beside the database only/)
    await refused({ ...beside, CORRIDOR_URL: server.url }, command, /beside the database only/)
  })

  it("names a server that does not answer, and the refusal of a stranger", async () => {
    const unreachable = { CORRIDOR_URL: `http://127.0.0.1:${await freePort()}`, CORRIDOR_API_KEY: "k" }
    await refused(unreachable, ["listen", "--forward-to", "localhost:1"], /cannot be reached \(ECONNREFUSED\)/)
    await refused({ ...withKey, CORRIDOR_API_KEY: "ck_test_wrong" }, ["payments", "list"], /does not take this API key/)
    await refused({ ...asStaff, CORRIDOR_TOKEN: "a.b.c" }, ["payments", "list"], /does not take this token/)
  })

  it("says what a server said on one line, without what would move the cursor, and no password of its address", async () => {
    const odd = createServer((_, response) => response.writeHead(400).end('{"message":"\\u001b[31mred\\n\\nlines"}'))
    odd.listen(0, "127.0.0.1")
    await once(odd, "listening")
    try {
      const { port } = odd.address() as { readonly port: number }
      const env = { CORRIDOR_URL: `http://ann:s3cret@127.0.0.1:${port}`, CORRIDOR_API_KEY: "ck_test_key" }
      const { code, stderr } = await cliIn(env)("payments", "list")
      expect(code).toBe(1)
      expect(stderr).toMatch(/^Server: [^\n]+\ncorridor: +\[31mred lines\n$/)
      expect(stderr).not.toContain("s3cret")
    } finally {
      odd.close()
    }
  })

  it("names the target of a redirect, and does not send the key there", async () => {
    const asked: Array<string> = []
    const elsewhere = createServer((request, response) => {
      asked.push(request.url ?? "")
      response.end()
    }).listen(0, "127.0.0.1")
    const place = () => `http://127.0.0.1:${(elsewhere.address() as { readonly port: number }).port}`
    const moved = createServer((_, response) => response.writeHead(301, { location: `${place()}/v1/x` }).end())
    moved.listen(0, "127.0.0.1")
    await Promise.all([once(elsewhere, "listening"), once(moved, "listening")])
    try {
      const { port } = moved.address() as { readonly port: number }
      const env = { CORRIDOR_URL: `http://127.0.0.1:${port}`, CORRIDOR_API_KEY: "ck_test_key" }
      await refused(env, ["payments", "list"], /leads on to http:\S+\/v1\/x, where the key is not sent/)
      expect(asked).toEqual([])
    } finally {
      moved.close()
      elsewhere.close()
    }
  })
})

const begun = ({ output }: ReturnType<ReturnType<typeof cliRunning>>) =>
  vi.waitFor(() => expect(output.stderr).toContain("Ctrl-C ends it"), { timeout: 60_000, interval: 50 })

interface Got {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** Starts a receiver that answers events with the given status. */
const receiver = async (status: number) => {
  const got: Array<Got> = []
  const http = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      got.push({ body, headers: request.headers as Readonly<Record<string, string>> })
      response.writeHead(status).end()
    })
  })
  const port = Number(await freePort())
  await new Promise<void>((resolve) => http.listen(port, "127.0.0.1", resolve))
  return { got, url: `127.0.0.1:${port}/hooks`, close: () => http.close() }
}

describe("listen and trigger", () => {
  it("forwards what is asked for, signed twice like a delivery, byte for byte what one would hold", async () => {
    const program = await receiver(204)
    const secret = "whsec_TWxWBuYz7L9m0qXv1cF3hN5kP8sR2tU4wA6yD9eG0i0="
    const listening = cliRunning(withKey)(
      ...["listen", "--forward-to", program.url, "--secret", secret, "--events", "payment.completed,payment.refunded"],
      ...["--count", "2", "--json"]
    )
    await begun(listening)
    await dataIn(withKey)("trigger", "payment.refunded")
    const listened = await listening.ended
    program.close()
    expect(listened.code).toBe(0)
    expect(listened.stderr).toContain(`Signing secret: ${secret}\n`)
    const lines = listened.stdout.trim().split("\n")
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { event_type: "payment.completed", status: 204, error: null },
      { event_type: "payment.refunded", status: 204, error: null }
    ])
    for (const { body, headers } of program.got) {
      const event = await verifyWebhook({ body, headers, secret })
      const [kept] = await query<{ payload: string }>(
        database.url,
        `select event_payload(e) as payload from events e where event_id = '${event.event_id}'`
      )
      expect(body).toBe(kept!.payload)
    }
    expect(program.got).toHaveLength(2)
  })

  it("reports what the program answers, and makes a secret of its own", async () => {
    const program = await receiver(500)
    const listening = cliRunning(withKey)(
      "listen",
      "--forward-to",
      program.url,
      "--events",
      "virtual_account.*",
      "--count",
      "1"
    )
    await begun(listening)
    await dataIn(withKey)("trigger", "virtual_account.deposit")
    const { code, stderr, stdout } = await listening.ended
    program.close()
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\d\d:\d\d:\d\d +virtual_account\.deposit +500 +\d+ ms +[0-9a-f-]{36}\n$/)
    const [, secret = ""] = /Signing secret: (whsec_\S{44})\n/.exec(stderr) ?? []
    await verifyWebhook({ ...program.got[0]!, secret })
  })

  it.each(["payment.failed", "payment.canceled", "virtual_account.withdrawal", "transaction.updated"])(
    "%s happens when it is triggered",
    async (type) => {
      expect(await dataIn(withKey)("trigger", type)).toMatchObject({ event_type: type, org_id: org })
    }
  )

  it("freezes for an admin, and says what cannot be triggered, or was meant", async () => {
    expect(await dataIn(asAdmin)("trigger", "virtual_account.unfrozen", "--org", org)).toMatchObject({
      event_type: "virtual_account.unfrozen"
    })
    await refused(asAdmin, ["trigger", "payment.completed"], /--org ORG/)
    await refused(withKey, ["trigger", "kyb.approved"], /payment\.completed(?!.*kyb\.rejected)/)
    const accounts = () => query(database.url, "select count(*)::int as n from virtual_accounts")
    const before = await accounts()
    await refused(withKey, ["trigger", "virtual_account.frozen"], /takes a platform admin/)
    expect(await accounts()).toEqual(before)
    await refused(withKey, ["trigger", "payment.complete"], /Did you mean payment\.completed\?/)
    await refused(withKey, ["listen", "--forward-to", "x", "--events", "payment.done"], /Did you mean/)
  })

  it("needs no address beside a sandbox, whose file has one, and follows its log", async () => {
    const here = cliIn({ DATA_DIR: dataDir })
    const event = await here("trigger", "virtual_account.deposit", "--json")
    expect(event).toMatchObject({ code: 0, stderr: `Server: ${server.url}, with an API key.\n` })
    const following = cliRunning({ DATA_DIR: dataDir })(
      "logs",
      "tail",
      "--lines",
      "0",
      "--only",
      "events",
      "--count",
      "3",
      "--json"
    )
    await begun(following)
    // Events from before may still arrive, and are printed too.
    for (const _ of Array(3)) await here("trigger", "virtual_account.deposit")
    const printed = (await following.ended).stdout.trim().split("\n")
    expect(printed.map((line) => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ kind: "event", event_type: "virtual_account.deposit" })
    )
    expect(printed).toHaveLength(3)
    expect((await here("open", "--json")).stdout).toContain('"opened":false')
    expect((await here("open", "docs", "--url", "https://pay.example/v1")).stdout).toBe("https://pay.example/docs\n")
    await refused({ DATA_DIR: dataDir }, ["open", "sesame"], /PAGE: expected one of console, docs; sesame/)
  })

  it("shows a member of the staff that only events are followed", async () => {
    const { code, stderr, stdout } = await cliIn(asStaff)("logs", "tail", "--no-follow", "--lines", "3")
    expect(code).toBe(0)
    expect(stderr).toContain("only events are followed")
    expect(stdout.trim().split("\n")).toHaveLength(3)
    await refused(asStaff, ["logs", "tail", "--only", "audit", "--no-follow"], /corridor: \S/)
    await refused(asStaff, ["logs", "tail", "--only", "everything"], /--only: expected one of audit, events;/)
  })
})
