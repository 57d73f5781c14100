import { chmodSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, Either, Redacted } from "effect"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { ConfigId } from "../../src/domain/Ids.ts"
import { parseMasterKey } from "../../src/platform/config/MasterKey.ts"
import { Vault } from "../../src/platform/secrets/Vault.ts"
import { encryptCredentials } from "../../src/providers/accounts/AccountCredentials.ts"
import {
  cliIn,
  documentOf,
  freePort,
  type OwnDatabase,
  ownDatabase,
  query,
  startServer,
  temporaryFolder
} from "./Cli.ts"

// Every step is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

interface Findings {
  readonly status?: string
  readonly message?: string
  readonly data: ReadonlyArray<{ readonly name: string; readonly status: string; readonly message: string }>
}

const dataDir = temporaryFolder()
let database: OwnDatabase

beforeAll(async () => {
  database = await ownDatabase("empty")
})

afterAll(async () => {
  await database.drop()
  rmSync(dataDir, { recursive: true })
})

const messagesOf = ({ data }: Findings) => Object.fromEntries(data.map(({ message, name }) => [name, message]))

const statusesOf = ({ data }: Findings) => Object.fromEntries(data.map(({ name, status }) => [name, status]))

it("warns of what is not there yet, and changes nothing", async () => {
  const env = { DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: await freePort() }
  const before = documentOf<Findings>(await cliIn(env)("doctor", "--json"))
  const healthy = { Node: "ok", Settings: "ok", DATA_DIR: "ok", Database: "ok", "Master key": "ok" }
  expect(statusesOf(before)).toEqual({ ...healthy, Migrations: "warn", "sandbox.json": "warn", Server: "warn" })
  await cliIn(env)("migrate")
  const after = await cliIn(env)("doctor")
  expect(after.code).toBe(0)
  expect(after.stdout).toMatch(/^ok +Migrations +up to date/m)
  expect(after.stderr).toBe("")
})

it("reports a database that cannot be reached, without its password", async () => {
  const url = `postgresql://someone:hunter22@127.0.0.1:${await freePort()}/nowhere`
  const result = await cliIn({ DATABASE_URL: url, DATA_DIR: dataDir, PORT: await freePort() })("doctor", "--json")
  expect(result.code).toBe(1)
  const findings = documentOf<Findings>(result)
  expect(findings).toMatchObject({ status: "error", message: "1 of 8 checks failed: Database." })
  expect(findings.data.find(({ name }) => name === "Database")?.message).toContain("Check DATABASE_URL")
  expect(result.stdout + result.stderr).not.toContain("hunter22")
})

it("names a setting that is wrong, and a data folder that cannot be one", async () => {
  const port = await freePort()
  const [setting, folder] = await Promise.all([
    cliIn({ DATA_DIR: dataDir, PORT: "lots" })("doctor"),
    cliIn({ DATABASE_URL: database.url, DATA_DIR: join(process.execPath, "data"), PORT: port })("doctor")
  ])
  expect(setting.code).toBe(1)
  expect(setting.stdout).toMatch(/^fail +Settings +PORT is not valid/m)
  expect(setting.stderr).toMatch(/^corridor: 1 of 3 .*\bSettings\b/)
  expect(folder.code).toBe(1)
  expect(folder.stdout).toMatch(/^fail +DATA_DIR +.*(not a folder|ENOTDIR)/m)
})

it("warns of a data folder that others can look into", async () => {
  const open = temporaryFolder()
  chmodSync(open, 0o755)
  const { stdout } = await cliIn({ DATABASE_URL: database.url, DATA_DIR: open, PORT: await freePort() })("doctor")
  rmSync(open, { recursive: true })
  expect(stdout).toMatch(/^warn +DATA_DIR +.*chmod go-rw/m)
})

it("distinguishes a server on its own database from one on another", async () => {
  const [mine, theirs] = await Promise.all([ownDatabase(), ownDatabase("empty")])
  const env = { DATA_DIR: dataDir, PORT: await freePort() }
  const server = await startServer({ ...env, DATABASE_URL: theirs.url })
  const [same, other] = await Promise.all([
    cliIn({ ...env, DATABASE_URL: theirs.url })("doctor"),
    cliIn({ ...env, DATABASE_URL: mine.url })("doctor")
  ])
  await server.stop()
  await Promise.all([mine.drop(), theirs.drop()])
  expect(same.stdout).toMatch(/^ok +Server +ready on/m)
  expect(same.code).toBe(0)
  expect(other.stdout).toMatch(/^fail +Server +.*another database.*DATA_DIR or DATABASE_URL/m)
  expect(other.code).toBe(1)
})

