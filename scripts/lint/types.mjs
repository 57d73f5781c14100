/**
 * Types and Effect's diagnostics in one pass of the compiler. Where no compiler with Effect's diagnostics is to be had for
 * this kind of machine, the types alone are checked, and this says so.
 */
import { spawnSync } from "node:child_process"

const endWith = (status) => process.exit(status ?? 1)

const patch = spawnSync("effect-tsgo", ["patch", "--log-level", "warn"], { encoding: "utf8" })
const said = `${patch.stdout}${patch.stderr}`
if (patch.status !== 0 && said.includes("no packaged replacement is available")) {
  process.stdout.write(
    `Effect's diagnostics SKIPPED, the types are checked: @effect/tsgo has no compiler for ${process.platform} on ${process.arch} here.\n`
  )
} else if (patch.status !== 0) {
  process.stderr.write(said)
  endWith(patch.status)
}

for (const project of [".", "src/console", "src/reference"]) {
  const { status } = spawnSync("tsc", ["--noEmit", "--checkers", "1", "-p", project], { stdio: "inherit" })
  if (status !== 0) endWith(status)
}
