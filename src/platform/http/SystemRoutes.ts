/** Routes without credentials: health, metrics, the API reference. */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Metric, Option, Schema } from "effect"
import { rowAs } from "../database/Query.ts"
import { Settings } from "../config/Settings.ts"
import { PoolQuotas } from "../database/Transactor.ts"
import { prometheusContentType, renderPrometheus, watchProcess } from "../observability/Prometheus.ts"
import { readForScrape, gauge } from "../observability/Metrics.ts"
import { json, type Outgoing, withoutSlash, alsoByHead, type Route } from "./Route.ts"
import { referenceRoutes } from "./ReferenceFiles.ts"
import { Workers } from "../fibers/Workers.ts"
import { Vault } from "../secrets/Vault.ts"
import { busy } from "../../domain/Failure.ts"
import { readinessProbes, readinessTimeout } from "../../domain/policies/DatabasePolicies.ts"

/** Tells whether requests are answered now, by going the way that they go. */

/**
 * Repeats the read over other connections while it has no answer, since one silent connection does not stop requests.
 * Unneeded reads end by themselves.
 */
const probe = <A, E>({ isStuck }: PoolQuotas["Type"], read: Effect.Effect<A, E>) =>
  Effect.raceAll(readinessProbes.map((after) => Effect.disconnect(Effect.delay(read, after)))).pipe(
    Effect.zipLeft(Effect.flatMap(isStuck, (stuck) => (stuck ? Effect.fail(busy()) : Effect.void))),
    Effect.timeout(readinessTimeout)
  )

/** Answer of `/readyz`: ready, or the reasons why not. */

/** Facts of a working database. */
const DatabaseFacts = Schema.Struct({
  /** The same for every instance on one database; nothing in memory. */
  database_id: Schema.NullOr(Schema.String),
  /** The master key that its secrets are sealed under. */
  key_id: Schema.NullOr(Schema.String)
})
type DatabaseFacts = typeof DatabaseFacts.Type

const problemsOf = (
  facts: Option.Option<DatabaseFacts>,
  keyId: string,
  down: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const ofDatabase = Option.match(facts, {
    onNone: () => ["The database cannot be worked with."],
    onSome: ({ key_id }) =>
      key_id === null || key_id === keyId
        ? []
        : ["The secrets have been moved to another master key: restart with it in CORRIDOR_MASTER_KEY."]
  })
  return [...ofDatabase, ...down.map((name) => `The worker "${name}" keeps failing.`)]
}

/** The key is the one that this process started with, whenever the first probe comes. */
const readyAnswer = (check: Effect.Effect<Option.Option<DatabaseFacts>>) =>
  Effect.map(Effect.all([Vault, Workers]), ([vault, workers]) =>
    Effect.gen(function* () {
      const facts = yield* check
      const problems = problemsOf(facts, vault.keyId, yield* workers.down)
      const database_id = Option.match(facts, { onNone: () => null, onSome: (known) => known.database_id })
      if (problems.length === 0) return json(200, { status: "ready", database_id })
      yield* Effect.logWarning(`Not ready: ${problems.join(" ")}`)
      return json(503, { status: "unavailable", database_id, problems })
    })
  )

const facts = rowAs(DatabaseFacts)

/** Whether the database can be worked with now, and which one it is. */
export class Readiness extends Context.Tag("corridor/Readiness")<
  Readiness,
  { readonly check: Effect.Effect<Option.Option<DatabaseFacts>> }
>() {
  static readonly layer = Layer.effect(
    Readiness,
    Effect.map(Effect.all([SqlClient.SqlClient, PoolQuotas]), ([sql, lanes]) => ({
      check: probe(
        lanes,
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

const page = (contentType: string, body: string, headers: Readonly<Record<string, string>> = {}): Outgoing => ({
  status: 200,
  headers: { "content-type": contentType, "x-content-type-options": "nosniff", ...headers },
  body
})

const get = (path: `/${string}`, answer: Effect.Effect<Outgoing>): Route => ({
  method: "GET",
  path,
  handle: () => answer
})

const probed = (path: `/${string}`, answer: Effect.Effect<Outgoing>): ReadonlyArray<Route> =>
  alsoByHead([get(path, answer)])

const build = gauge("corridor_build_info", "1, with the version that runs and its mode.", ["version", "mode"])

export const metricsRoute = Effect.map(Settings, ({ mode, version }): Route => {
  build([version, mode], 1)
  const updateProcessMetrics = watchProcess()
  return get(
    "/metrics",
    Effect.map(
      Effect.zipRight(Effect.zipRight(readForScrape, Effect.sync(updateProcessMetrics)), Metric.snapshot),
      (snapshot) => page(prometheusContentType, renderPrometheus(snapshot))
    )
  )
})

export const systemRoutes = Effect.gen(function* () {
  const { mode, publicUrl, version } = yield* Settings
  const readiness = yield* Readiness
  return [
    ...probed("/healthz", Effect.succeed(json(200, { status: "ok", version }))),
    ...probed("/readyz", yield* readyAnswer(readiness.check)),
    ...alsoByHead([
      { method: "GET", path: "/docs/", handle: ({ request }) => Effect.succeed(withoutSlash("docs", request.url)) },
      ...referenceRoutes(publicUrl, mode)
    ])
  ]
})
