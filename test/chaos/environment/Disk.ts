/** A disk for the database in a mounted file, which can be filled completely. Needs the right to mount. */
import { execFile } from "node:child_process"
import { chmod, mkdir, rm, statfs } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect, Either } from "effect"

export interface Disk {
  readonly folder: string
  readonly fill: Effect.Effect<void>
  readonly free: Effect.Effect<void>
}

const SIZE = "4G"

const run = promisify(execFile)

const reasonOf = (cause: unknown): string => {
  const { message, stderr } = cause as { readonly message: string; readonly stderr?: string }
  return (stderr ?? message).trim().split("\n").at(-1) ?? message
}

/** The file is sparse. */
const mounted = async (folder: string): Promise<string> => {
  const image = join(folder, "disk.img")
  const corridor = join(folder, "disk")
  await mkdir(corridor)
  await run("truncate", ["-s", SIZE, image])
  await run("mkfs.ext4", ["-q", "-F", "-m", "0", image])
  await run("mount", ["-o", "loop", image, corridor])
  await chmod(corridor, 0o755)
  return corridor
}

const disk = (folder: string): Disk => {
  const ballast = join(folder, "ballast")
  return {
    folder,
    fill: Effect.promise(async () => {
      const { bavail, bsize } = await statfs(folder)
      // The database may take blocks at the same time.
      await run("fallocate", ["-l", String(bavail * bsize), ballast]).catch(() =>
        run("fallocate", ["-l", String(Math.floor(bavail * bsize * 0.999)), ballast])
      )
    }),
    free: Effect.promise(() => rm(ballast, { force: true }))
  }
}

/** Returns the reason if there is none. */
export const ownDisk = (folder: string) =>
  Effect.acquireRelease(
    Effect.either(Effect.tryPromise({ try: () => mounted(folder), catch: reasonOf })),
    Either.match({
      onLeft: () => Effect.void,
      onRight: (corridor) => Effect.promise(() => run("umount", ["-l", corridor]))
    })
  ).pipe(Effect.map(Either.map(disk)))
