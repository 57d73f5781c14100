/** Each command on a PostgreSQL of its own, as a script would call it; one test runs the program as it is built. */
import { rmSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parseApiKey } from "../../src/domain/ApiKeyFormat.ts"
import {
  cliIn,
  cliProcessIn,
  dataIn,
  documentOf,
  type Ended,
  type Environment,
  type OwnDatabase,
  ownDatabase,
  query,
  temporaryFolder
} from "./Cli.ts"

interface Named {
  readonly org_id: string
  readonly user_id: string
  readonly api_key_id: string
  readonly api_key: string
  readonly status: string
  readonly name: string
  readonly role: string | null
  readonly sandbox: boolean
}

let database: OwnDatabase
let env: Environment
let cli: ReturnType<typeof cliIn>
let data: ReturnType<typeof dataIn>
let org: string
let admin: Named
const dataDir = temporaryFolder()

/** One sentence on standard error, nothing on standard output, no stack. */
const refused = (result: Ended, sentence: RegExp): void => {
  expect(result.code).toBe(1)
  expect(result.stdout).toBe("")
  expect(result.stderr).toMatch(/^corridor: [^\n]+\n$/)
  expect(result.stderr).toMatch(sentence)
}

const audited = (action: string) =>
  query<{ actor_type: string; actor_id: string; org_id: string | null; detail: Record<string, unknown> }>(
    database.url,
    `select * from audit_log where action = '${action}' order by created_at desc, audit_id desc`
  )

beforeAll(async () => {
  database = await ownDatabase("empty")
  env = { DATABASE_URL: database.url, DATA_DIR: dataDir }
  cli = cliIn(env)
  data = dataIn(env)
  expect(await data("migrate")).not.toEqual([])
  org = (
    await data<Named>(
      ...["orgs", "create", "--name", " Kilimo Ltd ", "--country", "KE", "--currency", "KES"],
      ...["--email", "ops@kilimo.example", "--feature", "escrow"]
    )
  ).org_id
  admin = await data<Named>("users", "create", "--email", "ada@kilimo.example", "--org", org, "--role", "org-admin")
})

afterAll(async () => {
  await database.drop()
  rmSync(dataDir, { recursive: true })
})

describe.concurrent("the command line", () => {
  it("describes every command and option", async ({ expect }) => {
    const [root, bare, keys, rotate, create, version] = await Promise.all([
      cli("--help"),
      cli(),
      cli("keys", "--help"),
      cli("secrets", "rotate", "--help"),
      cli("orgs", "create", "--help"),
      cli("--version")
    ])
    expect(bare).toEqual(root)
    expect(root.code).toBe(0)
    expect(root.stdout).toMatch(/^ {2}keys rotate +Replace an API key/m)
    expect(root.stdout).toMatch(/^ {2}doctor +Check/m)
    const listed = root.stdout.split("COMMANDS\n")[1]!.split("\n\n")[0]!.split("\n")
    expect(listed.length).toBeGreaterThanOrEqual(15)
    for (const line of listed) expect(line).toMatch(/^ {2}[a-z]+( [a-z]+){0,2} {2,}\S.{10,}\.$/)
    expect(keys.stdout).toContain("$ corridor keys COMMAND")
    expect(keys.stdout).toMatch(/^ {2}revoke +Revoke/m)
    expect(rotate.stdout).toContain("$ corridor secrets rotate [--new-key KEY] [--json]")
    expect(rotate.stdout).toContain("other users of this machine can see the arguments")
    expect(create.stdout).toContain("[--feature escrow]...")
    const options = create.stdout.split("OPTIONS\n")[1]!.split(/\n\n(?=--)/)
    expect(options.map((text) => text.split(" ")[0]!.trim())).toEqual(
      ["--name", "--country", "--currency", "--email", "--feature", "--json\n"].map((name) => name.trim())
    )
    for (const text of options) expect(text).toMatch(/^--.+\n {2}\S/)
    expect(version.stdout).toBe("0.9.0\n")
    for (const { stdout } of [root, keys, rotate]) expect(stdout).not.toContain("\u001b")
  })

  it("is a program that says by its code how it ended, and writes nothing beside its answer", async () => {
    const program = cliProcessIn(env)
    const lines = [
      ["--help"],
      ["orgs", "list", "--json"],
      ["kyes"],
      ["keys", "rotate", "--json"],
      ["rates", "set", "A"]
    ]
    for (const args of lines) expect(await program(...args), args.join(" ")).toEqual(await cli(...args))
  })

  it("refuses words and options it does not know", async () => {
    const [word, nested, missing, unknown, asJson] = await Promise.all([
      cli("kyes"),
      cli("keys", "creat"),
      cli("keys", "list"),
      cli("orgs", "list", "--nope"),
      cli("keys", "rotate", "--json")
    ])
    refused(word, /"corridor kyes" is not a command; .*\bkeys\b/)
    refused(nested, /"corridor keys" has: create, list, revoke, rotate\./)
    refused(missing, /--org is missing\. See: corridor keys list --help/)
    refused(unknown, /--nope/)
    expect(asJson.code).toBe(1)
    expect(documentOf(asJson)).toEqual({ status: "error", message: expect.stringContaining("ID is missing.") })
  })
})

