/** What a reader fills in before it is sent, and the key that opens the search. */
import { stringify } from "lossless-json"
import { beforeEach, describe, expect, it } from "vitest"
import { openApiDocument } from "../../src/contract/openapi/OpenApiDocument.ts"
import { contentsOf, type OperationEntry } from "../../src/reference/document/Contents.ts"
import { readExact } from "../../src/reference/document/ExactJson.ts"
import type { Document } from "../../src/reference/document/Shape.ts"
import { addressOf, keyOf, problemsIn } from "../../src/reference/parts/Request.ts"
import { isSearchKey } from "../../src/reference/parts/SearchKey.ts"
import { apiKey, authorization } from "../../src/reference/state/State.ts"

const document = readExact(stringify(openApiDocument("http://127.0.0.1:3000", "sandbox"))!) as Document
const operations = contentsOf(document)
  .flatMap(({ entries }) => entries)
  .filter((entry): entry is OperationEntry => entry.kind === "operation")

const payment = operations.find(({ path }) => path.endsWith("/payments/{payment_id}"))!
const initiate = operations.find(({ path }) => path.endsWith("/payments-init/initiate"))!
const payment_id = keyOf({ in: "path", name: "payment_id" })

beforeEach(() => {
  authorization.value = "NONE"
  apiKey.value = "ck_test_key"
})

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
      const { hash, pathname, search } = new URL(addressOf("/v1", payment, { [payment_id]: value }), "http://a.example")
      expect([pathname.split("/").slice(0, -1).join("/"), search, hash], value).toEqual(["/v1/payments", "", ""])
      expect(decodeURIComponent(pathname.split("/").at(-1)!)).toBe(value)
    }
    for (const entry of operations) {
      const nothing = problemsIn(entry, {})
      expect(Object.keys(nothing), entry.id).toHaveLength(entry.path.split("{").length - 1)
    }
  })

  it("shows the name of what is not filled in yet", () => {
    expect(addressOf("/v1", payment, {})).toBe("/v1/payments/{payment_id}")
  })

  it("says by the field what no header can carry, and does not repeat it", () => {
    const [bearer, key, idempotency] = ["Authorization", "X-Api-Key", "Idempotency-Key"].map((name) =>
      keyOf({ in: "header", name })
    )
    const wrong = expect.stringMatching(/a character that no header can carry \(character \d+ of \d+\)/) as unknown
    apiKey.value = "ck_test_ключ"
    authorization.value = "Bearer a\u200bb"
    const problems = problemsIn(initiate, { [idempotency!]: "заказ" })
    expect(problems).toEqual({ [bearer!]: wrong, [key!]: wrong, [idempotency!]: wrong })
    expect(JSON.stringify(problems)).not.toMatch(/ключ|заказ/)
    expect(problems[key!]).toContain("(character 9 of 12)")
    apiKey.value = " ck_test_key\n"
    authorization.value = ""
    expect(problemsIn(initiate, { [idempotency!]: "Ö" })).toEqual({})
  })
})

describe("the key of the search", () => {
  const pressed = (key: string, held: object = {}) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    altKey: false,
    ...held
  })

  it("is Ctrl K, or Cmd K, with the caps lock too", () => {
    for (const key of ["k", "K"]) {
      expect(isSearchKey(pressed(key, { ctrlKey: true }))).toBe(true)
      expect(isSearchKey(pressed(key, { metaKey: true }))).toBe(true)
    }
  })

  it("is nothing that a browser has for itself", () => {
    for (const key of ["k", "K"]) {
      expect(isSearchKey(pressed(key))).toBe(false)
      expect(isSearchKey(pressed(key, { ctrlKey: true, shiftKey: true }))).toBe(false)
      expect(isSearchKey(pressed(key, { metaKey: true, shiftKey: true }))).toBe(false)
      expect(isSearchKey(pressed(key, { ctrlKey: true, altKey: true }))).toBe(false)
    }
    expect(isSearchKey(pressed("j", { ctrlKey: true }))).toBe(false)
  })
})
