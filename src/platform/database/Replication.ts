/** Whether a failover of this database could lose what was acknowledged, or leave two primaries that both take writes. */
import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { hostsOf } from "../config/DatabaseUrl.ts"
import { DatabaseServer } from "./DatabaseServer.ts"
import { theRowAs } from "./Rows.ts"
import { Primary } from "./Timeline.ts"

const replicationRow = theRowAs(
  Schema.Struct({ names: Schema.String, commit: Schema.String, standbys: Schema.Number, slots: Schema.Number })
)

export interface Replication {
  readonly standbys: number
  /** What is to be changed, in a sentence; none where commits wait for a standby. */
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

/** None where there is one server only. */
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

/** At the start, in the log. A database that does not answer this answers nothing else either. */
export const warnOfReplication = replication.pipe(
  Effect.map(Option.flatMap(({ risk }) => risk)),
  Effect.flatMap(
    Option.match({
      onNone: () => Effect.void,
      onSome: (risk) => Effect.logWarning(`PostgreSQL: ${risk}`)
    })
  ),
  Effect.orDie
)
