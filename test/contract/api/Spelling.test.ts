/** One spelling for each path, headers that every answer has, and bodies as they are. */
import { gzipSync } from "node:zlib"
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { byPhone } from "../../payments/support/Requests.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { KEYS } from "./Keys.ts"

const INITIATE = "/v1/payments-init/initiate"

const spellings = [
  "/v1/payments-init/%69nitiate",
  "/v1/payments%2Dinit/initiate",
  "/v1/payments-init/initiate;a",
  "/v1/payments-init/initiate#a",
  "/v1/payments-init/initiate/",
  "/v1//payments-init/initiate",
  "//v1/payments-init/initiate",
  "/v1/./payments-init/initiate",
  "/V1/payments-init/initiate",
  "http://corridor.test/v1/payments-init/initiate",
  "http://127.0.0.1/v1/payments-init/initiate"
]

const countPayments = Effect.gen(function* () {
  const store = yield* PaymentStore
  return (yield* store.list(Option.none(), {}, { after: Option.none(), take: 1000 })).length
})

onDatabaseServer("A request", (it) => {
  it.effect("reaches its route by one spelling alone", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const headers = { ...acme.key, "content-type": "application/json", "idempotency-key": "spelled" }
      const initiate = (path: string) => send(path, { method: "POST", headers, body: JSON.stringify(byPhone()) })
      expect((yield* initiate(INITIATE)).status).toBe(200)
      const before = yield* countPayments
      for (const path of spellings) expect((yield* initiate(path)).status, path).toBe(404)
      expect(yield* countPayments).toBe(before)
      expect((yield* initiate(INITIATE)).headers["idempotent-replayed"]).toBe("true")
    })
  )

  it.effect("may escape what a parameter needs escaped", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const unknown = yield* send("/v1/payments/a%20b%2Fc", { headers: { ...acme.key } })
      expect([unknown.status, bodyOf(unknown)]).toEqual([
        404,
        { status: "error", message: expect.stringContaining("payment") }
      ])
    })
  )

  it.effect("is answered with nosniff", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answers = yield* Effect.all([
        send("/healthz"),
        send("/readyz", { method: "HEAD" }),
        send("/metrics"),
        send("/docs"),
        send("/openapi.json"),
        send("/nothing"),
        send("/pay/nothing"),
        send("/checkout/nothing"),
        send(KEYS),
        send(KEYS, { headers: { ...acme.key } }),
        send(KEYS, { method: "POST", headers: { ...acme.key, "content-type": "application/json" }, body: "{" }),
        send("/callbacks/stripe", { method: "POST", body: "{}" }),
        send("/v1/organizations/webhook/kyb", { method: "POST", body: "{}" })
      ])
      for (const { headers, status } of answers) {
        expect(headers["x-content-type-options"], `${status}`).toBe("nosniff")
      }
    })
  )

  it.effect.each([
    [KEYS, "gzip"],
    [KEYS, "identity, br"],
    [INITIATE, "x-unheard-of"],
    ["/callbacks/fiat", "gzip"],
    ["/v1/organizations/webhook/kyb", "deflate"]
  ] as const)("to %s is 415 with a body in %s", ([path, encoding]) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const headers = { ...acme.key, "content-type": "application/json", "content-encoding": encoding }
      const answer = yield* send(path, { method: "POST", headers, body: gzipSync('{"name":"x"}') })
      expect(answer.status).toBe(415)
      expect(bodyOf(answer)).toMatchObject({
        status: "error",
        message: expect.stringContaining("Content-Encoding"),
        ...(path === INITIATE ? { code: "UNSUPPORTED_MEDIA_TYPE" } : {})
      })
    })
  )

  it.effect("has to be authenticated before its encoding is checked", () =>
    Effect.gen(function* () {
      const headers = { "content-type": "application/json", "content-encoding": "gzip" }
      expect((yield* send(KEYS, { method: "POST", headers, body: gzipSync("{}") })).status).toBe(401)
    })
  )

  it.effect("may have an unread body in any encoding", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const packed = { headers: { ...acme.key, "content-encoding": "gzip" }, body: gzipSync("{}") }
      expect((yield* send(KEYS, packed)).status).toBe(200)
      expect((yield* send(`${KEYS}/nothing`, { ...packed, method: "DELETE" })).status).toBe(404)
    })
  )

  it.effect("says as well that its body is as it is", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const headers = { ...acme.key, "content-type": "application/json", "content-encoding": "Identity" }
      expect((yield* send(KEYS, { method: "POST", headers, body: '{"name":"x"}' })).status).toBe(201)
    })
  )
})
