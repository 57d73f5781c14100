/** `corridor demo` beside a real server, and where there is none. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { firstOfFreePorts } from "../bench/FreePort.ts"
import {
  CLI,
  cliIn,
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

// Every step is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

interface Step {
  readonly step: string
  readonly ok: boolean
  readonly what: string
  readonly ids: Readonly<Record<string, string>>
  readonly curl: string | null
}

interface Shown {
  readonly data: {
    readonly base_url: string
    readonly steps: ReadonlyArray<Step>
    readonly webhooks: ReadonlyArray<{
      readonly event_type: string
      readonly about: string
      readonly verified: boolean
    }>
  }
}

const STEPS = [
  ...["payin", "declined", "fallback", "payout", "refund", "virtual_account", "escrow", "on_ramp", "payment_link"],
  ...["webhooks", "books"]
]

const dataDir = temporaryFolder()
let database: OwnDatabase
let env: Environment
let server: RunningServer

const registered = () => query(database.url, "select webhook_id from webhooks")

beforeAll(async () => {
  database = await ownDatabase()
  env = {
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    PORT: await freePort(),
    CORRIDOR_FAKES: String(await firstOfFreePorts(10))
  }
  server = await startServer(env)
})

afterAll(async () => {
  await server.stop()
  await database.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

it("shows everything, in one JSON document, and takes its webhook endpoint away again", async () => {
  const result = await cliIn(env)("demo", "--json")
  expect(result).toMatchObject({ code: 0, stderr: "" })
  const { data } = documentOf<Shown>(result)
  expect(data.base_url).toBe(`${server.url}/v1`)
  expect(data.steps.map(({ step }) => step)).toEqual(STEPS)
  expect(data.steps.filter(({ ok }) => !ok)).toEqual([])
  const idOf = (step: string, name = "payment_id") => data.steps.find((one) => one.step === step)?.ids[name]
  const came = data.webhooks.map(({ about, event_type }) => `${event_type} ${about}`)
  expect(came).toContain(`payment.completed ${idOf("payin")}`)
  expect(came).toContain(`payment.failed ${idOf("declined")}`)
  expect(came).toContain(`payment.completed ${idOf("fallback")}`)
  expect(came).toContain(`payment.completed ${idOf("payout")}`)
  expect(came).toContain(`payment.completed ${idOf("on_ramp")}`)
  expect(came).toContain(`virtual_account.withdrawal ${idOf("virtual_account", "transaction_id")}`)
  expect(data.webhooks.every(({ verified }) => verified)).toBe(true)
  const statuses = await query<{ payment_id: string; status: string }>(database.url, "select * from payments")
  const statusOf = (step: string) => statuses.find(({ payment_id }) => payment_id === idOf(step))?.status
  expect(["payin", "declined", "fallback", "payout", "on_ramp"].map(statusOf)).toEqual([
    "completed",
    "failed",
    "completed",
    "completed",
    "completed"
  ])
  expect(await registered()).toEqual([])
})

it("prints for people what it did, with a command to look at it", async () => {
  const { orgs } = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as {
    readonly orgs: ReadonlyArray<{ readonly api_key: string }>
  }
  const began = performance.now()
  const result = await cliIn(env)("demo")
  expect(performance.now() - began).toBeLessThan(30_000)
  expect(result).toMatchObject({ code: 0, stderr: "" })
  for (const step of STEPS) expect(result.stdout).toMatch(new RegExp(`^ok    ${step}: .{20,}$`, "m"))
  expect(result.stdout).toContain("502 ALL_PROVIDERS_FAILED")
  expect(result.stdout).toMatch(/payment_link: .*http:\S+\/pay\/\S+/)
  const looks = result.stdout.split("\n").filter((line) => line.includes("curl -s "))
  expect(looks).toHaveLength(STEPS.length - 1)
  for (const look of looks) {
    const url = /curl -s '(\S+)' /.exec(look)![1]!
    const headers = { authorization: "NONE", "x-api-key": orgs[0]!.api_key }
    expect((await fetch(url, { headers })).status, url).toBe(200)
  }
})

it("leaves no webhook endpoint behind when it is interrupted", async () => {
  const child = spawn(process.execPath, [CLI, "demo"], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: "ignore"
  })
  const ended = once(child, "close")
  await expect.poll(registered, { timeout: 60_000, interval: 20 }).toHaveLength(1)
  child.kill("SIGINT")
  await ended
  expect(await registered()).toEqual([])
})

it("says to start a server where none runs, and is not for live mode", async () => {
  const empty = temporaryFolder()
  const nowhere = async (said: RegExp) => {
    const result = await cliIn({ DATA_DIR: empty })("demo", "--json")
    expect(result.code).toBe(1)
    expect(result.stderr).toMatch(/^corridor: [^\n]*npm start[^\n]*\n$/)
    expect(documentOf(result)).toEqual({ status: "error", message: expect.stringMatching(said) as unknown })
  }
  await nowhere(/^No sandbox server has left its credentials/)
  const text = readFileSync(join(dataDir, "sandbox.json"), "utf8")
  writeFileSync(join(empty, "sandbox.json"), text.replace(server.url, `http://127.0.0.1:${await freePort()}`))
  await nowhere(/^No sandbox server answers at http/)
  const live = {
    ...env,
    CORRIDOR_MODE: "live",
    CORRIDOR_FAKES: "0",
    CORRIDOR_MASTER_KEY: "f".repeat(64),
    KYB_WEBHOOK_SECRET: "a secret of the test"
  }
  const refused = await cliIn(live)("demo")
  expect(refused).toMatchObject({ code: 1, stdout: "" })
  expect(refused.stderr).toMatch(/^corridor: [^\n]*npm run demo:live[^\n]*\n$/)
  const tail = await cliIn(live)("logs", "tail", "--no-follow")
  expect(tail).toMatchObject({ code: 1, stdout: "" })
  expect(tail.stderr).toMatch(/^corridor: [^\n]*give --url, and --token or --api-key\.\n$/)
  rmSync(empty, { recursive: true, force: true })
})
