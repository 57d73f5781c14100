import { Agent } from "node:http"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people } from "../../support/TestCredentials.ts"
import { type Answer, bodyOf, send, type Sent } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { KEYS } from "./Keys.ts"

const LIMIT = 256 * 1024

const post = (sent: Sent & { readonly type?: string }) =>
  Effect.flatMap(people, ({ acme }) => {
    const type = sent.type === undefined ? {} : { "content-type": sent.type }
    return send(KEYS, { method: "POST", ...sent, headers: { ...acme.key, ...type } })
  })

const postJson = (body: string | Uint8Array, sent: Sent = {}) => post({ ...sent, body, type: "application/json" })

const expectInvalid = (answer: Answer, message: RegExp) => {
  expect(answer.status).toBe(400)
  expect(answer.headers["content-type"]).toBe("application/json")
  expect(bodyOf(answer)).toEqual({ status: "error", message: expect.stringMatching(message) })
}

/** A valid request of exactly so many bytes. */
const ofSize = (bytes: number): string => {
  const frame = JSON.stringify({ name: "Large", padding: "" })
  return JSON.stringify({ name: "Large", padding: "x".repeat(bytes - frame.length) })
}

const nested = (levels: number): string => `{"name":"Deep","x":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`

onDatabaseServer("A request body", (it) => {
  it.effect.each([
    ["{", /malformed.*line 1/],
    ['{"name":"x",}', /malformed/],
    ["{'name':'x'}", /malformed/],
    ['{"name":"4111111111111111" x}', /^the JSON is malformed: look at line 1, column 28$/],
    ["   ", /malformed: it is empty/],
    ["\ufeff{}", /byte order mark/],
    ["NaN", /malformed/],
    ['{"name":"x"}{"name":"y"}', /malformed/],
    ['[{"name":"x"}]', /must be a JSON object/],
    ['"name"', /must be a JSON object/],
    ["null", /must be a JSON object/],
    ["7", /must be a JSON object/],
    ['{"name":"a\\u0000b"}', /^name holds a NUL/],
    ['{"na\\u0000me":"x"}', /NUL/],
    ['{"name":"a\\ud800b"}', /surrogate/],
    ['{"name":"x","__proto__":{"role":"member"}}', /__proto__/],
    ['{"name":"x","n":1e999}', /too large/],
    ["{}", /^name: /]
  ] as const)("is refused when it is %j", ([body, message]) =>
    Effect.gen(function* () {
      expectInvalid(yield* postJson(body), message)
    })
  )

  it.effect("is refused when it is not UTF-8, or holds a raw NUL", () =>
    Effect.gen(function* () {
      expectInvalid(yield* postJson(Buffer.from('{"name":"\xff\xfe"}', "latin1")), /UTF-8/)
      expectInvalid(yield* postJson(Buffer.from('{"name":"x"}', "utf16le")), /malformed/)
      expectInvalid(yield* postJson('{"name":"a\0b"}'), /malformed/)
    })
  )

  it.effect("may be missing, and is then an empty object", () =>
    Effect.gen(function* () {
      expectInvalid(yield* post({}), /^name: /)
      expectInvalid(yield* post({ body: "" }), /^name: /)
    })
  )

  it.effect("may nest 32 levels, not 33", () =>
    Effect.gen(function* () {
      expect((yield* postJson(nested(32))).status).toBe(201)
      expectInvalid(yield* postJson(nested(33)), /more than 32 levels/)
      expectInvalid(yield* postJson("[".repeat(100_000)), /more than 32 levels/)
    })
  )

  it.effect("must say that it is JSON", () =>
    Effect.gen(function* () {
      const body = '{"name":"Typed"}'
      const refused = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "json", ""]
      for (const type of refused) expectInvalid(yield* post({ body, type }), /content type/)
      expectInvalid(yield* post({ body }), /content type is missing/)
      expectInvalid(yield* post({ body, type: "application/json; charset=latin1" }), /charset/)
      for (const type of ["application/json; charset=UTF-8", "APPLICATION/JSON", "application/problem+json"]) {
        expect((yield* post({ body, type })).status, type).toBe(201)
      }
    })
  )

  it.effect.each([false, true])("may be 256 KiB and no more (chunked: %s), and the connection goes on", (chunked) =>
    Effect.gen(function* () {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      expect((yield* postJson(ofSize(LIMIT), { chunked, agent })).status).toBe(201)
      const answer = yield* postJson(ofSize(LIMIT + 1), { chunked, agent })
      expect([answer.status, bodyOf(answer)]).toEqual([
        413,
        { status: "error", message: "The body is larger than 256 KiB." }
      ])
      const next = yield* postJson('{"name":"Next"}', { agent })
      expect([next.status, next.reusedConnection]).toEqual([201, true])
      agent.destroy()
    })
  )

  it.effect("never repeats what was sent in its refusal", () =>
    Effect.gen(function* () {
      const secret = "4111111111111111"
      const bodies = [
        { name: [secret] },
        { name: "x", role: secret },
        { name: secret.repeat(7) },
        { name: "x", org_id: [secret] }
      ]
      for (const body of bodies) {
        const answer = yield* postJson(JSON.stringify(body))
        expect(answer.status).toBe(400)
        expect(answer.text).not.toContain(secret)
      }
    })
  )
})

