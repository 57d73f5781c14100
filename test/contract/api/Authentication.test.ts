import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { formatApiKey } from "../../../src/domain/ApiKeyFormat.ts"
import { byKey, type Cast, people } from "../../support/TestCredentials.ts"
import { type Answer, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { createKey, KEYS, revokeKey } from "./Keys.ts"

type Pairs = ReadonlyArray<readonly [string, string]>

const ask = (headers: Pairs, path = KEYS) => send(path, { headers })

/** The one body of every 401. */
const REFUSED =
  '{"status":"error","message":"Missing or invalid credentials. Send both headers, Authorization and X-Api-Key; the one that is not used holds NONE."}'

const withoutRequestId = ({ headers: { "x-request-id": _id, date: _date, ...headers }, status, text }: Answer) => ({
  headers,
  status,
  text
})

const otherLast = (text: string): string => text.slice(0, -1) + (text.endsWith("0") ? "1" : "0")
const otherFirst = (key: string): string => key.slice(0, 8) + (key[8] === "0" ? "1" : "0") + key.slice(9)

const refusals: Readonly<Record<string, (who: { readonly acme: Cast; readonly globex: Cast }) => Pairs>> = {
  "no header at all": () => [],
  "Authorization alone": () => [["authorization", "NONE"]],
  "a token alone": ({ acme }) => [["authorization", `Bearer ${acme.jwt("org-admin")}`]],
  "a key alone": ({ acme }) => [["x-api-key", acme.api_key]],
  "both NONE": () => header("NONE", "NONE"),
  "none in lower case": ({ acme }) => header("none", acme.api_key),
  "None capitalised": ({ acme }) => header("None", acme.api_key),
  "NONE twice in one header": ({ acme }) => header("NONE, NONE", acme.api_key),
  "NONE in quotes": ({ acme }) => header('"NONE"', acme.api_key),
  "none for the key": ({ acme }) => header(`Bearer ${acme.jwt("org-admin")}`, "none"),
  "an empty Authorization": ({ acme }) => header("", acme.api_key),
  "an empty key": ({ acme }) => header(`Bearer ${acme.jwt("org-admin")}`, ""),
  "both empty": () => header("", ""),
  "Authorization twice": ({ acme }) => [["authorization", "NONE"], ...header("NONE", acme.api_key)],
  "Authorization twice, in another case": ({ acme }) => [["AUTHORIZATION", "NONE"], ...header("NONE", acme.api_key)],
  "the key twice": ({ acme }) => [["x-api-key", acme.api_key], ...header("NONE", acme.api_key)],
  "the key and NONE": ({ acme }) => [["x-api-key", "NONE"], ...header("NONE", acme.api_key)],
  "the token twice": ({ acme }) => {
    const token = `Bearer ${acme.jwt("org-admin")}`
    return [["authorization", token], ...header(token, "NONE")]
  },
  "Bearer without a token": () => header("Bearer", "NONE"),
  "Bearer and a space": () => header("Bearer ", "NONE"),
  "Bearer NONE": ({ acme }) => header("Bearer NONE", acme.api_key),
  "a token without Bearer": ({ acme }) => header(acme.jwt("org-admin"), "NONE"),
  "two tokens after Bearer": ({ acme }) => header(`Bearer ${acme.jwt("org-admin")} ${acme.jwt("org-admin")}`, "NONE"),
  "two spaces after Bearer": ({ acme }) => header(`Bearer  ${acme.jwt("org-admin")}`, "NONE"),
  "Basic credentials": () => header("Basic YWRtaW46YWRtaW4=", "NONE"),
  "a key as Authorization": ({ acme }) => header(acme.api_key, "NONE"),
  "a key as Bearer": ({ acme }) => header(`Bearer ${acme.api_key}`, "NONE"),
  "a token as the key": ({ acme }) => header("NONE", acme.jwt("org-admin")),
  "a key whose last character differs": ({ acme }) => header("NONE", otherLast(acme.api_key)),
  "a key whose first character differs": ({ acme }) => header("NONE", otherFirst(acme.api_key)),
  "a key cut short": ({ acme }) => header("NONE", acme.api_key.slice(0, -1)),
  "a key's prefix": ({ acme }) => header("NONE", acme.api_key.slice(0, 12)),
  "a key in upper case": ({ acme }) => header("NONE", acme.api_key.toUpperCase()),
  "two keys in one header": ({ acme, globex }) => header("NONE", `${acme.api_key}, ${globex.api_key}`),
  "a well-formed key that does not exist": () => header("NONE", formatApiKey("test", new Uint8Array(64).fill(7))),
  "a live key in the sandbox": () => header("NONE", formatApiKey("live", new Uint8Array(64).fill(7))),
  "a sandbox key that calls itself live": ({ acme }) => header("NONE", acme.api_key.replace("_test_", "_live_")),
  "a token, and a garbage key": ({ acme }) => header(`Bearer ${acme.jwt("org-admin")}`, "garbage"),
  "a key, and a garbage token": ({ acme }) => header("Bearer garbage", acme.api_key),
  "a token of one organisation and a key of another": ({ acme, globex }) =>
    header(`Bearer ${acme.jwt("org-admin")}`, globex.api_key)
}

function header(authorization: string, apiKey: string): Pairs {
  return [
    ["authorization", authorization],
    ["x-api-key", apiKey]
  ]
}

onDatabaseServer("Credentials", (it) => {
  it.effect.each(Object.entries(refusals))("refuse %s", ([, headersOf]) =>
    Effect.gen(function* () {
      const answer = yield* ask(headersOf(yield* people))
      expect([answer.status, answer.text]).toEqual([401, REFUSED])
      expect(withoutRequestId(answer)).toEqual(withoutRequestId(yield* ask([])))
    })
  )

  it.effect("refuse a revoked key, and one of an earlier rotation, with the same words", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { api_key, api_key_id } = yield* createKey(acme.key)
      yield* revokeKey(acme.key, api_key_id)
      const answer = yield* ask(header("NONE", api_key))
      expect([answer.status, answer.text]).toEqual([401, REFUSED])
      const withToken = yield* ask(header(`Bearer ${acme.jwt("org-admin")}`, api_key))
      expect([withToken.status, withToken.text]).toEqual([401, REFUSED])
    })
  )

  it.effect("pass by key, by token, or by both of one organisation", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const token = `Bearer ${acme.jwt("org-admin")}`
      const passing = [header("NONE", acme.api_key), header(token, "NONE"), header(token, acme.api_key)]
      const spelled = [
        header(`bearer ${acme.jwt("org-admin")}`, "NONE"),
        header(" NONE  ", `\t${acme.api_key} `),
        [
          ["AUTHORIZATION", "NONE"],
          ["X-API-KEY", acme.api_key]
        ] as const
      ]
      for (const headers of [...passing, ...spelled]) expect((yield* ask(headers)).status).toBe(200)
    })
  )

  it.effect("let the token's user act when both are there", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      expect((yield* ask(header(`Bearer ${acme.jwt("member")}`, acme.api_key))).status).toBe(403)
      const weak = yield* createKey(acme.key, { role: "member" })
      expect((yield* ask(header("NONE", weak.api_key))).status).toBe(403)
      expect((yield* ask(header(`Bearer ${acme.jwt("org-admin")}`, weak.api_key))).status).toBe(200)
    })
  )

  it.effect("are asked for before anything else about a request is looked at", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const bad = yield* send(KEYS, { method: "POST", body: "{", headers: { "content-type": "text/plain" } })
      expect([bad.status, bad.text]).toEqual([401, REFUSED])
      expect((yield* ask([], `${KEYS}?limit=0`)).status).toBe(401)
      expect((yield* ask([], "/v1/public/nothing")).status).toBe(404)
      expect((yield* send(KEYS, { headers: { ...byKey(acme.api_key) } })).status).toBe(200)
    })
  )
})
