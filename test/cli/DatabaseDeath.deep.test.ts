/** A server whose embedded PostgreSQL is killed under it. */
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, it, vi } from "vitest"
import { newDataDir } from "../payments/support/RealServer.ts"
import { freePort, startServer } from "./Cli.ts"

// Every step is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const dataDir = newDataDir()
const lockFile = join(dataDir, "postgres", "postmaster.pid")
const postmaster = () => (existsSync(lockFile) ? Number.parseInt(readFileSync(lockFile, "utf8"), 10) : undefined)

afterAll(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

it("starts it again, is ready again, and stops it at the end", async () => {
  const server = await startServer({ DATA_DIR: dataDir, PORT: await freePort() })
  const killed = postmaster()!
  process.kill(killed, "SIGKILL")
  const isReady = async () => (await fetch(`${server.url}/readyz`)).status === 200
  await vi.waitUntil(async () => (await isReady()) && ![undefined, killed].includes(postmaster()), {
    timeout: 60_000,
    interval: 100
  })
  const { code, stderr } = await server.stop()
  expect(stderr).toContain("operator_alert=database_restarted")
  expect(stderr).toContain("terminating connection due to unexpected postmaster exit")
  expect([code, postmaster()]).toEqual([0, undefined])
})
