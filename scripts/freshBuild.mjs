/** Skips a build whose sources have not changed since the last one. */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const filesIn = (path) => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return []
  if (!found.isDirectory()) return [{ path, found }]
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => filesIn(join(path, name)))
}

/** Hash of names, sizes and times of all files that a build reads. npm's own list stands for the packages. */
const fingerprintOf = (sources) => {
  const hash = createHash("sha256").update(`${process.version} ${process.arch} ${resolve(".")}\n`)
  for (const { found, path } of sources.flatMap(filesIn)) hash.update(`${path} ${found.size} ${found.mtimeMs}\n`)
  return hash.digest("hex")
}

const noteIn = (outdir) => join(outdir, "built.json")

const read = (outdir) => {
  try {
    return JSON.parse(readFileSync(noteIn(outdir), "utf8"))
  } catch {
    return {}
  }
}

/** `parts`: optional parts of this build, such as `client`. The note is deleted first, so a broken build is not fresh. */
export const buildOf = (outdir, sources, parts, results) => {
  const fingerprint = fingerprintOf(sources)
  const { parts: built = [], ...before } = read(outdir)
  const isFresh =
    before.fingerprint === fingerprint &&
    parts.every((part) => built.includes(part)) &&
    results.every((file) => existsSync(join(outdir, file)))
  if (!isFresh) rmSync(noteIn(outdir), { force: true })
  return { isFresh, ended: () => writeFileSync(noteIn(outdir), JSON.stringify({ fingerprint, parts })) }
}
