/**
 * Archive files: one row of JSON per line, compressed. A file gets its final name after it was synced and read back.
 * The name holds a digest of the content, so writing it twice gives the same file.
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

interface Archive {
  /** Appends lines; each ends with a line feed. */
  readonly write: (lines: string) => Effect.Effect<void, ArchiveFailed>
  /** Returns the path; fails unless the file has this many rows. */
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
  // `pipeline` ends all three streams on an error.
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

/** A new folder is durable once its parent is synced. */
const makeFolder = async (folder: string): Promise<void> => {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = resolve(folder); made.length >= resolve(first).length; made = dirname(made)) {
    await syncFolder(dirname(made))
  }
}

/** Scoped: an archive that was not closed leaves no file. */
export const openArchive = (folder: string, name: string) =>
  Effect.gen(function* () {
    yield* onDisk(() => makeFolder(folder))
    // A random name: machines that share the folder have equal process ids.
    const lot = yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)
    const part = join(folder, `${name}.${process.pid}-${lot}.part`)
    const handle = yield* Effect.acquireRelease(
      onDisk(() => open(part, "wx", 0o600)),
      (opened) => Effect.promise(() => opened.close().then(() => rm(part, { force: true })))
    )
    const gzip = createGzip()
    const digest = createHash("sha256")
    let failure: unknown
    // Reported by the next write or close.
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
