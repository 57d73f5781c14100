/** DATA_DIR as the embedded PostgreSQL uses it: where its files are, and the way in for the user it runs as. */
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { Effect, Option } from "effect"
import {
  attempt,
  attemptIfPresent,
  closedFolder,
  codeOf,
  databaseUser,
  ELSEWHERE,
  type EmbeddedPostgresError,
  ENTER,
  failed,
  ignoring,
  reason,
  runCommand,
  type UserIds
} from "./HostSystem.ts"
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
  Effect.tryPromise(() => Fs.readFile(`/proc/${pid}/cmdline`, "utf8")).pipe(
    Effect.map((line) => line.replaceAll("\0", " ")),
    Effect.orElse(() => runCommand("ps", ["-o", "command=", "-p", String(pid)])),
    Effect.orElseSucceed(() => "")
  )

/** Fails where the system hides the folder of a process: of another user, or on macOS. */
const worksIn = (pid: number | string, cluster: string) =>
  Effect.map(
    Effect.tryPromise(() => Fs.readlink(`/proc/${pid}/cwd`)),
    (folder) => folder === cluster
  )

/** A postmaster stays in its data folder; where the system hides that, its arguments tell. */
const serves = (pid: number, cluster: string): Effect.Effect<boolean> =>
  worksIn(pid, cluster).pipe(
    Effect.orElse(() => Effect.map(commandLine(pid), (line) => line.includes(`-D ${cluster} `)))
  )

export const isPostmaster = (pid: number, cluster: string): Effect.Effect<boolean> =>
  Effect.suspend(() => (isAlive(pid) ? serves(pid, cluster) : Effect.succeed(false)))

export const findPostmaster = Effect.fnUntraced(function* (
  cluster: string
): Effect.fn.Return<Postmaster, EmbeddedPostgresError> {
  const file = Path.join(cluster, "postmaster.pid")
  const text = yield* attemptIfPresent(`read ${file}`, () => Fs.readFile(file, "utf8"))
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
  Effect.tryPromise(() => Fs.readdir("/proc")).pipe(
    Effect.orElseSucceed((): ReadonlyArray<string> => []),
    Effect.flatMap((names) =>
      Effect.exists(
        names.filter((name) => /^\d+$/.test(name)),
        (name) => Effect.orElseSucceed(worksIn(name, cluster), () => false),
        { concurrency: 16 }
      )
    )
  )

const clusterIn = (dataFolder: string): string => Path.join(dataFolder, "postgres")

/** Prefix of the folder in which one process prepares a cluster; the process id behind it tells when it is left over. */
const SCRATCH = "postgres.init-"

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
    const { mode, uid } = yield* attempt(`look at ${closed}`, () => Fs.stat(closed))
    if (!ours || uid === user.uid) {
      return yield* failed(
        `PostgreSQL refuses to run as root, and the user it runs as here (uid ${user.uid}) cannot enter ${closed}, ` +
          `which leads to the data folder ${folder}. Do one of these: chmod o+x ${closed}; ` +
          `or set DATA_DIR to a folder elsewhere (for example /var/lib/corridor); ` +
          `or set DATABASE_URL to a PostgreSQL server of your own.`
      )
    }
    yield* attempt(`let PostgreSQL's user enter ${closed}`, () => Fs.chmod(closed, (mode & 0o7777) | ENTER))
    yield* openTheWay(folder, firstCreated, user)
  })

const remove = (path: string) => attempt(`remove ${path}`, () => Fs.rm(path, { recursive: true, force: true }))

const removeLeftovers = Effect.fnUntraced(function* (folder: string) {
  const names = yield* attempt(`list ${folder}`, () => Fs.readdir(folder))
  const isLeftOver = (name: string) =>
    name.startsWith(SCRATCH) && !isAlive(Number.parseInt(name.slice(SCRATCH.length), 10))
  yield* Effect.forEach(names.filter(isLeftOver), (name) => remove(Path.join(folder, name)))
})

/** For its owner alone; PostgreSQL's own user, where it has one, may pass through it. */
const PRIVATE = 0o700
const PASSABLE = 0o711

