/** Checks of the database for `corridor doctor`. They change nothing. */
import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { rowAs, theRowAs, tableExists, columnExists } from "../../platform/database/Query.ts"
import type { Settings } from "../../platform/config/Settings.ts"
import { DatabaseServer, replication as readReplication, otherServer } from "../../platform/database/DatabaseServer.ts"
import {
  compareHistory,
  MIGRATIONS_TABLE,
  NO_UPGRADE,
  recordedMigrations,
  migrations
} from "../../platform/database/Migrations.ts"
import { keptMasterKey, knownMasterKey } from "../../platform/masterKey/MasterKeyGuard.ts"
import { checkValue } from "../../platform/secrets/Vault.ts"
import type { ProviderSettings } from "../../providers/accounts/ProviderSettings.ts"
import { type Check, fail, ok, warn } from "./MachineChecks.ts"
import { callbackSecrets } from "./CallbackChecks.ts"
import { kybApplications, kybOfActive, people, providers, rates, rateSources, reserves } from "./LiveModeChecks.ts"
import { hostsOf } from "../../platform/config/DatabaseUrl.ts"
import { lookAtHosts } from "../../platform/database/PrimaryFence.ts"

/** Safety of a failover; empty for a single server. */
export const replication = Effect.map(readReplication, (found): ReadonlyArray<Check> => {
  if (Option.isNone(found)) return []
  const { risk, standbys } = found.value
  return Option.match(risk, {
    onNone: () => [ok("Replication", `synchronous, ${standbys} ${standbys === 1 ? "standby" : "standbys"}`)],
    onSome: (text) => [warn("Replication", text)]
  })
})

const listed = (primaries: ReadonlyArray<{ readonly name: string; readonly timeline: number | null }>): string =>
  primaries.map(({ name, timeline }) => `${name} on timeline ${timeline ?? "?"}`).join(" and ")

/** Two primaries among the hosts, or another cluster than the database was last used on. Nothing where all is well. */
export const primary = Effect.gen(function* () {
  const { url } = yield* DatabaseServer
  const hosts = yield* Effect.promise(() => lookAtHosts(hostsOf(url)))
  const primaries = hosts.flatMap(({ host, port, replica, timeline }) =>
    replica ? [] : [{ name: `${host}:${port}`, timeline }]
  )
  if (primaries.length > 1) {
    return [fail("Primary", `two servers take writes, ${listed(primaries)}: stop the one with the lower timeline.`)]
  }
  const other = (yield* columnExists("database_identity", "timeline")) ? yield* otherServer : Option.none<string>()
  return Option.toArray(Option.map(other, (message) => fail("Primary", message)))
})

const server = theRowAs(Schema.Struct({ version: Schema.String }))
const identityRow = rowAs(Schema.Struct({ database_id: Schema.String }))

const reachable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { embedded } = yield* DatabaseServer
  const { version } = yield* sql`select current_setting('server_version') as version`.pipe(Effect.flatMap(server))
  return ok("Database", `PostgreSQL ${version}, ${embedded ? "the embedded one" : "from DATABASE_URL"}`)
})

const schema = Effect.gen(function* () {
  const applied = (yield* tableExists(MIGRATIONS_TABLE)) ? yield* recordedMigrations : []
  const history = compareHistory(migrations, applied)
  if (history === "other") return fail("Migrations", NO_UPGRADE)
  if (history === "newer") {
    return fail("Migrations", "a newer version of Corridor has changed this database: update this one.")
  }
  const ids = applied.map(({ id }) => id)
  const pending = Object.entries(migrations).filter(([name]) => !ids.includes(Number.parseInt(name, 10)))
  if (pending.length === 0) return ok("Migrations", `up to date (${applied.length} applied)`)
  const old = pending.every(([, { besidePrevious }]) => besidePrevious)
    ? "Instances of the version before may go on serving."
    : "Stop the instances of the version before first."
  return warn("Migrations", `${pending.length} pending: run "corridor migrate", or just start the server. ${old}`)
})

const masterKey = Effect.gen(function* () {
  const known = yield* knownMasterKey
  if (Option.isNone(known)) return ok("Master key", "the first start makes one, and keeps it in the database")
  const { guessable, masterKey: key } = known.value
  const kept = yield* keptMasterKey
  if (Option.isNone(kept)) return ok("Master key", `${key.id}; the first start ties the database to it`)
  if (kept.value.check_value !== checkValue(key)) {
    return fail(
      "Master key",
      `the database belongs to ${kept.value.key_id}, but this process has ${key.id}: set CORRIDOR_MASTER_KEY to the key that was used before.`
    )
  }
  return guessable
    ? warn("Master key", `${key.id} follows from the database's name alone: change it with "corridor secrets rotate".`)
    : ok("Master key", `${key.id} is the one this database belongs to`)
})

/** A question that the database refuses to answer is a finding like any other. */
const orFinding = <R>(
  name: string,
  check: Effect.Effect<Check | ReadonlyArray<Check>, { readonly cause?: unknown }, R>
) =>
  Effect.catchAll(check, ({ cause }) =>
    Effect.succeed(fail(name, `could not be looked at: ${cause instanceof Error ? cause.message : String(cause)}.`))
  )

/** Identifies the database, to compare it with the running server's. */
const identity = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists("database_identity"))) return Option.none<string>()
  const row = yield* sql`select database_id::text from database_identity`.pipe(Effect.flatMap(identityRow))
  return Option.map(row, ({ database_id }) => database_id)
})

export const databaseChecks = (settings: Settings["Type"], providerSettings: ProviderSettings["Type"]) =>
  Effect.all({
    checks: Effect.all([
      orFinding("Database", reachable),
      orFinding("Primary", primary),
      orFinding("Replication", replication),
      orFinding("Migrations", schema),
      orFinding("Master key", masterKey),
      ...(settings.mode === "live"
        ? [
            orFinding("Providers", providers(providerSettings)),
            orFinding("Callback secrets", callbackSecrets(providerSettings)),
            orFinding("Rates", rates(settings)),
            orFinding("Rate sources", rateSources(settings)),
            orFinding("People", people),
            orFinding("KYB applications", kybApplications(settings)),
            orFinding("Unapproved KYB", kybOfActive),
            orFinding("Reserves", reserves)
          ]
        : [])
    ]).pipe(Effect.map((found) => found.flat())),
    databaseId: identity
  })
