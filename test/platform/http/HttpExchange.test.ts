import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { isCanonicalTarget, requestId } from "../../../src/platform/http/HttpExchange.ts"

describe("isCanonicalTarget", () => {
  const good = [
    "/",
    "/healthz",
    "/v1/payments-init/initiate",
    "/v1/payments?limit=10&a=%69;b",
    "/v1/payments/0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88",
    "/v1/x/a%20b",
    "/v1/x/caf%C3%A9",
    "/v1/x/caf%c3%a9",
    "/v1/x/a%2Fb",
    "/v1/x/a%3Bb",
    "/v1/x/ada@example.com",
    "/v1/x/ada%40example.com",
    "/v1/x/a:b+c,d=e",
    "/v1/x/...",
    "/v1/x/%00",
    "/v1/x/%7F",
    "/v1/x?"
  ]
  it.each(good)("is taken as %s", (target) => expect(isCanonicalTarget(target)).toBe(true))

  const bad = [
    "",
    "*",
    "v1/payments",
    "/v1/payments-init/%69nitiate",
    "/v1/payments-init/initiat%65",
    "/v1/payments%2Dinit/initiate",
    "/v1/payments%2dinit/initiate",
    "/v1/payments-init/initiate;a",
    "/v1/payments-init/initiate#a",
    "/v1/payments-init/initiate?a#b",
    "/v1/payments-init/initiate/",
    "/v1//payments-init/initiate",
    "//v1/payments-init/initiate",
    "/v1/./payments-init/initiate",
    "/v1/x/../payments-init/initiate",
    "/v1/x/%2e%2e/payments-init/initiate",
    "/v1/x/%7Ea",
    "/v1/x/%5Fa",
    "/v1/x/%zz",
    "/v1/x/%",
    "/v1/x/%ff",
    "/v1/x/a\\b",
    "/v1/x/a b",
    "/v1/x/caf\u00e9",
    "http://corridor.test/v1/payments-init/initiate",
    "http://corridor.test"
  ]
  it.each(bad)("is not taken as %s", (target) => expect(isCanonicalTarget(target)).toBe(false))

  it("is taken with any parameter that a client escaped", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((one) => !/^\.{1,2}$/.test(one))
    fc.assert(fc.property(text, (value) => isCanonicalTarget(`/v1/x/${encodeURIComponent(value)}`)))
  })

  it("is taken in one spelling of each character that needs no escape", () => {
    const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    for (const letter of plain) {
      const escaped = `%${letter.charCodeAt(0).toString(16)}`
      expect(isCanonicalTarget(`/x/a${letter}`), letter).toBe(true)
      expect(isCanonicalTarget(`/x/a${escaped}`), escaped).toBe(false)
      expect(isCanonicalTarget(`/x/a${escaped.toUpperCase()}`), escaped).toBe(false)
    }
  })
})

const fresh = () => "fresh"

it.each(["a", "A-Z_0.9", "0198e123-aaaa-7bbb-8ccc-0123456789ab", "x".repeat(128)])(
  "keeps the caller's %s",
  (header) => {
    expect(requestId(header, fresh)).toBe(header)
  }
)

it.each([undefined, "", "x".repeat(129), "a b", "a\n", "a,b", "é", "<script>", '"'])("replaces %j", (header) => {
  expect(requestId(header, fresh)).toBe("fresh")
})
