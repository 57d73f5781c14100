/** All fakes at once: where they listen, where they call back, what they print, and how their process ends. */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { type AddressInfo, createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { describe, expect } from "vitest"
import { firstOfFreePorts } from "../../bench/FreePort.ts"
import { allFakes, startFakes, startFreeFakes, readArguments } from "../../fakes/AllFakes.ts"
import { startLiveFakes } from "../../fakes/LiveFakes.ts"
import { newAuthority } from "../../webhooks/delivery/Certificates.ts"
import type { ThirdPartyName } from "../../../src/domain/Corridor.ts"
import { acme } from "../support/Acme.ts"
import { acmeFake } from "../support/AcmeFake.ts"

const two = [
  { fake: acmeFake, thirdParty: acme() },
  { fake: { ...acmeFake, name: "apex_pay" as ThirdPartyName }, thirdParty: acme() }
]

describe("fakes", () => {
  it.scopedLive("start beside each other, each with its own way back and the settings that lead to it", () =>
    Effect.gen(function* () {
      const started = yield* startFakes({ callbackBase: "http://127.0.0.1:3000/" }, two)
      expect(started.map(({ running }) => running.world.callbackUrl)).toEqual([
        "http://127.0.0.1:3000/callbacks/acme",
        "http://127.0.0.1:3000/callbacks/apex_pay"
      ])
      const [first, second] = started.map(({ running }) => running.url)
      expect(first).not.toBe(second)
      expect(started[1]!.settings).toEqual([
        ["APEX_PAY_BASE_URL", second],
        ["ACME_API_KEY", "acme-api-key-7"],
        ["ACME_WEBHOOK_SECRET", "acme-webhook-secret-7"],
        ["ACME_MERCHANT", `Acme at ${second}`]
      ])
      const answer = yield* Effect.promise(() =>
        fetch(`${second}/ping`, { headers: { authorization: "Bearer acme-api-key-7" } })
      )
      expect(answer.status).toBe(200)
    })
  )

  it.scopedLive("listen on ports that follow each other where the first is said", () =>
    Effect.gen(function* () {
      const first = yield* Effect.promise(() => firstOfFreePorts(2))
      yield* startFakes({ callbackBase: "http://127.0.0.1:3000", firstPort: first + 1 }, two.slice(0, 1))
      const refused = yield* Effect.flip(
        Effect.scoped(startFakes({ callbackBase: "http://127.0.0.1:3000", firstPort: first }, two))
      )
      expect(refused.message).toContain(`127.0.0.1:${first + 1}`)
    })
  )

  it.scopedLive("do not wait for one whose port is taken", () =>
    Effect.gen(function* () {
      const taken = yield* Effect.promise(() => firstOfFreePorts(2))
      yield* startFakes({ callbackBase: "http://127.0.0.1:3000", firstPort: taken }, two.slice(0, 1))
      const { missing, started } = yield* startFreeFakes(
        { callbackBase: "http://127.0.0.1:3000", firstPort: taken },
        two
      )
      expect(missing.map(({ message }) => message)).toEqual([expect.stringContaining(`127.0.0.1:${taken}`)])
      expect(started.map(({ running }) => running.url)).toEqual([`http://127.0.0.1:${taken + 1}`])
    })
  )

  it("name only credentials that their third parties have", () => {
    for (const { fake, thirdParty } of allFakes) {
      const unknown = Object.keys(fake.credentials).filter((name) => thirdParty.fields[name] === undefined)
      expect([fake.name, unknown]).toEqual([fake.name, []])
    }
    expect(new Set(allFakes.map(({ fake }) => fake.name)).size).toBe(allFakes.length)
  })
})

describe("arguments", () => {
  it.each([
    [[], { callbackBase: "http://127.0.0.1:3000", firstPort: 4010, asJson: false, isLive: false }],
    [
      ["--json", "--port", "5000", "--callbacks", "https://pay.example"],
      { callbackBase: "https://pay.example", firstPort: 5000, asJson: true, isLive: false }
    ]
  ])("%j are read", (given, read) => expect(readArguments(given)).toEqual(Either.right(read)))

  it.each([[["--port"]], [["--port", "0"]], [["--port", "65536"]], [["--callbacks", "nowhere"]], [["--what"]]])(
    "%j are refused with how to use it",
    (given) => expect(Either.getOrNull(Either.flip(readArguments(given)))).toMatch(/Usage: npm run providers:fake/)
  )
})

/** With the flags of the project's own script. */
const build = async (folder: string): Promise<string> => {
  const main = join(folder, "main.mjs")
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"))
  const flags = ["--bundle", "--packages=external", "--platform=node", "--target=node20", "--format=esm"]
  await promisify(execFile)("node_modules/.bin/esbuild", ["test/fakes/fakesMain.ts", ...flags, `--outfile=${main}`])
  return main
}

const firstLine = (child: ChildProcess) =>
  new Promise<string>((done, failed) => {
    let text = ""
    child.stdout!.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8")
      if (text.includes("\n")) done(text.slice(0, text.indexOf("\n")))
    })
    child.on("exit", (code) => failed(new Error(`it ended with ${code}`)))
  })

