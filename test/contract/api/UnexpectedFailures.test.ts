import { request } from "node:http"
import { SqlError } from "@effect/sql"
import { expect } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import { ApiKeyStore } from "../../../src/people/apiKeys/ApiKeyStore.ts"
import { ConnectionLost, failOrDie } from "../../../src/platform/database/DatabaseFailure.ts"
import { busy } from "../../../src/domain/Failure.ts"
import { byKey, people } from "../../support/TestCredentials.ts"
import { bodyOf, post, send } from "../../support/Send.ts"
import { type Backend, storesOn } from "../../support/OnBothStores.ts"
import { onDatabaseServer, onServer, TestServer } from "../../support/TestServer.ts"
import { KEYS } from "./Keys.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The stores, except that listing API keys is a bug. */
const withBrokenList = (backend: Backend) => {
  const stores = storesOn(backend)
  const broken = Layer.effect(
    ApiKeyStore,
    Effect.map(ApiKeyStore, (store) => ({
      ...store,
      list: () => Effect.die(new Error("select secret_column from api_keys -- at line 7"))
    }))
  )
  return broken.pipe(Layer.provideMerge(stores))
}

const LOG_WAIT = Schedule.spaced("5 millis").pipe(Schedule.upTo("5 seconds"))

/** The answer leaves before its log line is written. */
const logged = (requestId: string) =>
  Effect.flatMap(TestServer, ({ logs }) =>
    Effect.sync(() => logs.filter((line) => line.annotations["request_id"] === requestId)).pipe(
      Effect.filterOrFail(
        (lines) => lines.some((line) => line.message === "Request"),
        () => "not logged yet"
      ),
      Effect.retry(LOG_WAIT)
    )
  )

onServer("An unexpected failure", "memory", { stores: withBrokenList("memory") }, (it) => {
  it.effect("is a 500 with an id that stands in the log beside its cause, and nothing more", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answer = yield* send(KEYS, { headers: { ...acme.key, "x-request-id": "the-broken-one" } })
      expect(answer.status).toBe(500)
      const body = bodyOf(answer) as { readonly error: string }
      expect(body).toEqual({ status: "error", message: expect.any(String), error: expect.stringMatching(UUID) })
      expect(answer.text).not.toMatch(/select|secret_column|line 7|\.ts|Error:/)
      const lines = yield* logged("the-broken-one")
      const [failure] = lines.filter((line) => line.level === "Error")
      expect(failure?.annotations["error_id"]).toBe(body.error)
      expect(failure?.cause).toContain("secret_column")
      expect(lines.find((line) => line.message === "Request")?.annotations).toMatchObject({ status: 500 })
    })
  )

  it.effect("leaves the server at work", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      expect((yield* send(KEYS, { headers: { ...acme.key } })).status).toBe(500)
      expect((yield* send("/v1/audit-log", { headers: { ...acme.key } })).status).toBe(200)
      expect((yield* post(KEYS, { ...acme.key }, { name: "Still here" })).status).toBe(201)
    })
  )
})

/** The stores, except that listing API keys, and making one called New, meets with this. */
const withDatabaseFailure = (makeError: () => Error) => {
  const met = Effect.suspend(() => failOrDie(makeError()))
  const busy = Layer.effect(
    ApiKeyStore,
    Effect.map(ApiKeyStore, (store) => ({
      ...store,
      list: () => met,
      insert: (key: Parameters<typeof store.insert>[0]) => (key.name === "New" ? met : store.insert(key))
    }))
  )
  return busy.pipe(Layer.provideMerge(storesOn("memory")))
}

const stateOf = (code: string) => new SqlError.SqlError({ cause: Object.assign(new Error("select it"), { code }) })

const nothingDone = /busy and has done nothing/
const unknownOutcome =
  /whether it was is unknown\. Look it up before .* Only what moves money .* with the same Idempotency-Key/

const databaseFailures = [
  ["a lock that was not given", stateOf("55P03"), nothingDone],
  ["a statement that took too long", stateOf("57014"), nothingDone],
  ["a transaction that idled", stateOf("25P03"), nothingDone],
  ["a full queue", busy(), nothingDone],
  [
    "no connection",
    new SqlError.SqlError({ cause: new Error(), message: "Failed to acquire connection" }),
    nothingDone
  ],
  ["a connection that broke before", new ConnectionLost({ message: "gone", nothingWritten: true }), nothingDone],
  ["a connection that broke within", new ConnectionLost({ message: "gone", nothingWritten: false }), unknownOutcome]
] as const

