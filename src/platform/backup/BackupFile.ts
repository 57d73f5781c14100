/**
 * File format of a backup, compressed with gzip:
 * 1. a header as one line of JSON;
 * 2. for each table a line with its name, its rows in the text format of COPY, and `\.`;
 * 3. a last line with the row counts and the SHA-256 of all before.
 */
import { createHash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { finished, pipeline } from "node:stream/promises"
import { PassThrough, type Writable } from "node:stream"
import { createGunzip, createGzip } from "node:zlib"
import { Either, Schema } from "effect"
import { RecordedMigration } from "../database/Migrations.ts"

export const BackupTable = Schema.Struct({ name: Schema.String, columns: Schema.Array(Schema.String) })
export type BackupTable = typeof BackupTable.Type

export const BackupHeader = Schema.Struct({
  corridor_backup: Schema.Literal(2),
  version: Schema.String,
  taken_at: Schema.String,
  database_id: Schema.NullOr(Schema.String),
  /** Id of the master key of its secrets; tells nothing about the key itself. */
  key_id: Schema.NullOr(Schema.String),
  migrations: Schema.Array(RecordedMigration),
  tables: Schema.Array(BackupTable)
})
export type BackupHeader = typeof BackupHeader.Type

const TableLine = Schema.Struct({ table: Schema.String })
const LastLine = Schema.Struct({
  rows: Schema.Record({ key: Schema.String, value: Schema.Number }),
  sha256: Schema.String
})

/** COPY doubles every backslash of the data, so no row looks like this. */
const END_OF_TABLE = "\\."

/** Why a file cannot be used. */
class UnusableBackup extends Error {
  override readonly name = "UnusableBackup"
}

const GZIP = [0x1f, 0x8b]
const PG_DUMP = Buffer.from("PGDMP")

export const kindOfBackup = async (path: string): Promise<"copy" | "pg_dump" | "unknown"> => {
  const start: Array<Buffer> = []
  for await (const chunk of createReadStream(path, { end: PG_DUMP.length - 1 })) start.push(chunk as Buffer)
  const magic = Buffer.concat(start)
  if (magic.equals(PG_DUMP)) return "pg_dump"
  return GZIP.every((byte, at) => magic[at] === byte) ? "copy" : "unknown"
}

/** Readable by its owner alone, from its first byte. */
export const writeBackup = async (
  path: string,
  header: BackupHeader,
  copy: (table: BackupTable, into: Writable) => Promise<number>
): Promise<Readonly<Record<string, number>>> => {
  const hash = createHash("sha256")
  const hashed = new PassThrough()
  hashed.on("data", (chunk: Buffer) => hash.update(chunk))
  const compressed = new PassThrough()
  const written = pipeline(compressed, createGzip(), createWriteStream(path, { mode: 0o600, flags: "wx", flush: true }))
  hashed.pipe(compressed, { end: false })
  const rows: Record<string, number> = {}
  const write = async () => {
    hashed.write(`${JSON.stringify(header)}\n`)
    for (const table of header.tables) {
      hashed.write(`${JSON.stringify({ table: table.name })}\n`)
      rows[table.name] = await copy(table, hashed)
      hashed.write(`${END_OF_TABLE}\n`)
    }
    hashed.end()
    await finished(hashed)
    compressed.end(`${JSON.stringify({ rows, sha256: hash.digest("hex") })}\n`)
  }
  // Whichever fails first: a disk that is full must not leave the other waiting.
  await Promise.all([written, Promise.race([write(), written.then(() => undefined)])])
  return rows
}

const NEWLINE = 0x0a

/** Whole lines, each with its end, many together. */
const linesIn = async function* (path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  const text = createReadStream(path).pipe(createGunzip())
  for await (const chunk of text) {
    const all = Buffer.concat([rest, chunk as Buffer])
    const end = all.lastIndexOf(NEWLINE) + 1
    if (end > 0) yield all.subarray(0, end)
    rest = all.subarray(end)
  }
  if (rest.length > 0) throw new UnusableBackup("The backup ends in the middle of a line: it is not whole.")
}

const rethrown = (cause: unknown): never => {
  const code = (cause as { readonly code?: string }).code ?? ""
  throw code.startsWith("Z_") ? new UnusableBackup("The backup cannot be decompressed: it is not whole.") : cause
}

const NOT_OURS = "This is not a backup of Corridor, or of a version that this one does not know."

/** Reads single lines, and blocks of rows. */
class Lines {
  private readonly source: AsyncGenerator<Buffer>
  private block: Buffer = Buffer.alloc(0)
  private readonly hash = createHash("sha256")

  constructor(path: string) {
    this.source = linesIn(path)
  }

  private async fill(): Promise<boolean> {
    if (this.block.length > 0) return true
    const next = await this.source.next().catch(rethrown)
    if (next.done === true) return false
    this.block = next.value
    return true
  }

  private take(length: number): Buffer {
    const taken = this.block.subarray(0, length)
    this.block = this.block.subarray(length)
    return taken
  }

  private async line(): Promise<string> {
    if (!(await this.fill())) throw new UnusableBackup("The backup ends too early: it is not whole.")
    const line = this.take(this.block.indexOf(NEWLINE) + 1)
    this.hash.update(line)
    return line.toString("utf8")
  }

  /** Reads a line of JSON. */
  async json<A, I>(schema: Schema.Schema<A, I>): Promise<A> {
    const line = await this.line()
    return Either.getOrThrowWith(
      Schema.decodeEither(Schema.parseJson(schema))(line),
      () => new UnusableBackup(NOT_OURS)
    )
  }

  /** The rows of a table; `count` is told how many they were. */
  async *rows(count: (rows: number) => void): AsyncGenerator<Buffer> {
    let seen = 0
    while (await this.fill()) {
      const end = this.endOfTable()
      const rows = this.take(end ?? this.block.length)
      this.hash.update(rows)
      for (let at = rows.indexOf(NEWLINE); at >= 0; at = rows.indexOf(NEWLINE, at + 1)) seen += 1
      if (rows.length > 0) yield rows
      if (end !== undefined) {
        await this.line()
        return count(seen)
      }
    }
    throw new UnusableBackup("The backup ends in the middle of a table: it is not whole.")
  }

  /** Where in the block it is, if it is there. */
  private endOfTable(): number | undefined {
    const mark = `${END_OF_TABLE}\n`
    if (this.block.subarray(0, mark.length).toString("latin1") === mark) return 0
    const at = this.block.indexOf(`\n${mark}`)
    return at < 0 ? undefined : at + 1
  }

  /** SHA-256 of all lines so far. */
  get digest(): string {
    return this.hash.copy().digest("hex")
  }

  close(): Promise<unknown> {
    return this.source.return(undefined)
  }
}

const withLines = async <A>(path: string, use: (lines: Lines) => Promise<A>): Promise<A> => {
  const lines = new Lines(path)
  return use(lines).finally(() => lines.close())
}

export const readHeader = (path: string): Promise<BackupHeader> => withLines(path, (lines) => lines.json(BackupHeader))

/** Hands over table by table, then checks counts and digest. */
export const readBackup = (
  path: string,
  take: (table: BackupTable, rows: AsyncIterable<Buffer>) => Promise<void>
): Promise<Readonly<Record<string, number>>> =>
  withLines(path, async (lines) => {
    const { tables } = await lines.json(BackupHeader)
    const counts: Record<string, number> = {}
    for (const table of tables) {
      if ((await lines.json(TableLine)).table !== table.name) {
        throw new UnusableBackup(`The backup has something else where ${table.name} should be.`)
      }
      await take(
        table,
        lines.rows((rows) => (counts[table.name] = rows))
      )
    }
    const { digest } = lines
    const last = await lines.json(LastLine)
    const isWhole = last.sha256 === digest && tables.every(({ name }) => last.rows[name] === counts[name])
    if (!isWhole) throw new UnusableBackup("The backup is not what was written: its digest is another.")
    return counts
  })
