#!/usr/bin/env node
/** Runs the bundled CLI, and builds it first where there is no bundle. Standard output is the command's alone. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const bundle = new URL("../../dist/cli/main.mjs", import.meta.url)

if (!existsSync(bundle)) {
  const project = fileURLToPath(new URL("../..", import.meta.url))
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: project, stdio: ["ignore", 2, 2] })
  if (status !== 0) {
    process.stderr.write(`corridor: the build failed. Run "npm ci" in ${project}, then try again.\n`)
    process.exit(1)
  }
}

await import(bundle.href)
