/** `DATA_DIR/sandbox.json`: the sandbox's credentials for scripts and people, readable by its owner only. */
import { mkdir, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import type { SandboxCredentials } from "./Sandbox.ts"

export const writeSandboxFile = Effect.fn("writeSandboxFile")(function* (credentials: SandboxCredentials) {
  const { dataDir, publicUrl } = yield* Settings
  const path = join(dataDir, "sandbox.json")
  const text = `${JSON.stringify({ base_url: `${publicUrl}/v1`, ...credentials }, null, 2)}\n`
  yield* Effect.promise(async () => {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    // Readers see the old file or the new one, never half of it.
    await writeFile(`${path}.${process.pid}`, text, { mode: 0o600 })
    await rename(`${path}.${process.pid}`, path)
  })
  return path
})
