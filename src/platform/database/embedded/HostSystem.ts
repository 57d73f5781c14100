/** Commands, files and the user of the embedded PostgreSQL, which refuses to run as root. */
import { Effect, Option, Data } from "effect"
import type { Stats } from "node:fs"
import { stat } from "node:fs/promises"
import * as Path from "node:path"
import { execFile } from "node:child_process"

/** Failure of the embedded PostgreSQL, with a message for the operator. */
export class EmbeddedPostgresError extends Data.TaggedError("EmbeddedPostgresError")<{ readonly message: string }> {}

export const failed = (message: string) => new EmbeddedPostgresError({ message })

export const ELSEWHERE = "set DATA_DIR to another folder, or DATABASE_URL to a PostgreSQL server of your own"

export const reason = (cause: unknown): string =>
  cause instanceof Error && cause.message !== "" ? cause.message : String(cause)

/** The `code` of a Node system error or of a PostgreSQL error. */
export const codeOf = (cause: unknown): string | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : undefined

/** One step outside this process; `doing` completes the sentence "could not …". */
export const attempt = <A>(doing: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      failed(`The embedded PostgreSQL could not ${doing}: ${reason(cause)}. To get out of this, ${ELSEWHERE}.`)
  })

/** For `catch` of a promise: undefined for errors with these codes. */
export const ignoring =
  (...codes: ReadonlyArray<string>) =>
  (cause: unknown): undefined => {
    if (!codes.includes(codeOf(cause) ?? "")) throw cause
  }

/** The same step; none for a missing file. */
export const attemptIfPresent = <A>(doing: string, run: () => Promise<A>) =>
  attempt(doing, () => run().then(Option.some, ignoring("ENOENT"))).pipe(
    Effect.map((found): Option.Option<A> => found ?? Option.none())
  )

/** Permissions of another user on a folder or file, by owner, group and mode. */
export interface UserIds {
  readonly uid: number
  readonly gid: number
}

export const ENTER = 0o1
export const READ = 0o4

export const allows = ({ gid, mode, uid }: Stats, user: UserIds, bits: number): boolean => {
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0
  return ((mode >> shift) & bits) === bits
}

const lineage = (folder: string): ReadonlyArray<string> => {
  const parent = Path.dirname(folder)
  return parent === folder ? [folder] : [...lineage(parent), folder]
}

/** The outermost folder on the way to `folder` (itself included) that `user` cannot pass. */
export const closedFolder = (folder: string, user: UserIds) =>
  Effect.findFirst(lineage(folder), (step) =>
    Effect.map(
      attempt(`look at ${step}`, () => stat(step)),
      (stats) => !allows(stats, user, ENTER)
    )
  )

/** Environment of PostgreSQL, without our own, which holds keys. LC_ALL keeps its messages in English. */
export const childEnvironment = (): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LC_ALL: "C"
})

/** Runs one short-lived command to its end, as another user where asked, away from our folder and our secrets. */
export const runCommand = (command: string, args: ReadonlyArray<string>, user?: UserIds) =>
  Effect.async<string, EmbeddedPostgresError>((resume) => {
    const options = { ...user, cwd: "/", env: childEnvironment() }
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) return resume(Effect.succeed(stdout))
      const detail =
        typeof error.code === "string"
          ? reason(error)
          : `${stderr.trim()} (${error.signal ?? `exit code ${error.code}`})`
      resume(failed(`${command} failed: ${detail}`))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const lookUp = (name: string): Effect.Effect<UserIds, EmbeddedPostgresError> =>
  Effect.all({
    uid: Effect.map(runCommand("id", ["-u", name]), Number),
    gid: Effect.map(runCommand("id", ["-g", name]), Number)
  })

const create = (name: string) =>
  runCommand("useradd", ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", name]).pipe(
    Effect.orElse(() =>
      // Alpine's own tools
      Effect.zipRight(
        runCommand("addgroup", ["-S", name]),
        runCommand("adduser", ["-S", "-D", "-H", "-s", "/sbin/nologin", "-G", name, name])
      )
    )
  )

/** A second process may create the same user meanwhile, so the look-up has the last word. */
export const systemUser = (name: string): Effect.Effect<UserIds, EmbeddedPostgresError> =>
  lookUp(name).pipe(
    Effect.orElse(() =>
      create(name).pipe(
        Effect.catchAll((error) => Effect.logDebug(`no system user ${name}: ${error.message}`)),
        Effect.zipRight(lookUp(name))
      )
    ),
    Effect.orElse(() => lookUp("nobody")),
    Effect.mapError(({ message }) =>
      failed(
        `PostgreSQL refuses to run as root, and there is no other user to run it as (${message}). ` +
          `Create a system user "${name}", start Corridor as an ordinary user, or ${ELSEWHERE}.`
      )
    )
  )

/**
 * Some(user) to switch to, None to stay who we are. A cluster that exists keeps its owner, so that one folder can be
 * started by its ordinary user and by root in turn.
 */
export const databaseUser = Effect.fnUntraced(function* (cluster: string) {
  const owner = Option.getOrUndefined(yield* attemptIfPresent(`look at ${cluster}`, () => stat(cluster)))
  const self = process.getuid?.()
  if (self !== 0) {
    if (owner === undefined || owner.uid === self) return Option.none<UserIds>()
    return yield* failed(
      `The database in ${cluster} belongs to another user (uid ${owner.uid}): ` +
        `start Corridor as that user or as root, or ${ELSEWHERE}.`
    )
  }
  if (owner !== undefined && owner.uid !== 0) return Option.some<UserIds>({ uid: owner.uid, gid: owner.gid })
  const user = yield* systemUser("postgres")
  // a copy that root restored from a backup
  if (owner !== undefined) yield* runCommand("chown", ["-R", `${user.uid}:${user.gid}`, cluster])
  return Option.some(user)
})
