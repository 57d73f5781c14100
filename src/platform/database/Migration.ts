/** A migration: one file of `migrations/`, applied once, under load, beside the instances that serve. */
interface Compatibility {
  /** Instances of the version before keep working while the migration is applied, and afterwards. */
  readonly besidePrevious: boolean
}

/** Statements of one transaction. Their locks are waited for briefly, and the transaction is tried again. */
interface TransactionMigration extends Compatibility {
  readonly kind: "transaction"
  readonly statements: string
}

/** Indexes of existing tables, built and dropped without blocking reads or writes, outside of any transaction. */
interface IndexMigration extends Compatibility {
  readonly kind: "indexes"
  /** By name: what follows `create index concurrently <name>`, such as `on payments (org_id, created_at)`. */
  readonly create: Readonly<Record<string, string>>
  readonly drop: ReadonlyArray<string>
}

export type Migration = TransactionMigration | IndexMigration

/** Each part may have several statements, with a semicolon after each. */
export const transaction = (
  { besidePrevious }: Compatibility,
  ...parts: ReadonlyArray<string>
): TransactionMigration => ({ kind: "transaction", besidePrevious, statements: parts.join("\n") })

export const indexes = ({
  besidePrevious,
  create = {},
  drop = []
}: Compatibility & Partial<Pick<IndexMigration, "create" | "drop">>): IndexMigration => ({
  kind: "indexes",
  besidePrevious,
  create,
  drop
})

/** Statements for a table that is `partition by range (column)`: the default partition, this month's and the next two. */
export const monthly = (table: string, column: string): string => `
  create table ${table}_default partition of ${table} default;
  select make_month('${table}', '${column}', now() + ahead * interval '1 month') from generate_series(0, 2) ahead;`