describe("organisations and users", () => {
  it("are made and listed", async () => {
    const [orgs, members, everybody, table] = await Promise.all([
      data<ReadonlyArray<Named>>("orgs", "list"),
      data<ReadonlyArray<Named>>("users", "list", "--org", org),
      data<ReadonlyArray<Named>>("users", "list"),
      cli("orgs", "list")
    ])
    expect(orgs).toMatchObject([
      {
        org_id: org,
        name: "Kilimo Ltd",
        country: "KE",
        currency: "KES",
        email: "ops@kilimo.example",
        features: ["escrow"],
        kyb_status: "not_started",
        sandbox: true,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      }
    ])
    expect(members).toMatchObject([{ user_id: admin.user_id, email: "ada@kilimo.example", role: "org-admin" }])
    expect(everybody.map((user) => user.user_id)).toContain(admin.user_id)
    expect(table.stdout).toMatch(new RegExp(`^ID +NAME +COUNTRY.*\n${org} +Kilimo Ltd +KE +KES +escrow`))
  })

  it("leave audit rows in the name of the operator", async () => {
    const [created] = await audited("organization.created")
    expect(created).toMatchObject({ actor_type: "operator", org_id: org, detail: { features: ["escrow"] } })
    expect(created?.actor_id).not.toBe("")
    expect(await audited("user.created")).toMatchObject([{ org_id: null, detail: { is_admin: false } }])
    expect(await audited("member.added")).toMatchObject([{ org_id: org, detail: { role: "org-admin" } }])
  })

  it("are refused with the option that is wrong", async () => {
    const user = (...args: ReadonlyArray<string>) => cli("users", "create", ...args)
    const [organisation, feature, duplicate, role, half, unknownOrg] = await Promise.all([
      cli("orgs", "create", "--name", "X", "--country", "ke", "--currency", "ABC", "--email", "x"),
      cli(
        "orgs",
        "create",
        "--name",
        "X",
        "--country",
        "KE",
        "--currency",
        "KES",
        "--email",
        "x@y.example",
        "--feature",
        "y"
      ),
      user("--email", "ADA@kilimo.example"),
      user("--email", "b@kilimo.example", "--org", org, "--role", "boss"),
      user("--email", "b@kilimo.example", "--org", org),
      user("--email", "b@kilimo.example", "--org", "none", "--role", "staff")
    ])
    refused(organisation, /--country is not .* --currency is not .* --email is not/)
    refused(feature, /--feature: expected one of escrow; y is none of them/)
    refused(duplicate, /--email: another user has it/)
    refused(role, /--role: expected one of member, staff, org-admin; boss is none of them\./)
    refused(half, /--org needs --role/)
    refused(unknownOrg, /--org: there is no organisation with the id none/)
    expect((await data<ReadonlyArray<Named>>("users", "list")).length).toBe(1)
  })
})

