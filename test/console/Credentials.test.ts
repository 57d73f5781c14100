/** Pasted credentials, and tokens of the identity provider: which one goes to the API, and until when. */
import { describe, expect, it } from "vitest"
import {
  pastedCredential,
  placeInConsole,
  refusalOf,
  renewalTime,
  tokenForApi
} from "../../src/console/api/Credentials.ts"

const jwtOf = (claims: object): string =>
  ["{}", JSON.stringify(claims)]
    .map((part) => Buffer.from(part).toString("base64url"))
    .concat("c2ln")
    .join(".")

describe("the token for the API", () => {
  const ours = jwtOf({ aud: "https://pay.example/api" })
  const ofClient = jwtOf({ aud: ["console", "other"], name: "Zoë ~ 名前?>" })

  it("is the access token if it is a JWT for the audience", () => {
    expect(tokenForApi({ access_token: ours, id_token: ofClient }, "https://pay.example/api")).toBe(ours)
  })

  it("is the ID token if the audience is the client itself", () => {
    expect(tokenForApi({ access_token: "opaque", id_token: ofClient }, "console")).toBe(ofClient)
  })

  it("is none of another audience, or an opaque one", () => {
    for (const access_token of ["opaque", "a.b.c", "..", jwtOf({}), jwtOf({ aud: "console" })]) {
      expect(tokenForApi({ access_token, id_token: ofClient }, "https://pay.example/api")).toBeUndefined()
    }
  })
})

describe("the next renewal", () => {
  const now = 1_000_000_000

  it.each([
    [3600, 3540],
    [100, 80],
    [0, 0]
  ])("of a token for %i s comes after %i s, whatever the browser's clock says", (lifetime, seconds) => {
    expect(renewalTime(jwtOf({ iat: 5, exp: 5 + lifetime }), now)).toBe(now + seconds * 1000)
  })

  it("counts from now without iat", () => {
    expect(renewalTime(jwtOf({ exp: now / 1000 + 100 }), now)).toBe(now + 80_000)
  })
})

it("returns only to places in the console", () => {
  expect(placeInConsole("#/payments?status=failed")).toBe("#/payments?status=failed")
  for (const hash of ["", "https://evil.example/", "//evil.example", "javascript:alert(1)", "#"]) {
    expect(placeInConsole(hash)).toBe("#/")
  }
})

it("says in plain words what the provider refused, and names the setting", () => {
  expect(refusalOf("access_denied")).toMatch(/^Sign-in was cancelled/)
  expect(refusalOf("invalid_scope", "no such scope")).toMatch(/CONSOLE_SCOPES\. It says: no such scope$/)
  expect(refusalOf("strange_code")).toBe("The identity provider refused the sign-in (strange_code).")
  expect(refusalOf("strange_code", "x".repeat(500)).length).toBeLessThan(300)
})

describe("pasted credential", () => {
  const token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln"
  const key = "ck_test_abcdefghijklmnopqrstuvwxyz012345ABCDEF"

  it.each([
    [token, "token", token],
    [`Bearer ${token}`, "token", token],
    [`Authorization: Bearer ${token}`, "token", token],
    [key, "api_key", key],
    [`  X-Api-Key: ${key}\n`, "api_key", key],
    [`"${token}"`, "token", token],
    [`"jwt": "${token}",`, "token", token],
    [`      "api_key": "${key}",\n`, "api_key", key],
    ["ck_live_1", "api_key", "ck_live_1"]
  ])("%s is a %s, whichever is chosen", (text, kind, secret) => {
    expect(pastedCredential(text, "token")).toEqual([kind, secret])
    expect(pastedCredential(text, "api_key")).toEqual([kind, secret])
  })

  it("is what is chosen if its shape does not say", () => {
    expect(pastedCredential("something", "token")).toEqual(["token", "something"])
    expect(pastedCredential("something", "api_key")).toEqual(["api_key", "something"])
  })
})
