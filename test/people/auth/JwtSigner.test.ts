import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Option, TestClock } from "effect"
import { decodeJwt, decodeProtectedHeader } from "jose"
import { local } from "../../../src/people/auth/JwksSource.ts"
import { JwtVerifier } from "../../../src/people/auth/JwtVerifier.ts"
import { generateDevelopmentKey, TokenSigner } from "../../../src/people/auth/DevelopmentIssuer.ts"

const issuer = "http://127.0.0.1:3000"
const audience = "corridor"
const request = { sub: "user_1", orgId: "org_1", ttl: Duration.hours(12), issuer, audience }

const signerFor = (privateJwk: string) => TokenSigner.pipe(Effect.provide(TokenSigner.layer(privateJwk)))

const newSigner = Effect.flatMap(generateDevelopmentKey, ({ privateJwk }) => signerFor(privateJwk))

const verifyWith = (signer: TokenSigner["Type"], token: string) =>
  JwtVerifier.pipe(
    Effect.flatMap(({ verify }) => verify(token)),
    Effect.provide(JwtVerifier.layer({ source: local(signer.jwks), issuer, audience }))
  )

describe("TokenSigner", () => {
  it.effect("issues tokens that its own key set verifies until they expire", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_800_000_000_900)
      const signer = yield* newSigner
      const token = yield* signer.issue(request)
      expect(decodeJwt(token)).toEqual({
        sub: "user_1",
        org_id: "org_1",
        iss: issuer,
        aud: audience,
        iat: 1_800_000_000,
        exp: 1_800_043_200
      })
      expect(yield* verifyWith(signer, token)).toEqual({
        sub: "user_1",
        orgId: Option.some("org_1"),
        email: Option.none()
      })
      yield* TestClock.adjust("12 hours")
      expect(yield* verifyWith(signer, token)).toMatchObject({ sub: "user_1" })
      yield* TestClock.adjust("60 seconds")
      expect(yield* Effect.flip(verifyWith(signer, token))).toMatchObject({ _tag: "InvalidToken" })
    })
  )

  it.effect("leaves org_id out for a user of no organisation", () =>
    Effect.gen(function* () {
      const signer = yield* newSigner
      const token = yield* signer.issue({ ...request, orgId: undefined })
      expect(decodeJwt(token)).not.toHaveProperty("org_id")
      expect(yield* verifyWith(signer, token)).toEqual({ sub: "user_1", orgId: Option.none(), email: Option.none() })
    })
  )

  it.effect("vouches for the address of its user", () =>
    Effect.gen(function* () {
      const signer = yield* newSigner
      const token = yield* signer.issue({ ...request, email: "ada@example.com" })
      expect(decodeJwt(token)).toMatchObject({ email: "ada@example.com", email_verified: true })
      expect(yield* verifyWith(signer, token)).toMatchObject({ email: Option.some("ada@example.com") })
    })
  )

  it.effect("is the same issuer again from the same stored key, and another from another one", () =>
    Effect.gen(function* () {
      const { privateJwk, kid } = yield* generateDevelopmentKey
      const [first, restarted, other] = yield* Effect.all([signerFor(privateJwk), signerFor(privateJwk), newSigner])
      const token = yield* first.issue(request)
      expect(decodeProtectedHeader(token)).toMatchObject({ alg: "ES256", kid })
      expect(yield* verifyWith(restarted, token)).toMatchObject({ sub: "user_1" })
      expect(yield* Effect.flip(verifyWith(other, token))).toMatchObject({ _tag: "InvalidToken" })
    })
  )

  it.effect("publishes the public half only", () =>
    Effect.gen(function* () {
      const { privateJwk, kid } = yield* generateDevelopmentKey
      const { d } = JSON.parse(privateJwk) as { readonly d: string }
      const { jwks } = yield* signerFor(privateJwk)
      expect(jwks.keys).toHaveLength(1)
      expect(jwks.keys[0]).toMatchObject({ kid, alg: "ES256", use: "sig" })
      expect(jwks.keys[0]).not.toHaveProperty("d")
      expect(JSON.stringify(jwks)).not.toContain(d)
    })
  )

  it.effect("refuses a stored text that is no private key, without repeating it", () =>
    Effect.gen(function* () {
      const { privateJwk } = yield* generateDevelopmentKey
      const jwk = JSON.parse(privateJwk) as Record<string, string>
      const { d, ...publicOnly } = jwk
      const wrong = ["", "secret text", "{}", JSON.stringify(publicOnly), JSON.stringify({ ...jwk, x: "AAAA" })]
      for (const text of wrong) {
        const error = yield* Effect.flip(signerFor(text))
        expect(error._tag).toBe("InvalidSigningKey")
        expect(`${error.message} ${String(error)} ${JSON.stringify(error)}`).not.toMatch(/secret text/)
        expect(`${error.message} ${String(error)} ${JSON.stringify(error)}`).not.toContain(d)
      }
    })
  )
})
