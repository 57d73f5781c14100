/** What the builds for browsers have in common. */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const project = resolve(import.meta.dirname, "..", "..")

const stateOf = (folders) => {
  const hash = createHash("sha256").update(readFileSync(join(project, "package-lock.json")))
  for (const folder of folders) {
    const names = readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
    for (const name of names.filter((one) => /\.(tsx?|css|mjs)$/.test(one)).sort()) {
      hash.update(name).update(readFileSync(join(project, folder, name)))
    }
  }
  return hash.digest("hex")
}

/**
 * Every start of the service builds first, so what has not changed is left as it is: `make` fills the folder anew where one
 * of its sources has.
 */
export const unlessBuilt = async (folder, sources, make) => {
  const mark = join(folder, "sources.hash")
  const now = stateOf(sources)
  if (existsSync(mark) && readFileSync(mark, "utf8") === now) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await make()
  writeFileSync(mark, now)
}

/** One script and one style for the browsers of the last years. */
export const forBrowsers = {
  absWorkingDir: project,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022", "chrome111", "firefox115", "safari16.4"],
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning"
}