describe("API keys", () => {
  it("are made for the oldest org-admin, rotated with a grace time and revoked", async () => {
    const first = await data<Named>("keys", "create", "--org", org, "--name", "Checkout")
    expect(first).toMatchObject({ user_id: admin.user_id, role: "org-admin", status: "active", name: "Checkout" })
    expect(parseApiKey(first.api_key)).toMatchObject({ _tag: "Some" })
    const second = await data<Named>("keys", "rotate", first.api_key_id, "--grace-seconds", "600")
    expect(second.api_key).not.toBe(first.api_key)
    expect(second, "an operator makes it for its user").toMatchObject({ user_id: admin.user_id, obtained_by: null })
    const statuses = async () =>
      Object.fromEntries(
        (await data<ReadonlyArray<Named>>("keys", "list", "--org", org)).map((key) => [key.api_key_id, key.status])
      )
    expect(await statuses()).toEqual({ [first.api_key_id]: "expiring", [second.api_key_id]: "active" })
    expect(await data("keys", "revoke", second.api_key_id)).toEqual({
      api_key_id: second.api_key_id,
      status: "revoked"
    })
    expect(await statuses()).toEqual({ [first.api_key_id]: "expiring", [second.api_key_id]: "revoked" })
    refused(await cli("keys", "rotate", second.api_key_id), /revoked; create a new one/)
    expect(await audited("api_key.rotated")).toMatchObject([{ actor_type: "operator", detail: { grace_seconds: 600 } }])
  })

  it("never reach beyond the member they act for", async () => {
    await data("users", "create", "--email", "sam@kilimo.example", "--org", org, "--role", "staff")
    await data("users", "create", "--email", "out@elsewhere.example")
    const create = (...args: ReadonlyArray<string>) => cli("keys", "create", "--org", org, "--name", "k", ...args)
    const [above, outsider, unknown, role, grace, noKey] = await Promise.all([
      create("--user", "sam@kilimo.example"),
      create("--user", "out@elsewhere.example", "--role", "member"),
      create("--user", "zed"),
      create("--role", "root"),
      cli("keys", "rotate", "x", "--grace-seconds", "1.5"),
      cli("keys", "revoke", "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77")
    ])
    refused(above, /role: sam@kilimo.example is staff here/)
    refused(outsider, /user_id: out@elsewhere.example is not a member/)
    refused(unknown, /user_id: there is no user /)
    refused(role, /--role: expected one of member, staff, org-admin; root/)
    refused(grace, /--grace-seconds is not a whole number/)
    refused(noKey, /There is no API key with the id 0199c2a4/)
    const own = await data<Named>(
      ...["keys", "create", "--org", org, "--name", "k", "--user", "sam@kilimo.example", "--role", "staff"]
    )
    expect(own.role).toBe("staff")
  })
})