/** The folder itself is made private, the way to it as the system makes folders; one that is there stays as it is. */
const makeFolder = async (wanted: string): Promise<string | undefined> => {
  const above = await Fs.mkdir(Path.dirname(wanted), { recursive: true })
  const made = await Fs.mkdir(wanted, { mode: PRIVATE }).then(() => wanted, ignoring("EEXIST"))
  return above ?? made
}

export const openDataFolder = Effect.fnUntraced(function* (dataDir: string) {
  const wanted = Path.resolve(dataDir)
  const firstCreated = yield* attempt(`create the data folder ${wanted}`, () => makeFolder(wanted))
  const path = yield* attempt(`find the data folder ${wanted}`, () => Fs.realpath(wanted))
  const cluster = clusterIn(path)
  const user = yield* databaseUser(cluster)
  if (Option.isSome(user)) {
    if (firstCreated !== undefined) yield* attempt(`open ${path} to PostgreSQL's user`, () => Fs.chmod(path, PASSABLE))
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

export type DataFolder = Effect.Effect.Success<ReturnType<typeof openDataFolder>>

/** The superuser's password: made once per data folder, before the cluster, so that a crash between strands neither. */
export const readPassword = (folder: DataFolder) =>
  Effect.tryPromise({
    try: async () => (await Fs.readFile(folder.passwordFile, "utf8")).trim(),
    catch: (cause) =>
      failed(
        `The password of the database in ${folder.cluster} cannot be read: ${reason(cause)}. ` +
          `Restore ${folder.passwordFile}; or, to start over without the data, remove ${folder.cluster}; or ${ELSEWHERE}.`
      )
  })

/** A link appears whole or not at all and never replaces: of two processes that start at once, one decides. */
const ensurePassword = (folder: DataFolder, scratch: string) => {
  const draft = Path.join(scratch, "draft")
  return attempt(`write ${folder.passwordFile}`, async () => {
    await Fs.writeFile(draft, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx", flush: true })
    await Fs.link(draft, folder.passwordFile).catch(ignoring("EEXIST"))
  }).pipe(Effect.zipRight(readPassword(folder)))
}

const isComplete = (cluster: string) =>
  Effect.map(
    attemptIfPresent(`look at ${cluster}`, () => Fs.access(Path.join(cluster, "PG_VERSION"))),
    Option.isSome
  )

/** Whether a data folder holds a cluster already; nothing is made by asking. */
export const hasCluster = (dataDir: string) => isComplete(clusterIn(Path.resolve(dataDir)))

/** Makes the cluster beside its place and moves it there when complete: one that a kill cut short is never seen. */
const create = (folder: DataFolder, scratch: string) =>
  Effect.gen(function* () {
    const user = Option.getOrUndefined(folder.user)
    const password = yield* ensurePassword(folder, scratch)
    const pwfile = Path.join(scratch, "password")
    const made = Path.join(scratch, "cluster")
    yield* attempt(`prepare ${scratch}`, async () => {
      await Fs.writeFile(pwfile, `${password}\n`, { mode: 0o600 })
      if (user === undefined) return
      await Fs.chown(pwfile, user.uid, user.gid)
      await Fs.chown(scratch, user.uid, user.gid)
    })
    const { initdb } = yield* binariesFor(folder.user)
    yield* Effect.logInfo(`Creating the database in ${folder.cluster}, which takes some seconds`)
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
    // another process may have been faster, with the same password
    yield* attempt(`move the new cluster to ${folder.cluster}`, () =>
      Fs.rename(made, folder.cluster).catch(ignoring("ENOTEMPTY", "EEXIST"))
    )
  })

export const ensureCluster = (folder: DataFolder) =>
  Effect.unlessEffect(
    Effect.acquireUseRelease(
      attempt(`write to ${folder.path}`, () => Fs.mkdtemp(Path.join(folder.path, `${SCRATCH}${process.pid}-`))),
      (scratch) => create(folder, scratch),
      (scratch) => Effect.catchAll(remove(scratch), ({ message }) => Effect.logWarning(message))
    ),
    isComplete(folder.cluster)
  )
