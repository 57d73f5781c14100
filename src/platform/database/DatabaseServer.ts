/** The PostgreSQL of this process: that of DATABASE_URL, else the embedded one in DATA_DIR. */
import { Context, Effect, Layer, Option, type Redacted, Data, Schema } from "effect"
import { Settings } from "../config/Settings.ts"
import { embeddedPostgres, type EmbeddedPostgresError } from "./embedded/EmbeddedPostgres.ts"
import { SqlClient } from "@effect/sql"
import { rowAs, theRowAs } from "./Query.ts"
import { Primary } from "./PrimaryFence.ts"
import { hostsOf } from "../config/DatabaseUrl.ts"

export class DatabaseServer extends Context.Tag("corridor/DatabaseServer")<
  DatabaseServer,
  {
    readonly url: Redacted.Redacted<string>
    readonly embedded: boolean
    /** Fails when the server is gone for good; a process that serves must end then. */
    readonly gone: Effect.Effect<never, EmbeddedPostgresError>
  }
>() {
  static readonly layer = Layer.scoped(
    DatabaseServer,
    Effect.gen(function* () {
      const { dataDir, databaseUrl, embeddedUrl } = yield* Settings
      if (Option.isSome(databaseUrl)) return { url: databaseUrl.value, embedded: false, gone: Effect.never }
      if (Option.isSome(embeddedUrl)) return { url: embeddedUrl.value, embedded: true, gone: Effect.never }
      const { gone, url } = yield* embeddedPostgres({ dataDir })
      return { url, embedded: true, gone }
    })
  )
}

/**
 * Ties a database to one PostgreSQL cluster and its highest timeline. An instance that meets another cluster, or a lower
 * timeline, does not start: it may have been led to an old primary, a clone or a restored copy.
 */
class OtherServer extends Data.TaggedError("OtherServer")<{ readonly message: string }> {}

const recordedServer = rowAs(
  Schema.Struct({ system_identifier: Schema.NullOr(Schema.String), timeline: Schema.NullOr(Schema.Number) })
)

const ACCEPT =
  'If this is meant (a restore, pg_upgrade, a move), run "corridor migrate --accept-server"; else correct DATABASE_URL.'

/** Why the server is not the one that the database was last used on; none if it is. */
export const otherServer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const server = (yield* Primary).server()
  const recorded = sql`select system_identifier, timeline::float8 as timeline from database_identity`
  const row = yield* Effect.flatMap(recorded, recordedServer)
  if (server === undefined || Option.isNone(row)) return Option.none<string>()
  const { system_identifier: cluster, timeline } = row.value
  const reason =
    cluster !== null && server.system !== null && cluster !== server.system
      ? `This database was last used on another PostgreSQL cluster (system identifier ${cluster}, here ${server.system}).`
      : timeline !== null && server.timeline !== null && server.timeline < timeline
        ? `This PostgreSQL is on timeline ${server.timeline}, and timeline ${timeline} was seen already.`
        : undefined
  return Option.map(Option.fromNullable(reason), (text) => `${text} ${ACCEPT}`)
})

/** Writes only changes. */
export const RECORD_SERVER = `update database_identity set system_identifier = $1, timeline = $2
  where (system_identifier, timeline) is distinct from ($1, $2::bigint)`

/** Records the current cluster and timeline, whatever was recorded before. */
export const recordServer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const server = (yield* Primary).server()
  if (server === undefined) return
  yield* sql.unsafe(RECORD_SERVER, [server.system, server.timeline])
}).pipe(Effect.orDie)

/** Refuses to start on another server; then records this one. Needs a migrated database. */
export const guardServer = Effect.gen(function* () {
  const reason = yield* Effect.orDie(otherServer)
  if (Option.isSome(reason)) return yield* new OtherServer({ message: reason.value })
  yield* recordServer
})

const replicationRow = theRowAs(
  Schema.Struct({ names: Schema.String, commit: Schema.String, standbys: Schema.Number, slots: Schema.Number })
)

interface Replication {
  readonly standbys: number
  /** Advice for the operator; none where commits wait for a standby. */
  readonly risk: Option.Option<string>
}

const WHERE = "see docs/scale.md, A database that fails over"

const riskOf = (names: string, commit: string, isFenced: boolean): string | undefined => {
  if (names === "") {
    return (
      "replication is asynchronous (synchronous_standby_names is empty): a failover loses acknowledged payments, " +
      `and an old primary that lives on takes writes. Make it synchronous; ${WHERE}.`
    )
  }
  if (["off", "local"].includes(commit)) {
    return `synchronous_commit is ${commit}: commits do not wait for the standby, and a failover loses acknowledged payments. Set it to on; ${WHERE}.`
  }
  return isFenced
    ? undefined
    : `this role cannot read the timeline (pg_walfile_name, pg_control_system), so an old primary is not recognised. Grant both; ${WHERE}.`
}

/** Risks of a failover: lost payments, or two primaries that both take writes. None where there is one server only. */
export const replication = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { url } = yield* DatabaseServer
  const { server } = yield* Primary
  const { commit, names, slots, standbys } =
    yield* sql`select current_setting('synchronous_standby_names') as names, current_setting('synchronous_commit') as commit,
      (select count(*)::int from pg_stat_replication) as standbys,
      (select count(*)::int from pg_replication_slots where slot_type = 'physical') as slots`.pipe(
      Effect.flatMap(replicationRow)
    )
  if (standbys === 0 && slots === 0 && names === "" && hostsOf(url).length === 1) return Option.none<Replication>()
  return Option.some({ standbys, risk: Option.fromNullable(riskOf(names, commit, server() !== undefined)) })
})

/** Logs the risk at the start. */
export const warnOfReplication = Effect.gen(function* () {
  const risk = Option.flatMap(yield* Effect.orDie(replication), (found) => found.risk)
  if (Option.isSome(risk)) yield* Effect.logWarning(`PostgreSQL: ${risk.value}`)
})
