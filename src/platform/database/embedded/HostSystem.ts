/** The user PostgreSQL runs as: ourselves, or, because it refuses root, a system user when we are root. */
import { Effect, Option, Data } from "effect"
import { stat } from "node:fs/promises"
import * as Path from "node:path"
import { spawn } from "node:child_process"

/** Failure of the embedded PostgreSQL, with a message for the operator. */
export class EmbeddedPostgresError extends Data.TaggedError("EmbeddedPostgresError")<{ readonly message: string }> {}

export const ELSEWHERE = "set DATA_DIR to another folder, or DATABASE_URL to a PostgreSQL server of your own"

export const reason = (cause: unknown): string =>
  cause instanceof Error && cause.message !== "" ? cause.message : String(cause)

/** The `code` of a Node system error or of a PostgreSQL error. */
export const codeOf = (cause: unknown): string | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : undefined

/** One step outside this process; `doing` completes the sentence "could not …". */
export const attempt = <A>(doing: string, run: () => Promise<A>): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new EmbeddedPostgresError({
        message: `The embedded PostgreSQL could not ${doing}: ${reason(cause)}. To get out of this, ${ELSEWHERE}.`
      })
  })

/** The same step where a missing file is an answer and not a failure. */
export const attemptIfPresent = <A>(
  doing: string,
  run: () => Promise<A>
): Effect.Effect<Option.Option<A>, EmbeddedPostgresError> =>
  attempt(doing, () =>
    run().then(Option.some, (cause: unknown) => {
      if (codeOf(cause) === "ENOENT") return Option.none()
      throw cause
    })
  )

/** Permissions of another user on a folder or file, by owner, group and mode. */
export interface UserIds {
  readonly uid: number
  readonly gid: number
}

export const ENTER = 0o1
export const READ = 0o4

interface Guarded {
  readonly uid: number
  readonly gid: number
  readonly mode: number
}

export const allows = (guarded: Guarded, user: UserIds, bits: number): boolean => {
  const shift = guarded.uid === user.uid ? 6 : guarded.gid === user.gid ? 3 : 0
  return ((guarded.mode >> shift) & bits) === bits
}

const lineage = (folder: string): ReadonlyArray<string> => {
  const parent = Path.dirname(folder)
  return parent === folder ? [folder] : [...lineage(parent), folder]
}

/** The outermost folder on the way to `folder` (itself included) that `user` cannot pass. */
export const closedFolder = (
  folder: string,
  user: UserIds
): Effect.Effect<Option.Option<string>, EmbeddedPostgresError> =>
  Effect.findFirst(lineage(folder), (step) =>
    Effect.map(
      attempt(`look at ${step}`, () => stat(step)),
      (stats) => !allows(stats, user, ENTER)
    )
  )

/** Runs one short-lived command to its end, as another user where asked, away from our folder and our secrets. */

/** Environment of PostgreSQL, without our own, which holds keys. LC_ALL keeps its messages in English. */
export const childEnvironment = (): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  LC_ALL: "C"
})

export const runCommand = (
  command: string,
  args: ReadonlyArray<string>,
  user?: UserIds
): Effect.Effect<string, EmbeddedPostgresError> =>
  Effect.async((resume) => {
    const child = spawn(command, args, {
      ...user,
      cwd: "/",
      env: childEnvironment(),
      stdio: ["ignore", "pipe", "pipe"]
    })
    const stdout: Array<string> = []
    const stderr: Array<string> = []
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => stdout.push(chunk))
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => stderr.push(chunk))
    const fail = (detail: string) =>
      resume(Effect.fail(new EmbeddedPostgresError({ message: `${command} failed: ${detail}` })))
    child.on("error", (cause) => fail(reason(cause)))
    child.on("close", (code, signal) =>
      code === 0
        ? resume(Effect.succeed(stdout.join("")))
        : fail(`${stderr.join("").trim()} (${signal ?? `exit code ${code}`})`)
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const lookUp = (name: string): Effect.Effect<UserIds, EmbeddedPostgresError> =>
  Effect.all({
    uid: Effect.map(runCommand("id", ["-u", name]), Number),
    gid: Effect.map(runCommand("id", ["-g", name]), Number)
  })

const create = (name: string): Effect.Effect<unknown, EmbeddedPostgresError> =>
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
    Effect.mapError(
      (error) =>
        new EmbeddedPostgresError({
          message:
            `PostgreSQL refuses to run as root, and there is no other user to run it as (${error.message}). ` +
            `Create a system user "${name}", start Corridor as an ordinary user, or ${ELSEWHERE}.`
        })
    )
  )

/**
 * Some(user) to switch to, None to stay who we are. A cluster that exists keeps its owner, so that one folder can be
 * started by its ordinary user and by root in turn.
 */
export const databaseUser = (cluster: string): Effect.Effect<Option.Option<UserIds>, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const owner = yield* attemptIfPresent(`look at ${cluster}`, () => stat(cluster))
    const self = process.getuid?.()
    if (self !== 0) {
      if (Option.isSome(owner) && owner.value.uid !== self) {
        return yield* new EmbeddedPostgresError({
          message:
            `The database in ${cluster} belongs to another user (uid ${owner.value.uid}): ` +
            `start Corridor as that user or as root, or ${ELSEWHERE}.`
        })
      }
      return Option.none()
    }
    if (Option.isSome(owner) && owner.value.uid !== 0) {
      return Option.some({ uid: owner.value.uid, gid: owner.value.gid })
    }
    const user = yield* systemUser("postgres")
    if (Option.isSome(owner)) {
      // a copy that root restored from a backup
      yield* runCommand("chown", ["-R", `${user.uid}:${user.gid}`, cluster])
    }
    return Option.some(user)
  })
