/** Tests of the fuzzer: finds wrong answers, and draws the same from the same seed. */
import { describe, expect, it } from "vitest"
import { stringify } from "lossless-json"
import type { Caller } from "./Callers.ts"
import { type Document, operationsOf } from "./Document.ts"
import { ResponseChecker } from "./ResponseChecker.ts"
import { plan } from "./Plan.ts"
import type { Ids, TestObjects } from "./TestObjects.ts"
import type { Answer, Sent } from "./RawHttpClient.ts"
import { openApiDocument } from "../../src/contract/openapi/OpenApiDocument.ts"

const document = JSON.parse(stringify(openApiDocument("http://127.0.0.1:3000", "sandbox")) ?? "") as Document

const ours = "0199c2a4-0000-7000-8000-00000000000a"
const theirs = "0199c2a4-0000-7000-8000-00000000000b"

const caller = (name: string, org: Caller["org"]): Caller => ({ name, org, headers: [["x-api-key", name]] })

const key = caller("key", "ours")
const noCaller = caller("nobody", "none")

const idsOf = (id: string): Ids => {
  const named = operationsOf(document).flatMap(({ path }) =>
    Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!)
  )
  const more = ["virtual_transaction_id", "removable_user_id"]
  return Object.fromEntries([...named, ...more].map((name) => [name, [id]]))
}

const callers = Object.fromEntries(
  [...["key", "org-admin", "token and key"].map((name) => caller(name, "ours")), caller("admin", "all")]
    .concat([caller("neighbour's key", "theirs"), noCaller])
    .map((one) => [one.name, one])
)

const objects: TestObjects = {
  callers,
  ours: [idsOf(ours), idsOf(ours)],
  theirs: idsOf(theirs),
  onRampRate: 0.0077,
  offRampRate: 128.7
}

const usual = {
  "content-type": "application/json",
  "x-request-id": "x",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store"
}

const asked: Sent = { method: "GET", target: `/v1/organizations/${ours}`, headers: key.headers }

const answering = (status: number, body: unknown, change: Partial<Answer> = {}): Answer => ({
  status,
  headers: usual,
  text: body === undefined ? "" : JSON.stringify(body),
  ...change
})

const error = (message: string) => ({ status: "error", message })

const checker = new ResponseChecker(document)

const problemWith = (answer: Answer | string, sent: Sent = asked, by: Caller = key) =>
  checker.problemWith(sent, by, answer, objects)

const without = (name: string) =>
  Object.fromEntries(Object.entries(usual).filter(([one]) => one !== name)) as Answer["headers"]

const posted = { ...asked, method: "POST", target: "/v1/externals/networks", body: Buffer.from('{"country":7}') }

describe("response checker", () => {
  it.each([
    ["no answer", "no answer within 5 s", /within 5 s/],
    ["a 500", answering(500, { ...error("x"), error: "id" }), /^500$/],
    ["a 504", answering(504, error("x")), /^504$/],
    ["a status that is not listed", answering(418, error("x")), /does not list 418/],
    ["a body of another shape", answering(404, { message: "x" }), /not as documented for 404/],
    ["a body that is no JSON", answering(404, undefined, { text: "<html>" }), /cannot be read/],
    [
      "another content type",
      answering(404, error("x"), { headers: { ...usual, "content-type": "text/html" } }),
      /html/
    ],
    ["a stack trace", answering(400, error("x\n    at run (/app/main.js:1:2)")), /inside/],
    ["an SQL statement", answering(400, error("select a from b where c")), /inside/],
    ["a database error", answering(400, error('column "x" does not exist')), /inside/],
    ["a success without its fields", answering(200, { status: "success" }), /not as documented for 200/],
    [
      "an answer without X-Request-Id",
      answering(404, error("x"), { headers: without("x-request-id") }),
      /X-Request-Id/
    ],
    [
      "an answer without nosniff",
      answering(404, error("x"), { headers: without("x-content-type-options") }),
      /nosniff/
    ],
    [
      "an answer without Cache-Control",
      answering(404, error("x"), { headers: without("cache-control") }),
      /Cache-Control/
    ],
    ["an injected header", answering(404, error("x"), { headers: { ...usual, "x-injected": "yes" } }), /caller/],
    ["a 429 without Retry-After", answering(429, error("x")), /Retry-After/],
    ["another organisation's id", answering(404, error(`not ${theirs}`)), /another organisation/]
  ] as const)("refuses %s", (_, answer, reason) => expect(problemWith(answer)).toMatch(reason))

  it("refuses a success for another organisation's object, and without a credential", () => {
    const about = { ...asked, target: `/v1/beneficiaries/${theirs}`, method: "DELETE" }
    expect(problemWith(answering(204, undefined), about)).toMatch(/204 for .*another organisation/)
    expect(problemWith(answering(403, error("x")), { ...asked, headers: noCaller.headers }, noCaller)).toMatch(
      /credential/
    )
    expect(problemWith(answering(401, error("x")), { ...asked, headers: noCaller.headers }, noCaller)).toBeUndefined()
  })

  it("refuses a success for a body that the document forbids", () => {
    const networks = { status: "success", message: "x", data: [] }
    expect(problemWith(answering(200, networks), posted)).toMatch(/forbids/)
    expect(problemWith(answering(200, networks), { ...posted, body: Buffer.from('{"country":"KE"}') })).toBeUndefined()
  })

  it("refuses anything but 404 for an unknown path", () => {
    const nothing = { ...asked, target: "/v1/nothing" }
    expect(problemWith(answering(200, {}), nothing)).toMatch(/nothing is there/)
    expect(problemWith(answering(404, error("x")), nothing)).toBeUndefined()
    expect(problemWith(answering(404, error("x")), { ...asked, target: "/v1/payments-init/x/y/z" })).toMatch(/code/)
  })

  it("accepts a correct answer", () => expect(problemWith(answering(404, error("x")))).toBeUndefined())
})

describe("fuzz plan", () => {
  const context = { document, operations: operationsOf(document), objects, kybSecret: "secret" }
  const drawn = (seed: number) => Array.from({ length: 300 }, (_, at) => plan(seed, 500 + at, context))
  const text = (seed: number) =>
    drawn(seed)
      .map(
        ({ caller: { name }, sent: { body, ...rest } }) => `${name} ${JSON.stringify(rest)} ${body?.toString("hex")}`
      )
      .join("\n")

  it("is the same for the same seed, and differs for another", () => {
    expect(text(1) === text(1)).toBe(true)
    expect(text(2) === text(1)).toBe(false)
  })

  it("contains requests of every kind", () => {
    const kinds = new Set(drawn(3).map(({ kind }) => kind))
    expect(kinds).toEqual(new Set(["valid", "mutated", "malformed"]))
    expect(plan(3, 1000, context).kind).toBe("example")
  })
})
