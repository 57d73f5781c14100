import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Logger, LogLevel, Option } from "effect"
import { freePort } from "../../bench/FreePort.ts"
import { ApiKeys } from "../../../src/people/apiKeys/ApiKeys.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { formatApiKey } from "../../../src/domain/ApiKeyFormat.ts"
import { developmentAudience, developmentIssuer, TokenSigner } from "../../../src/people/auth/DevelopmentIssuer.ts"
import { Workers } from "../../../src/platform/fibers/Workers.ts"
import { Readiness } from "../../../src/platform/http/SystemRoutes.ts"
import { newMember, newOrganization } from "../../support/StoreFixtures.ts"
import { byKey, byToken, people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { storesOn } from "../../support/OnBothStores.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { onDatabaseServer, onServer } from "../../support/TestServer.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { KEYS } from "./Keys.ts"

onDatabaseServer("The system pages", (it) => {
  it.effect("say that the process lives and is ready, to anybody", () =>
    Effect.gen(function* () {
      const [health, ready] = yield* Effect.all([send("/healthz"), send("/readyz")])
      expect([health.status, bodyOf(health)]).toEqual([200, { status: "ok", version: "0.9.0" }])
      expect([ready.status, bodyOf(ready)]).toEqual([
        200,
        { status: "ready", database_id: expect.stringMatching(/^[0-9a-f-]{36}$/) }
      ])
    })
  )

  it.effect("answer a load balancer that asks with HEAD like one that asks with GET, without the body", () =>
    Effect.gen(function* () {
      for (const path of [
        "/healthz",
        "/readyz",
        "/openapi.json",
        "/docs",
        "/docs/reference.js",
        "/docs/reference.css"
      ]) {
        const got = yield* send(path)
        const asked = yield* send(path, { method: "HEAD" })
        expect([asked.status, asked.text], path).toEqual([200, ""])
        for (const name of ["content-type", "content-length", "cache-control"]) {
          expect(asked.headers[name], name).toBe(got.headers[name])
        }
      }
      expect((yield* send(KEYS, { method: "HEAD" })).status, "elsewhere as before").toBe(404)
    })
  )

  it.effect("count requests by the pattern of their route, never by the path itself", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const id = "0199c2a4-7b1e-7c3a-9d55-2f6b8f0e1a77"
      yield* send(`${KEYS}/${id}`, { method: "DELETE", headers: { ...acme.key } })
      yield* send(`/nothing-${id}`)
      const { headers, status, text } = yield* send("/metrics")
      expect(status).toBe(200)
      expect(headers["content-type"]).toContain("text/plain")
      const lines = text.split("\n").filter((line) => line.startsWith("http_requests_total{"))
      const counted = (...labels: ReadonlyArray<string>) =>
        lines.some((line) => labels.every((label) => line.includes(label)))
      expect(counted('method="DELETE"', 'route="/v1/public/api-keys/:api_key_id"', 'status="404"')).toBe(true)
      expect(counted('route="(unknown)"', 'status="404"')).toBe(true)
      expect(text).not.toContain(id)
      expect(text).toContain("http_request_duration_seconds_bucket{")
    })
  )

  it.effect("must not be kept by a cache", () =>
    Effect.gen(function* () {
      for (const path of ["/healthz", "/readyz", "/metrics", KEYS]) {
        expect((yield* send(path)).headers["cache-control"]).toBe("no-store")
      }
    })
  )
})

const whoseDatabase = (check: Readiness["Type"]["check"]) =>
  Layer.merge(storesOn("memory"), Layer.succeed(Readiness, { check })) as ReturnType<typeof storesOn>

const neverReady = whoseDatabase(Effect.succeedNone)

onServer("A service that is not ready", "memory", { stores: neverReady }, (it) => {
  it.effect("answers 503, and is alive all the same", () =>
    Effect.gen(function* () {
      const [health, ready] = yield* Effect.all([send("/healthz"), send("/readyz")])
      expect(health.status).toBe(200)
      expect([ready.status, bodyOf(ready)]).toEqual([
        503,
        { status: "unavailable", database_id: null, problems: ["The database cannot be worked with."] }
      ])
      expect((yield* send("/readyz", { method: "HEAD" })).status).toBe(503)
    })
  )
})

const rotated = whoseDatabase(Effect.succeedSome({ database_id: "a", key_id: "0b0b0b0b" }))

onServer("A service whose secrets were moved to another key", "memory", { stores: rotated }, (it) => {
  it.effect("is not ready at the first probe either", () =>
    Effect.gen(function* () {
      const ready = yield* send("/readyz")
      expect([ready.status, bodyOf(ready)]).toEqual([
        503,
        {
          status: "unavailable",
          database_id: "a",
          problems: [expect.stringContaining("restart with it in CORRIDOR_MASTER_KEY")]
        }
      ])
    })
  )
})

