/**
 * Database of the memory layers: maps of immutable rows, with transactions. Features declare their own tables;
 * opening a table creates it.
 */
import { Clock, Context, Duration, Effect, Exit, Layer, Option } from "effect"
import { retentionBatch } from "../../domain/policies/ServerPolicies.ts"
import { InTransaction, Transactor } from "./Transactor.ts"
import type { Scope, Window } from "./Query.ts"

/** Undoes one change of a transaction. */
type Undo = () => void

/** The tables by name, and the changes of the open transactions, the innermost last. */
interface Database {
  readonly tables: Map<string, Table>
  readonly open: Array<Array<Undo>>
}

type Predicate<Row> = (row: Row) => boolean

/** The rows of a table by their key. */
export interface Rows<Row, Key = string> extends Map<Key, Row> {
  readonly all: (...where: ReadonlyArray<Predicate<Row>>) => Array<Row>
  readonly one: (key: Key, where?: Predicate<Row>) => Option.Option<Row>
}

/** Rows with an undo log while a transaction is open. */
class Table extends Map<unknown, unknown> implements Rows<unknown, unknown> {
  private readonly database: Database

  constructor(database: Database) {
    super()
    this.database = database
  }

  all(...where: ReadonlyArray<Predicate<unknown>>): Array<unknown> {
    return Array.from(this.values()).filter((row) => where.every((is) => is(row)))
  }

  one(key: unknown, where: Predicate<unknown> = () => true): Option.Option<unknown> {
    return Option.filter(Option.fromNullable(this.get(key)), where)
  }

  override set(key: unknown, row: unknown): this {
    const undos = this.database.open.at(-1)
    if (undos !== undefined) {
      const before = super.get(key)
      undos.push(super.has(key) ? () => void super.set(key, before) : () => void super.delete(key))
    }
    return super.set(key, row)
  }

  override delete(key: unknown): boolean {
    if (super.has(key)) this.rememberAll()
    return super.delete(key)
  }

  override clear(): void {
    this.rememberAll()
    super.clear()
  }

  /** Restores all rows together, since a single restored row would come last. */
  private rememberAll(): void {
    const undos = this.database.open.at(-1)
    if (undos === undefined) return
    const rows = Array.from(this)
    undos.push(() => {
      super.clear()
      for (const [key, row] of rows) super.set(key, row)
    })
  }
}

export interface MemoryTable<Row, Key = string> {
  readonly rows: (database: Database) => Rows<Row, Key>
}

/** Declares a table. As in SQL, a feature may read a table of a layer above: it declares the columns that it needs. */
export const memoryTable = <Row, Key = string>(name: string): MemoryTable<Row, Key> => ({
  rows: (database) => {
    const table = database.tables.get(name) ?? new Table(database)
    database.tables.set(name, table)
    return table as Rows<unknown, unknown> as Rows<Row, Key>
  }
})

type Definitions = Readonly<Record<string, { readonly rows: (database: Database) => unknown }>>

/** The maps that belong to a record of tables. */
export type Opened<Tables extends Definitions> = {
  readonly [Name in keyof Tables]: ReturnType<Tables[Name]["rows"]>
}

/** Changes of a nested transaction become part of the outer one. */
const commit = ({ open }: Database): void => {
  const undos = open.pop() ?? []
  for (const undo of undos) open.at(-1)?.push(undo)
}

const rollBack = ({ open }: Database): void => {
  for (const undo of (open.pop() ?? []).reverse()) undo()
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
      const database: Database = { tables: new Map(), open: [] }
      const undoable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          database.open.push([])
          return Effect.onExit(effect, (exit) =>
            Effect.sync(() => (Exit.isSuccess(exit) ? commit(database) : rollBack(database)))
          )
        })
      return {
        open: <Tables extends Definitions>(tables: Tables) =>
          Object.fromEntries(
            Object.entries(tables).map(([name, table]) => [name, table.rows(database)])
          ) as Opened<Tables>,
        // One region from taking the lock to releasing it: an interruption in between would keep the lock for ever.
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

/** Transactions on the memory tables. */
export const transactorMemory = Layer.effect(
  Transactor,
  Effect.map(MemoryDatabase, ({ atomically }) => ({ atomically }))
)

export const openTables = <Tables extends Definitions>(tables: Tables) =>
  Effect.map(MemoryDatabase, ({ atomically, open }) => ({ ...open(tables), atomically }))

export const isOlder = (at: Date, age: Duration.Duration, now: number): boolean =>
  now - at.getTime() > Duration.toMillis(age)

/** Deletes a batch of rows past their retention; returns how many. */
export const deleteOld = <Row>(
  rows: Map<string, Row>,
  isOld: (row: Row, now: number) => boolean
): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const old = Array.from(rows)
      .filter(([, row]) => isOld(row, now))
      .slice(0, retentionBatch)
    for (const [key] of old) rows.delete(key)
    return old.length
  })

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

/** Rows that a scope may see, as `inScope` and `ownedIn` in SQL. */
export const seenIn =
  (scope: Scope) =>
  (row: { readonly org_id: string | null }): boolean =>
    Option.isNone(scope) || row.org_id === scope.value

/** Rows with these values; undefined: any. */
export const matches =
  <Row extends object>(filter: { readonly [Name in keyof Row]?: Row[Name] | undefined }) =>
  (row: Row): boolean =>
    Object.entries(filter).every(([name, value]) => value === undefined || row[name as keyof Row] === value)

export const currentDate = Effect.map(Clock.currentTimeMillis, (now) => new Date(now))
