/** DATA_DIR as the embedded PostgreSQL uses it: where its files are, and the way in for the user it runs as. */
import { Effect, Option } from "effect"
import { chmod, mkdir, readdir, realpath, rm, stat } from "node:fs/promises"
import * as Path from "node:path"
import { closedFolder, ENTER, type UserIds } from "./Access.ts"
import { attempt, codeOf, EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { isAlive } from "./PostmasterPid.ts"
import { databaseUser } from "./SystemUser.ts"

export interface DataFolder {
  readonly path: string
  readonly cluster: string
  readonly passwordFile: string
  readonly logFile: string
  readonly user: Option.Option<UserIds>
}

export const clusterIn = (dataFolder: string): string => Path.join(dataFolder, "postgres")

const SCRATCH = "postgres.init-"

/** Prefix of the folder in which one process prepares a cluster; the process id in it tells when it is left over. */
export const scratchPrefix = (folder: DataFolder): string => Path.join(folder.path, `${SCRATCH}${process.pid}-`)

const isInside = (outer: string, inner: string): boolean => {
  const relative = Path.relative(outer, inner)
  return relative !== "" && relative !== ".." && !relative.startsWith(`..${Path.sep}`) && !Path.isAbsolute(relative)
}

/** Opens the data folder itself, and folders of the project on the way to it; what others own stays as it is. */
const openTheWay = (
  folder: string,
  firstCreated: string | undefined,
  user: UserIds
): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const closed = Option.getOrUndefined(yield* closedFolder(folder, user))
    if (closed === undefined) return
    const ours =
      closed === folder ||
      isInside(process.cwd(), closed) ||
      (firstCreated !== undefined && (closed === firstCreated || isInside(firstCreated, closed)))
    const { mode, uid } = yield* attempt(`look at ${closed}`, () => stat(closed))
    if (!ours || uid === user.uid) {
      return yield* new EmbeddedPostgresError({
        message:
          `PostgreSQL refuses to run as root, and the user it runs as here (uid ${user.uid}) cannot enter ${closed}, ` +
          `which leads to the data folder ${folder}. Do one of these: chmod o+x ${closed}; ` +
          `or set DATA_DIR to a folder elsewhere (for example /var/lib/corridor); ` +
          `or set DATABASE_URL to a PostgreSQL server of your own.`
      })
    }
    yield* attempt(`let PostgreSQL's user enter ${closed}`, () => chmod(closed, (mode & 0o7777) | ENTER))
    yield* openTheWay(folder, firstCreated, user)
  })

const removeLeftovers = (folder: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const names = yield* attempt(`list ${folder}`, () => readdir(folder))
    const stale = names.filter((name) => {
      if (!name.startsWith(SCRATCH)) return false
      return !isAlive(Number.parseInt(name.slice(SCRATCH.length), 10))
    })
    yield* Effect.forEach(stale, (name) =>
      attempt(`remove ${name}`, () => rm(Path.join(folder, name), { recursive: true, force: true }))
    )
  })

/** For its owner alone; PostgreSQL's own user, where it has one, may pass through it. */
const PRIVATE = 0o700
const PASSABLE = 0o711

/** The folder itself is made private, the way to it as the system makes folders; one that is there stays as it is. */
const makeFolder = async (wanted: string): Promise<string | undefined> => {
  const above = await mkdir(Path.dirname(wanted), { recursive: true })
  const made = await mkdir(wanted, { mode: PRIVATE }).then(
    () => wanted,
    (cause: unknown) => {
      if (codeOf(cause) === "EEXIST") return undefined
      throw cause
    }
  )
  return above ?? made
}

export const openDataFolder = (dataDir: string): Effect.Effect<DataFolder, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const wanted = Path.resolve(dataDir)
    const firstCreated = yield* attempt(`create the data folder ${wanted}`, () => makeFolder(wanted))
    const path = yield* attempt(`find the data folder ${wanted}`, () => realpath(wanted))
    const cluster = clusterIn(path)
    const user = yield* databaseUser(cluster)
    if (Option.isSome(user)) {
      if (firstCreated !== undefined) yield* attempt(`open ${path} to PostgreSQL's user`, () => chmod(path, PASSABLE))
      yield* openTheWay(path, firstCreated, user.value)
    }
    yield* removeLeftovers(path)
    return {
      path,
      cluster,
      passwordFile: Path.join(path, "postgres.password"),
      logFile: Path.join(path, "postgres.log"),
      user
    }
  })
