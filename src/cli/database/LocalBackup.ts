/** `corridor backup`, `restore` and `migrate`, beside the database. */
import { resolve } from "node:path"
import { Effect, Layer, Option } from "effect"
import { DatabaseConnectionLive, ObservabilityLive } from "../../app/Graph.ts"
import { LedgerStore } from "../../money/ledger/LedgerStore.ts"
import { ledgerStoreSql } from "../../money/ledger/LedgerSql.ts"
import { backup as takeBackup } from "../../platform/backup/Backup.ts"
import { restore as restoreBackup } from "../../platform/backup/Restore.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { ExistingLive } from "../shared/LocalDatabase.ts"
import { drawProgress, showElapsed, report } from "../shared/Terminal.ts"
import { migrate } from "../../platform/database/Migrations.ts"
import { recordServer } from "../../platform/database/DatabaseServer.ts"
import { traced } from "../../platform/observability/Spans.ts"

const totalOf = (rows: Readonly<Record<string, number>>): number => Object.values(rows).reduce((a, b) => a + b, 0)

const take = traced("Cli.backup")(function* (path: string) {
  const { header, keyFile, rows, size } = yield* takeBackup(path)
  const data = {
    file: path,
    format: "corridor",
    bytes: size,
    taken_at: header.taken_at,
    database_id: header.database_id,
    key_id: header.key_id,
    migration: header.migrations.at(-1)?.id ?? null,
    key_file: Option.getOrNull(keyFile),
    rows
  }
  const about = Option.match(keyFile, {
    onNone: () =>
      `Its secrets are encrypted under master key ${header.key_id}: keep that key, and not beside the backup.`,
    onSome: (kept) =>
      `The master key was never set: ${kept} has it. Keep it, and not beside the backup: set CORRIDOR_MASTER_KEY to it for a restore.`
  })
  return {
    data,
    text: `${path}: ${header.tables.length} tables, ${totalOf(rows)} rows, ${size} bytes, as of ${header.taken_at}.\n${about}`
  }
})

const checkBooks = Effect.flatMap(LedgerStore, ({ check }) => check).pipe(Effect.provide(ledgerStoreSql))

const fill = traced("Cli.restore")(function* (path: string) {
  const { applied, header, rows } = yield* restoreBackup(path, drawProgress)
  const books = yield* checkBooks
  const data = {
    file: path,
    taken_at: header.taken_at,
    database_id: header.database_id,
    migrations_applied: applied.map(([id]) => id),
    rows,
    books: { postings: books.postings, entries: books.entries, problems: books.problems }
  }
  const upgraded =
    applied.length === 0 ? [] : [`Brought up to date by migrations ${applied.map(([id]) => id).join(", ")}.`]
  const inOrder = `The books are in order: ${books.postings} postings of ${books.entries} entries.`
  return {
    data,
    text: [
      `Restored ${path} as of ${header.taken_at}, ${totalOf(rows)} rows.`,
      ...upgraded,
      ...(books.problems.length === 0 ? [inOrder] : books.problems.map(({ message }) => message))
    ].join("\n"),
    failure:
      books.problems.length === 0
        ? undefined
        : `Everything is restored, but the books are not in order (${books.problems.length} found).`
  }
})

const Observed = Layer.provideMerge(ObservabilityLive, Settings.layer)

interface OfFile {
  readonly file: string
  readonly json: boolean
}

export const backup = (input: OfFile) =>
  report(input.json, take(resolve(input.file))).pipe(Effect.provide(Layer.provideMerge(ExistingLive, Observed)))

export const restore = (input: OfFile) =>
  report(input.json, fill(resolve(input.file))).pipe(
    Effect.provide(Layer.provideMerge(DatabaseConnectionLive, Observed))
  )

/** `corridor migrate` */
const apply = Effect.map(migrate, (applied) => ({
  data: applied.map(([migration_id, name]) => ({ migration_id, name })),
  text:
    applied.length === 0
      ? "The schema is up to date."
      : `Applied: ${applied.map(([id, name]) => `${String(id).padStart(4, "0")}_${name}`).join(", ")}.`
}))

const DatabaseOnly = DatabaseConnectionLive.pipe(Layer.provide(ObservabilityLive), Layer.provide(Settings.layer))

interface Input {
  readonly acceptServer: boolean
  readonly json: boolean
}

export const bringUpToDate = ({ acceptServer, json }: Input) => {
  const applied = acceptServer ? Effect.zipLeft(apply, recordServer) : apply
  return report(json, showElapsed("Bringing the schema up to date")(applied)).pipe(Effect.provide(DatabaseOnly))
}