it("fails where the database was last used on another PostgreSQL, until that is accepted", async () => {
  const moved = await ownDatabase()
  const env = { DATABASE_URL: moved.url, DATA_DIR: dataDir, PORT: await freePort() }
  const run = cliIn(env)
  await query(moved.url, "update database_identity set system_identifier = '1', timeline = 1")
  const [findings, command] = [await run("doctor"), await run("orgs", "list")]
  const accepted = await run("migrate", "--accept-server")
  const rows = await query(moved.url, "select from database_identity where system_identifier <> '1' and timeline = 1")
  await query(moved.url, "update database_identity set timeline = 7")
  const older = await run("orgs", "list")
  await run("migrate", "--accept-server")
  const after = await run("orgs", "list")
  await moved.drop()
  expect(findings.stdout).toMatch(/^fail +Primary +.*another PostgreSQL cluster \(system identifier 1, here \d+\)/m)
  expect(command.code).toBe(1)
  expect(command.stderr).toContain("corridor migrate --accept-server")
  expect([accepted.code, rows.length]).toEqual([0, 1])
  expect(older.stderr).toContain("on timeline 1, and timeline 7 was seen already")
  expect(after.code).toBe(0)
})

it("does not make a database where there is none", async () => {
  const empty = temporaryFolder()
  const result = await cliIn({ DATA_DIR: join(empty, "data"), PORT: await freePort() })("doctor")
  expect(result.code).toBe(1)
  expect(result.stdout).toMatch(/^fail +Database +There is no database in .*data yet/m)
  expect(readdirSync(empty)).toEqual([])
  rmSync(empty, { recursive: true })
})