const runFakes = (main: string, ...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [main, ...args], { encoding: "utf8", timeout: 60_000 })
  return { status, stderr, stdout }
}

describe("fakes of live mode", () => {
  it.scopedLive("say live in the ids of checkout sessions, and find these again", () =>
    Effect.gen(function* () {
      const stripe = allFakes.filter(({ fake }) => fake.name === "stripe")
      const identity = newAuthority("Fakes of the test").issue("localhost")
      const [started] = yield* startLiveFakes({ callbackBase: "http://127.0.0.1:9" }, identity, stripe)
      const { credentials, port } = started!.running
      const called = (path: string, body?: URLSearchParams) =>
        Effect.promise(async () => {
          const headers = { authorization: `Bearer ${credentials["secret_key"]}` }
          const init = body === undefined ? { headers } : { method: "POST", headers, body }
          const answer = await fetch(`http://127.0.0.1:${port}${path}`, init)
          return (await answer.json()) as { readonly id: string; readonly url: string; readonly livemode: boolean }
        })
      const made = yield* called(
        "/v1/checkout/sessions",
        new URLSearchParams({
          mode: "payment",
          "line_items[0][quantity]": "1",
          "line_items[0][price_data][currency]": "eur",
          "line_items[0][price_data][unit_amount]": "2500",
          "line_items[0][price_data][product_data][name]": "Tea",
          success_url: "https://shop.example/thanks"
        })
      )
      expect(made).toMatchObject({ id: expect.stringMatching(/^cs_live_/), livemode: true })
      expect(made.url).toContain(made.id)
      expect((yield* called(`/v1/checkout/sessions/${made.id}`)).id).toBe(made.id)
    })
  )
})

describe("the process", () => {
  it.scopedLive("explains its options, and says in a sentence that a port is taken", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "corridor-fakes-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const main = yield* Effect.promise(() => build(folder))
      const helped = runFakes(main, "--help")
      expect([helped.status, helped.stderr]).toEqual([0, ""])
      expect(helped.stdout).toMatch(/--callbacks URL .*PUBLIC_URL[\s\S]*--port FIRST/)
      const taken = yield* Effect.acquireRelease(
        Effect.async<Server>((resume) => {
          const server = createServer().listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const { port } = taken.address() as AddressInfo
      const before = readdirSync(tmpdir()).filter((name) => name.startsWith("corridor-fakes-"))
      const refused = runFakes(main, "--live", "--port", String(port))
      expect(refused.status).toBe(1)
      expect(refused.stderr).toMatch(/^A fake cannot listen: .*EADDRINUSE.* --port FIRST\.$/m)
      expect(refused.stderr).not.toContain("    at ")
      expect(readdirSync(tmpdir()).filter((name) => name.startsWith("corridor-fakes-"))).toEqual(before)
    })
  )

  it.scopedLive("prints what it started, and ends without a word on ctrl-C", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "corridor-fakes-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const main = yield* Effect.promise(() => build(folder))
      const port = yield* Effect.promise(() => firstOfFreePorts(10))
      const child = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, [main, "--json", "--port", String(port)], { stdio: ["ignore", "pipe", "pipe"] })
        ),
        (process) => Effect.sync(() => process.kill("SIGKILL"))
      )
      let complaints = ""
      child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString("utf8")))
      const printed = JSON.parse(yield* Effect.promise(() => firstLine(child))) as ReadonlyArray<{
        readonly provider: string
      }>
      expect(printed.map(({ provider }) => provider)).toEqual(allFakes.map(({ fake }) => fake.name))
      const ended = new Promise<number | null>((done) => child.on("exit", done))
      child.kill("SIGINT")
      expect(yield* Effect.promise(() => ended)).toBe(0)
      expect(complaints).toBe("")
    })
  )
})
