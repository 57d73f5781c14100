/** The superuser's password: made once per data folder, before the cluster, so that a crash between strands neither. */
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { link, open, readFile } from "node:fs/promises"
import * as Path from "node:path"
import type { DataFolder } from "./DataFolder.ts"
import { attempt, codeOf, ELSEWHERE, EmbeddedPostgresError, reason } from "./EmbeddedPostgresError.ts"

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
export const ensurePassword = (folder: DataFolder, scratch: string): Effect.Effect<string, EmbeddedPostgresError> => {
  const draft = Path.join(scratch, "draft")
  return attempt(`write ${folder.passwordFile}`, async () => {
    await write(draft, `${randomBytes(32).toString("hex")}\n`)
    await link(draft, folder.passwordFile).catch((cause: unknown) => {
      if (codeOf(cause) !== "EEXIST") throw cause
    })
  }).pipe(Effect.zipRight(readPassword(folder)))
}
