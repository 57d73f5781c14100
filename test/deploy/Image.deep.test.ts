/** The image's files in an empty folder run as server and CLI. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, inject, it, vi } from "vitest"
import { freePort, ownDatabase } from "../cli/Cli.ts"
import { until } from "../payments/support/RealServer.ts"

vi.setConfig({ testTimeout: 180_000 })

/** Outside of the run's folder, which has node_modules. */
const folder = mkdtempSync("/tmp/corridor-image-")
let server: ChildProcess | undefined
afterAll(() => {
  server?.kill("SIGKILL")
  rmSync(folder, { recursive: true })
})

const dockerfile = readFileSync("deploy/Dockerfile", "utf8")
const commandOf = (instruction: RegExp) => JSON.parse(instruction.exec(dockerfile)?.[1] ?? "") as ReadonlyArray<string>

const command = commandOf(/^CMD (.*)$/m)
const healthcheck = commandOf(/^HEALTHCHECK [^]*?CMD (.*)$/m)

it("serves the API, its reference and the console from the copied files", async () => {
  cpSync(inject("bundle"), join(folder, "dist"), { recursive: true })
  const database = await ownDatabase()
  const env = {
    PATH: process.env["PATH"],
    HOST: "127.0.0.1",
    PORT: await freePort(),
    METRICS_PORT: await freePort(),
    LOG_FORMAT: "json",
    CORRIDOR_WORKERS: "1",
    DATA_DIR: join(folder, "data"),
    DATABASE_URL: database.url
  }
  const asked = (words: ReadonlyArray<string>) =>
    spawnSync(process.execPath, words.slice(1), { cwd: folder, env, encoding: "utf8", timeout: 60_000 })
  expect(asked(healthcheck).status).toBe(1)
  const started = spawn(process.execPath, command.slice(1), { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] })
  server = started
  let log = ""
  started.stderr.setEncoding("utf8").on("data", (text: string) => (log += text))
  const ended = once(started, "close")
  await until("it is up", () => Promise.resolve(log.includes("Corridor is up") ? true : undefined), 120_000)
  expect(asked(healthcheck).status).toBe(0)
  const url = `http://127.0.0.1:${env.PORT}`
  const reference = await (await fetch(`${url}/docs`)).text()
  const script = /src="([^"]+)"/.exec(reference)?.[1]
  const answers = await Promise.all(
    ["/readyz", script!, "/console", "/openapi.json"].map(async (path) => (await fetch(new URL(path, url))).status)
  )
  expect(answers).toEqual([200, 200, 200, 200])
  expect((await fetch(`http://127.0.0.1:${env.METRICS_PORT}/metrics`)).status).toBe(200)
  const doctor = asked(["node", "dist/cli/main.mjs", "doctor"])
  expect([doctor.status, doctor.stdout]).toEqual([0, expect.stringContaining("up to date")])
  started.kill("SIGTERM")
  expect((await ended)[0]).toBe(0)
  await database.drop()
})

it("names the missing setting without a database", () => {
  const { status, stderr } = spawnSync(process.execPath, command.slice(1), {
    cwd: folder,
    env: { PATH: process.env["PATH"], PORT: "3999", DATA_DIR: join(folder, "none"), CORRIDOR_WORKERS: "1" },
    encoding: "utf8",
    timeout: 60_000
  })
  expect(status).toBe(1)
  expect(stderr).toContain("DATABASE_URL")
})