describe("rates", () => {
  it("are exact, and the audit log keeps what they replaced", async () => {
    const set = await cli("rates", "set", "USD", "KES", "129.350", "--json")
    expect(set.stdout).toMatch(/"rate":129\.35,/)
    expect((await cli("rates", "set", "USD", "KES", "131.123456789")).stdout).toBe(
      "1 USD = 131.123456789 KES (it was 129.35).\n"
    )
    expect((await audited("rate.set"))[0]?.detail).toEqual({ old: "129.35", new: "131.123456789" })
    await cli("rates", "set", "KES", "BTC", "0.000000123456789012")
    expect((await cli("rates", "list", "--json")).stdout).toContain('"rate":0.000000123456789012,')
  })

  it("wait for a second person where they jump by more than 10 percent", async () => {
    expect((await cli("rates", "set", "USD", "KES", "200")).stdout).toContain("1 USD = 200 KES. ")
    expect((await cli("rates", "list", "--json")).stdout).toMatch(/"rate":200\.0,[^}]*"status":"proposed"/)
    // The same operator once more is no second person.
    await cli("rates", "set", "USD", "KES", "200")
    expect((await cli("rates", "list", "--json")).stdout).toMatch(/"rate":131\.123456789,[^}]*"status":"set"/)
  })

  it("are listed with their source, and with the command that confirms one that waits", async () => {
    await query(
      database.url,
      `insert into rates (from_currency, to_currency, rate, compared_rate, source, published_at)
         values ('USD', 'ZAR', 17.5, 17.5, 'ecb', '2026-11-17T00:00:00Z');
       insert into rate_proposals (from_currency, to_currency, rate, proposed_by)
         values ('USD', 'ZAR', 21, 'source ecb'), ('ZAR', 'USD', 0.047, 'source ecb')`
    )
    const listed = (await cliIn({ ...env, RATE_SOURCE: "ecb" })("rates", "list")).stdout
    expect(listed).toMatch(/^USD +ZAR +17\.5 +ecb +2026-11-17 00:00Z +\S+ \S+Z +set$/m)
    expect(listed).toMatch(/^USD +ZAR +21 +ecb .*waits for a person: corridor rates set USD ZAR 21$/m)
    expect(listed).toMatch(/^Source ecb: not fetched yet$/m)
    const found = await data<ReadonlyArray<Record<string, unknown>>>("rates", "list")
    expect(found).toContainEqual(
      expect.objectContaining({ to_currency: "ZAR", source: "ecb", published_at: "2026-11-17T00:00:00.000Z" })
    )
    expect((await cli("rates", "set", "USD", "ZAR", "21")).stdout).toBe("1 USD = 21 ZAR (it was 17.5).\n")
    const after = (await cli("rates", "list")).stdout
    expect(after).toMatch(/^ZAR +USD +0\.047 +ecb /m)
    expect(after).not.toContain("rates set USD ZAR")
  })

  it("are refused when they are none", async () => {
    const [same, code, digits, zero, exponent] = await Promise.all([
      cli("rates", "set", "USD", "USD", "1"),
      cli("rates", "set", "USD", "XXX", "1"),
      cli("rates", "set", "USD", "EUR", "1.000000000001"),
      cli("rates", "set", "USD", "EUR", "0.0"),
      cli("rates", "set", "USD", "EUR", "1e2")
    ])
    refused(same, /same currency/)
    refused(code, /TO is neither/)
    refused(digits, /RATE has more than 12 significant digits/)
    refused(zero, /RATE is not above zero/)
    refused(exponent, /RATE is not a decimal number/)
    expect((await cli("rates", "list")).stdout).not.toContain("EUR")
  })
})

describe("kyb", () => {
  it("lists, shows, approves and rejects applications, in the name of the operator", async () => {
    const apply = (id: string) =>
      query(
        database.url,
        `insert into kyb_applications (customer_id, org_id, started_by) values ('${id}', '${org}', 'ada');
         update organizations set kyb_status = 'pending', kyb_customer_id = '${id}' where org_id = '${org}'`
      )
    await apply("kyb_one")
    expect((await cli("kyb", "list", "--status", "pending")).stdout).toMatch(
      /^kyb_one +Kilimo Ltd +KE +pending +0 of 1/m
    )
    expect((await cli("kyb", "show", "kyb_one")).stdout).toMatch(/Status +pending[\s\S]*No documents\./)
    refused(await cli("kyb", "show", "kyb_none"), /There is no KYB application with the id kyb_none/)
    const rejected = await cli("kyb", "reject", "kyb_one", "--reason", "No such business")
    expect(rejected.stdout).toMatch(/^KYB application rejected\.[\s\S]*Reason +No such business/)
    refused(await cli("kyb", "approve", "kyb_one"), /KYB is rejected: there is nothing to decide/)
    expect((await audited("kyb.rejected"))[0]).toMatchObject({ actor_type: "operator", org_id: org })
    await apply("kyb_two")
    const approved = await data<{ kyb_status: string; approved_by: ReadonlyArray<string> }>("kyb", "approve", "kyb_two")
    expect(approved).toMatchObject({ kyb_status: "approved", approved_by: [expect.stringMatching(/^operator /)] })
    expect((await cli("kyb", "list", "--status", "pending")).stdout).toBe("No KYB applications.\n")
  })
})

