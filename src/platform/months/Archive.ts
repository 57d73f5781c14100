/**
 * Files for what leaves the database: one row of JSON to a line, compressed. A file has its name only when all of it is on
 * the disk and has been read again; the name tells its content, so whoever writes it a second time writes the same file.
 */
import { createHash } from "node:crypto"
import { once } from "node:events"
import { createReadStream } from "node:fs"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { createGunzip, createGzip } from "node:zlib"
import { Data, Effect } from "effect"

export class ArchiveFailed extends Data.TaggedError("ArchiveFailed")<{
  readonly message: string
  readonly cause?: unknown
}> {}

export interface Archive {
  /** Each row ends with a line feed. */
  readonly write: (lines: string) => Effect.Effect<void, ArchiveFailed>
  /** Answers with the file's path, if it was given as many rows as that. */
  readonly close: (rows: number) => Effect.Effect<string, ArchiveFailed>
}

const LINE_FEED = 10

const onDisk = <A>(work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      cause instanceof ArchiveFailed
        ? cause
        : new ArchiveFailed({ message: `The archive could not be written: ${String(cause)}`, cause })
  })

const readAgain = async (path: string) => {
  const digest = createHash("sha256")
  let rows = 0
  for await (const chunk of createReadStream(path).pipe(createGunzip()) as AsyncIterable<Buffer>) {
    digest.update(chunk)
    for (const byte of chunk) if (byte === LINE_FEED) rows += 1
  }
  return { rows, digest: digest.digest("hex") }
}

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Scoped: what was not closed leaves nothing behind. */
export const openArchive = (folder: string, name: string) =>
  Effect.gen(function* () {
    yield* onDisk(() => mkdir(folder, { recursive: true, mode: 0o700 }))
    const part = join(folder, `${name}.${process.pid}.part`)
    const handle = yield* Effect.acquireRelease(
      onDisk(() => open(part, "w", 0o600)),
      (opened) => Effect.promise(() => opened.close().then(() => rm(part, { force: true })))
    )
    const gzip = createGzip()
    const digest = createHash("sha256")
    let failure: unknown
    // Whoever writes or closes next is told.
    gzip.on("error", (error) => (failure = error))
    const written = (async () => {
      for await (const chunk of gzip as AsyncIterable<Buffer>) await handle.appendFile(chunk)
    })().catch((error: unknown) => {
      failure = error
      gzip.destroy()
    })
    const archive: Archive = {
      write: (lines) =>
        onDisk(async () => {
          if (failure !== undefined) throw failure
          digest.update(lines)
          if (!gzip.write(lines)) await Promise.race([once(gzip, "drain"), written])
        }),
      close: (rows) =>
        onDisk(async () => {
          gzip.end()
          await written
          if (failure !== undefined) throw failure
          await handle.sync()
          const hash = digest.digest("hex")
          const found = await readAgain(part)
          if (found.rows !== rows || found.digest !== hash) {
            throw new ArchiveFailed({ message: `${part} should have ${rows} rows and has ${found.rows}.` })
          }
          const path = join(folder, `${name}-${hash.slice(0, 12)}.ndjson.gz`)
          await rename(part, path)
          await syncFolder(folder)
          return path
        })
    }
    return archive
  })
