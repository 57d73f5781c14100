/** Test requests of the API reference: checked values, and the address they are sent to. */
import { stringify } from "lossless-json"
import { describe, expect, it } from "vitest"
import { openApiDocument } from "../../src/contract/openapi/OpenApiDocument.ts"
import type { Document } from "../../src/client/generate/OpenApiTypes.ts"
import { readExact } from "../../src/reference/OpenApiModel.ts"
import { contentsOf, type OperationEntry } from "../../src/reference/ReferenceContents.ts"
import { keyOf, problemsIn, urlOf } from "../../src/reference/TestRequest.ts"

const document = readExact(stringify(openApiDocument("http://127.0.0.1:3000", "sandbox"))!) as Document
const operations = contentsOf(document)
  .flatMap(({ entries }) => entries)
  .filter((entry): entry is OperationEntry => entry.kind === "operation")

const payment = operations.find(({ path }) => path.endsWith("/payments/{payment_id}"))!
const initiate = operations.find(({ path }) => path.endsWith("/payments-init/initiate"))!
const payment_id = keyOf({ in: "path", name: "payment_id" })

describe("a test request", () => {
  it.each([
    ["", /needs a value/],
    [".", /leads to another address/],
    ["..", /leads to another address/]
  ])("is not sent with the path parameter %j, which would be another route", (value, why) => {
    expect(problemsIn(payment, { [payment_id]: value })).toEqual({
      [payment_id]: expect.stringMatching(why) as unknown
    })
  })

  it("keeps to its route with any other value, whatever is in it", () => {
    for (const value of ["p", "...", "a/../b", "%2e%2e", "?x#y", ". ", "\\..", "é"]) {
      expect(problemsIn(payment, { [payment_id]: value }), value).toEqual({})
      const { hash, pathname, search } = new URL(urlOf("/v1", payment, { [payment_id]: value }), "http://a.example")
      expect([pathname.split("/").slice(0, -1).join("/"), search, hash], value).toEqual(["/v1/payments", "", ""])
      expect(decodeURIComponent(pathname.split("/").at(-1)!)).toBe(value)
    }
    for (const entry of operations) {
      const nothing = problemsIn(entry, {})
      expect(Object.keys(nothing), entry.id).toHaveLength(entry.path.split("{").length - 1)
    }
  })

  it("shows the names of empty path parameters", () => {
    expect(urlOf("/v1", payment, {})).toBe("/v1/payments/{payment_id}")
  })

  it("says by the field what no header can carry, and does not repeat it", () => {
    const [bearer, key, idempotency] = ["Authorization", "X-Api-Key", "Idempotency-Key"].map((name) =>
      keyOf({ in: "header", name })
    )
    const wrong = expect.stringMatching(/a character that no header can carry \(character \d+ of \d+\)/) as unknown
    const problems = problemsIn(initiate, {
      [bearer!]: "Bearer a\u200bb",
      [key!]: "ck_test_ключ",
      [idempotency!]: "заказ"
    })
    expect(problems).toEqual({ [bearer!]: wrong, [key!]: wrong, [idempotency!]: wrong })
    expect(JSON.stringify(problems)).not.toMatch(/ключ|заказ/)
    expect(problems[key!]).toContain("(character 9 of 12)")
    expect(problemsIn(initiate, { [bearer!]: "", [key!]: " ck_test_key\n", [idempotency!]: "Ö" })).toEqual({})
  })
})
