/** A copy of the binaries for PostgreSQL's user, when we are root and the checkout is in a folder it cannot enter. */
import { Effect, Option } from "effect"
import { chmod, cp, lstat, mkdtemp, readdir, readFile, realpath, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { closedFolder, type UserIds } from "./Access.ts"
import { attempt, attemptIfPresent, codeOf, EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

const entries = (folder: string) =>
  attempt(`list ${folder}`, async () => (await readdir(folder, { recursive: true })).sort())

/** Modes are set one by one: the originals may be private, and so may the umask be. */
const fill = async (from: string, into: string) => {
  await cp(from, into, { recursive: true, verbatimSymlinks: true })
  for (const entry of await readdir(into, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const runnable = entry.isDirectory() || Path.basename(entry.parentPath) === "bin"
    await chmod(Path.join(entry.parentPath, entry.name), runnable ? 0o755 : 0o644)
  }
  await chmod(into, 0o755)
}

const refused = (message: string) =>
  new EmbeddedPostgresError({
    message: `${message} Start Corridor as an ordinary user, or set DATABASE_URL to a PostgreSQL server of your own.`
  })

/** A folder that somebody else made or can write to may hold anything: it is never run from, nor removed. */
const isUsable = (copy: string, from: string): Effect.Effect<boolean, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const found = yield* attemptIfPresent(`look at ${copy}`, () => lstat(copy))
    if (Option.isNone(found)) return false
    if (!found.value.isDirectory() || found.value.uid !== 0 || (found.value.mode & 0o022) !== 0) {
      return yield* refused(`${copy} is where root's copy of PostgreSQL belongs, but it is not root's: remove it.`)
    }
    // cleaners of temporary folders remove single files
    const [original, copied] = yield* Effect.all([entries(from), entries(Path.join(copy, "native"))]).pipe(
      Effect.catchTag("EmbeddedPostgresError", (error) =>
        Effect.as(Effect.logDebug(error.message), [[""], []] satisfies [Array<string>, Array<string>])
      )
    )
    if (original.join("\n") === copied.join("\n")) return true
    yield* attempt(`remove ${copy}`, () => rm(copy, { recursive: true, force: true }))
    return false
  })

/** The folder of the copy, laid out like the package. */
export const copyBinaries = (packageFolder: string, user: UserIds): Effect.Effect<string, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const from = Path.join(packageFolder, "native")
    const parent = yield* attempt(`find ${tmpdir()}`, () => realpath(tmpdir()))
    const closed = yield* closedFolder(parent, user)
    if (Option.isSome(closed)) {
      return yield* refused(
        `PostgreSQL's user (uid ${user.uid}) can enter neither ${packageFolder} nor ${closed.value}, where a copy would go.`
      )
    }
    const manifest = yield* attempt(`read the version of ${packageFolder}`, () =>
      readFile(Path.join(packageFolder, "package.json"), "utf8")
    )
    const version = /"version":\s*"([\w.-]+)"/.exec(manifest)?.[1] ?? "unknown"
    const copy = Path.join(parent, `corridor-postgres-${version}-${process.arch}`)
    if (yield* isUsable(copy, from)) return copy
    yield* attempt(`copy PostgreSQL to ${copy}`, async () => {
      const draft = await mkdtemp(`${copy}-`)
      try {
        await fill(from, Path.join(draft, "native"))
        await chmod(draft, 0o755)
        await rename(draft, copy)
      } catch (cause) {
        await rm(draft, { recursive: true, force: true })
        if (codeOf(cause) !== "ENOTEMPTY" && codeOf(cause) !== "EEXIST") throw cause
      }
    })
    if (yield* isUsable(copy, from)) return copy
    return yield* refused(`The copy of PostgreSQL in ${copy} is not complete.`)
  })
