/** The CLI next to a running server, both on the embedded PostgreSQL of one data folder. */
import { execFileSync } from "node:child_process"
import { chmodSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { cliIn, dataIn, type Environment, freePort, type RunningServer, startServer, temporaryFolder } from "./Cli.ts"

// Every step is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

interface Credentials {
  readonly base_url: string
  readonly orgs: ReadonlyArray<{ readonly org_id: string; readonly api_key: string }>
  readonly admin: { readonly jwt: string }
}

interface Key {
  readonly api_key_id: string
  readonly api_key: string
}

const dataDir = temporaryFolder()
let env: Environment
let server: RunningServer

const sandboxJson = () => JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as Credentials

const call = async (apiKey: string, authorization = "NONE") => {
  const headers = { authorization, "x-api-key": apiKey }
  return (await fetch(`${server.url}/v1/public/api-keys`, { headers })).status
}

const postmasters = () =>
  execFileSync("ps", ["-eo", "args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(`-D ${dataDir}`))

beforeAll(async () => {
  env = { DATA_DIR: dataDir, PORT: await freePort() }
  server = await startServer(env)
})

afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

it("finds everything in order", async () => {
  const healthy = await cliIn(env)("doctor")
  expect(healthy).toMatchObject({ code: 0, stderr: "" })
  // Without PORT the address is in the data folder.
  const { stdout } = await cliIn({ DATA_DIR: dataDir })("doctor")
  expect(stdout).toMatch(new RegExp(`^ok +Server +ready on 127\\.0\\.0\\.1:${env["PORT"]}$`, "m"))
  expect(healthy.stdout.split("\n").filter((line) => line.startsWith("ok "))).toHaveLength(8)
  chmodSync(join(dataDir, "sandbox.json"), 0o644)
  const open = await cliIn(env)("doctor")
  chmodSync(join(dataDir, "sandbox.json"), 0o600)
  expect(open).toMatchObject({ code: 1, stderr: expect.stringMatching(/^corridor: 1 of 8 .*\bsandbox\.json\b/) })
})

it("makes and revokes keys that work, and stop working, at once", async () => {
  const org = sandboxJson().orgs[0]!.org_id
  const { api_key, api_key_id } = await dataIn(env)<Key>("keys", "create", "--org", org, "--name", "By hand")
  expect(await call(api_key)).toBe(200)
  const revoked = await cliIn(env)("keys", "revoke", api_key_id)
  expect(revoked).toEqual({ code: 0, stdout: "API key revoked.\n", stderr: "" })
  expect(await call(api_key)).toBe(401)
})

it("issues tokens that the server takes", async () => {
  const { token } = await dataIn(env)<{ token: string }>("tokens", "issue", "--user", "org-admin@acme.example")
  expect(await call("NONE", `Bearer ${token}`)).toBe(200)
})

it("issues a token to someone without membership: it opens nothing but an invitation", async () => {
  const org = sandboxJson().orgs[0]!.org_id
  const email = "new@people.example"
  const tokenOf = async (user: string) =>
    `Bearer ${(await dataIn(env)<{ token: string }>("tokens", "issue", "--user", user)).token}`
  await dataIn(env)("users", "create", "--email", email)
  const newcomer = await tokenOf(email)
  expect(await call("NONE", newcomer)).toBe(403)
  const post = (path: string, authorization: string, body?: object) =>
    fetch(`${server.url}/v1/organizations/${path}`, {
      method: "POST",
      headers: { authorization, "x-api-key": "NONE", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  const boss = await tokenOf("org-admin@acme.example")
  expect((await post(`${org}/members`, boss, { email, role: "org-admin" })).status).toBe(201)
  const [newest] = await dataIn(env)<ReadonlyArray<{ notification_id: string }>>("notifications", "list")
  const { text } = await dataIn(env)<{ text: string }>("notifications", "show", newest!.notification_id)
  const token = /invitations\/([\w-]{43})\/accept/.exec(text)?.[1]
  expect((await post(`invitations/${token}/accept`, newcomer)).status).toBe(200)
  expect(await call("NONE", await tokenOf(email))).toBe(200)
})

it("lets no organisation's name steer the terminal", async () => {
  const { api_key, org_id } = sandboxJson().orgs[1]!
  const headers = { authorization: "NONE", "x-api-key": api_key, "content-type": "application/json" }
  const body = JSON.stringify({ name: "Globex \u001b[2J\u009b31m" })
  expect((await fetch(`${server.url}/v1/organizations/${org_id}`, { method: "PATCH", headers, body })).status).toBe(200)
  const member = ["--user", "member@acme.example", "--org", org_id]
  const joined = await cliIn(env)("users", "join", ...member, "--role", "member")
  expect(joined).toMatchObject({ code: 0, stdout: "member@acme.example is now member of Globex ·[2J·31m.\n" })
  const left = await cliIn(env)("users", "leave", ...member)
  expect(left.stdout).toContain("is no member of Globex ·[2J·31m any more")
})

it("resets the sandbox under the running server", async () => {
  const before = sandboxJson()
  // Address from the server's settings, though this command has none.
  const fresh = await dataIn({ DATA_DIR: dataDir })<Credentials>("sandbox", "reset")
  const after = sandboxJson()
  expect(after.orgs.map((org) => org.api_key)).toEqual(fresh.orgs.map((org) => org.api_key))
  expect(after.base_url).toBe(`${server.url}/v1`)
  expect(statSync(join(dataDir, "sandbox.json")).mode & 0o777).toBe(0o600)
  expect(await call(before.orgs[0]!.api_key)).toBe(401)
  expect(await call(after.orgs[0]!.api_key)).toBe(200)
  expect(await call("NONE", `Bearer ${after.admin.jwt}`)).toBe(200)
  expect(await dataIn(env)<ReadonlyArray<unknown>>("orgs", "list")).toHaveLength(2)
})

it("goes on alone when the server has stopped, and leaves nothing running", async () => {
  expect(await server.stop()).toMatchObject({ code: 0 })
  const reset = sandboxJson().orgs[0]!
  expect(await dataIn(env)<ReadonlyArray<{ org_id: string }>>("orgs", "list")).toContainEqual(
    expect.objectContaining({ org_id: reset.org_id })
  )
  expect(postmasters()).toEqual([])
})
