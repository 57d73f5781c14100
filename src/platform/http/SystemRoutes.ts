/** Routes without credentials: health, metrics, the API reference. */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Metric, Option, Schema } from "effect"
import { rowAs } from "../database/Query.ts"
import { Settings } from "../config/Settings.ts"
import { PoolQuotas } from "../database/Transactor.ts"
import { prometheusContentType, renderPrometheus, watchProcess } from "../observability/Prometheus.ts"
import { readForScrape, gauge } from "../observability/Metrics.ts"
import { json, type Outgoing, text, withoutSlash, alsoByHead, type Route } from "./Route.ts"
import { referenceRoutes } from "./ReferenceFiles.ts"
import { Workers } from "../fibers/Workers.ts"
import { Vault } from "../secrets/Vault.ts"
import { busy } from "../../domain/Failure.ts"
import { readinessProbes, readinessTimeout } from "../../domain/policies/DatabasePolicies.ts"

/**
 * Repeats the read over other connections while it has no answer, since one silent connection does not stop requests.
 * Unneeded reads end by themselves.
 */
const probe = <A, E>({ isStuck }: PoolQuotas["Type"], read: Effect.Effect<A, E>) =>
  Effect.raceAll(readinessProbes.map((after) => Effect.disconnect(Effect.delay(read, after)))).pipe(
    Effect.zipLeft(Effect.flatMap(isStuck, (stuck) => (stuck ? Effect.fail(busy()) : Effect.void))),
    Effect.timeout(readinessTimeout)
  )

/** Facts of a working database. */
const DatabaseFacts = Schema.Struct({
  /** The same for every instance on one database; null in memory. */
  database_id: Schema.NullOr(Schema.String),
  /** Master key of its secrets. */
  key_id: Schema.NullOr(Schema.String)
})

const facts = rowAs(DatabaseFacts)

/** Whether the database can be worked with now, and which one it is. */
export class Readiness extends Context.Tag("corridor/Readiness")<
  Readiness,
  { readonly check: Effect.Effect<Option.Option<typeof DatabaseFacts.Type>> }
>() {
  static readonly layer = Layer.effect(
    Readiness,
    Effect.map(Effect.all([SqlClient.SqlClient, PoolQuotas]), ([sql, quotas]) => ({
      check: probe(
        quotas,
        sql`select database_id::text, (select key_id from master_key) as key_id from database_identity`
      ).pipe(
        Effect.flatMap(facts),
        Effect.catchAll((error) => Effect.as(Effect.logWarning("Not ready", error), Option.none()))
      )
    }))
  )

  static readonly layerMemory = Layer.succeed(Readiness, {
    check: Effect.succeedSome({ database_id: null, key_id: null })
  })
}

/** Answer of `/readyz`: ready, or the reasons why not. */
const readyAnswer = Effect.map(Effect.all([Readiness, Vault, Workers]), ([{ check }, { keyId }, { down }]) =>
  Effect.gen(function* () {
    const found = Option.getOrUndefined(yield* check)
    const problems = (yield* down).map((name) => `The worker "${name}" keeps failing.`)
    if (found === undefined) problems.unshift("The database cannot be worked with.")
    else if (found.key_id !== null && found.key_id !== keyId) {
      problems.unshift("The secrets have been moved to another master key: restart with it in CORRIDOR_MASTER_KEY.")
    }
    const database_id = found?.database_id ?? null
    if (problems.length === 0) return json(200, { status: "ready", database_id })
    yield* Effect.logWarning(`Not ready: ${problems.join(" ")}`)
    return json(503, { status: "unavailable", database_id, problems })
  })
)

const get = (path: `/${string}`, answer: Effect.Effect<Outgoing>): Route => ({
  method: "GET",
  path,
  handle: () => answer
})

const build = gauge("corridor_build_info", "1, with the version that runs and its mode.", ["version", "mode"])

export const metricsRoute = Effect.map(Settings, ({ mode, version }): Route => {
  build([version, mode], 1)
  const updateProcessMetrics = watchProcess()
  return get(
    "/metrics",
    Effect.gen(function* () {
      yield* readForScrape
      updateProcessMetrics()
      return text(200, prometheusContentType, renderPrometheus(yield* Metric.snapshot))
    })
  )
})

export const systemRoutes = Effect.gen(function* () {
  const { mode, publicUrl, version } = yield* Settings
  return alsoByHead([
    get("/healthz", Effect.succeed(json(200, { status: "ok", version }))),
    get("/readyz", yield* readyAnswer),
    { method: "GET", path: "/docs/", handle: ({ request }) => Effect.succeed(withoutSlash("docs", request.url)) },
    ...referenceRoutes(publicUrl, mode)
  ])
})
