/** Makes the cluster beside its place and moves it there when complete: one that a kill cut short is never seen. */
import { Effect, Option } from "effect"
import { access, chown, mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import * as Path from "node:path"
import { binariesFor } from "./Binaries.ts"
import { runCommand } from "./Command.ts"
import { clusterIn, type DataFolder, scratchPrefix } from "./DataFolder.ts"
import { attempt, attemptIfPresent, codeOf, type EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { ensurePassword } from "./Password.ts"

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
