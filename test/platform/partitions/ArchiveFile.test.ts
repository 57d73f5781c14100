/** Durability of an archive: one writer for each file, and its folder is synced to the disk. */
import { fstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { Effect } from "effect"
import { afterAll, expect, it, vi } from "vitest"
import { openArchive } from "../../../src/platform/partitions/ArchiveFile.ts"

const root = mkdtempSync(join(tmpdir(), "corridor-archive-"))

afterAll(() => rmSync(root, { recursive: true }))

const textOf = (path: string) => gunzipSync(readFileSync(path)).toString("utf8")

it("two archives of one name do not overwrite each other", async () => {
  const folder = join(root, "shared")
  const both = Effect.gen(function* () {
    const [one, other] = [yield* openArchive(folder, "events_rest"), yield* openArchive(folder, "events_rest")]
    yield* one.write('{"row":1}\n')
    yield* other.write('{"row":2}\n{"row":3}\n')
    return [yield* one.close(1), yield* other.close(2)]
  })
  const [one, other] = await Effect.runPromise(Effect.scoped(both))
  expect([textOf(one!), textOf(other!)]).toEqual(['{"row":1}\n', '{"row":2}\n{"row":3}\n'])
  expect(readdirSync(folder)).toHaveLength(2)
})

it("fails if the file cannot be read back", async () => {
  const folder = join(root, "unreadable")
  const lost = Effect.flatMap(openArchive(folder, "events_rest"), (archive) =>
    archive
      .write("{}\n")
      .pipe(
        Effect.tap(Effect.sync(() => readdirSync(folder).forEach((file) => rmSync(join(folder, file))))),
        Effect.zipRight(archive.close(1)),
        Effect.flip
      )
  )
  expect((await Effect.runPromise(Effect.scoped(lost))).message).toContain(
    "The archive could not be written: Error: ENOENT"
  )
})

it("syncs a new folder, its parent and the folder of the file", async () => {
  const handle = await open(root, "r")
  const prototype = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  const synced: Array<number> = []
  const sync = prototype.sync
  vi.spyOn(prototype, "sync").mockImplementation(function (this: FileHandle) {
    synced.push(fstatSync(this.fd).ino)
    return sync.call(this)
  })
  const folder = join(root, "archive", "events")
  const written = Effect.flatMap(openArchive(folder, "events_2026_01"), (archive) =>
    Effect.zipRight(archive.write("{}\n"), archive.close(1))
  )
  const path = await Effect.runPromise(Effect.scoped(written)).finally(() => vi.restoreAllMocks())
  const inTurn = [join(root, "archive"), root, path, folder]
  expect(synced).toEqual(inTurn.map((one) => statSync(one).ino))
})
