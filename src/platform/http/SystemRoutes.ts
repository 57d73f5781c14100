/** What operators and readers ask for without a credential: health, metrics, the API reference. */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Metric, Option } from "effect"
import { rowAs } from "../database/Rows.ts"
import { Settings } from "../config/Settings.ts"
import { Lanes } from "../database/Lanes.ts"
import { probe } from "../database/Probe.ts"
import { TITLE } from "../../contract/api/Api.ts"
import { renderReference, scriptPath, stylePath } from "../../contract/docs/Page.ts"
import { prometheusContentType, renderPrometheus, watchProcess } from "../observability/Prometheus.ts"
import { readForScrape } from "../observability/Scrape.ts"
import { gauge } from "../observability/Series.ts"
import { json, type Outgoing, withoutSlash } from "./Outgoing.ts"
import { DatabaseFacts, readyAnswer } from "./ReadyAnswer.ts"
import { openApiFile, referenceScript, referenceStyle } from "./ReferenceFiles.ts"
import { alsoByHead, type Route } from "./Route.ts"

const facts = rowAs(DatabaseFacts)

/** Whether the database can be worked with now, and which one it is. */
export class Readiness extends Context.Tag("corridor/Readiness")<
  Readiness,
  { readonly check: Effect.Effect<Option.Option<DatabaseFacts>> }
>() {
  static readonly layer = Layer.effect(
    Readiness,
    Effect.map(Effect.all([SqlClient.SqlClient, Lanes]), ([sql, lanes]) => ({
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
  const { contentSecurityPolicy, html } = renderReference(TITLE, publicUrl)
  const referencePage = page("text/html; charset=utf-8", html, {
    "content-security-policy": contentSecurityPolicy,
    "referrer-policy": "no-referrer"
  })
  return [
    ...probed("/healthz", Effect.succeed(json(200, { status: "ok", version }))),
    ...probed("/readyz", yield* readyAnswer(readiness.check)),
    ...probed("/docs", Effect.succeed(referencePage)),
    ...alsoByHead([
      { method: "GET", path: "/docs/", handle: ({ request }) => Effect.succeed(withoutSlash("docs", request.url)) },
      { method: "GET", path: "/openapi.json", handle: openApiFile(publicUrl, mode) },
      { method: "GET", path: scriptPath, handle: referenceScript },
      { method: "GET", path: stylePath, handle: referenceStyle }
    ])
  ]
})
