import { Either } from "effect"
import { describe, expect, it } from "vitest"
import {
  type Cors,
  corsHeaders,
  isPreflight,
  parseCorsOrigins,
  preflightHeaders
} from "../../../src/platform/config/Cors.ts"

const cors = (text: string): Cors => Either.getOrThrowWith(parseCorsOrigins(text), (message) => new Error(message))

const app = "https://app.example.com"
const preflight = { origin: app, "access-control-request-method": "PUT" }

describe("with origins", () => {
  const on = cors(`${app}, http://localhost:3000`)

  it("names an allowed origin in the response", () => {
    expect(corsHeaders(on, { origin: "http://localhost:3000" })).toStrictEqual({
      vary: "Origin",
      "access-control-allow-origin": "http://localhost:3000",
      "access-control-expose-headers": "x-request-id, retry-after, idempotent-replayed"
    })
  })

  it.each([
    undefined,
    "null",
    "https://evil.example.com",
    "http://app.example.com",
    `${app}:8443`,
    `${app}.evil.com`,
    app.toUpperCase(),
    "toString"
  ])("says nothing but Vary to %s", (origin) => {
    const headers = { ...preflight, origin }
    expect(corsHeaders(on, headers)).toStrictEqual({ vary: "Origin" })
    expect(preflightHeaders(on, headers)).toStrictEqual({ vary: "Origin" })
  })

  it("answers a preflight", () => {
    expect(isPreflight(on, "OPTIONS", preflight)).toBe(true)
    expect(preflightHeaders(on, preflight)).toStrictEqual({
      vary: "Origin",
      "access-control-allow-origin": app,
      "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers": "authorization, x-api-key, content-type, idempotency-key, x-request-id",
      "access-control-max-age": "600"
    })
  })

  it("takes no other request for a preflight", () => {
    expect(isPreflight(on, "GET", preflight)).toBe(false)
    expect(isPreflight(on, "OPTIONS", { origin: app })).toBe(false)
    expect(isPreflight(on, "OPTIONS", { "access-control-request-method": "PUT" })).toBe(false)
  })
})

it.each(["", " , "])("is off for the list %j", (text) => {
  const off = cors(text)
  expect(corsHeaders(off, preflight)).toStrictEqual({})
  expect(preflightHeaders(off, preflight)).toStrictEqual({})
  expect(isPreflight(off, "OPTIONS", preflight)).toBe(false)
})

it.each([
  ["*", "* holds a wildcard: list the exact origins"],
  [`${app},*`, "* holds a wildcard: list the exact origins"],
  [`${app}/`, `${app}/ never matches: write ${app}`],
  [`${app}/path`, `${app}/path never matches: write ${app}`],
  [`${app}:443`, `${app}:443 never matches: write ${app}`],
  ["https://App.example.com", "https://App.example.com never matches: write https://app.example.com"],
  ["app.example.com", "app.example.com is not an origin: write it like https://app.example.com"],
  ["null", "null is not an origin: write it like https://app.example.com"],
  ["file:///x", "file:///x is not an origin: write it like https://app.example.com"],
  ["https://*.example.com", "https://*.example.com holds a wildcard: list the exact origins"]
])("refuses the list %s", (text, message) => {
  expect(parseCorsOrigins(text)).toStrictEqual(Either.left(message))
})
