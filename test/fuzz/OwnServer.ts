/** The built server with its own database, in a temporary folder. */
import { spawn } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { freePort } from "../bench/FreePort.ts"
import { settingsOfFakesAt } from "../fakes/AllFakes.ts"
import type { Credentials } from "./Callers.ts"
import { SERVER_FLAGS } from "../support/TestCluster.ts"

export interface OwnServer {
  readonly url: string
  readonly credentials: Credentials
  readonly kybSecret: string
  /** Logged errors. */
  readonly log: () => string
  readonly stop: () => Promise<void>
}

/** Port of third parties where nothing listens. */
const UNUSED_PORT = 1

/** No rate limits, short timeouts. */
export const fuzzedSettings = {
  KYB_WEBHOOK_SECRET: "a secret for the callbacks of a fuzzed service",
  RATE_LIMIT_PER_MINUTE: "0",
  PROVIDER_TIMEOUT: "1 second",
  SANDBOX_RAIL_PACE: "20 millis",
  WEBHOOK_ENDPOINTS_PER_ORG: "10000",
  ...Object.fromEntries(settingsOfFakesAt(UNUSED_PORT))
}

const START_MILLIS = 60_000

export const ownServer = async (): Promise<OwnServer> => {
  const folder = mkdtempSync(join(tmpdir(), "corridor-fuzz-"))
  // PostgreSQL's user must be able to enter it.
  chmodSync(folder, 0o711)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = { ...fuzzedSettings, DATA_DIR: folder, PORT: String(port), LOG_LEVEL: "error" }
  const child = spawn(process.execPath, [...SERVER_FLAGS, "dist/main.mjs"], {
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...settings },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const stop = async () => {
    child.kill("SIGTERM")
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  const deadline = Date.now() + START_MILLIS
  for (;;) {
    const ready = await fetch(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false
    )
    if (ready) break
    if (Date.now() > deadline || child.exitCode !== null) {
      await stop()
      throw new Error(`The server did not start:\n${said}`)
    }
    await sleep(100)
  }
  const credentials = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Credentials
  const greeting = said.length
  return { url, credentials, kybSecret: fuzzedSettings.KYB_WEBHOOK_SECRET, log: () => said.slice(greeting), stop }
}