let met: Error = busy()

onServer("A request that the database has no time for", "memory", { stores: withDatabaseFailure(() => met) }, (it) => {
  it.effect("is answered with a time to retry, and with whether it may have been carried out", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      for (const [name, makeError, written] of databaseFailures) {
        met = makeError
        const read = yield* send(KEYS, { headers: { ...acme.key } })
        const write = yield* post(KEYS, { ...acme.key }, { name: "New" })
        for (const [answer, message] of [
          [read, nothingDone],
          [write, written]
        ] as const) {
          expect(answer.status, name).toBe(503)
          expect(bodyOf(answer), name).toEqual({ status: "error", message: expect.stringMatching(message) })
          expect(answer.headers["retry-after"]).toMatch(/^[1-9][0-9]?$/)
          expect(answer.text).not.toMatch(/select|Error|gone/)
        }
      }
    })
  )
})

onDatabaseServer("A request id", (it) => {
  it.effect("is the caller's own when it is a plain token, and is in the log", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      for (const id of ["abc", "A.b_c-9", "x".repeat(128)]) {
        const answer = yield* send(KEYS, { headers: { ...acme.key, "x-request-id": id } })
        expect(answer.headers["x-request-id"]).toBe(id)
        const lines = yield* logged(id)
        expect(lines).toHaveLength(1)
        expect(lines[0]?.annotations).toMatchObject({ method: "GET", route: KEYS, status: 200 })
      }
    })
  )

  it.effect("is a new one when there is none, when it is unsafe, or when there are two", () =>
    Effect.gen(function* () {
      const unsafe = ["", "a b", "a,b", "<script>", "x".repeat(129), "é"]
      const pairs = [[], ...unsafe.map((id) => [["x-request-id", id] as const])]
      const two = [
        ["x-request-id", "a"],
        ["x-request-id", "b"]
      ] as const
      const ids = yield* Effect.forEach([...pairs, two], (headers) =>
        Effect.map(send("/healthz", { headers }), (answer) => answer.headers["x-request-id"])
      )
      for (const id of ids) expect(id).toMatch(UUID)
      expect(new Set(ids).size).toBe(ids.length)
    })
  )

  it.effect("is on every kind of answer", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answers = yield* Effect.all([
        send("/nowhere"),
        send(KEYS),
        send(`${KEYS}?limit=0`, { headers: { ...acme.key } }),
        send("/docs"),
        send(KEYS, { headers: { ...acme.token("member") } })
      ])
      expect(answers.map((answer) => answer.status)).toEqual([404, 401, 400, 200, 403])
      for (const { headers } of answers) expect(headers["x-request-id"]).toMatch(UUID)
    })
  )
})

onServer("A caller who hangs up", "memory", {}, (it) => {
  const hangUp = (requestId: string) =>
    Effect.flatMap(Effect.all([TestServer, people]), ([{ port }, { acme }]) =>
      Effect.async<void>((resume) => {
        const headers = { ...byKey(acme.api_key), "content-type": "application/json", "x-request-id": requestId }
        const outgoing = request({ port, host: "127.0.0.1", method: "POST", path: KEYS, headers })
        outgoing.on("error", () => resume(Effect.void))
        outgoing.write('{"name":', () => outgoing.destroy())
        outgoing.on("close", () => resume(Effect.void))
      })
    )

  it.effect("in the middle of a body is no failure of ours, and harms no other request", () =>
    Effect.gen(function* () {
      const { logs } = yield* TestServer
      const { acme } = yield* people
      yield* Effect.forEach(
        Array.from({ length: 10 }, (_, n) => `hung-up-${n}`),
        hangUp
      )
      const answer = yield* send(KEYS, { headers: { ...acme.key, "x-request-id": "after-that" } })
      expect(answer.status).toBe(200)
      yield* logged("after-that")
      expect(logs.filter((line) => line.level === "Error")).toEqual([])
    })
  )
})