onServer("A service with a worker that keeps failing", "memory", {}, (it) => {
  it.effect("is not ready, and says which one", () =>
    Effect.gen(function* () {
      const workers = yield* Workers
      yield* workers.start("enquiries", Effect.die("no"))
      yield* workers.start("simulators", Effect.never)
      const unready = send("/readyz").pipe(Effect.repeat({ until: ({ status }) => status === 503 }))
      expect(bodyOf(yield* unready)).toMatchObject({ problems: ['The worker "enquiries" keeps failing.'] })
    }).pipe(Effect.scoped, Logger.withMinimumLogLevel(LogLevel.None))
  )
})

layer(Readiness.layer.pipe(Layer.provideMerge(TestDatabase), Layer.provide(testSettings())), {
  excludeTestServices: true
})("Readiness on PostgreSQL", (it) => {
  it.effect("needs the tables, and names the key under which they are sealed now", () =>
    Effect.gen(function* () {
      const readiness = yield* Readiness
      const sql = yield* SqlClient.SqlClient
      const keyNow = Effect.map(
        readiness.check,
        Option.map(({ key_id }) => key_id)
      )
      expect(yield* keyNow).toEqual(Option.some(null))
      yield* sql`insert into master_key ${sql.insert({ key_id: "0a0a0a0a", check_value: "check" })}`
      expect(yield* keyNow).toEqual(Option.some("0a0a0a0a"))
      yield* sql`update master_key set key_id = '0b0b0b0b'`
      expect(yield* keyNow).toEqual(Option.some("0b0b0b0b"))
      yield* sql`alter table master_key rename to elsewhere`
      expect(yield* Logger.withMinimumLogLevel(keyNow, LogLevel.None)).toEqual(Option.none())
    })
  )
})

const metricsPort = await freePort()

const live = {
  CORRIDOR_MODE: "live",
  CORRIDOR_MASTER_KEY: "ab".repeat(32),
  KYB_WEBHOOK_SECRET: "a secret of the test",
  METRICS_PORT: String(metricsPort)
}

onServer("Pages", "memory", {}, (it) => {
  it.effect.each(["console", "docs"])("%s is found with a slash at its end too, and by HEAD", (name) =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* send(`/${name}/`)
      expect([status, text]).toEqual([308, ""])
      expect(new URL(headers.location!, `http://pay.example/behind/${name}/`).pathname).toBe(`/behind/${name}`)
      const asked = yield* send(`/${name}/?org=a%20b&x=/../..//evil.example`)
      const led = new URL(asked.headers.location!, `http://pay.example/behind/${name}/`)
      expect(led.href).toBe(`http://pay.example/behind/${name}?org=a%20b&x=/../..//evil.example`)
      const [byGet, byHead] = yield* Effect.all([send(`/${name}`), send(`/${name}`, { method: "HEAD" })])
      expect(byGet.status).toBe(byHead.status)
      expect(byHead.text).toBe("")
      expect((yield* send(`/${name}/none`)).status).toBe(404)
      for (const path of [`/${name}//`, `/${name};/`, `//${name}/`, "/healthz/", "/v1/payments/"]) {
        expect((yield* send(path)).status, path).toBe(404)
      }
    })
  )
})

onServer("Live mode", "memory", { variables: live }, (it) => {
  it.effect("shows metrics on their own port only, and nothing else there", () =>
    Effect.gen(function* () {
      expect((yield* send("/metrics")).status).toBe(404)
      const metrics = yield* send("/metrics", { port: metricsPort })
      expect(metrics.status).toBe(200)
      expect(metrics.text).toContain("http_requests_total")
      for (const path of ["/healthz", "/docs", KEYS]) {
        expect((yield* send(path, { port: metricsPort })).status, path).toBe(404)
      }
      expect((yield* send("/healthz")).status).toBe(200)
    })
  )

  it.effect("takes live keys, and neither sandbox keys nor development tokens", () =>
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const signer = yield* TokenSigner
      const { org_id } = yield* newOrganization()
      const { user_id } = yield* newMember(org_id, "org-admin")
      const permit = operatorPermit("api_keys", "test", Option.some(org_id))
      const { api_key } = yield* keys.create(permit, { name: "Live", role: "org-admin", user_id })
      expect(api_key).toMatch(/^ck_live_/)
      const statusOf = (headers: Readonly<Record<string, string>>) =>
        Effect.map(send(KEYS, { headers }), (answer) => answer.status)
      expect(yield* statusOf({ ...byKey(api_key) })).toBe(200)
      const sandboxKey = formatApiKey("test", new Uint8Array(64).fill(3))
      expect(yield* statusOf({ ...byKey(sandboxKey) })).toBe(401)
      const token = yield* signer.issue({
        sub: user_id,
        orgId: org_id,
        ttl: "1 hour",
        issuer: developmentIssuer,
        audience: developmentAudience
      })
      expect(yield* statusOf({ ...byToken(token) })).toBe(401)
    })
  )
})
