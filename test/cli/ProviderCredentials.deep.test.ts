/** Credentials from the command line: given without showing on it, tested at once, listed without being shown. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { rmSync } from "node:fs"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { type RunningFake, startFake } from "../fakes/FakeServer.ts"
import { stripeFake } from "../fakes/StripeFake.ts"
import {
  CLI,
  cliIn,
  dataIn,
  documentOf,
  type Ended,
  type Environment,
  type OwnDatabase,
  ownDatabase,
  query,
  temporaryFolder
} from "./Cli.ts"

// Every step is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const CONFIG = "0199c2a4-9e30-7d18-a7b2-4c5d6e7f8091"
const WRONG = "sk_test_that_nobody_knows"

interface Listed {
  readonly config_id: string
  readonly account: string
  readonly has_credentials: boolean
  readonly credentials_tested_at: string | null
}

interface Tested {
  readonly provider: string
  readonly account: string
  readonly passed: boolean
}

const dataDir = temporaryFolder()
const scope = Effect.runSync(Scope.make())
let fake: RunningFake
let database: OwnDatabase
let env: Environment
let key: string

const piped = async (input: string, ...args: ReadonlyArray<string>): Promise<Ended> => {
  const child = spawn(process.execPath, [CLI, ...args], { env: { PATH: process.env["PATH"], ...env } })
  const output = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
  child.stdin.end(input)
  const [code] = (await once(child, "close")) as [number | null]
  return { code, ...output }
}

const listed = async (about: Environment = {}): Promise<Listed> => {
  const all = await dataIn({ ...env, ...about })<ReadonlyArray<Listed>>("providers", "list")
  return all.find(({ config_id }) => config_id === CONFIG)!
}

beforeAll(async () => {
  fake = await Effect.runPromise(
    startFake(stripeFake, { callbackUrl: "http://127.0.0.1:9/" }).pipe(Scope.extend(scope))
  )
  key = fake.credentials["secret_key"]!
  database = await ownDatabase()
  env = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    STRIPE_BASE_URL: fake.url,
    CORRIDOR_MASTER_KEY: "0".repeat(64)
  }
  await query(
    database.url,
    `insert into provider_configs (config_id, provider, country, payment_method, direction)
       values ('${CONFIG}', 'stripe', 'KE', 'card', 'inbound')`
  )
})

afterAll(async () => {
  await database.drop()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(dataDir, { recursive: true })
})

it("shows through whose account a configuration goes", async () => {
  expect(await listed()).toMatchObject({ account: "none", has_credentials: false, credentials_tested_at: null })
  const { stdout } = await cliIn(env)("providers", "list")
  expect(stdout).toContain("no credentials: set STRIPE_SECRET_KEY, or CORRIDOR_FAKES=1")
  expect(await listed({ STRIPE_SECRET_KEY: key })).toMatchObject({ account: "platform" })
  const halves = await cliIn({ ...env, STRIPE_WEBHOOK_SECRET: "x" })("providers", "list")
  expect(halves.code).toBe(1)
  expect(halves.stderr).toMatch(/^corridor: STRIPE_SECRET_KEY /)
})

it("has nothing to test without credentials, and tests those of the platform", async () => {
  const [none, right, wrong] = await Promise.all([
    cliIn(env)("providers", "test"),
    dataIn({ ...env, STRIPE_SECRET_KEY: key })<ReadonlyArray<Tested>>("providers", "test", "stripe"),
    cliIn({ ...env, STRIPE_SECRET_KEY: WRONG })("providers", "test", "--json")
  ])
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("No credentials are set to be tested")])
  expect(right).toMatchObject([
    {
      provider: "stripe",
      account: "platform",
      mode: "test",
      passed: true,
      name: "Corridor acct_1Fake",
      balances: ["1000000.00 USD"],
      rights: ["charges", "payouts"]
    }
  ])
  expect(wrong.code).toBe(1)
  expect(documentOf<{ data: ReadonlyArray<Tested> }>(wrong).data).toMatchObject([{ passed: false }])
  expect(wrong.stdout + wrong.stderr).not.toContain(WRONG)
})

it("registers the callback address of the platform's account, and keeps its secret encrypted", async () => {
  const secret = fake.credentials["webhook_secret"]!
  const own = { ...env, STRIPE_SECRET_KEY: key, PUBLIC_URL: "http://127.0.0.1:9" }
  const planned = await dataIn(own)<{ readonly registered: null; readonly message: string }>(
    ...["providers", "setup", "stripe", "--dry-run"]
  )
  expect(planned).toMatchObject({ registered: null, message: expect.stringContaining("would be registered") })
  expect(await query(database.url, "select 1 from secrets where name like 'registered%'")).toEqual([])
  const first = await cliIn(own)("providers", "setup", "stripe")
  expect(first.code, first.stderr).toBe(0)
  expect(first.stdout).toContain("http://127.0.0.1:9/callbacks/stripe")
  expect(first.stdout).toContain("STRIPE_SECRET_KEY (set)")
  expect(first.stdout).toMatch(/Registered as we_\w+\. Its secret is stored/)
  const [row] = await query(database.url, "select sealed from secrets where name = 'registered callbacks of stripe'")
  expect(row).toMatchObject({ sealed: expect.any(String) })
  expect(first.stdout + JSON.stringify(row)).not.toContain(secret)
  const again = await dataIn(own)<{ readonly registered: boolean; readonly message: string }>(
    ...["providers", "setup", "stripe"]
  )
  expect(again).toMatchObject({ registered: true, message: expect.stringMatching(/^Registered before/) })
  expect(await query(database.url, "select action, actor_type, subject_id, detail from audit_log")).toMatchObject([
    {
      action: "provider.callbacks_registered",
      actor_type: "operator",
      subject_id: "stripe",
      detail: { stored: ["webhook_secret"], callback_url: "http://127.0.0.1:9/callbacks/stripe" }
    }
  ])
  const byHand = await cliIn(env)("providers", "setup", "adyen")
  expect(byHand.code, byHand.stderr).toBe(0)
  expect(byHand.stdout).toMatch(/ADYEN_API_KEY \(missing\)[^]*\/callbacks\/adyen[^]*Standard webhook[^]*AUTHORISATION/)
  const unknown = await cliIn(env)("providers", "setup", "acme")
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("stripe, adyen")])
})

it("keeps what fails out of use, and takes what passes from standard input or the environment", async () => {
  const wrong = await piped(JSON.stringify({ secret_key: WRONG }), "providers", "credentials", "set", CONFIG, "--stdin")
  expect(wrong.code, wrong.stderr).toBe(1)
  expect(wrong.stderr).toContain(`run "corridor providers test ${CONFIG}"`)
  expect(await listed()).toMatchObject({ account: "own_untested", has_credentials: true })
  const tested = await cliIn(env)("providers", "test", CONFIG)
  expect(tested.code).toBe(1)
  expect(tested.stdout).toMatch(new RegExp(`fail +stripe +${CONFIG}`))

  const right = await cliIn({ ...env, MY_KEY: key })(
    ...["providers", "credentials", "set", CONFIG, "--field", "secret_key=@MY_KEY", "--json"]
  )
  expect(right.code, right.stderr).toBe(0)
  expect(documentOf(right)).toMatchObject({ data: { config_id: CONFIG, fields: ["secret_key"], tested: true } })
  expect(await listed()).toMatchObject({ account: "own", credentials_tested_at: expect.any(String) })
  const again = await dataIn(env)<ReadonlyArray<Tested>>("providers", "test", CONFIG)
  expect(again).toMatchObject([{ provider: "stripe", account: CONFIG, passed: true }])
  const rows = await query(database.url, "select action, detail from audit_log order by audit_id")
  expect(rows).toMatchObject([
    { action: "provider.callbacks_registered" },
    { action: "provider_config.credentials_set", detail: { fields: ["secret_key"], tested: false } },
    { action: "provider_config.credentials_set", detail: { fields: ["secret_key"], tested: true } },
    { action: "provider_config.credentials_tested", detail: { tested: true } }
  ])
  for (const { stderr, stdout } of [wrong, tested, right]) {
    expect(stdout + stderr).not.toContain(key)
    expect(stdout + stderr).not.toContain(WRONG)
  }
})

it("refuses what it cannot read, and never repeats it", async () => {
  const secret = "sk_test_in_the_wrong_place"
  const set = ["providers", "credentials", "set", CONFIG] as const
  const refusals = await Promise.all([
    piped(secret, ...set, "--stdin"),
    cliIn(env)(...set),
    cliIn(env)(...set, "--field", secret),
    cliIn(env)(...set, "--field", `secret_key=@${secret}`),
    cliIn(env)(...set, "--field", `secret=${secret}`),
    cliIn(env)("providers", "credentials", "set", "nobody", "--field", `secret_key=${secret}`)
  ])
  for (const { code, stderr, stdout } of refusals) {
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).toMatch(/^corridor: [^\n]+\n$/)
    expect(stderr).not.toContain(secret)
  }
})

it("changes and tests what is kept for a configuration that is gone, or is called the platform's own", async () => {
  const set = ["providers", "credentials", "set", CONFIG, "--field", `secret_key=${key}`] as const
  const shared = await cliIn({ ...env, STRIPE_SECRET_KEY: key })(...set)
  expect([shared.code, shared.stderr]).toEqual([1, expect.stringContaining("the platform's own account")])
  await query(database.url, `delete from provider_configs where config_id = '${CONFIG}'`)
  const changed = await cliIn(env)(...set, "--field", "webhook_secret=whsec_new", "--forget-replaced", "--json")
  expect(changed.code, changed.stderr).toBe(0)
  expect(documentOf(changed)).toMatchObject({ data: { fields: ["secret_key", "webhook_secret"], tested: true } })
  expect(await query(database.url, "select 1 from replaced_credentials")).toEqual([])
  const [latest] = await query(database.url, "select detail from audit_log order by audit_id desc limit 1")
  expect(latest).toMatchObject({ detail: { forgot_replaced: true } })
  expect(await dataIn(env)<ReadonlyArray<Tested>>("providers", "test", CONFIG)).toMatchObject([{ passed: true }])
})