describe("tokens", () => {
  it("name the user's only organisation, for as long as asked", async () => {
    const issued = await data<{ token: string; org_id: string }>(
      ...["tokens", "issue", "--user", "ADA@kilimo.example", "--ttl", "90 seconds"]
    )
    const claims = JSON.parse(Buffer.from(issued.token.split(".")[1]!, "base64url").toString()) as Record<
      string,
      number
    >
    expect(claims).toMatchObject({ sub: admin.user_id, org_id: org, email: "ada@kilimo.example", email_verified: true })
    expect(claims["exp"]! - claims["iat"]!).toBe(90)
  })

  it("name no organisation for someone who belongs to none", async () => {
    const { user_id } = await data<Named>("users", "create", "--email", "new@elsewhere.example")
    const issued = await data<{ token: string; org_id: string | null }>("tokens", "issue", "--user", user_id)
    expect(issued).toMatchObject({ user_id, org_id: null })
    const claims = JSON.parse(Buffer.from(issued.token.split(".")[1]!, "base64url").toString()) as object
    expect(claims).toMatchObject({ sub: user_id })
    expect(claims).not.toHaveProperty("org_id")
  })

  it("are for sandbox mode, and for those whom they can speak for", async () => {
    const live = {
      ...env,
      CORRIDOR_MODE: "live",
      CORRIDOR_MASTER_KEY: "f".repeat(64),
      KYB_WEBHOOK_SECRET: "a secret of the test"
    }
    const issue = (...args: ReadonlyArray<string>) => cli("tokens", "issue", "--user", ...args)
    await data("users", "create", "--email", "lone@elsewhere.example")
    const [inLive, stranger, unknown, ttl] = await Promise.all([
      cliIn(live)("tokens", "issue", "--user", admin.user_id),
      issue("lone@elsewhere.example", "--org", org),
      issue("nobody@elsewhere.example"),
      issue(admin.user_id, "--ttl", "soon")
    ])
    refused(inLive, /sandbox mode only/)
    refused(stranger, /--org: lone@elsewhere\.example is not a member of this organisation/)
    refused(unknown, /--user: there is no user/)
    refused(ttl, /--ttl is not a duration/)
  })
})

describe("dlq replay", () => {
  it("knows the endpoint that it is for, or says that there is none", async () => {
    const unknown = "0199c2a7-1d40-7b5e-8f21-3c4d5e6f7a8b"
    const replay = (id: string) => cli("dlq", "replay", "--webhook", id, "--since", "2020-01-01")
    const [noRow, noId] = await Promise.all([replay(unknown), replay("nonsense")])
    refused(noRow, new RegExp(`--webhook: there is no webhook with the id ${unknown}`))
    refused(noId, /--webhook: there is no webhook with the id nonsense \("corridor webhooks list" shows them\)\./)
  })

  it("takes the times that the API takes, and says what to write instead of others", async () => {
    const since = (time: string) => cli("dlq", "replay", "--webhook", "nonsense", "--since", time)
    const taken = await Promise.all(["2026-03-01", "2026-03-01T12:30:00Z", "2026-03-01T12:30+03:00"].map(since))
    for (const one of taken) refused(one, /--webhook: there is no webhook/)
    // All but tomorrow are dates to JavaScript, some of them in the zone of the machine.
    const others = await Promise.all(
      ["1", "tomorrow", "2026", "March 1, 2026", "2026-03-01T12:30", "2026-02-30"].map(since)
    )
    for (const one of others) refused(one, /--since must be a date or time in ISO 8601, such as 2026-03-02 or 2026-/)
  })
})