onDatabaseServer("A path", (it) => {
  const get = (path: string, method = "GET") =>
    Effect.flatMap(people, ({ acme }) => send(path, { method, headers: { ...acme.key } }))

  it.effect("that is not there, or has no such method, is 404 in the shape of its part of the API", () =>
    Effect.gen(function* () {
      const message = "There is nothing at this path and method. The reference is at /docs."
      const unknown: ReadonlyArray<readonly [string, string?]> = [
        ["/"],
        ["/v1"],
        ["/v1/nothing"],
        ["/v2/public/api-keys"],
        ["/public/api-keys"],
        ["/v1/public/api-keys/"],
        ["/V1/public/api-keys"],
        ["//v1/public/api-keys"],
        ["/v1/../v1/public/api-keys"],
        [KEYS, "PUT"],
        [KEYS, "PATCH"],
        [KEYS, "OPTIONS"],
        ["/healthz", "POST"],
        ["/v1/payments-initx"]
      ]
      for (const [path, method] of unknown) {
        const answer = yield* get(path, method)
        expect([answer.status, bodyOf(answer)], `${method ?? "GET"} ${path}`).toEqual([
          404,
          { status: "error", message }
        ])
      }
      for (const path of ["/v1/payments-init/nothing/at/all", "/v1/payments-init/nothing/at/all?x=1"]) {
        const answer = yield* get(path)
        expect([answer.status, bodyOf(answer)], path).toEqual([
          404,
          { status: "error", error: message, message, code: "NOT_FOUND" }
        ])
      }
    })
  )

  it.effect("with broken escapes or of great length is answered all the same", () =>
    Effect.gen(function* () {
      const strange = [
        "/v1/%",
        "/v1/%zz",
        "/v1/%ff%fe",
        "/v1/%00",
        `${KEYS}/%/rotate`,
        `${KEYS}/${"x".repeat(199)}`,
        `${KEYS}/${"x".repeat(2000)}`,
        `/${"x/".repeat(3000)}`,
        `${KEYS}/%2e%2e%2f`,
        "/v1/public/api-keys;limit=1"
      ]
      for (const path of strange) {
        const answer = yield* get(path, "DELETE")
        expect(answer.status, path.slice(0, 60)).toBe(404)
        expect(bodyOf(answer)).toMatchObject({ status: "error" })
      }
    })
  )

  it.effect("takes a query parameter once, and none that its list does not know", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const twice = [
        `org_id=${acme.org_id}&org_id=${acme.org_id}`,
        "limit=1&limit=2",
        "limit=1&limit=",
        "limit=1&l%69mit=1"
      ]
      for (const query of twice)
        expectInvalid(yield* get(`${KEYS}?${query}`), /^(org_id|limit): is given more than once\.$/)
      expectInvalid(yield* get(`${KEYS}?unknown=1&__proto__=2&constructor=3`), /^unknown: is no parameter of this list/)
    })
  )

  it.effect.each(["%00", "a%00b", "%ff", "%ed%a0%80", "%", "%27%20or%20true--", "%F0%9F%94%91"])(
    "survives a filter of %s",
    (text) =>
      Effect.gen(function* () {
        const answer = yield* get(`/v1/audit-log?action=${text}`)
        expect([200, 400]).toContain(answer.status)
        if (answer.status === 200) expect(bodyOf(answer)).toMatchObject({ data: [] })
      })
  )
})
