/**
 * The database of the memory layers: maps of immutable rows, with the same all-or-nothing as the real one. It knows no
 * feature: each names its own tables, and a table is there once somebody opens it.
 */
import { Context, Effect, Layer, Option } from "effect"
import { InTransaction } from "./InTransaction.ts"
import type { Window } from "./Window.ts"

type Rows = Map<unknown, unknown>

export interface MemoryTable<Row, Key = string> {
  readonly rows: (database: Map<string, Rows>) => Map<Key, Row>
}

/**
 * As in SQL, whoever knows the name of a table may read it: a feature that reads rows of one above it declares them with
 * the columns that it needs.
 */
export const memoryTable = <Row, Key = string>(name: string): MemoryTable<Row, Key> => ({
  rows: (database) => {
    const there = database.get(name)
    if (there !== undefined) return there as Map<Key, Row>
    const fresh = new Map<Key, Row>()
    database.set(name, fresh as Rows)
    return fresh
  }
})

type Definitions = Readonly<Record<string, { readonly rows: (database: Map<string, Rows>) => unknown }>>

/** The maps that belong to a record of tables. */
export type Opened<Tables extends Definitions> = {
  readonly [Name in keyof Tables]: ReturnType<Tables[Name]["rows"]>
}

const restore = (database: Map<string, Rows>, saved: ReadonlyMap<string, Rows>): void => {
  for (const [name, rows] of database) {
    rows.clear()
    for (const [key, row] of saved.get(name) ?? []) rows.set(key, row)
  }
}

export class MemoryDatabase extends Context.Tag("corridor/MemoryDatabase")<
  MemoryDatabase,
  {
    readonly open: <Tables extends Definitions>(tables: Tables) => Opened<Tables>
    readonly atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>() {
  static readonly layer = Layer.effect(
    MemoryDatabase,
    Effect.map(Effect.makeSemaphore(1), (lock) => {
      const database = new Map<string, Rows>()
      const undoable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          const saved = new Map(Array.from(database, ([name, rows]) => [name, new Map(rows)]))
          return Effect.onError(effect, () => Effect.sync(() => restore(database, saved)))
        })
      return {
        open: <Tables extends Definitions>(tables: Tables) =>
          Object.fromEntries(
            Object.entries(tables).map(([name, table]) => [name, table.rows(database)])
          ) as Opened<Tables>,
        // From before it has the lock until after: whoever stopped in between would keep it from everybody, for good.
        atomically: (effect) =>
          Effect.flatMap(InTransaction, (nested) =>
            nested
              ? undoable(effect)
              : Effect.provideService(lock.withPermits(1)(undoable(effect)), InTransaction, true)
          )
      }
    })
  )
}

export const openTables = <Tables extends Definitions>(tables: Tables) =>
  Effect.map(MemoryDatabase, ({ atomically, open }) => ({ ...open(tables), atomically }))

/** Newest first, the rows after a position: what `order by … limit` does in SQL. */
export const newestFirst = <Row extends { readonly created_at: Date }>(
  rows: Iterable<Row>,
  idOf: (row: Row) => string,
  window: Window
): ReadonlyArray<Row> => {
  const key = (row: Row) => `${row.created_at.toISOString()} ${idOf(row)}`
  const limit = Option.map(window.after, ([at, id]) => `${at} ${id}`)
  return Array.from(rows)
    .filter((row) => Option.isNone(limit) || key(row) < limit.value)
    .sort((a, b) => (key(a) < key(b) ? 1 : -1))
    .slice(0, window.take)
}
