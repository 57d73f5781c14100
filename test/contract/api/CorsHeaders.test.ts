import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people } from "../../support/TestCredentials.ts"
import { send } from "../../support/Send.ts"
import { onServer } from "../../support/TestServer.ts"
import { KEYS } from "./Keys.ts"

const APP = "https://app.example.com"

const preflight = (origin: string) =>
  send(KEYS, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "x-api-key" }
  })

const corsHeaders = (headers: object) => Object.keys(headers).filter((name) => name.startsWith("access-control-"))

onServer("CORS switched on", "memory", { variables: { CORS_ORIGINS: `${APP}, http://localhost:5173` } }, (it) => {
  it.effect("answers a preflight of an allowed origin", () =>
    Effect.gen(function* () {
      const answer = yield* preflight(APP)
      expect([answer.status, answer.text]).toEqual([204, ""])
      expect(answer.headers).toMatchObject({
        "access-control-allow-origin": APP,
        "access-control-allow-methods": expect.stringContaining("POST"),
        "access-control-allow-headers": expect.stringMatching(/authorization.*x-api-key.*content-type/),
        vary: "Origin",
        "x-request-id": expect.any(String)
      })
      expect(answer.headers["access-control-allow-credentials"]).toBeUndefined()
    })
  )

  it.effect("shows its answers, errors too, to an allowed origin and to no other", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      for (const credential of [acme.token("org-admin"), {}]) {
        const allowed = yield* send(KEYS, { headers: { ...credential, origin: "http://localhost:5173" } })
        expect(allowed.headers["access-control-allow-origin"]).toBe("http://localhost:5173")
        expect(allowed.headers["access-control-expose-headers"]).toContain("x-request-id")
        for (const origin of ["https://evil.example.com", "null", `${APP}.evil.com`, "https://app.example.com:8443"]) {
          const refused = yield* send(KEYS, { headers: { ...credential, origin } })
          expect(corsHeaders(refused.headers), origin).toEqual([])
          expect(refused.headers.vary).toBe("Origin")
        }
      }
      expect(corsHeaders((yield* preflight("https://evil.example.com")).headers)).toEqual([])
    })
  )
})

onServer("CORS switched off", "memory", {}, (it) => {
  it.effect("sends a browser no headers", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answer = yield* send(KEYS, { headers: { ...acme.key, origin: APP } })
      expect(answer.status).toBe(200)
      expect(corsHeaders(answer.headers)).toEqual([])
      const asked = yield* preflight(APP)
      expect(asked.status).toBe(404)
      expect(corsHeaders(asked.headers)).toEqual([])
    })
  )
})
