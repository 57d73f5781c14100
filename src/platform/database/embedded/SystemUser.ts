/** The user PostgreSQL runs as: ourselves, or, because it refuses root, a system user when we are root. */
import { Effect, Option } from "effect"
import { stat } from "node:fs/promises"
import type { UserIds } from "./Access.ts"
import { runCommand } from "./Command.ts"
import { attemptIfPresent, ELSEWHERE, EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

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
