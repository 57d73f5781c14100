/** SQL fragments that tenant queries share, and decoders of rows. */
import { SqlClient, type SqlError, type Statement } from "@effect/sql"
import { Option, Effect, Schema, Data, Either, ParseResult } from "effect"
import type { OrgId } from "../../domain/Ids.ts"
import { compileDecoder } from "../schema/CompiledSchema.ts"
import type { AnyCurrencyCode } from "../../domain/Currency.ts"
import { Money } from "../../domain/Money.ts"
import { orDatabaseFailure } from "./DatabaseFailure.ts"

/** When the last row of a page was made, and its id. */
export type Position = readonly [at: string, id: string]

export interface Window {
  readonly after: Option.Option<Position>
  readonly take: number
}

/** The organisation a query is held to; none is every organisation, which only a platform admin's permit gives. */
export type Scope = Option.Option<OrgId>

export const inScope = (sql: SqlClient.SqlClient, scope: Scope): Statement.Fragment =>
  Option.match(scope, { onNone: () => sql.literal("true"), onSome: (orgId) => sql`org_id = ${orgId}` })

/**
 * The check that a row is the organisation's, for a row that is found by its key: `=` as the function behind it, which no
 * index serves. Beside a key, `org_id =` lets the planner choose the organisation's index and read all of its rows. In
 * tables that were never analysed both indexes cost it the same.
 */
export const sameOrg = (column: string, org: string): string => `uuid_eq(${column}, ${org})`

/** The same check against a scope. `inScope` is for lists, which are found by the organisation. */
export const ownedIn = (sql: SqlClient.SqlClient, scope: Scope): Statement.Fragment =>
  Option.match(scope, { onNone: () => sql.literal("true"), onSome: (orgId) => ownedBy(sql, orgId) })

export const ownedBy = (sql: SqlClient.SqlClient, orgId: OrgId): Statement.Fragment => sql`uuid_eq(org_id, ${orgId})`

/** Goes last in a statement that has a WHERE: the rows after a position, newest first. */
export const newest = (sql: SqlClient.SqlClient, id: string, { after, take }: Window): Statement.Fragment => {
  const column = sql(id)
  const rest = Option.match(after, {
    onNone: () => sql.literal(""),
    onSome: ([at, lastId]) => sql`and (created_at, ${column}) < (${at}::timestamptz, ${lastId}::uuid)`
  })
  return sql`${rest} order by created_at desc, ${column} desc limit ${take}`
}

/** Ids of a list that an index holds in several parts, newest first. Reads one page of each part, however long the list. */
export const newestAmong = (
  sql: SqlClient.SqlClient,
  id: string,
  window: Window,
  {
    parts,
    table,
    within
  }: { readonly parts: Statement.Fragment; readonly table: string; readonly within: Statement.Fragment }
): Statement.Fragment =>
  sql`select n.${sql(id)} from ${parts} cross join lateral (
      select created_at, ${sql(id)} from ${sql(table)} where ${within} ${newest(sql, id, window)}
    ) n order by n.created_at desc, n.${sql(id)} desc limit ${window.take}`

export const firstRow = <Row>(rows: ReadonlyArray<Row>): Option.Option<Row> => Option.fromNullable(rows[0])

export const violates = ({ cause }: SqlError.SqlError, constraint: string): boolean =>
  (cause as { readonly constraint?: string }).constraint === constraint

const BATCH = "(select * from jsonb_to_recordset("
const rows = (columns: string) => `::jsonb) as b (seq integer, ${columns}) where seq between 0 and 65535)`

/**
 * A batch in JSON as a table to join. The planner estimates JSON at 100 rows, and would scan small tables, also after they
 * have grown. With two bounds of `seq` it estimates one row and uses the index.
 */
export const batchTable = (json: string, columns: string): string => BATCH + json + rows(columns)

/** Items of a batch as such a table, each with its place (`seq`). */
export const batchOf = (sql: SqlClient.SqlClient, asked: ReadonlyArray<object>, columns: string): Statement.Fragment =>
  sql`${sql.literal(BATCH)}${JSON.stringify(asked.map((one, seq) => ({ seq, ...one })))}${sql.literal(rows(columns))}`

/** A row that its schema does not expect. The message names the column. */
export class UnexpectedRow extends Data.TaggedError("UnexpectedRow")<{ readonly message: string }> {}

/** For `Effect.flatMap` after a statement that gives rows. */
export const rowsAs = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = compileDecoder(Schema.Array(schema))
  return (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<A>> =>
    Either.match(decode(rows), {
      onLeft: (issue) => Effect.die(new UnexpectedRow({ message: ParseResult.TreeFormatter.formatIssueSync(issue) })),
      onRight: Effect.succeed
    })
}

/** The same for a statement that gives one row, or none. */
export const rowAs = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = rowsAs(schema)
  return (rows: ReadonlyArray<unknown>) => Effect.map(decode(rows), firstRow)
}

/** For a statement that always gives a row; none is a defect. */
export const theRowAs = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = rowsAs(schema)
  return (rows: ReadonlyArray<unknown>): Effect.Effect<A> =>
    Effect.flatMap(decode(rows), ([first]) =>
      first === undefined ? new UnexpectedRow({ message: "Expected a row, there is none" }) : Effect.succeed(first)
    ).pipe(Effect.orDie)
}

/** Statements of a store: decodes their rows, and turns errors of the database into `DatabaseFailure`. */
const querying =
  <A>(decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<A>) =>
  <R>(statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError, R>) =>
    orDatabaseFailure(Effect.flatMap(statement, decode))

/** Statements whose rows have this schema. */
export const query = <A, I>(schema: Schema.Schema<A, I>) => ({
  all: querying(rowsAs(schema)),
  /** The first row, if there is one. */
  first: querying(rowAs(schema)),
  /** The row of a statement that always returns one. */
  one: querying(theRowAs(schema))
})

const countOf = theRowAs(Schema.Struct({ count: Schema.Int }))

/** The result of `select count(*)::int …`. */
export const queryCount = querying((rows) => Effect.map(countOf(rows), ({ count }) => count))

/** Whether the statement returned a row. */
export const anyRow = querying((rows) => Effect.succeed(rows.length > 0))

/** The number of rows that a statement returned, such as `delete … returning 1`. */
export const deletedRows = querying((rows) => Effect.succeed(rows.length))

/** Runs a statement without a result. */
export const execute = querying(() => Effect.void)

const lockOf = theRowAs(Schema.Struct({ mine: Schema.Boolean }))

/** Takes an advisory lock until the end of the transaction, unless another instance has it. */
export const tryLock = (sql: SqlClient.SqlClient, lock: number) =>
  Effect.flatMap(sql`select pg_try_advisory_xact_lock(${lock}) as mine`, lockOf).pipe(Effect.map(({ mine }) => mine))

/** Checks for tables before the migrations have run. */
export const tableExists = (table: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql`select 1 where to_regclass(${table}) is not null`, (rows) => rows.length > 0)
  )

export const columnExists = (table: string, column: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql`select 1 from pg_attribute where attrelid = to_regclass(${table}) and attname = ${column}`,
      (rows) => rows.length > 0
    )
  )

/** Money of a row: exact decimal text and its currency. Anything else is a defect. */
export const moneyOf = (text: string, currency: AnyCurrencyCode): Money =>
  Either.getOrThrowWith(Money.fromNumericText(text, currency), (reason) => new Error(`${text} ${currency} ${reason}`))
