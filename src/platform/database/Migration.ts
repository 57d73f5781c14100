/** A migration: one file of `migrations/`, applied once, under load, beside the instances that serve. */
import type { SqlClient, SqlError } from "@effect/sql"
import type { Effect } from "effect"

interface Compatibility {
  /** Instances of the version before keep working while the migration is applied, and afterwards. */
  readonly besidePrevious: boolean
}

/** Statements of one transaction. Their locks are waited for briefly, and the transaction is tried again. */
interface TransactionMigration extends Compatibility {
  readonly kind: "transaction"
  readonly change: Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>
}

/** Indexes of existing tables, built and dropped without blocking reads or writes, outside of any transaction. */
interface IndexMigration extends Compatibility {
  readonly kind: "indexes"
  /** By name: what follows `create index concurrently <name>`, such as `on payments (org_id, created_at)`. */
  readonly create: Readonly<Record<string, string>>
  readonly drop: ReadonlyArray<string>
}

export type Migration = TransactionMigration | IndexMigration

export const transaction = (
  { besidePrevious }: Compatibility,
  change: TransactionMigration["change"]
): TransactionMigration => ({ kind: "transaction", besidePrevious, change })

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
