/** The migrations, in order, and what applies those that a database lacks. */
import platform from "../../../migrations/0001_platform.ts"
import people from "../../../migrations/0002_people.ts"
import providers from "../../../migrations/0003_providers.ts"
import money from "../../../migrations/0004_money.ts"
import payments from "../../../migrations/0005_payments.ts"
import settlement from "../../../migrations/0006_settlement.ts"
import treasury from "../../../migrations/0007_treasury.ts"
import webhooks from "../../../migrations/0008_webhooks.ts"
import operations from "../../../migrations/0009_operations.ts"
import { runMigrations } from "./MigrationRunner.ts"

export const migrations = {
  "0001_platform": platform,
  "0002_people": people,
  "0003_providers": providers,
  "0004_money": money,
  "0005_payments": payments,
  "0006_settlement": settlement,
  "0007_treasury": treasury,
  "0008_webhooks": webhooks,
  "0009_operations": operations
}

/** Answers with the migrations that were missing. */
export const migrate = runMigrations(migrations)

/** As a version was of which this migration was the last: for what such a version has written. */
export const migrateTo = (last: number) =>
  runMigrations(Object.fromEntries(Object.entries(migrations).filter(([name]) => Number.parseInt(name, 10) <= last)))
