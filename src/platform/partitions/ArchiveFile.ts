/**
 * Files for what leaves the database: one row of JSON to a line, compressed. A file has its name only when all of it is on
 * the disk and has been read again; the name tells its content, so whoever writes it a second time writes the same file.
 */
import { createHash } from "node:crypto"
import { once } from "node:events"
import { createReadStream } from "node:fs"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import { Data, Effect, Random } from "effect"

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
  // All three end together: a disk that cannot be read is nobody else's trouble.
  await pipeline(createReadStream(path), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      digest.update(chunk)
      for (const byte of chunk) if (byte === LINE_FEED) rows += 1
    }
  })
  return { rows, content: digest.digest("hex") }
}

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A folder is on the disk once the one that it is in is. */
const makeFolder = async (folder: string): Promise<void> => {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = resolve(folder); made.length >= resolve(first).length; made = dirname(made)) {
    await syncFolder(dirname(made))
  }
}

/** Scoped: what was not closed leaves nothing behind. */
export const openArchive = (folder: string, name: string) =>
  Effect.gen(function* () {
    yield* onDisk(() => makeFolder(folder))
    // Nobody else's: on machines that share the folder, processes have the same numbers.
    const lot = yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)
    const part = join(folder, `${name}.${process.pid}-${lot}.part`)
    const handle = yield* Effect.acquireRelease(
      onDisk(() => open(part, "wx", 0o600)),
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
          const content = digest.digest("hex")
          const found = await readAgain(part)
          if (found.rows !== rows || found.content !== content) {
            throw new ArchiveFailed({ message: `${part} should have ${rows} rows and has ${found.rows}.` })
          }
          const path = join(folder, `${name}-${content.slice(0, 12)}.ndjson.gz`)
          await rename(part, path)
          await syncFolder(folder)
          return path
        })
    }
    return archive
  })
