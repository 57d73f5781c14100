/** DATA_DIR as the embedded PostgreSQL uses it: where its files are, and the way in for the user it runs as. */
import { Effect, Option } from "effect"
import {
  chmod,
  mkdir,
  readdir,
  realpath,
  rm,
  stat,
  readFile,
  readlink,
  link,
  open,
  access,
  chown,
  mkdtemp,
  rename,
  writeFile
} from "node:fs/promises"
import * as Path from "node:path"
import {
  closedFolder,
  ENTER,
  type UserIds,
  attempt,
  codeOf,
  EmbeddedPostgresError,
  databaseUser,
  runCommand,
  attemptIfPresent,
  ELSEWHERE,
  reason
} from "./HostSystem.ts"
import { randomBytes } from "node:crypto"
import { binariesFor } from "./PostgresBinaries.ts"

/** Reads PostgreSQL's own lock file, postmaster.pid, and tells whether the server it names is really there. */
export type Postmaster =
  | { readonly _tag: "Absent" }
  /** The file names a process that took over the number of a server that died. */
  | { readonly _tag: "Stale"; readonly pid: number }
  /** The file is empty: a full disk or a crash cut it short, or a server is about to write it. */
  | { readonly _tag: "Broken"; readonly file: string }
  | { readonly _tag: "Live"; readonly pid: number; readonly port: number; readonly ready: boolean }

const absent: Postmaster = { _tag: "Absent" }

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return codeOf(cause) === "EPERM"
  }
}

const commandLine = (pid: number): Effect.Effect<string> =>
  Effect.tryPromise(() => readFile(`/proc/${pid}/cmdline`, "utf8")).pipe(
    Effect.map((line) => line.replaceAll("\0", " ")),
    Effect.orElse(() => runCommand("ps", ["-o", "command=", "-p", String(pid)])),
    Effect.orElseSucceed(() => "")
  )

/** A postmaster stays in its data folder; where the system hides that (other user, macOS), its arguments tell. */
const serves = (pid: number, cluster: string): Effect.Effect<boolean> =>
  Effect.tryPromise(() => readlink(`/proc/${pid}/cwd`)).pipe(
    Effect.map((folder) => folder === cluster),
    Effect.orElse(() => Effect.map(commandLine(pid), (line) => line.includes(`-D ${cluster} `)))
  )

export const isPostmaster = (pid: number, cluster: string): Effect.Effect<boolean> =>
  Effect.suspend(() => (isAlive(pid) ? serves(pid, cluster) : Effect.succeed(false)))

export const findPostmaster = (cluster: string): Effect.Effect<Postmaster, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const file = Path.join(cluster, "postmaster.pid")
    const text = yield* attemptIfPresent(`read ${file}`, () => readFile(file, "utf8"))
    // lines: pid, data folder, start time, port, socket folder, address, shared memory, state
    if (Option.isNone(text)) return absent
    const lines = text.value.split("\n")
    const pid = Number.parseInt(lines[0] ?? "", 10)
    if (Number.isNaN(pid)) return { _tag: "Broken", file }
    if (pid <= 0 || !isAlive(pid)) return absent
    if (!(yield* serves(pid, cluster))) return { _tag: "Stale", pid }
    return { _tag: "Live", pid, port: Number(lines[3] ?? 0), ready: (lines[7] ?? "").trim() === "ready" }
  })

/** Whether any process works in the cluster, whatever the lock file says. A system that hides it leaves it to PostgreSQL. */
export const isServed = (cluster: string): Effect.Effect<boolean> =>
  Effect.tryPromise(() => readdir("/proc")).pipe(
    Effect.orElseSucceed((): ReadonlyArray<string> => []),
    Effect.flatMap((names) =>
      Effect.exists(
        names.filter((name) => /^\d+$/.test(name)),
        (name) =>
          Effect.tryPromise(() => readlink(`/proc/${name}/cwd`)).pipe(
            Effect.map((folder) => folder === cluster),
            Effect.orElseSucceed(() => false)
          ),
        { concurrency: 16 }
      )
    )
  )

