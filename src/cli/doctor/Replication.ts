/** What `corridor doctor` says of replication: whether a failover is safe, and whether there are two primaries. */
import { Effect, Option } from "effect"
import { hostsOf } from "../../platform/config/DatabaseUrl.ts"
import { DatabaseServer } from "../../platform/database/DatabaseServer.ts"
import { lookAtHosts } from "../../platform/database/Hosts.ts"
import { replication as readReplication } from "../../platform/database/Replication.ts"
import { otherServer } from "../../platform/database/ServerGuard.ts"
import { columnExists } from "../../platform/database/Tables.ts"
import { type Check, fail, ok, warn } from "./Check.ts"

/** Nothing of a single server. */
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
