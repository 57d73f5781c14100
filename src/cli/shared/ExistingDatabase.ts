/**
 * The database that a command works on must be there: one that a command makes on the way, in a folder that nobody
 * meant, is empty, and everything in it is well.
 */
import { resolve } from "node:path"
import { Effect, Layer, Option, Redacted } from "effect"
import { ConnectedLive } from "../../app/Foundation.ts"
import { firstHost } from "../../platform/config/DatabaseUrl.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { DatabaseServer } from "../../platform/database/DatabaseServer.ts"
import { hasCluster } from "../../platform/database/EmbeddedPostgres.ts"
import { MIGRATIONS_TABLE, requireUpgradable } from "../../platform/database/MigrationRunner.ts"
import { migrations } from "../../platform/database/Migrations.ts"
import { tableExists } from "../../platform/database/Tables.ts"
import { refuse } from "./Input.ts"

const POINT =
  "Set DATA_DIR to the data folder of the server, or DATABASE_URL to its PostgreSQL, " +
  'or run this where the server was started; "corridor migrate" makes a new database.'

/** Looks into the folder only, so that no server is started in it. */
export const requireCluster = Effect.gen(function* () {
  const { dataDir, databaseUrl } = yield* Settings
  if (Option.isSome(databaseUrl) || (yield* hasCluster(dataDir))) return
  return yield* refuse(`There is no database in ${resolve(dataDir)} yet. ${POINT}`)
})

const requireTables = Effect.gen(function* () {
  if (yield* Effect.orDie(tableExists(MIGRATIONS_TABLE))) {
    return yield* Effect.catchTag(requireUpgradable(migrations), "SqlError", Effect.die)
  }
  const { embedded, url } = yield* DatabaseServer
  const { dataDir } = yield* Settings
  const { host, pathname } = firstHost(Redacted.value(url))
  const where = embedded ? resolve(dataDir) : `${host}${pathname}, which DATABASE_URL names,`
  return yield* refuse(`The database in ${where} has no tables of Corridor yet. ${POINT}`)
})

/** Connected to a database that some version of Corridor has used before. */
export const ExistingLive = Layer.unwrapEffect(
  Effect.as(requireCluster, Layer.effectDiscard(requireTables).pipe(Layer.provideMerge(ConnectedLive)))
)