export interface DataFolder {
  readonly path: string
  readonly cluster: string
  readonly passwordFile: string
  readonly logFile: string
  readonly user: Option.Option<UserIds>
}

const clusterIn = (dataFolder: string): string => Path.join(dataFolder, "postgres")

const SCRATCH = "postgres.init-"

/** Prefix of the folder in which one process prepares a cluster; the process id in it tells when it is left over. */
const scratchPrefix = (folder: DataFolder): string => Path.join(folder.path, `${SCRATCH}${process.pid}-`)

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

/** The superuser's password: made once per data folder, before the cluster, so that a crash between strands neither. */
export const readPassword = (folder: DataFolder): Effect.Effect<string, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: async () => (await readFile(folder.passwordFile, "utf8")).trim(),
    catch: (cause) =>
      new EmbeddedPostgresError({
        message:
          `The password of the database in ${folder.cluster} cannot be read: ${reason(cause)}. ` +
          `Restore ${folder.passwordFile}; or, to start over without the data, remove ${folder.cluster}; or ${ELSEWHERE}.`
      })
  })

const write = async (file: string, text: string) => {
  const handle = await open(file, "wx", 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A link appears whole or not at all and never replaces: of two processes that start at once, one decides. */
const ensurePassword = (folder: DataFolder, scratch: string): Effect.Effect<string, EmbeddedPostgresError> => {
  const draft = Path.join(scratch, "draft")
  return attempt(`write ${folder.passwordFile}`, async () => {
    await write(draft, `${randomBytes(32).toString("hex")}\n`)
    await link(draft, folder.passwordFile).catch((cause: unknown) => {
      if (codeOf(cause) !== "EEXIST") throw cause
    })
  }).pipe(Effect.zipRight(readPassword(folder)))
}

/** Makes the cluster beside its place and moves it there when complete: one that a kill cut short is never seen. */
const isComplete = (cluster: string): Effect.Effect<boolean, EmbeddedPostgresError> =>
  Effect.map(
    attemptIfPresent(`look at ${cluster}`, () => access(Path.join(cluster, "PG_VERSION"))),
    Option.isSome
  )

/** Whether a data folder holds a cluster already; nothing is made by asking. */
export const hasCluster = (dataDir: string): Effect.Effect<boolean, EmbeddedPostgresError> =>
  isComplete(clusterIn(Path.resolve(dataDir)))

const create = (folder: DataFolder, scratch: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const user = Option.getOrUndefined(folder.user)
    const password = yield* ensurePassword(folder, scratch)
    const pwfile = Path.join(scratch, "password")
    const made = Path.join(scratch, "cluster")
    yield* attempt(`prepare ${scratch}`, async () => {
      await writeFile(pwfile, `${password}\n`, { mode: 0o600 })
      if (user === undefined) return
      await chown(pwfile, user.uid, user.gid)
      await chown(scratch, user.uid, user.gid)
    })
    const { initdb } = yield* binariesFor(folder.user)
    // The built-in locale sorts and folds alike on every system, whatever locales are installed or upgraded.
    yield* runCommand(
      initdb,
      [
        `--pgdata=${made}`,
        "--username=postgres",
        `--pwfile=${pwfile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--locale=C",
        "--no-instructions",
        // a cluster that a power cut spoils in its first seconds holds nothing yet; the server itself always syncs
        "--no-sync"
      ],
      user
    )
    yield* attempt(`move the new cluster to ${folder.cluster}`, () =>
      rename(made, folder.cluster).catch((cause: unknown) => {
        // another process was faster, with the same password
        if (codeOf(cause) !== "ENOTEMPTY" && codeOf(cause) !== "EEXIST") throw cause
      })
    )
  })

export const ensureCluster = (folder: DataFolder): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.unlessEffect(
    Effect.acquireUseRelease(
      attempt(`write to ${folder.path}`, () => mkdtemp(scratchPrefix(folder))),
      (scratch) => create(folder, scratch),
      (scratch) =>
        attempt(`remove ${scratch}`, () => rm(scratch, { recursive: true, force: true })).pipe(
          Effect.catchAll((error) => Effect.logWarning(error.message))
        )
    ),
    isComplete(folder.cluster)
  ).pipe(Effect.asVoid)
