/** The folder of one run: all that its tests write and start is in it or names it, and a watchdog takes it away. */
import { spawn } from "node:child_process"
import { chmodSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

export interface RunFolder {
  readonly path: string
  readonly remove: () => void
}

export const makeRunFolder = (): RunFolder => {
  const path = mkdtempSync(join(tmpdir(), "corridor-test-"))
  // PostgreSQL runs as a user of its own when the tests run as root.
  chmodSync(path, 0o755)
  const watchdog = spawn(process.execPath, [resolve("test/support/Watchdog.mjs"), path], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  watchdog.unref()
  // The processes of the run inherit it, and so do those that they start.
  process.env["TMPDIR"] = path
  return {
    path,
    // Not waited for: the processes of the run end by themselves first, and those that are taken would fail it.
    remove: () => void watchdog.stdin.end()
  }
}