it("says what live mode lacks to take a payment", async () => {
  const live = await ownDatabase()
  const env = {
    DATABASE_URL: live.url,
    DATA_DIR: dataDir,
    PORT: await freePort(),
    CORRIDOR_MODE: "live",
    CORRIDOR_MASTER_KEY: "ab".repeat(32),
    KYB_WEBHOOK_SECRET: "a secret of the test"
  }
  const bare = await cliIn(env)("doctor", "--json")
  expect(bare.code).toBe(1)
  expect(statusesOf(documentOf<Findings>(bare))).toMatchObject({
    Providers: "fail",
    Rates: "warn",
    "Identity provider": "warn",
    "Public address": "fail"
  })
  await query(
    live.url,
    `insert into provider_configs (config_id, provider, country, payment_method, direction)
       values (gen_random_uuid(), 'stripe', 'KE', 'card', 'inbound'), (gen_random_uuid(), 'fiat', 'KE', 'card', 'inbound');
     insert into rates (from_currency, to_currency, rate, compared_rate) values ('USD', 'KES', 129.35, 129.35)`
  )
  const identity = {
    JWT_JWKS_URL: "https://id.example/keys",
    JWT_ISSUER: "https://id.example",
    JWT_AUDIENCE: "corridor"
  }
  const address = { ...env, ...identity, PUBLIC_URL: "https://pay.example" }
  const lacking = await cliIn(address)("doctor", "--json")
  await query(
    live.url,
    `insert into provider_configs (config_id, provider, country, payment_method, direction)
       select gen_random_uuid(), 'adyen', country, 'card', 'inbound' from unnest(array['DE', 'KE', 'NG']) country`
  )
  const many = await cliIn(address)("doctor", "--json")
  await query(live.url, "delete from provider_configs where provider = 'adyen'")
  const complete = await cliIn({ ...address, STRIPE_SECRET_KEY: "sk_live_of_the_test" })("doctor", "--json")
  const kybOrg = "0199c2a5-0c11-7d20-8f10-3b2c1d0e9f01"
  await query(
    live.url,
    `update rates set updated_at = now() - interval '25 hours';
     insert into rate_fetches (source, next_at, fetched_at, failures, last_error)
       values ('ecb', now(), now() - interval '30 hours', 4, 'it answered with 503'), ('coinbase', now(), now(), 0, null),
         ('https://rates.example/latest', now(), now(), 0, null);
     insert into rate_proposals (from_currency, to_currency, rate, proposed_by) values ('USD', 'BTC', 1, 'source coinbase');
     insert into organizations (org_id, name, country, currency, email, kyb_status, kyb_customer_id)
       values ('${kybOrg}', 'Kilimo', 'KE', 'KES', 'a@b.example', 'pending', 'kyb_1');
     insert into users (user_id, email, subject) values ('${kybOrg}', 'ada@b.example', 'ada');
     insert into payments (payment_id, transaction_id, org_id, user_id, status, direction, payment_method, country,
         amount, currency, target_amount, target_currency, created_at, updated_at)
       select gen_random_uuid(), gen_random_uuid(), '${kybOrg}', '${kybOrg}', 'initiated', 'inbound', 'card', 'KE',
         1, 'KES', 1, 'KES', now(), now();
     insert into kyb_applications (customer_id, org_id, started_by, request_error) values ('kyb_1', '${kybOrg}', 'ada', 'it answered with 500')`
  )
  const old = await cliIn({ ...env, RATE_SOURCE: "ecb,coinbase" })("doctor")
  const undated = await cliIn({ ...env, RATE_SOURCE: "https://rates.example/latest" })("doctor")
  const vendor = { KYB_PROVIDER: "webhook", KYB_REQUEST_URL: "https://kyb.example/requests" }
  const byVendor = await cliIn({ ...env, ...vendor })("doctor", "--live")
  await live.drop()
  const [without] = documentOf<Findings>(lacking).data.filter(({ name }) => name === "Providers")
  expect(without?.message).toMatch(
    /credentials of the platform: none.*Not routed for want of credentials: stripe [0-9a-f-]{36}/
  )
  expect(statusesOf(documentOf<Findings>(lacking))).toMatchObject({ Providers: "fail" })
  const [ofMany] = documentOf<Findings>(many).data.filter(({ name }) => name === "Providers")
  expect(ofMany?.message).toMatch(/want of credentials: 3 of adyen, stripe [0-9a-f-]{36} \(/)
  expect(complete.code).toBe(0)
  const found = documentOf<Findings>(complete)
  expect(statusesOf(found)).toMatchObject({
    Providers: "ok",
    Rates: "ok",
    "Identity provider": "ok",
    "Public address": "ok"
  })
  expect(found.data.find(({ name }) => name === "Providers")?.message).toBe(
    "credentials of the platform: stripe; configurations with an account of their own: 0"
  )
  expect(complete.stdout).not.toContain("sk_live_of_the_test")
  expect(old.stdout).toMatch(/^warn +Rates +1 of 1 are too old/m)
  expect(old.stdout).toMatch(
    /^warn +Rate sources +ecb fetched 1d 6h( \d+s)? ago, stale, failing \(it answered with 503\); coinbase fetched .* ago; 1 rates wait for a person/m
  )
  expect(undated.stdout).toMatch(/^warn +Rate sources +https:\/\/rates\.example\/latest .* ago, without a time/m)
  expect(old.stdout).toMatch(/^warn +Unapproved KYB +1 organisations have payments without an approved KYB/m)
  expect(old.stdout).toMatch(/^warn +KYB applications +1 platform admins have to approve, but there are 0/m)
  expect(byVendor.stdout).toMatch(/^ok +KYB +webhook: applications go to KYB_REQUEST_URL/m)
  expect(byVendor.stdout).toMatch(/^warn +KYB applications +1 of 1 could not be sent .*: it answered with 500/m)
})

it("refuses for live mode the accounts of a test mode, in settings and in configurations", async () => {
  const sandbox = await ownDatabase()
  const masterKey = "cd".repeat(32)
  const env = {
    DATABASE_URL: sandbox.url,
    DATA_DIR: dataDir,
    PORT: await freePort(),
    CORRIDOR_MASTER_KEY: masterKey,
    KYB_WEBHOOK_SECRET: "a secret of the test"
  }
  const checksFor = async (variables: Readonly<Record<string, string>>) => {
    const { data } = documentOf<Findings>(await cliIn({ ...env, ...variables })("doctor", "--live", "--json"))
    return Object.fromEntries(data.map(({ message, name, status }) => [name, `${status} ${message}`]))
  }
  const withTestKey = await checksFor({ STRIPE_SECRET_KEY: "sk_test_of_the_test" })
  const withLiveKey = await checksFor({ STRIPE_SECRET_KEY: "sk_live_of_the_test" })
  const within = await checksFor({ STRIPE_SECRET_KEY: "sk_live_of_the_test", PUBLIC_URL: "https://10.1.2.3" })
  const registered = "insert into secrets (name, sealed) values ('registered callbacks of stripe', 'sealed')"
  await query(sandbox.url, registered)
  const outside = await checksFor({ STRIPE_SECRET_KEY: "sk_live_of_the_test", PUBLIC_URL: "https://pay.example" })
  const vault = Vault.make(Either.getOrThrow(parseMasterKey(masterKey)))
  const config_id = ConfigId.make("0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88")
  const sealed = await Effect.runPromise(
    encryptCredentials(vault, config_id, { secret_key: Redacted.make("sk_test_of_the_test") })
  )
  await query(
    sandbox.url,
    `insert into provider_configs (config_id, provider, country, payment_method, direction)
       values ('${config_id}', 'paystack', 'NG', 'card', 'inbound');
     insert into provider_accounts (config_id, provider, sealed, tested_at)
       values ('${config_id}', 'paystack', '${sealed}', now())`
  )
  const stored = await checksFor({})
  await sandbox.drop()
  expect(withTestKey["Provider accounts"]).toMatch(
    /^fail STRIPE_SECRET_KEY is not valid: is of Stripe's test mode, and CORRIDOR_MODE is live/
  )
  expect(withTestKey["Metrics"], "the rest is looked at all the same").toMatch(/^warn/)
  expect(withLiveKey["Provider accounts"]).toBe("ok stripe")
  expect(withLiveKey["Callback secrets"]).toBe(
    'warn missing, so callbacks are refused and payments only polled: STRIPE_WEBHOOK_SECRET of Stripe ("corridor providers setup stripe").'
  )
  expect(withLiveKey["Callback addresses"]).toMatch(
    /^fail http:\/\/\S+\/callbacks\/stripe: PUBLIC_URL is not on the public internet, so no provider can call back\.$/
  )
  expect(within["Callback addresses"]).toMatch(/^fail https:\/\/10\.1\.2\.3\/callbacks\/stripe/)
  expect(within["Public address"]).toMatch(/^fail/)
  expect(outside["Callback addresses"]).toMatch(
    /^fail https:\/\/pay\.example\/callbacks\/stripe: PUBLIC_URL: the name pay\.example cannot be resolved/
  )
  expect(outside["Callback secrets"]).toMatch(/^ok/)
  expect(stored["Providers"]).toMatch(
    new RegExp(`^fail .*paystack ${config_id}: secret_key: is of Paystack's test mode, and CORRIDOR_MODE is live`)
  )
  expect(JSON.stringify([withTestKey, withLiveKey, stored])).not.toMatch(/sk_(test|live)_of_the_test/)
})

it("lists for a sandbox, all at once, what is missing for live mode", async () => {
  const sandbox = await ownDatabase()
  const env = { DATABASE_URL: sandbox.url, DATA_DIR: dataDir, PORT: await freePort() }
  const bare = await cliIn(env)("doctor", "--live")
  expect(bare.code).toBe(1)
  expect(bare.stdout).toMatch(/^fail +Secrets +CORRIDOR_MASTER_KEY is missing/m)
  expect(bare.stdout).toMatch(/^ok +KYB +manual: one platform admin decides/m)
  expect(bare.stdout).toMatch(/^warn +Rate sources +manual: a person sets each rate again/m)
  const byVendor = await cliIn({ ...env, KYB_PROVIDER: "webhook", RATE_SOURCE: "ecb" })("doctor", "--live")
  expect(byVendor.stdout).toMatch(/^fail +KYB +KYB_WEBHOOK_SECRET is missing/m)
  expect(byVendor.stdout).toMatch(/^warn +Rate sources +ecb not fetched yet/m)
  const asLive = await cliIn({ ...env, CORRIDOR_MODE: "live" })("doctor")
  expect(asLive.stdout).toMatch(/^fail +Settings +CORRIDOR_MASTER_KEY is missing/m)
  const secrets = { CORRIDOR_MASTER_KEY: "ab".repeat(32), KYB_WEBHOOK_SECRET: "a secret of the test" }
  const withSecrets = documentOf<Findings>(await cliIn({ ...env, ...secrets })("doctor", "--live", "--json"))
  expect(statusesOf(withSecrets)).toMatchObject({
    Providers: "fail",
    "Public address": "fail",
    Rates: "warn",
    "Identity provider": "warn",
    People: "warn",
    Mail: "warn",
    Metrics: "warn",
    "Card data": "ok",
    PostgreSQL: "ok"
  })
  expect(messagesOf(withSecrets)["Card data"]).toContain("SAQ A")
  await query(
    sandbox.url,
    `insert into users (user_id, subject, email, is_admin) values (gen_random_uuid(), 'idp|a', 'a@b.example', true);
     insert into organizations (org_id, name, country, currency, email, sandbox)
       values (gen_random_uuid(), 'Acme', 'KE', 'KES', 'a@b.example', false)`
  )
  const mailed = { SMTP_URL: "smtps://mail.example", METRICS_PORT: "9100", CARD_DATA: "raw" }
  const more = documentOf<Findings>(await cliIn({ ...env, ...secrets, ...mailed })("doctor", "--live", "--json"))
  await sandbox.drop()
  expect(statusesOf(more)).toMatchObject({ People: "ok", Mail: "ok", Metrics: "ok", "Card data": "warn" })
  expect(messagesOf(more)["Card data"]).toContain("SAQ D")
  expect(documentOf<Findings>(await cliIn(env)("doctor", "--json")).data.map(({ name }) => name)).not.toContain("Mail")
})
