import { expect } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import { importJWK, type JWTPayload, SignJWT } from "jose"
import { developmentAudience, developmentIssuer, issuerSecret } from "../../../src/people/auth/DevelopmentIssuer.ts"
import { nilUuid } from "../../../src/domain/Ids.ts"
import { SecretStore } from "../../../src/platform/secrets/Secrets.ts"
import { Vault } from "../../../src/platform/secrets/Vault.ts"
import { oddTexts, oddTimes } from "../../fuzz/EdgeValues.ts"
import { byToken, people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { onDatabaseServer } from "../../support/TestServer.ts"
import { KEYS } from "./Keys.ts"

type Jwk = Readonly<Record<string, string>>

/** The development issuer's own private key, as the server keeps it. */
const privateJwk = Effect.gen(function* () {
  const secrets = yield* SecretStore
  const vault = yield* Vault
  const sealed = Option.getOrThrow(yield* secrets.find(issuerSecret))
  return JSON.parse(yield* vault.decrypt(sealed, issuerSecret)) as Jwk
})

const claims = Effect.gen(function* () {
  const { acme } = yield* people
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const payload = {
    sub: acme.userId("org-admin"),
    org_id: acme.org_id,
    iss: developmentIssuer,
    aud: developmentAudience,
    iat: now,
    exp: now + 600
  }
  return { now, payload }
})

const signed = (payload: JWTPayload, header: Readonly<Record<string, unknown>> = {}) =>
  Effect.gen(function* () {
    const jwk = yield* privateJwk
    const key = yield* Effect.promise(() => importJWK(jwk, "ES256"))
    const protectedHeader = { alg: "ES256", kid: jwk["kid"] ?? "", ...header }
    return yield* Effect.promise(() => new SignJWT(payload).setProtectedHeader(protectedHeader).sign(key))
  })

/** Signed with the public key as if it were a shared secret. */
const signedWithPublicKey = (payload: JWTPayload) =>
  Effect.gen(function* () {
    const { d: _d, ...publicJwk } = yield* privateJwk
    const secret = new TextEncoder().encode(JSON.stringify(publicJwk))
    return yield* Effect.promise(() =>
      new SignJWT(payload).setProtectedHeader({ alg: "HS256", kid: publicJwk["kid"] ?? "" }).sign(secret)
    )
  })

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

const ask = (token: string) => send(KEYS, { headers: { ...byToken(token) } })

const changes: Readonly<Record<string, (now: number) => Readonly<Record<string, unknown>>>> = {
  "that has expired": (now) => ({ exp: now - 61 }),
  "that never expires": () => ({ exp: undefined }),
  "without a subject": () => ({ sub: undefined }),
  "with an empty subject": () => ({ sub: "" }),
  "with a number for a subject": () => ({ sub: 7 }),
  "with a NUL in its subject": () => ({ sub: "a\0b" }),
  "not valid yet": (now) => ({ nbf: now + 120 }),
  "of another issuer": () => ({ iss: "https://elsewhere.example" }),
  "without an issuer": () => ({ iss: undefined }),
  "for another audience": () => ({ aud: "another" }),
  "without an audience": () => ({ aud: undefined }),
  "with a list for an organisation": () => ({ org_id: [nilUuid] })
}

onDatabaseServer("Tokens", (it) => {
  it.effect("pass when they are as they should be", () =>
    Effect.gen(function* () {
      const { now, payload } = yield* claims
      expect((yield* ask(yield* signed(payload))).status).toBe(200)
      expect((yield* ask(yield* signed({ ...payload, aud: ["x", developmentAudience] }))).status).toBe(200)
      expect((yield* ask(yield* signed({ ...payload, nbf: now + 30, exp: now - 30 }))).status, "skew").toBe(200)
    })
  )

  it.effect.each(Object.entries(changes))("refuse one %s", ([, change]) =>
    Effect.gen(function* () {
      const { now, payload } = yield* claims
      const answer = yield* ask(yield* signed({ ...payload, ...change(now) } as JWTPayload))
      expect([answer.status, answer.text]).toEqual([401, (yield* ask("garbage")).text])
    })
  )

  it.effect("refuse one whose parts were changed", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      const { payload } = yield* claims
      const [head = "", body = "", signature = ""] = (yield* signed(payload)).split(".")
      const elsewhere = base64url({ ...payload, org_id: globex.org_id, sub: globex.userId("org-admin") })
      const flipped = (signature.startsWith("A") ? "B" : "A") + signature.slice(1)
      const tampered = [
        [head, elsewhere, signature],
        [head, body, flipped],
        [head, body, ""],
        [head, body],
        [base64url({ alg: "none" }), body, ""],
        [base64url({ alg: "none" }), body, signature],
        [head, body, signature, ""],
        ["", body, signature]
      ]
      for (const parts of tampered) expect((yield* ask(parts.join("."))).status, parts.join(".")).toBe(401)
    })
  )

  it.effect("refuse one that chose its own key or algorithm", () =>
    Effect.gen(function* () {
      const { payload } = yield* claims
      expect((yield* ask(yield* signedWithPublicKey(payload))).status, "HS256 with the public key").toBe(401)
      const { d: _d, ...jwk } = yield* privateJwk
      for (const header of [{ jwk }, { jku: "https://elsewhere.example/jwks" }, { kid: "another" }]) {
        expect((yield* ask(yield* signed(payload, header))).status, Object.keys(header)[0]).toBe(401)
      }
    })
  )

  it.effect("of someone unknown, or not a member there, are valid but may nothing", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      const { payload } = yield* claims
      const strangers = [
        { sub: "idp|nobody" },
        { org_id: globex.org_id },
        { org_id: undefined },
        { org_id: nilUuid },
        { org_id: "nonsense" }
      ]
      for (const change of strangers) {
        const answer = yield* ask(yield* signed({ ...payload, ...change }))
        expect([answer.status, bodyOf(answer)], JSON.stringify(change)).toEqual([
          403,
          { status: "error", message: expect.stringMatching(/\bmember\b.*\btoken\b/) }
        ])
      }
    })
  )

  it.effect.each(["__proto__", "constructor", "", "../../etc/passwd", "' or '1'='1", "\u0000", "x".repeat(4000)])(
    "refuse one whose key is named %j",
    (kid) =>
      Effect.gen(function* () {
        const { payload } = yield* claims
        expect((yield* ask(yield* signed(payload, { kid }))).status).toBe(401)
      })
  )

  it.effect("refuse one that is to be read in another way", () =>
    Effect.gen(function* () {
      const { payload } = yield* claims
      const { admin } = yield* people
      const header = { alg: "ES256", kid: (yield* privateJwk)["kid"], b64: false, crit: ["b64"] }
      const token = (yield* signed(payload)).split(".")
      for (const change of [header, { ...header, crit: ["exp"] }, { ...header, crit: "b64" }]) {
        expect((yield* ask([base64url(change), ...token.slice(1)].join("."))).status).toBe(401)
      }
      const other = admin.authorization.replace("Bearer ", "").split(".")
      expect((yield* ask([token[0], other[1], token[2]].join("."))).status, "another's claims").toBe(401)
    })
  )

  it.effect.each([...oddTexts.slice(0, 60), ...oddTimes.slice(0, 3)])(
    "are refused, and break nothing, with %j as the person or the organisation",
    (text) =>
      Effect.gen(function* () {
        const { payload } = yield* claims
        const short = text.slice(0, 1500)
        for (const odd of [{ sub: short }, { org_id: short }, { sub: short, org_id: short }]) {
          const { status, text: said } = yield* ask(yield* signed({ ...payload, ...odd }))
          expect([401, 403], said).toContain(status)
        }
        const email = { email: short, email_verified: true }
        expect((yield* ask(yield* signed({ ...payload, ...email }))).status, "a claim that counts elsewhere").toBe(200)
      })
  )

  it.effect("say nothing about a role: a claim makes no one an admin", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { payload } = yield* claims
      const boasting = { role: "admin", roles: ["admin", "org-admin"], admin: true, is_admin: true }
      const token = yield* signed({ ...payload, ...boasting, sub: acme.userId("member") })
      expect((yield* ask(token)).status).toBe(403)
    })
  )

  it.effect("of the platform's admin work in an organisation's name and without one", () =>
    Effect.gen(function* () {
      const { adminId, globex } = yield* people
      const { payload } = yield* claims
      for (const org_id of [undefined, null, globex.org_id, nilUuid]) {
        const answer = yield* ask(yield* signed({ ...payload, sub: adminId, org_id }))
        expect(answer.status, String(org_id)).toBe(200)
      }
    })
  )
})
