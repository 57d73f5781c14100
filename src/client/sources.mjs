/** Shared parts of the builds for browsers. */
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

/** Rebuilds a folder only if one of its sources has changed, since `npm start` builds each time. */
export const unlessBuilt = async (folder, sources, make) => {
  const mark = join(folder, "sources.hash")
  const now = stateOf(sources)
  if (existsSync(mark) && readFileSync(mark, "utf8") === now) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await make()
  writeFileSync(mark, now)
}

/** Build options for current browsers: one script and one style sheet. */
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
